// SPDX-License-Identifier: Apache-2.0
#ifndef TIRX_PASSES_WRITTEN_PARAMS_H_
#define TIRX_PASSES_WRITTEN_PARAMS_H_

#include <unordered_set>

#include "tirx/ir/function.h"

namespace tvm {
namespace tirx {

/// The tensor parameters that the body surely writes: by a store or an atomic update, directly or
/// through a view that it declares over the parameter's data. What callees do is not known here.
std::unordered_set<const VarObj*> WrittenParams(const Function& function);

}  // namespace tirx
}  // namespace tvm

#endif  // TIRX_PASSES_WRITTEN_PARAMS_H_
