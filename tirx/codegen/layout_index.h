// SPDX-License-Identifier: Apache-2.0
#ifndef TIRX_CODEGEN_LAYOUT_INDEX_H_
#define TIRX_CODEGEN_LAYOUT_INDEX_H_

#include "tirx/ir/tensor_type.h"

namespace tvm {
namespace tirx {

/// Position of an element in memory, in elements, as its layout has it. Without a layout: compact
/// and row-major. Throws ValueError for a layout over other axes than the memory axis `m`.
TIRX_API Expr LayoutIndex(const TensorTypeObj* type, const ffi::Array<Expr>& indices);

/// Number of elements that memory for the tensor must hold, gaps and replicas included.
TIRX_API Expr LayoutSpan(const TensorTypeObj* type);

}  // namespace tirx
}  // namespace tvm

#endif  // TIRX_CODEGEN_LAYOUT_INDEX_H_
