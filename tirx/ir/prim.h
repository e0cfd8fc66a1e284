// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tirx/ir/expr.h"

namespace tvm {
namespace tirx {

// Constructors of these nodes check operand types and never promote or fold: `Add(x, 0)` stays.
// The functions of ops.h do both. A type mismatch is a TypeError, a wrong kind of operand a
// RuntimeError. Integer division: Div and Mod truncate, FloorDiv and FloorMod round down.

#define TIRX_DEFINE_BINARY(Name, key)                                               \
  struct Name##Obj : ExprObj {                                                      \
    Expr a, b;                                                                      \
    Name##Obj() : ExprObj(ExprKind::Name) {}                                        \
    static constexpr auto Fields() {                                                \
      return std::make_tuple(Field("a", &Name##Obj::a), Field("b", &Name##Obj::b)); \
    }                                                                               \
    TVM_FFI_DECLARE_OBJECT_INFO_FINAL(key, Name##Obj, ExprObj);                     \
  };                                                                                \
  struct Name : Expr {                                                              \
    TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Name, Expr, Name##Obj);              \
    TIRX_API Name(Expr a, Expr b, Location loc = {});                               \
  };
#define TIRX_BINARY(Name, key) TIRX_DEFINE_BINARY(Name, key)
#include "tirx/defs/nodes.def"
#undef TIRX_DEFINE_BINARY

// Operands of a binary node of any kind (IsBinary(expr->kind) must hold).
inline const Expr& Lhs(const ExprObj* expr) { return static_cast<const AddObj*>(expr)->a; }
inline const Expr& Rhs(const ExprObj* expr) { return static_cast<const AddObj*>(expr)->b; }
// A binary node of the given kind, through its checking constructor.
TIRX_API Expr MakeBinary(ExprKind kind, Expr a, Expr b, Location loc = {});

#define TIRX_DEFINE_UNARY(Name, key)                                                      \
  struct Name##Obj : ExprObj {                                                            \
    Expr a;                                                                               \
    Name##Obj() : ExprObj(ExprKind::Name) {}                                              \
    static constexpr auto Fields() { return std::make_tuple(Field("a", &Name##Obj::a)); } \
    TVM_FFI_DECLARE_OBJECT_INFO_FINAL(key, Name##Obj, ExprObj);                           \
  };                                                                                      \
  struct Name : Expr {                                                                    \
    TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Name, Expr, Name##Obj);                    \
    TIRX_API explicit Name(Expr a, Location loc = {});                                    \
  };
TIRX_DEFINE_UNARY(Not, "prim.Not")
TIRX_DEFINE_UNARY(BitwiseNot, "prim.BitwiseNot")
#undef TIRX_DEFINE_UNARY

// Conversion to the element format of `ty`. int to int wraps, float to int truncates toward
// zero, to bool is `!= 0`.
struct CastObj : ExprObj {
  Expr value;

  CastObj() : ExprObj(ExprKind::Cast) {}
  static constexpr auto Fields() { return std::make_tuple(Field("value", &CastObj::value)); }
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("prim.Cast", CastObj, ExprObj);
};
struct Cast : Expr {
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Cast, Expr, CastObj);
  TIRX_API Cast(DLDataType dtype, Expr value, Location loc = {});
};

// Both values are evaluated.
struct SelectObj : ExprObj {
  Expr condition, true_value, false_value;

  SelectObj() : ExprObj(ExprKind::Select) {}
  static constexpr auto Fields() {
    return std::make_tuple(Field("condition", &SelectObj::condition),
                           Field("true_value", &SelectObj::true_value),
                           Field("false_value", &SelectObj::false_value));
  }
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("prim.Select", SelectObj, ExprObj);
};
struct Select : Expr {
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Select, Expr, SelectObj);
  TIRX_API Select(Expr condition, Expr true_value, Expr false_value, Location loc = {});
};

struct LetObj : ExprObj {
  Var var;
  Expr value, body;

  LetObj() : ExprObj(ExprKind::Let) {}
  static constexpr auto Fields() {
    return std::make_tuple(Field("var", &LetObj::var, Role::Define), Field("value", &LetObj::value),
                           Field("body", &LetObj::body));
  }
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("prim.Let", LetObj, ExprObj);
};
struct Let : Expr {
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Let, Expr, LetObj);
  TIRX_API Let(Var var, Expr value, Expr body, Location loc = {});
};

// base, base + stride, ... : `lanes` (more than one) elements. Lanes are an int32 constant, or a
// multiple of prim.vscale() for a scalable vector.
struct RampObj : ExprObj {
  Expr base, stride, lanes;

  RampObj() : ExprObj(ExprKind::Ramp) {}
  static constexpr auto Fields() {
    return std::make_tuple(Field("base", &RampObj::base), Field("stride", &RampObj::stride),
                           Field("lanes", &RampObj::lanes));
  }
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("prim.Ramp", RampObj, ExprObj);
};
struct Ramp : Expr {
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Ramp, Expr, RampObj);
  TIRX_API Ramp(Expr base, Expr stride, Expr lanes, Location loc = {});
};

struct BroadcastObj : ExprObj {
  Expr value, lanes;

  BroadcastObj() : ExprObj(ExprKind::Broadcast) {}
  static constexpr auto Fields() {
    return std::make_tuple(Field("value", &BroadcastObj::value),
                           Field("lanes", &BroadcastObj::lanes));
  }
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("prim.Broadcast", BroadcastObj, ExprObj);
};
struct Broadcast : Expr {
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Broadcast, Expr, BroadcastObj);
  TIRX_API Broadcast(Expr value, Expr lanes, Location loc = {});
};

// The lanes of `vectors` in order, those named by `indices`.
struct ShuffleObj : ExprObj {
  ffi::Array<Expr> vectors, indices;

  ShuffleObj() : ExprObj(ExprKind::Shuffle) {}
  static constexpr auto Fields() {
    return std::make_tuple(Field("vectors", &ShuffleObj::vectors),
                           Field("indices", &ShuffleObj::indices));
  }
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("prim.Shuffle", ShuffleObj, ExprObj);
};
struct Shuffle : Expr {
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Shuffle, Expr, ShuffleObj);
  TIRX_API Shuffle(ffi::Array<Expr> vectors, ffi::Array<Expr> indices, Location loc = {});
};

}  // namespace tirx
}  // namespace tvm
