// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tvm/ffi/function.h>

#include <string_view>
#include <vector>

#include "tirx/ir/prim.h"
#include "tirx/ir/tensor_type.h"

namespace tvm {
namespace tirx {

// What a call may do; attribute TCallEffectKind. Larger is stronger up to UpdateState.
enum class Effect : int32_t {
  ExprAnnotation = 0,
  Pure = 1,
  ReadState = 2,
  UpdateState = 3,
  SpecialCallArg = 4,
  EmbedInfo = 5,
  ControlJump = 6,
};

// Rows of defs/ops.def in order; the dense index of a built-in operator is its OpId, so code
// dispatches with `switch (op->id())`. Operators registered later come out as OpId::Unknown.
enum class OpId : int32_t {
#define TIRX_OP(id, name, args, var_arg, effect, result, vectorizable, doc) id,
#include "tirx/defs/ops.def"
  Unknown,
};

struct ArgumentInfoObj : ffi::Object {
  ffi::String name, doc;

  static constexpr auto Fields() {
    return std::make_tuple(Field("name", &ArgumentInfoObj::name),
                           Field("doc", &ArgumentInfoObj::doc));
  }
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("ir.ArgumentInfo", ArgumentInfoObj, ffi::Object);
};
struct ArgumentInfo : ffi::ObjectRef {
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(ArgumentInfo, ffi::ObjectRef, ArgumentInfoObj);
  TIRX_API ArgumentInfo(ffi::String name, ffi::String doc);
};

// One object per operator for the whole process.
struct OpObj : ExprObj {
  int64_t index = 0;
  ffi::String name, doc;
  ffi::Array<ArgumentInfo> args_info;
  ffi::String attrs_type_key;
  ffi::Array<ArgumentInfo> ty_args_info;
  ffi::Optional<ArgumentInfo> var_args_info, var_ty_args_info;

  OpObj() : ExprObj(ExprKind::Op) {}
  OpId id() const {
    return index < static_cast<int64_t>(OpId::Unknown) ? static_cast<OpId>(index) : OpId::Unknown;
  }
  static constexpr auto Fields() {
    return std::make_tuple(Field("index", &OpObj::index, Role::Ignore), Field("name", &OpObj::name),
                           Field("doc", &OpObj::doc, Role::Ignore),
                           Field("args_info", &OpObj::args_info, Role::Ignore),
                           Field("attrs_type_key", &OpObj::attrs_type_key, Role::Ignore),
                           Field("ty_args_info", &OpObj::ty_args_info, Role::Ignore),
                           Field("var_args_info", &OpObj::var_args_info, Role::Ignore),
                           Field("var_ty_args_info", &OpObj::var_ty_args_info, Role::Ignore));
  }
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindUniqueInstance;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("ir.Op", OpObj, ExprObj);
};
struct Op : Expr {
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Op, Expr, OpObj);
  // Throws AttributeError `Operator <name> is not registered`.
  TIRX_API static const Op& Get(std::string_view name);
  TIRX_API static const Op& Get(OpId id);
  // A null Op when there is none of the name.
  TIRX_API static Op Find(std::string_view name);
  // The operator of the name, created when it is new.
  TIRX_API static Op Register(std::string_view name);
  TIRX_API static std::vector<ffi::String> ListNames();
  TIRX_API static std::vector<ffi::String> ListAttrNames();
  TIRX_API static bool HasAttrColumn(const ffi::String& column);

  // Attribute columns, indexed by Op::index. Reads are safe beside reads, not beside SetAttr.
  TIRX_API bool HasAttr(const ffi::String& column) const;
  // Throws RuntimeError for an unknown column; None when the operator has no value in it.
  TIRX_API ffi::Any GetAttr(const ffi::String& column) const;
  // Throws ValueError when a value exists and `override` is false, or when the value is None.
  TIRX_API void SetAttr(const ffi::String& column, ffi::Any value, bool override = false) const;
  TIRX_API void ResetAttr(const ffi::String& column) const;

  // UpdateState for an operator that says nothing.
  TIRX_API Effect effect() const;
  TIRX_API bool vectorizable() const;
  // Whether it makes RegionStmts, not calls.
  TIRX_API bool is_region() const;
};

// The Op of a call, null when it calls something else.
inline const OpObj* CalledOp(const CallObj* call) {
  return call->op.is(ExprKind::Op) ? static_cast<const OpObj*>(call->op.get()) : nullptr;
}
// Whether `expr` is a call of the built-in operator.
inline bool IsCallTo(const Expr& expr, OpId id) {
  if (!expr.is(ExprKind::Call)) return false;
  const OpObj* op = CalledOp(static_cast<const CallObj*>(expr.get()));
  return op != nullptr && op->index == static_cast<int64_t>(id);
}

// The result type of a call that gives none: by the operator's rule, or from the FuncType of the
// callee; MissingType when nothing is known.
TIRX_API Type InferCallType(const Expr& op, const ffi::Array<Expr>& args,
                            const ffi::Array<Type>& ty_args);
// Checks argument counts and type arguments of a call of an operator; throws TypeError.
TIRX_API void ValidateCall(const Call& call);

}  // namespace tirx
}  // namespace tvm
