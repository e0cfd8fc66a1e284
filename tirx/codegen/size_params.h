// SPDX-License-Identifier: Apache-2.0
#ifndef TIRX_CODEGEN_SIZE_PARAMS_H_
#define TIRX_CODEGEN_SIZE_PARAMS_H_

#include <vector>

#include "tirx/ir/function.h"

namespace tvm {
namespace tirx {

/// Sizes that the parameter types of a function name, in order of appearance. An inner function of
/// a module takes each as a parameter of its own, after the declared ones.
TIRX_API std::vector<Var> SizeParams(const FunctionObj* function);

}  // namespace tirx
}  // namespace tvm

#endif  // TIRX_CODEGEN_SIZE_PARAMS_H_
