// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tensor_geometry.h
 * \brief Checks of tensors that other libraries describe.
 */
#ifndef TVM_FFI_SRC_TENSOR_GEOMETRY_H_
#define TVM_FFI_SRC_TENSOR_GEOMETRY_H_

#include <dlpack/dlpack.h>

namespace tvm {
namespace ffi {

/*!
 * \brief Raises ValueError unless the elements of a tensor can be counted and addressed.
 *
 * Shape and strides must be readable: whether they are as long as `ndim` says can't be checked.
 * \param context Begins the message, which names the member that is wrong.
 */
void CheckTensorGeometry(const DLTensor& tensor, const char* context);

/*!
 * \brief Raises ValueError when elements have no memory or lie beyond the end of all memory.
 *
 * The geometry must have passed CheckTensorGeometry. Devices whose data is a handle are let
 * through.
 */
void CheckTensorMemory(const DLTensor& tensor, const char* context);

}  // namespace ffi
}  // namespace tvm

#endif  // TVM_FFI_SRC_TENSOR_GEOMETRY_H_
