// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tirx/ir/op.h"

namespace tvm {
namespace tirx {

// How the result type of a call follows from its arguments.
enum class ResultRule : uint8_t {
  Missing,  // it doesn't: the call must say it
  // fixed types
  Void,
  Bool,
  Int32,
  UInt32,
  Int64,
  UInt64,
  Float32,
  VoidPtr,
  Int64Ptr,
  // rules
  SameAsFirst,
  SameAsSecond,
  BoolLikeFirst,     // bool with the lanes of the first argument
  Int32Rule,         // int32, by a rule: a hook, not a fixed type
  AddressOf,         // pointer to what the argument names
  TypeArgument,      // the one TensorType argument
  StackArray,        // pointer by the name of the item
  DataPointer,       // pointer to the elements of the tensor argument
  VoidPtrLikeFirst,  // opaque pointer in the scope of the first argument
  VectorCombine,     // lanes of both arguments
  VectorHalf,        // half the lanes
  MaskedElement,     // element of the tensor argument, lanes of the last index
  SpecialRegister,   // integer of as many bits as the first argument says
};

inline constexpr int kNoEffect = -1;
inline constexpr int kRegionEffect = -2;

// A row of defs/ops.def.
struct OpRow {
  const char* name;
  const char* args;
  const char* var_arg;
  int effect;
  ResultRule result;
  bool vectorizable;
  const char* doc;
};
const std::vector<OpRow>& OpTable();

// Null unless the rule gives one type for all calls.
Type FixedResultType(ResultRule rule);
bool HasInferRule(ResultRule rule);
// The FInferType hook of a rule: Call -> Type.
ffi::Function InferFunction(ResultRule rule);
// The FRegionGetBodyParams hook of a region operator: (args, attrs) -> Array<Var>.
ffi::Function RegionParamsFunction(OpId id);
Type InferByRule(ResultRule rule, const Op& op, const ffi::Array<Expr>& args,
                 const ffi::Array<Type>& ty_args);

}  // namespace tirx
}  // namespace tvm
