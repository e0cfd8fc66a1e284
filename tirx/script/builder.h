// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tirx/script/frame.h"

namespace tvm {
namespace tirx {

// Builds a program statement by statement. The innermost entered builder of a thread is the
// current one; statements go to its innermost frame.
struct IRBuilderObj : ffi::Object {
  ffi::Array<IRBuilderFrame> frames;
  ffi::ObjectRef result;  // null until a frame without a parent ends

  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("script.ir_builder.IRBuilder", IRBuilderObj, ffi::Object);
};
struct IRBuilder : ffi::ObjectRef {
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(IRBuilder, ffi::ObjectRef, IRBuilderObj);
  static bool IsInScope();
  // Throws RuntimeError when no builder is entered.
  static IRBuilderObj* Current();
  static IRBuilder CurrentRef();
};

// Adds a statement to the innermost frame. Throws RuntimeError when it collects none.
void AddToParent(Stmt stmt);

void EnterFrame(const IRBuilderFrame& frame);
// Ends `frame` and the implicit frames inside it. Throws RuntimeError when it is not the innermost
// one besides these.
void ExitFrame(const IRBuilderFrame& frame);
// Ends the innermost frame that is not implicit.
void ExitBlock();
// The innermost frame of the kind, null when there is none.
IRBuilderFrameObj* FindFrame(FrameKind kind);

// Positions come from the rewritten program as one number: 23 bits line, 12 column, 12 lines to
// the end, 16 end column. 0 means unknown. The file is that of the innermost PushSource.
Location UnpackLocation(int64_t packed);
void PushSource(const ffi::String& filename, Location caller);
// Until PopSource, `loc` is the location of all that is built.
void PushLocation(Location loc);
void PopSource();

// Gives `loc` to the parts of `expr` that have no location yet.
void StampLocation(const Expr& expr, const Location& loc);

// Renames the variable behind `value` (a variable, or a load from one).
void NameValue(const ffi::String& name, const Expr& value);

// `a - b` when the difference is the same for all values of the variables in them.
std::optional<int64_t> ConstantDifference(const Expr& a, const Expr& b);

}  // namespace tirx
}  // namespace tvm
