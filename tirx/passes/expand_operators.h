// SPDX-License-Identifier: Apache-2.0
#ifndef TIRX_PASSES_EXPAND_OPERATORS_H_
#define TIRX_PASSES_EXPAND_OPERATORS_H_

#include "tirx/ir/module.h"

namespace tvm {
namespace tirx {

/// Writes calls of operators that were registered at run time (from Python or Rust) as what their
/// registration says: the attribute `<target kind>.FLowerIntrin`, else `default.FLowerIntrin`, a
/// function from the call to an expression of the same type.
///
/// Expects:      every function has a target.
/// Guarantees:   no call of an operator with such an attribute; no evaluation of one whose effect
///               is only to inform and that has none.
/// Leaves alone: the built-in operators, which code generators know; region operators.
/// Throws TypeError when an expansion changes the type, RuntimeError when it does not end.
TIRX_API IRModule ExpandOperators(IRModule module);

}  // namespace tirx
}  // namespace tvm

#endif  // TIRX_PASSES_EXPAND_OPERATORS_H_
