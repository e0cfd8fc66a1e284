// SPDX-License-Identifier: Apache-2.0
// Exported functions with their signature and documentation.
#define TVM_FFI_DLL_EXPORT_INCLUDE_METADATA 1
#include <gtest/gtest.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/function.h>

#include <string>

namespace {

namespace ffi = tvm::ffi;

ffi::Optional<ffi::String> Find(const ffi::Map<ffi::String, int>& map, int value) {
  for (auto [key, held] : map) {
    if (held == value) return key;
  }
  return std::nullopt;
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(tests_metadata_find, Find)
TVM_FFI_DLL_EXPORT_TYPED_FUNC_DOC(tests_metadata_find, "Finds the key of a value.");

template <typename To, typename From>
To Convert(From from) {
  return static_cast<To>(from);
}

// Commas of the callable are no arguments of the macro.
TVM_FFI_DLL_EXPORT_TYPED_FUNC(tests_export_lambda, [](int64_t a, int64_t b) { return a - b; })
TVM_FFI_DLL_EXPORT_TYPED_FUNC(tests_export_template, Convert<int64_t, double>)

TEST(ExportMetadata, CallablesWithCommas) {
  EXPECT_EQ(
      ffi::Function::InvokeExternC(nullptr, __tvm_ffi_tests_export_lambda, 5, 3).cast<int64_t>(),
      2);
  EXPECT_EQ(
      ffi::Function::InvokeExternC(nullptr, __tvm_ffi_tests_export_template, 2.5).cast<int64_t>(),
      2);
  EXPECT_EQ(ffi::Function::InvokeExternC(nullptr, __tvm_ffi__metadata_tests_export_lambda)
                .cast<std::string>(),
            R"({"type_schema":"{\"type\":\"ffi.Function\",\"named_args\":{\"return\":)"
            R"([{\"type\":\"int\"}],\"params\":[{\"type\":\"int\"},{\"type\":\"int\"}]}}"})");
}

TEST(ExportMetadata, SignatureAndDocumentation) {
  EXPECT_EQ(ffi::Function::InvokeExternC(nullptr, __tvm_ffi__metadata_tests_metadata_find)
                .cast<std::string>(),
            R"({"type_schema":"{\"type\":\"ffi.Function\",\"named_args\":{\"return\":)"
            R"([{\"type\":\"Optional\",\"args\":[{\"type\":\"ffi.String\"}]}],\"params\":)"
            R"([{\"type\":\"ffi.Map\",\"args\":[{\"type\":\"ffi.String\"},{\"type\":\"int\"}]},)"
            R"({\"type\":\"int\"}]}}"})");
  EXPECT_EQ(
      ffi::Function::InvokeExternC(nullptr, __tvm_ffi__doc_tests_metadata_find).cast<std::string>(),
      "Finds the key of a value.");
  EXPECT_EQ(ffi::Function::InvokeExternC(nullptr, __tvm_ffi_tests_metadata_find,
                                         ffi::Map<ffi::String, int>{{"a", 1}, {"b", 2}}, 2)
                .cast<ffi::String>(),
            "b");
}

}  // namespace
