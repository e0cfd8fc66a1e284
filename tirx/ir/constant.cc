// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "tirx/ir/dtype_limits.h"
#include "tirx/ir/expr.h"

namespace tvm {
namespace tirx {

int64_t IntImmObj::bits() const {
  if (auto small = value.as<int64_t>()) return *small;
  auto wide = value.as<uint64_t>();
  TVM_FFI_ICHECK(wide.has_value()) << "integer constant beyond 64 bits";
  return static_cast<int64_t>(*wide);
}

namespace {

void CheckScalar(DLDataType dtype, const char* node) {
  TVM_FFI_CHECK(IsScalar(dtype), ValueError) << node << " can only take scalar, but "
                                             << ffi::DLDataTypeToString(dtype) << " was supplied.";
}

}  // namespace

IntImm::IntImm(DLDataType dtype, ffi::BigInt value, Location loc) {
  PrimType ty(dtype);
  TVM_FFI_CHECK(IsInteger(dtype) || IsBool(dtype), ValueError)
      << "IntImm supports only int or uint or bool type, but " << ffi::DLDataTypeToString(dtype)
      << " was supplied.";
  CheckScalar(dtype, "IntImm");
  if (IsBool(dtype)) {
    TVM_FFI_CHECK(value == 0 || value == 1, ValueError) << value << " exceeds range of bool";
  } else if (IsUInt(dtype)) {
    TVM_FFI_CHECK(value >= 0, ValueError)
        << "Literal value " << value << " is negative for unsigned integer type "
        << ffi::DLDataTypeToString(dtype);
    auto wide = value.as<uint64_t>();
    TVM_FFI_CHECK(wide && (dtype.bits >= 64 || *wide >> dtype.bits == 0), ValueError)
        << "Literal value " << value << " exceeds maximum of " << ffi::DLDataTypeToString(dtype);
  } else {
    auto wide = value.as<int64_t>();
    TVM_FFI_CHECK(wide && FitsInt(dtype, *wide), ValueError)
        << "Literal value " << value << " exceeds range of " << ffi::DLDataTypeToString(dtype);
  }
  auto node = ffi::make_object<IntImmObj>();
  node->value = std::move(value);
  node->ty = std::move(ty);
  node->loc = OrUnknown(std::move(loc));
  data_ = std::move(node);
}

FloatImm::FloatImm(DLDataType dtype, double value, Location loc) {
  PrimType ty(dtype);
  TVM_FFI_CHECK(IsFloating(dtype), ValueError)
      << "FloatImm supports only float types, but " << ffi::DLDataTypeToString(dtype)
      << " was supplied.";
  CheckScalar(dtype, "FloatImm");
  if (std::isfinite(value)) {
    double bound = LargestFinite(dtype);
    TVM_FFI_CHECK_LE(value, bound, ValueError)
        << "Literal value " << value << " exceeds maximum of " << ffi::DLDataTypeToString(dtype);
    if (dtype.code == kDLFloat8_e8m0fnu) {
      TVM_FFI_CHECK_GE(value, 0, ValueError)
          << "Literal value " << value << " below zero for unsigned float8_e8m0fnu";
    }
    TVM_FFI_CHECK_GE(value, -bound, ValueError)
        << "Literal value " << value
        << (IsSmallFloat(dtype) ? " below minimum of " : " exceeds minimum of ")
        << ffi::DLDataTypeToString(dtype);
  }
  auto node = ffi::make_object<FloatImmObj>();
  node->value = value;
  node->ty = std::move(ty);
  node->loc = OrUnknown(std::move(loc));
  data_ = std::move(node);
}

StringImm::StringImm(ffi::String value, Location loc) {
  static const Type& string_type = *new Type(StringType::Make());
  auto node = ffi::make_object<StringImmObj>();
  node->value = std::move(value);
  node->ty = string_type;
  node->loc = OrUnknown(std::move(loc));
  data_ = std::move(node);
}

DataTypeImm::DataTypeImm(DLDataType value, Location loc) {
  static const Type& any_type = *new Type(AnyType::Make());
  auto node = ffi::make_object<DataTypeImmObj>();
  node->value = value;
  node->ty = any_type;
  node->loc = OrUnknown(std::move(loc));
  data_ = std::move(node);
}

GenericConst::GenericConst(ffi::Any value, Type ty, Location loc) {
  auto node = ffi::make_object<GenericConstObj>();
  node->value = std::move(value);
  node->ty = std::move(ty);
  node->loc = OrUnknown(std::move(loc));
  data_ = std::move(node);
}

}  // namespace tirx
}  // namespace tvm
