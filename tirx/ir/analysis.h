// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "tirx/ir/module.h"

namespace tvm {
namespace tirx {

// Variables used but not defined in an Expr, Stmt or Function, in order of first use. `defs` count
// as defined. For a function, sizes named by parameter types are defined by the parameters.
TIRX_API ffi::Array<Var> UndefinedVars(const ffi::ObjectRef& node,
                                       const ffi::Array<Var>& defs = {});

// What is wrong with a Function or an IRModule.
struct IllFormed {
  std::string text;  // with the access path
  Location loc;      // null when no place in a source is known
  bool out_of_scope = false;
  std::string name;  // of the variable that is used without a definition
};
// Checked: every variable is defined once, before its use and in scope.
TIRX_API std::optional<IllFormed> FindIllFormed(const ffi::ObjectRef& node);
// Its text; empty when well-formed.
TIRX_API std::string WellFormedError(const ffi::ObjectRef& node);
// Throws ValueError with that text.
TIRX_API void CheckWellFormed(const ffi::ObjectRef& node);

// Structural equality of expressions with variables compared by identity; cheaper than
// ffi::StructuralEqual and without mapping of free variables.
TIRX_API bool DeepEqual(const Expr& a, const Expr& b);
// A hash that goes with DeepEqual.
TIRX_API uint64_t DeepHash(const Expr& expr);

// The strongest effect of the calls and loads in `expr` (a load reads state).
TIRX_API Effect SideEffect(const Expr& expr);

// Whether a variable for which `pred` holds is used.
TIRX_API bool UsesVar(const Expr& expr, const std::function<bool(const VarObj*)>& pred);
TIRX_API bool UsesVar(const Stmt& stmt, const std::function<bool(const VarObj*)>& pred);

// Throws ValueError `StructuralEqual check failed, caused by lhs at <path>:` with both texts
// underlined at the first difference.
TIRX_API void AssertStructuralEqual(const ffi::Any& lhs, const ffi::Any& rhs, bool map_free_vars);

}  // namespace tirx
}  // namespace tvm
