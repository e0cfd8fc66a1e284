// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tvm/ffi/big_int.h>

#include <optional>
#include <string>

#include "tirx/ir/type.h"

namespace tvm {
namespace tirx {

struct ExprObj : ffi::Object {
  Location loc = Location::Unknown();
  Type ty = Type::Missing();
  ExprKind kind;

  explicit ExprObj(ExprKind kind = ExprKind::Foreign) : kind(kind) {}
  // The element format; `ty` must be a PrimType.
  DLDataType dtype() const { return static_cast<const PrimTypeObj*>(ty.get())->dtype; }
  static constexpr auto Fields() {
    return std::make_tuple(Field("loc", &ExprObj::loc, Role::Ignore), Field("ty", &ExprObj::ty));
  }
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  static constexpr uint32_t _type_child_slots = 70;
  TVM_FFI_DECLARE_OBJECT_INFO("ir.Expr", ExprObj, ffi::Object);
};
// Any expression. A constant converts from int, float, bool and str values of FFI arguments
// (int32, int64 when it does not fit; float32; bool; StringImm).
struct Expr : ffi::ObjectRef {
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Expr, ffi::ObjectRef, ExprObj);
  ExprKind kind() const { return get()->kind; }
  bool is(ExprKind kind) const { return defined() && get()->kind == kind; }
  const Type& ty() const { return get()->ty; }
  // Whether the type is a PrimType. Only then may dtype() be called.
  bool is_prim() const { return get()->ty.is_prim(); }
  DLDataType dtype() const { return get()->dtype(); }
};

// An expression whose type is a PrimType. As a parameter of an FFI function it is checked so.
struct PrimExpr : Expr {
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(PrimExpr, Expr, ExprObj);
  // `expr` must have a PrimType (not checked).
  explicit PrimExpr(Expr expr) : Expr(std::move(expr)) {}
};

}  // namespace tirx

namespace ffi {

template <>
inline constexpr bool use_default_type_traits_v<tirx::PrimExpr> = false;
template <>
struct TypeTraits<tirx::PrimExpr> : ObjectRefTypeTraitsBase<tirx::PrimExpr> {
  static bool CheckAnyStrict(const TVMFFIAny* src) {
    if (src->type_index < kTVMFFIStaticObjectBegin ||
        !detail::IsObjectInstance<tirx::ExprObj>(src->type_index)) {
      return false;
    }
    auto* expr = detail::ObjectUnsafe::RawObjectPtrFromUnowned<tirx::ExprObj>(src->v_obj);
    return expr->ty.is_prim();
  }
  TIRX_API static std::optional<tirx::PrimExpr> TryCastFromAnyView(const TVMFFIAny* src);
  TIRX_API static std::string GetMismatchTypeInfo(const TVMFFIAny* src);
  static std::string TypeStr() { return "ir.PrimExpr"; }
};

template <>
inline constexpr bool use_default_type_traits_v<tirx::Expr> = false;
template <>
struct TypeTraits<tirx::Expr> : ObjectRefTypeTraitsBase<tirx::Expr> {
  TIRX_API static std::optional<tirx::Expr> TryCastFromAnyView(const TVMFFIAny* src);
};

}  // namespace ffi

namespace tirx {

// ---- constants

struct ConstantObj : ExprObj {
  using ExprObj::ExprObj;
  static constexpr auto Fields() { return std::make_tuple(); }
  static constexpr uint32_t _type_child_slots = 6;
  TVM_FFI_DECLARE_OBJECT_INFO("ir.Constant", ConstantObj, ExprObj);
};
struct Constant : Expr {
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Constant, Expr, ConstantObj);
};

// Integer or bool constant; the value is in the range of the type.
struct IntImmObj : ConstantObj {
  ffi::BigInt value;

