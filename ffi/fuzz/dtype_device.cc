// SPDX-License-Identifier: Apache-2.0
/*!
 * \file dtype_device.cc
 * \brief Texts of data types and devices: any text ends in a value or a ValueError, and what is
 * printed parses back to the same value.
 */
#include <tvm/ffi/any.h>
#include <tvm/ffi/device.h>
#include <tvm/ffi/dtype.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/string.h>

#include <cstring>

#include "input.h"

namespace {

using namespace tvm::ffi;

bool RegisterCustomTypes() {
  Function::SetGlobal("dtype.get_custom_type_code",
                      Function::FromTyped([](const String& name) -> int64_t {
                        return name == "far" ? 1000 : 129 + static_cast<int64_t>(name.size() % 8);
                      }));
  Function::SetGlobal("dtype.get_custom_type_name", Function::FromTyped([](int64_t code) -> String {
                        return std::string(static_cast<size_t>(code - 129) % 8, 'c');
                      }));
  return true;
}

void CheckDType(DLDataType dtype) {
  String text;
  if (!fuzz::Succeeds([&] { text = DLDataTypeToString(dtype); })) return;
  DLDataType again{};
  const bool parsed = fuzz::Succeeds([&] { again = StringToDLDataType(text); });
  // Texts leave out what they imply; the second printing tells whether they lose anything. 0 bits
  // read as the default, and custom types do not print theirs.
  const bool prints_bits = dtype.bits != 0 && dtype.code < kDLExtCustomBegin;
  if (parsed && prints_bits) {
    fuzz::Require(DLDataTypeToString(again) == text, "a printed dtype parses to itself");
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  [[maybe_unused]] static const bool registered = RegisterCustomTypes();
  const String text(reinterpret_cast<const char*>(data), size);
  DLDataType dtype{};
  if (fuzz::Succeeds([&] { dtype = StringToDLDataType(text); })) {
    fuzz::Require(fuzz::Succeeds([&] { DLDataTypeToString(dtype); }), "a parsed dtype prints");
    CheckDType(dtype);
  }
  fuzz::Input input(data, size);
  CheckDType(input.Take<DLDataType>());
  fuzz::Succeeds([&] { Any(text).cast<DLDevice>(); });
  fuzz::Succeeds([&] { Any(text).cast<DLDataType>(); });
  return 0;
}
