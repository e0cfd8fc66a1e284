// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tirx/ir/op.h"

namespace tvm {
namespace tirx {

struct StmtObj : ffi::Object {
  Location loc = Location::Unknown();
  StmtKind kind;

  explicit StmtObj(StmtKind kind = StmtKind::Foreign) : kind(kind) {}
  static constexpr auto Fields() {
    return std::make_tuple(Field("loc", &StmtObj::loc, Role::Ignore));
  }
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  static constexpr uint32_t _type_child_slots = 20;
  TVM_FFI_DECLARE_OBJECT_INFO("ir.Stmt", StmtObj, ffi::Object);
};
struct Stmt : ffi::ObjectRef {
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Stmt, ffi::ObjectRef, StmtObj);
  StmtKind kind() const { return get()->kind; }
  bool is(StmtKind kind) const { return defined() && get()->kind == kind; }
};

// Every block is one. It holds no SeqStmt and no Evaluate of a constant: the constructor flattens
// the first and drops the second.
struct SeqStmtObj : StmtObj {
  ffi::Array<Stmt> seq;

  SeqStmtObj() : StmtObj(StmtKind::SeqStmt) {}
  static constexpr auto Fields() { return std::make_tuple(Field("seq", &SeqStmtObj::seq)); }
  size_t size() const { return seq.size(); }
  Stmt operator[](int64_t i) const { return seq[i]; }
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("ir.SeqStmt", SeqStmtObj, StmtObj);
};
struct SeqStmt : Stmt {
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(SeqStmt, Stmt, SeqStmtObj);
  TIRX_API explicit SeqStmt(ffi::Array<Stmt> seq, Location loc = {});
  explicit SeqStmt(std::initializer_list<Stmt> seq)
      : SeqStmt(ffi::Array<Stmt>(seq.begin(), seq.end())) {}
  // `stmt` itself when it is a SeqStmt, else a block of it; a null one gives an empty block.
  TIRX_API static SeqStmt From(Stmt stmt);
};

// An immutable name for `value`, for the rest of the block.
struct BindObj : StmtObj {
  Var var;
  Expr value;

  BindObj() : StmtObj(StmtKind::Bind) {}
  static constexpr auto Fields() {
    return std::make_tuple(Field("var", &BindObj::var, Role::Define),
                           Field("value", &BindObj::value));
  }
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("ir.Bind", BindObj, StmtObj);
};
struct Bind : Stmt {
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Bind, Stmt, BindObj);
  TIRX_API Bind(Var var, Expr value, Location loc = {});
};

struct TensorStoreObj : StmtObj {
  Expr dest;
  ffi::Array<Expr> indices;
  Expr value;

  TensorStoreObj() : StmtObj(StmtKind::TensorStore) {}
  static constexpr auto Fields() {
    return std::make_tuple(Field("dest", &TensorStoreObj::dest),
                           Field("indices", &TensorStoreObj::indices),
                           Field("value", &TensorStoreObj::value));
  }
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("ir.TensorStore", TensorStoreObj, StmtObj);
};
struct TensorStore : Stmt {
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(TensorStore, Stmt, TensorStoreObj);
  // The value must have the element type (times the lanes of the index). RuntimeError when the
  // number of indices is not that of the dimensions, TypeError for a wrong type.
  TIRX_API TensorStore(Expr dest, ffi::Array<Expr> indices, Expr value, Location loc = {});
};

enum class ForKind : int64_t { Serial = 0, Parallel = 1, Vectorized = 2, Unrolled = 3 };

// Runs `body` for begin, begin + step, ... while the variable is before `end`; a negative step
// counts down. Bounds and step are evaluated once, before the loop.
struct ForObj : StmtObj {
  Var var;
  Expr begin, end, step;
  int64_t for_kind = 0;
  SeqStmt body;
  ffi::Map<ffi::String, ffi::Any> annotations;

  ForObj() : StmtObj(StmtKind::For) {}
  ForKind loop_kind() const { return static_cast<ForKind>(for_kind); }
  static constexpr auto Fields() {
    return std::make_tuple(Field("var", &ForObj::var, Role::Define), Field("begin", &ForObj::begin),
                           Field("end", &ForObj::end), Field("step", &ForObj::step),
                           Field("kind", &ForObj::for_kind), Field("body", &ForObj::body),
                           Field("annotations", &ForObj::annotations));
  }
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("ir.For", ForObj, StmtObj);
};
struct For : Stmt {
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(For, Stmt, ForObj);
  TIRX_API For(Var var, Expr begin, Expr end, Expr step, ForKind kind, SeqStmt body,
               ffi::Map<ffi::String, ffi::Any> annotations = {}, Location loc = {});
};

struct WhileObj : StmtObj {
  Expr condition;
  SeqStmt body;