  IntImmObj() : ConstantObj(ExprKind::IntImm) {}
  static constexpr auto Fields() { return std::make_tuple(Field("value", &IntImmObj::value)); }
  // The value as int64; uint64 values of 2^63 and above come out negative, with the same bits.
  TIRX_API int64_t bits() const;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("ir.IntImm", IntImmObj, ConstantObj);
};
struct IntImm : Constant {
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(IntImm, Constant, IntImmObj);
  // Throws ValueError when the value is out of the range of `dtype`, RuntimeError for a negative
  // unsigned value or a type that is not a scalar integer or bool.
  TIRX_API IntImm(DLDataType dtype, ffi::BigInt value, Location loc = {});
};

struct FloatImmObj : ConstantObj {
  double value = 0;

  FloatImmObj() : ConstantObj(ExprKind::FloatImm) {}
  static constexpr auto Fields() { return std::make_tuple(Field("value", &FloatImmObj::value)); }
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("ir.FloatImm", FloatImmObj, ConstantObj);
};
struct FloatImm : Constant {
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(FloatImm, Constant, FloatImmObj);
  // Throws ValueError when a finite value is beyond the largest of `dtype`.
  TIRX_API FloatImm(DLDataType dtype, double value, Location loc = {});
};

struct StringImmObj : ConstantObj {
  ffi::String value;

  StringImmObj() : ConstantObj(ExprKind::StringImm) {}
  static constexpr auto Fields() { return std::make_tuple(Field("value", &StringImmObj::value)); }
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("ir.StringImm", StringImmObj, ConstantObj);
};
struct StringImm : Constant {
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(StringImm, Constant, StringImmObj);
  TIRX_API explicit StringImm(ffi::String value, Location loc = {});
};

struct DataTypeImmObj : ConstantObj {
  DLDataType value = Void();

  DataTypeImmObj() : ConstantObj(ExprKind::DataTypeImm) {}
  static constexpr auto Fields() { return std::make_tuple(Field("value", &DataTypeImmObj::value)); }
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("ir.DataTypeImm", DataTypeImmObj, ConstantObj);
};
struct DataTypeImm : Constant {
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(DataTypeImm, Constant, DataTypeImmObj);
  TIRX_API explicit DataTypeImm(DLDataType value, Location loc = {});
};

struct GenericConstObj : ConstantObj {
  ffi::Any value;

  GenericConstObj() : ConstantObj(ExprKind::GenericConst) {}
  static constexpr auto Fields() {
    return std::make_tuple(Field("value", &GenericConstObj::value));
  }
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("ir.GenericConst", GenericConstObj, ConstantObj);
};
struct GenericConst : Constant {
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(GenericConst, Constant, GenericConstObj);
  TIRX_API GenericConst(ffi::Any value, Type ty, Location loc = {});
};

// ---- names

// A variable is its object: two variables of one name are two variables.
struct VarObj : ExprObj {
  ffi::String name;

  VarObj() : ExprObj(ExprKind::Var) {}
  static constexpr auto Fields() {
    return std::make_tuple(Field("name", &VarObj::name, Role::Ignore));
  }
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindFreeVar;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("ir.Var", VarObj, ExprObj);
};
struct Var : Expr {
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Var, Expr, VarObj);
  TIRX_API Var(ffi::String name, Type ty, Location loc = {});
  TIRX_API Var(ffi::String name, DLDataType dtype, Location loc = {});
};

// A function of the module, by name.
struct GlobalVarObj : ExprObj {
  ffi::String name_hint;

  GlobalVarObj() : ExprObj(ExprKind::GlobalVar) {}
  static constexpr auto Fields() {
    return std::make_tuple(Field("name_hint", &GlobalVarObj::name_hint));
  }
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindFreeVar;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("ir.GlobalVar", GlobalVarObj, ExprObj);
};
struct GlobalVar : Expr {
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(GlobalVar, Expr, GlobalVarObj);
  TIRX_API explicit GlobalVar(ffi::String name_hint, Type ty = {}, Location loc = {});
};

// ---- attributes of calls and regions

struct AttrsObj : ffi::Object {
  static constexpr auto Fields() { return std::make_tuple(); }
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  TVM_FFI_DECLARE_OBJECT_INFO("ir.Attrs", AttrsObj, ffi::Object);
};
struct Attrs : ffi::ObjectRef {
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Attrs, ffi::ObjectRef, AttrsObj);
};

