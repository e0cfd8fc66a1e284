// SPDX-License-Identifier: Apache-2.0
// Tensors from and to other array libraries.
#ifndef TVM_FFI_PYTHON_TENSOR_H_
#define TVM_FFI_PYTHON_TENSOR_H_

#include "argument.h"

namespace tvm::ffi::detail::python {

// Owned tensors; NULL with an exception.
TVMFFIObject* TensorFromProtocol(PyObject* value);  // through __dlpack__
TVMFFIObject* TensorFromExchange(PyObject* value, const DLPackExchangeAPI* api);

// An argument whose class has an exchange table. False with an exception.
bool ConvertExchange(PyObject* value, const DLPackExchangeAPI* api, TVMFFIAny* out,
                     ArgScope* scope);
// The same for a torch tensor, whose table has the view function. False with an
// exception.
bool ConvertTorchTensor(PyObject* value, const DLPackExchangeAPI* api, TVMFFIAny* out,
                        ArgScope* scope);
// BufferError unless the values of a torch tensor, of which `view` is the memory, are what that
// memory holds: not their conjugates or negatives.
bool CheckTorchTensor(PyObject* value, const DLTensor& view);
// Gives a failure of an exchange table an exception, where it has none, and returns false.
bool ExchangeFailed(PyObject* value);

// Tensor that shares the memory of a numpy array and keeps it alive.
TVMFFIObject* TensorFromNumpy(PyObject* array);

// Table behind the value of __dlpack_c_exchange_api__. NULL with an exception.
const DLPackExchangeAPI* ExchangeFromValue(PyObject* value);

// Device of the first tensor in a container that is not on the CPU, else cpu:0.
bool FirstDeviceOf(TVMFFIObject* container, DLDevice* out);

bool InitTensors(PyObject* module);

}  // namespace tvm::ffi::detail::python

#endif  // TVM_FFI_PYTHON_TENSOR_H_
