// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <tvm/ffi/function.h>

#include <algorithm>

#include "c_call.h"

namespace {

struct Adder {
  int64_t amount;
  int num_deleted = 0;

  static int Call(void* self, const TVMFFIAny* args, int32_t num_args, TVMFFIAny* result) {
    if (num_args != 1) {
      TVMFFIErrorSetRaisedFromCStr("TypeError", "one argument, please");
      return -1;
    }
    result->type_index = kTVMFFIInt;
    result->v_int64 = args[0].v_int64 + static_cast<Adder*>(self)->amount;
    return 0;
  }
  static void Delete(void* self) { ++static_cast<Adder*>(self)->num_deleted; }
};

TVMFFIAny Int(int64_t value) {
  TVMFFIAny any{};
  any.type_index = kTVMFFIInt;
  any.v_int64 = value;
  return any;
}

TEST(CFunction, CallsWithItsContextAndDeletesIt) {
  Adder adder{5};
  TVMFFIObjectHandle function = nullptr;
  ASSERT_EQ(TVMFFIFunctionCreate(&adder, Adder::Call, Adder::Delete, &function), 0);
  EXPECT_EQ(TVMFFIObjectGetTypeIndex(function), kTVMFFIFunction);
  EXPECT_EQ(TVMFFIFunctionGetCellPtr(function)->cpp_call, nullptr);
  TVMFFIAny arg = Int(37), result{};
  EXPECT_EQ(TVMFFIFunctionCall(function, &arg, 1, &result), 0);
  EXPECT_EQ(result.v_int64, 42);
  EXPECT_EQ(TVMFFIFunctionCall(function, &arg, 0, &result), -1);
  EXPECT_EQ(TakeError(), "TypeError: one argument, please");
  EXPECT_EQ(adder.num_deleted, 0);
  TVMFFIObjectDecRef(function);
  EXPECT_EQ(adder.num_deleted, 1);
}

TEST(CFunction, WithoutContextTheFunctionIsTheHandle) {
  static TVMFFIObjectHandle seen = nullptr;
  auto call = [](void* handle, const TVMFFIAny*, int32_t, TVMFFIAny*) {
    seen = handle;
    return 0;
  };
  TVMFFIObjectHandle function = nullptr;
  ASSERT_EQ(TVMFFIFunctionCreate(nullptr, call, nullptr, &function), 0);
  TVMFFIAny result{};
  EXPECT_EQ(TVMFFIFunctionCall(function, nullptr, 0, &result), 0);
  EXPECT_EQ(seen, function);
  EXPECT_EQ(TVMFFIFunctionGetCellPtr(function)->safe_call, static_cast<TVMFFISafeCallType>(call));
  TVMFFIObjectDecRef(function);
}

TEST(CFunction, NullIsRefused) {
  TVMFFIObjectHandle function = nullptr;
  EXPECT_EQ(TVMFFIFunctionCreate(nullptr, nullptr, nullptr, &function), -1);
  EXPECT_EQ(TakeError().substr(0, 12), "ValueError: ");
  TVMFFIAny result{};
  EXPECT_EQ(TVMFFIFunctionCall(nullptr, nullptr, 0, &result), -1);
  EXPECT_EQ(TakeError(), "ValueError: Cannot call a null function");
}

class CGlobalFunction : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(TVMFFIFunctionCreate(&five, Adder::Call, nullptr, &add_five), 0);
    ASSERT_EQ(TVMFFIFunctionCreate(&six, Adder::Call, nullptr, &add_six), 0);
  }
  void TearDown() override {
    tvm::ffi::Function::RemoveGlobal("ctest.add");
    TVMFFIObjectDecRef(add_five);
    TVMFFIObjectDecRef(add_six);
  }

  TVMFFIObjectHandle Get(const char* name) {
    TVMFFIByteArray key = Bytes(name);
    TVMFFIObjectHandle out = nullptr;
    EXPECT_EQ(TVMFFIFunctionGetGlobal(&key, &out), 0);
    if (out != nullptr) TVMFFIObjectDecRef(out);
    return out;
  }

  Adder five{5}, six{6};
  TVMFFIObjectHandle add_five = nullptr;
  TVMFFIObjectHandle add_six = nullptr;
  TVMFFIByteArray name = Bytes("ctest.add");
};