struct DictAttrsObj : AttrsObj {
  ffi::Map<ffi::String, ffi::Any> dict;

  static constexpr auto Fields() { return std::make_tuple(Field("dict", &DictAttrsObj::dict)); }
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("ir.DictAttrs", DictAttrsObj, AttrsObj);
};
// A null DictAttrs reads as an empty one.
struct DictAttrs : Attrs {
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(DictAttrs, Attrs, DictAttrsObj);
  TIRX_API explicit DictAttrs(ffi::Map<ffi::String, ffi::Any> dict);
  TIRX_API bool HasAttr(const ffi::String& key) const;
  // The value, None when absent.
  TIRX_API ffi::Any GetAny(const ffi::String& key) const;
  // The value as T; nullopt when absent; throws TypeError when it is of another type.
  template <typename T>
  std::optional<T> GetAttr(const ffi::String& key) const {
    ffi::Any value = GetAny(key);
    if (value == nullptr) return std::nullopt;
    return value.cast<T>();
  }
  // Copies with one entry set or removed.
  TIRX_API DictAttrs With(const ffi::String& key, ffi::Any value) const;
  TIRX_API DictAttrs Without(const ffi::String& key) const;
};

// ---- compound expressions

struct RangeObj : ffi::Object {
  Expr begin, extent;
  Location loc = Location::Unknown();

  static constexpr auto Fields() {
    return std::make_tuple(Field("begin", &RangeObj::begin), Field("extent", &RangeObj::extent),
                           Field("loc", &RangeObj::loc, Role::Ignore));
  }
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("ir.Range", RangeObj, ffi::Object);
};
// [begin, begin + extent)
struct Range : ffi::ObjectRef {
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Range, ffi::ObjectRef, RangeObj);
  // From begin and end; the extent is `end - begin`, folded.
  TIRX_API Range(Expr begin, Expr end, Location loc = {});
  TIRX_API static Range FromMinExtent(Expr begin, Expr extent, Location loc = {});
};

// op is an Op, a GlobalVar, a LambdaExpr or a Var of FuncType. Not validated when built.
struct CallObj : ExprObj {
  Expr op;
  ffi::Array<Expr> args;
  Attrs attrs;  // may be null
  ffi::Array<Type> ty_args;

  CallObj() : ExprObj(ExprKind::Call) {}
  static constexpr auto Fields() {
    return std::make_tuple(Field("op", &CallObj::op), Field("args", &CallObj::args),
                           Field("attrs", &CallObj::attrs), Field("ty_args", &CallObj::ty_args));
  }
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("ir.Call", CallObj, ExprObj);
};
struct Call : Expr {
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Call, Expr, CallObj);
  // A null `ty` is replaced by what the operator implies (its result rule, or the result type of
  // a GlobalVar's or lambda's FuncType), MissingType when it implies nothing.
  TIRX_API Call(Expr op, ffi::Array<Expr> args, Attrs attrs = {}, ffi::Array<Type> ty_args = {},
                Type ty = {}, Location loc = {});
};

// An element of a tensor; a vector when the last index is one (Ramp).
struct TensorLoadObj : ExprObj {
  Expr source;
  ffi::Array<Expr> indices;

  TensorLoadObj() : ExprObj(ExprKind::TensorLoad) {}
  static constexpr auto Fields() {
    return std::make_tuple(Field("source", &TensorLoadObj::source),
                           Field("indices", &TensorLoadObj::indices));
  }
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("ir.TensorLoad", TensorLoadObj, ExprObj);
};
struct TensorLoad : Expr {
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(TensorLoad, Expr, TensorLoadObj);
  // Throws TypeError unless `source` has a TensorType, RuntimeError when the number of indices
  // is not that of the dimensions.
  TIRX_API TensorLoad(Expr source, ffi::Array<Expr> indices, Location loc = {});
};

