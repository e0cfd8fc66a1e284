// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tirx/ir/function.h"
#include "tirx/ir/module.h"

namespace tvm {
namespace tirx {

enum class FrameKind : uint8_t { Module, Function, For, While, If, Then, Else, Assert, Region };

// An open construct of the program under construction. Its end turns what was collected inside
// into a statement (or a function, or a module) of the frame around it.
struct IRBuilderFrameObj : ffi::Object {
  Location loc = Location::Unknown();
  FrameKind kind;
  // Entered by a plain statement; ends together with the block that it stands in.
  bool implicit = false;
  std::vector<ffi::Function> callbacks;  // run at the end, last added first

  explicit IRBuilderFrameObj(FrameKind kind = FrameKind::Module) : kind(kind) {}
  static constexpr uint32_t _type_child_slots = 12;
  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO("script.ir_builder.IRBuilderFrame", IRBuilderFrameObj, ffi::Object);
};
struct IRBuilderFrame : ffi::ObjectRef {
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(IRBuilderFrame, ffi::ObjectRef, IRBuilderFrameObj);
};

struct IRModuleFrameObj : IRBuilderFrameObj {
  ffi::Map<ffi::String, GlobalVar> global_vars;
  ffi::Map<GlobalVar, BaseFunc> functions;
  ffi::Map<ffi::String, ffi::Any> attrs;
  ffi::Map<ffi::String, ffi::Array<GlobalInfo>> global_infos;

  IRModuleFrameObj() : IRBuilderFrameObj(FrameKind::Module) {}
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("script.ir_builder.IRModuleFrame", IRModuleFrameObj,
                                    IRBuilderFrameObj);
};

// A frame that collects statements.
struct StmtFrameObj : IRBuilderFrameObj {
  ffi::Array<Stmt> stmts;

  explicit StmtFrameObj(FrameKind kind = FrameKind::Region) : IRBuilderFrameObj(kind) {}
  static constexpr uint32_t _type_child_slots = 9;
  TVM_FFI_DECLARE_OBJECT_INFO("script.ir_builder.StmtFrame", StmtFrameObj, IRBuilderFrameObj);
};

struct FunctionFrameObj : StmtFrameObj {
  ffi::Optional<ffi::String> name;
  ffi::Array<Var> args;
  bool is_private = false;
  Type ret_type;  // null: the unit type
  ffi::Map<ffi::String, ffi::Any> attrs;
  bool persistent = false;
  bool is_declaration = false;
  Function function;     // set at the end
  GlobalVar global_var;  // set at the end inside a module

  FunctionFrameObj() : StmtFrameObj(FrameKind::Function) {}
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("script.ir_builder.tirx.FunctionFrame", FunctionFrameObj,
                                    StmtFrameObj);
};

// One loop, or a nest of serial ones.
struct ForFrameObj : StmtFrameObj {
  ffi::Array<Var> vars;
  ffi::Array<Range> doms;
  ffi::Array<Expr> begins, ends, steps;  // one for each variable
  ForKind for_kind = ForKind::Serial;
  ffi::Map<ffi::String, ffi::Any> annotations;  // of the innermost loop

  ForFrameObj() : StmtFrameObj(FrameKind::For) {}
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("script.ir_builder.ForFrame", ForFrameObj, StmtFrameObj);
};

struct WhileFrameObj : StmtFrameObj {
  Expr condition;

  WhileFrameObj() : StmtFrameObj(FrameKind::While) {}
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("script.ir_builder.WhileFrame", WhileFrameObj, StmtFrameObj);
};

// Holds a ThenFrame and possibly an ElseFrame, one after the other.
struct IfFrameObj : StmtFrameObj {
  Expr condition;
  ffi::Optional<ffi::Array<Stmt>> then_stmts, else_stmts;

  IfFrameObj() : StmtFrameObj(FrameKind::If) {}
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("script.ir_builder.IfFrame", IfFrameObj, StmtFrameObj);
};
struct ThenFrameObj : StmtFrameObj {
  ThenFrameObj() : StmtFrameObj(FrameKind::Then) {}
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("script.ir_builder.ThenFrame", ThenFrameObj, StmtFrameObj);
};
struct ElseFrameObj : StmtFrameObj {
  ElseFrameObj() : StmtFrameObj(FrameKind::Else) {}
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("script.ir_builder.ElseFrame", ElseFrameObj, StmtFrameObj);
};

struct AssertFrameObj : StmtFrameObj {
  Expr condition;
  StringImm error_kind;
  ffi::Array<StringImm> message_parts;

  AssertFrameObj() : StmtFrameObj(FrameKind::Assert) {}
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("script.ir_builder.AssertFrame", AssertFrameObj, StmtFrameObj);
};

struct RegionFrameObj : StmtFrameObj {
  Op op;
  ffi::Array<Expr> args;
  ffi::Array<Var> body_params;
  DictAttrs attrs;

  RegionFrameObj() : StmtFrameObj(FrameKind::Region) {}
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("script.ir_builder.RegionFrame", RegionFrameObj, StmtFrameObj);
};

}  // namespace tirx
}  // namespace tvm
