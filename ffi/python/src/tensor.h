// SPDX-License-Identifier: Apache-2.0
// Tensors from and to other array libraries.
#ifndef TVM_FFI_PYTHON_TENSOR_H_
#define TVM_FFI_PYTHON_TENSOR_H_

#include "argument.h"

namespace tvm::ffi::detail::python {

// Owned tensors; NULL with an exception.
TVMFFIObject* TensorFromProtocol(PyObject* value);  // through __dlpack__
TVMFFIObject* TensorFromExchange(PyObject* value, const DLPackExchangeAPI* api);

// Tensor that shares the memory of a numpy array and keeps it alive.
TVMFFIObject* TensorFromNumpy(PyObject* array);

// Table behind the value of __dlpack_c_exchange_api__. NULL with an exception.
const DLPackExchangeAPI* ExchangeFromValue(PyObject* value);

// Device of the first tensor in a container that is not on the CPU, else cpu:0.
bool FirstDeviceOf(TVMFFIObject* container, DLDevice* out);

bool InitTensors(PyObject* module);

}  // namespace tvm::ffi::detail::python

#endif  // TVM_FFI_PYTHON_TENSOR_H_
