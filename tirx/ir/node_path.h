// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tirx/ir/expr.h"

namespace tvm {
namespace tirx {

// Text of the access path along nodes, each of which is held by the one before it, directly or as
// an item of a container field: `<root>.body.seq[1].value`.
std::string PathOf(const std::vector<const ffi::Object*>& nodes);

// Path to the place where `root` (a Function or an IRModule) defines the variable.
std::string PathToDefinition(const ffi::Object* root, const VarObj* var);

}  // namespace tirx
}  // namespace tvm
