// SPDX-License-Identifier: Apache-2.0
#ifndef TIRX_PASSES_FLATTEN_TENSOR_H_
#define TIRX_PASSES_FLATTEN_TENSOR_H_

#include "tirx/ir/module.h"

namespace tvm {
namespace tirx {

/// Gives every tensor one dimension.
///
/// Guarantees:   tensors without a layout are accessed with one index, in row-major order. A
/// parameter
///               keeps its type and is accessed through a view, declared at the top of the body.
/// Leaves alone: tensors with a layout.
TIRX_API IRModule FlattenTensor(IRModule module);

}  // namespace tirx
}  // namespace tvm

#endif  // TIRX_PASSES_FLATTEN_TENSOR_H_