  WhileObj() : StmtObj(StmtKind::While) {}
  static constexpr auto Fields() {
    return std::make_tuple(Field("condition", &WhileObj::condition),
                           Field("body", &WhileObj::body));
  }
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("ir.While", WhileObj, StmtObj);
};
struct While : Stmt {
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(While, Stmt, WhileObj);
  // Throws TypeError unless the condition is a bool scalar.
  TIRX_API While(Expr condition, SeqStmt body, Location loc = {});
};

struct BreakObj : StmtObj {
  BreakObj() : StmtObj(StmtKind::Break) {}
  static constexpr auto Fields() { return std::make_tuple(); }
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("ir.Break", BreakObj, StmtObj);
};
struct Break : Stmt {
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Break, Stmt, BreakObj);
  TIRX_API static Break Make(Location loc = {});
};

struct ContinueObj : StmtObj {
  ContinueObj() : StmtObj(StmtKind::Continue) {}
  static constexpr auto Fields() { return std::make_tuple(); }
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("ir.Continue", ContinueObj, StmtObj);
};
struct Continue : Stmt {
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Continue, Stmt, ContinueObj);
  TIRX_API static Continue Make(Location loc = {});
};

struct IfObj : StmtObj {
  Expr condition;
  SeqStmt then_case;
  SeqStmt else_case;  // may be null

  IfObj() : StmtObj(StmtKind::If) {}
  static constexpr auto Fields() {
    return std::make_tuple(Field("condition", &IfObj::condition),
                           Field("then_case", &IfObj::then_case),
                           Field("else_case", &IfObj::else_case));
  }
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("ir.If", IfObj, StmtObj);
};
struct If : Stmt {
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(If, Stmt, IfObj);
  // Throws TypeError unless the condition is a bool scalar.
  TIRX_API If(Expr condition, SeqStmt then_case, SeqStmt else_case = {}, Location loc = {});
};

struct ReturnObj : StmtObj {
  Expr value;

  ReturnObj() : StmtObj(StmtKind::Return) {}
  static constexpr auto Fields() { return std::make_tuple(Field("value", &ReturnObj::value)); }
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("ir.Return", ReturnObj, StmtObj);
};
struct Return : Stmt {
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Return, Stmt, ReturnObj);
  TIRX_API explicit Return(Expr value, Location loc = {});
};

// When `condition` is false, raises the FFI error kind with the parts joined.
struct AssertStmtObj : StmtObj {
  Expr condition;
  StringImm error_kind;
  ffi::Array<StringImm> message_parts;

  AssertStmtObj() : StmtObj(StmtKind::AssertStmt) {}
  static constexpr auto Fields() {
    return std::make_tuple(Field("condition", &AssertStmtObj::condition),
                           Field("error_kind", &AssertStmtObj::error_kind),
                           Field("message_parts", &AssertStmtObj::message_parts));
  }
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("ir.AssertStmt", AssertStmtObj, StmtObj);
};
struct AssertStmt : Stmt {
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(AssertStmt, Stmt, AssertStmtObj);
  TIRX_API AssertStmt(Expr condition, StringImm error_kind, ffi::Array<StringImm> message_parts,
                      Location loc = {});
};

struct EvaluateObj : StmtObj {
  Expr value;

  EvaluateObj() : StmtObj(StmtKind::Evaluate) {}
  static constexpr auto Fields() { return std::make_tuple(Field("value", &EvaluateObj::value)); }
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("ir.Evaluate", EvaluateObj, StmtObj);
};
struct Evaluate : Stmt {
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Evaluate, Stmt, EvaluateObj);
  TIRX_API explicit Evaluate(Expr value, Location loc = {});
};

// A structured operator (device_entry, launch_thread, ...) around a body.
struct RegionStmtObj : StmtObj {
  Op op;
  DictAttrs attrs;
  ffi::Array<Expr> args;
  ffi::Array<Var> body_params;
  SeqStmt body;
  ffi::Array<Var> result_vars;

  RegionStmtObj() : StmtObj(StmtKind::RegionStmt) {}
  static constexpr auto Fields() {
    return std::make_tuple(Field("op", &RegionStmtObj::op), Field("attrs", &RegionStmtObj::attrs),
                           Field("args", &RegionStmtObj::args),
                           Field("body_params", &RegionStmtObj::body_params, Role::Define),
                           Field("body", &RegionStmtObj::body),
                           Field("result_vars", &RegionStmtObj::result_vars, Role::Define));
  }
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("ir.RegionStmt", RegionStmtObj, StmtObj);
};
struct RegionStmt : Stmt {
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(RegionStmt, Stmt, RegionStmtObj);
  TIRX_API RegionStmt(Op op, ffi::Array<Expr> args, DictAttrs attrs, ffi::Array<Var> body_params,
                      SeqStmt body, ffi::Array<Var> result_vars = {}, Location loc = {});
};

}  // namespace tirx
}  // namespace tvm
