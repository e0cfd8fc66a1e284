// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tirx/ir/layout.h"

namespace tvm {
namespace tirx {

// A tensor of primitive elements. Without a layout it is compact and row-major.
struct TensorTypeObj : TypeObj {
  ffi::Array<Expr> shape;
  PrimType dtype;
  MemoryScope scope;
  int64_t data_alignment = 64;  // bytes
  Layout layout;                // may be null

  TensorTypeObj() : TypeObj(TypeKind::TensorType) {}
  static constexpr auto Fields() {
    return std::make_tuple(Field("shape", &TensorTypeObj::shape, Role::Define),
                           Field("dtype", &TensorTypeObj::dtype),
                           Field("scope", &TensorTypeObj::scope),
                           Field("data_alignment", &TensorTypeObj::data_alignment),
                           Field("layout", &TensorTypeObj::layout));
  }
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("tirx.TensorType", TensorTypeObj, TypeObj);
};
struct TensorType : Type {
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(TensorType, Type, TensorTypeObj);
  // A null scope means "global"; a data_alignment of 0 or less means 64 bytes.
  TIRX_API TensorType(ffi::Array<Expr> shape, PrimType dtype, MemoryScope scope = {},
                      int64_t data_alignment = 0, Layout layout = {});
};

// Whether two types are structurally equal; variables in sizes compare by identity.
TIRX_API bool SameType(const Type& a, const Type& b);

// The TensorType of a tensor expression, null when it has another type.
inline const TensorTypeObj* AsTensorType(const Expr& expr) {
  const Type& ty = expr->ty;
  return ty.is(TypeKind::TensorType) ? static_cast<const TensorTypeObj*>(ty.get()) : nullptr;
}

}  // namespace tirx
}  // namespace tvm
