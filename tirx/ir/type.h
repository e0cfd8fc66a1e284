// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tirx/ir/dtype.h"
#include "tirx/ir/location.h"
#include "tirx/ir/scope.h"

namespace tvm {
namespace tirx {

struct TypeObj : ffi::Object {
  Location loc = Location::Unknown();
  TypeKind kind;

  explicit TypeObj(TypeKind kind = TypeKind::Foreign) : kind(kind) {}
  static constexpr auto Fields() {
    return std::make_tuple(Field("loc", &TypeObj::loc, Role::Ignore));
  }
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  static constexpr uint32_t _type_child_slots = 20;
  TVM_FFI_DECLARE_OBJECT_INFO("ir.Type", TypeObj, ffi::Object);
};
struct Type : ffi::ObjectRef {
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Type, ffi::ObjectRef, TypeObj);
  // The type of an expression of which nothing is known yet.
  TIRX_API static const Type& Missing();
  // The empty tuple: the result of a function without one.
  TIRX_API static const Type& Unit();
  bool is(TypeKind kind) const { return defined() && get()->kind == kind; }
  bool is_prim() const { return is(TypeKind::PrimType); }
};

// Scalar or vector of one element format.
struct PrimTypeObj : TypeObj {
  DLDataType dtype = Void();

  PrimTypeObj() : TypeObj(TypeKind::PrimType) {}
  static constexpr auto Fields() { return std::make_tuple(Field("dtype", &PrimTypeObj::dtype)); }
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("ir.PrimType", PrimTypeObj, TypeObj);
};
struct PrimType : Type {
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(PrimType, Type, PrimTypeObj);
  // The same object for the same format. Throws RuntimeError for an opaque handle.
  TIRX_API explicit PrimType(DLDataType dtype);
};

struct PtrTypeObj : TypeObj {
  Type element_type;
  MemoryScope scope;

  PtrTypeObj() : TypeObj(TypeKind::PtrType) {}
  static constexpr auto Fields() {
    return std::make_tuple(Field("element_type", &PtrTypeObj::element_type),
                           Field("scope", &PtrTypeObj::scope));
  }
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("ir.PtrType", PtrTypeObj, TypeObj);
};
struct PtrType : Type {
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(PtrType, Type, PtrTypeObj);
  // A null scope means "global".
  TIRX_API explicit PtrType(Type element_type, MemoryScope scope = MemoryScope());
  // The opaque pointer, global.
  TIRX_API static const PtrType& VoidPtrType();
};

struct TupleTypeObj : TypeObj {
  ffi::Array<Type> fields;

  TupleTypeObj() : TypeObj(TypeKind::TupleType) {}
  static constexpr auto Fields() { return std::make_tuple(Field("fields", &TupleTypeObj::fields)); }
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("ir.TupleType", TupleTypeObj, TypeObj);
};
struct TupleType : Type {
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(TupleType, Type, TupleTypeObj);
  TIRX_API explicit TupleType(ffi::Array<Type> fields, Location loc = {});
};

struct FuncTypeObj : TypeObj {
  ffi::Array<Type> arg_types;
  Type ret_type;

  FuncTypeObj() : TypeObj(TypeKind::FuncType) {}
  static constexpr auto Fields() {
    return std::make_tuple(Field("arg_types", &FuncTypeObj::arg_types),
                           Field("ret_type", &FuncTypeObj::ret_type));
  }
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("ir.FuncType", FuncTypeObj, TypeObj);
};
struct FuncType : Type {
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(FuncType, Type, FuncTypeObj);
  TIRX_API FuncType(ffi::Array<Type> arg_types, Type ret_type, Location loc = {});
};

// Types without fields; Name() is a default-constructible null reference, Name::Make() a type.
#define TIRX_PLAIN_TYPE(Name, key)                                     \
  struct Name##Obj : TypeObj {                                         \
    Name##Obj() : TypeObj(TypeKind::Name) {}                           \
    static constexpr auto Fields() { return std::make_tuple(); }       \
    TVM_FFI_DECLARE_OBJECT_INFO_FINAL(key, Name##Obj, TypeObj);        \
  };                                                                   \
  struct Name : Type {                                                 \
    TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Name, Type, Name##Obj); \
    static Name Make() { return Name(ffi::make_object<Name##Obj>()); } \
  }
TIRX_PLAIN_TYPE(StringType, "ir.StringType");
TIRX_PLAIN_TYPE(NoneType, "ir.NoneType");
TIRX_PLAIN_TYPE(AnyType, "ir.AnyType");
TIRX_PLAIN_TYPE(OpaqueType, "ir.OpaqueType");
TIRX_PLAIN_TYPE(MissingType, "ir.MissingType");
TIRX_PLAIN_TYPE(TensorRegionType, "ir.TensorRegionType");
TIRX_PLAIN_TYPE(TensorMapType, "tirx.TensorMapType");
#undef TIRX_PLAIN_TYPE

}  // namespace tirx
}  // namespace tvm