// A block of a tensor, as an operand.
struct TensorRegionObj : ExprObj {
  Expr source;
  ffi::Array<Range> region;

  TensorRegionObj() : ExprObj(ExprKind::TensorRegion) {}
  static constexpr auto Fields() {
    return std::make_tuple(Field("source", &TensorRegionObj::source, Role::DefinePattern),
                           Field("region", &TensorRegionObj::region));
  }
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("ir.TensorRegion", TensorRegionObj, ExprObj);
};
struct TensorRegion : Expr {
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(TensorRegion, Expr, TensorRegionObj);
  TIRX_API TensorRegion(Expr source, ffi::Array<Range> region, Location loc = {});
};

struct TupleObj : ExprObj {
  ffi::Array<Expr> fields;

  TupleObj() : ExprObj(ExprKind::Tuple) {}
  static constexpr auto Fields() { return std::make_tuple(Field("fields", &TupleObj::fields)); }
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("ir.Tuple", TupleObj, ExprObj);
};
struct Tuple : Expr {
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Tuple, Expr, TupleObj);
  TIRX_API explicit Tuple(ffi::Array<Expr> fields, Location loc = {});
};

struct TupleGetItemObj : ExprObj {
  Expr tuple_value;
  int64_t index = 0;

  TupleGetItemObj() : ExprObj(ExprKind::TupleGetItem) {}
  static constexpr auto Fields() {
    return std::make_tuple(Field("tuple_value", &TupleGetItemObj::tuple_value),
                           Field("index", &TupleGetItemObj::index));
  }
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("ir.TupleGetItem", TupleGetItemObj, ExprObj);
};
struct TupleGetItem : Expr {
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(TupleGetItem, Expr, TupleGetItemObj);
  // Throws IndexError when the index is out of range.
  TIRX_API TupleGetItem(Expr tuple_value, int64_t index, Location loc = {});
};

struct StagingExprObj : ExprObj {
  using ExprObj::ExprObj;
  static constexpr auto Fields() { return std::make_tuple(); }
  static constexpr uint32_t _type_child_slots = 2;
  TVM_FFI_DECLARE_OBJECT_INFO("ir.StagingExpr", StagingExprObj, ExprObj);
};
struct StagingExpr : Expr {
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(StagingExpr, Expr, StagingExprObj);
};

// A function value that is expanded where it is used (combiners, tile functions).
struct LambdaExprObj : StagingExprObj {
  ffi::Array<Var> vars;
  Expr body;

  LambdaExprObj() : StagingExprObj(ExprKind::LambdaExpr) {}
  static constexpr auto Fields() {
    return std::make_tuple(Field("vars", &LambdaExprObj::vars, Role::Define),
                           Field("body", &LambdaExprObj::body));
  }
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("ir.LambdaExpr", LambdaExprObj, StagingExprObj);
};
struct LambdaExpr : StagingExpr {
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(LambdaExpr, StagingExpr, LambdaExprObj);
  TIRX_API LambdaExpr(ffi::Array<Var> vars, Expr body, Location loc = {});
};

struct OpaqueExprObj : ExprObj {
  OpaqueExprObj() : ExprObj(ExprKind::OpaqueExpr) {}
  static constexpr auto Fields() { return std::make_tuple(); }
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("ir.OpaqueExpr", OpaqueExprObj, ExprObj);
};
struct OpaqueExpr : Expr {
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(OpaqueExpr, Expr, OpaqueExprObj);
};

struct BaseFuncObj : ExprObj {
  DictAttrs attrs;

  using ExprObj::ExprObj;
  static constexpr auto Fields() { return std::make_tuple(Field("attrs", &BaseFuncObj::attrs)); }
  static constexpr uint32_t _type_child_slots = 2;
  TVM_FFI_DECLARE_OBJECT_INFO("ir.BaseFunc", BaseFuncObj, ExprObj);
};
struct BaseFunc : Expr {
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(BaseFunc, Expr, BaseFuncObj);
};

}  // namespace tirx
}  // namespace tvm