TEST_F(CGlobalFunction, IsRetainedAndFound) {
  EXPECT_EQ(Get("ctest.add"), nullptr);
  EXPECT_EQ(TVMFFIFunctionSetGlobal(&name, add_five, 0), 0);
  EXPECT_EQ(StrongCount(add_five), 2u);
  EXPECT_EQ(Get("ctest.add"), add_five);
  EXPECT_TRUE(
      tvm::ffi::Function::GetGlobalRequired("ffi.FunctionRemoveGlobal")("ctest.add").cast<bool>());
  EXPECT_FALSE(
      tvm::ffi::Function::GetGlobalRequired("ffi.FunctionRemoveGlobal")("ctest.add").cast<bool>());
  EXPECT_EQ(Get("ctest.add"), nullptr);
  EXPECT_EQ(StrongCount(add_five), 1u);
}

TEST_F(CGlobalFunction, IsReplacedOnlyOnRequest) {
  EXPECT_EQ(TVMFFIFunctionSetGlobal(&name, add_five, 0), 0);
  EXPECT_EQ(TVMFFIFunctionSetGlobal(&name, add_six, 0), -1);
  EXPECT_EQ(TakeError(), "RuntimeError: Global Function `ctest.add` is already registered");
  EXPECT_EQ(Get("ctest.add"), add_five);
  EXPECT_EQ(TVMFFIFunctionSetGlobal(&name, add_six, 1), 0);
  EXPECT_EQ(Get("ctest.add"), add_six);
  EXPECT_EQ(StrongCount(add_five), 1u);
}

TEST_F(CGlobalFunction, KeepsMetadata) {
  TVMFFIMethodInfo info{};
  info.name = name;
  info.doc = Bytes("Adds five.");
  info.metadata = Bytes("{\"type_schema\":\"x\"}");
  info.method.type_index = kTVMFFIFunction;
  info.method.v_obj = static_cast<TVMFFIObject*>(add_five);
  EXPECT_EQ(TVMFFIFunctionSetGlobalFromMethodInfo(&info, 0), 0);
  auto metadata = tvm::ffi::Function::GetGlobalRequired("ffi.GetGlobalFuncMetadata");
  EXPECT_EQ(metadata("ctest.add").cast<std::string>(), "{\"type_schema\":\"x\"}");
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(TVMFFIFunctionSetGlobalFromMethodInfo(&info, 0), -1);
  std::string printed = ::testing::internal::GetCapturedStderr();
  std::string error = TakeError();
  std::string expected =
      "RuntimeError: Global Function `ctest.add` is already registered, possible causes:";
  EXPECT_EQ(error.substr(0, expected.size()), expected);
  EXPECT_NE(printed.find(expected), std::string::npos);
  EXPECT_EQ(TVMFFIFunctionSetGlobal(&name, add_six, 1), 0);
  EXPECT_EQ(metadata("ctest.add").cast<std::string>(), "");
  try {
    metadata("ctest.nobody");
    FAIL();
  } catch (const tvm::ffi::Error& e) {
    EXPECT_EQ(e.kind(), "RuntimeError");
    EXPECT_EQ(e.message(), "Global Function is not found: ctest.nobody");
  }
}

TEST_F(CGlobalFunction, MustBeAFunction) {
  EXPECT_EQ(TVMFFIFunctionSetGlobal(&name, nullptr, 0), -1);
  EXPECT_EQ(TakeError(), "ValueError: Global Function `ctest.add` can't be null");
  TVMFFIObjectHandle opaque = nullptr;
  ASSERT_EQ(TVMFFIObjectCreateOpaque(this, kTVMFFIOpaquePyObject, nullptr, &opaque), 0);
  EXPECT_EQ(TVMFFIFunctionSetGlobal(&name, opaque, 0), -1);
  EXPECT_EQ(TakeError(),
            "TypeError: Global Function `ctest.add` must be a `ffi.Function`, but got "
            "`ffi.OpaquePyObject`");
  TVMFFIObjectDecRef(opaque);
}

TEST_F(CGlobalFunction, NamesAreListedFromASnapshot) {
  ASSERT_EQ(TVMFFIFunctionSetGlobal(&name, add_five, 0), 0);
  std::vector<tvm::ffi::String> names = tvm::ffi::Function::ListGlobalNames();
  EXPECT_EQ(std::count(names.begin(), names.end(), tvm::ffi::String("ctest.add")), 1);
  auto list = tvm::ffi::Function::GetGlobalRequired("ffi.FunctionListGlobalNamesFunctor")()
                  .cast<tvm::ffi::Function>();
  EXPECT_EQ(list(-1).cast<size_t>(), names.size());
  EXPECT_THROW(list(static_cast<int64_t>(names.size())), tvm::ffi::Error);
}

}  // namespace
