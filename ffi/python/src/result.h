// SPDX-License-Identifier: Apache-2.0
// FFI value -> Python value.
#ifndef TVM_FFI_PYTHON_RESULT_H_
#define TVM_FFI_PYTHON_RESULT_H_

#include <cstring>

#include "object.h"

namespace tvm::ffi::detail::python {

// Consumes the owned value. Takes an address: the value has often been written in pieces, which are
// slow to read as a whole.
PyObject* ResultSlow(const TVMFFIAny* value, const DLPackExchangeAPI* exchange);

// New reference for an owned value, which is consumed also on failure. `exchange` (may be NULL)
// turns tensors into those of the caller's framework.
inline PyObject* Result(const TVMFFIAny& value, const DLPackExchangeAPI* exchange) {
  int32_t type_index = value.type_index;
  if (type_index == kTVMFFINone) Py_RETURN_NONE;
  if (type_index == kTVMFFIInt) return PyLong_FromLongLong(value.v_int64);
  return ResultSlow(&value, exchange);
}

// New reference for a borrowed value: an argument of a callback or an element of a container.
PyObject* ResultOfView(const TVMFFIAny& value, const DLPackExchangeAPI* exchange);

// Python forms of single kinds.
PyObject* MakeDtype(DLDataType dtype);
PyObject* MakeDevice(DLDevice device);
PyObject* MakeCVoidP(void* ptr);
PyObject* MakeTensor(TVMFFIObject* owned, const DLPackExchangeAPI* exchange);
PyObject* MakeTensorView(DLTensor* view);

}  // namespace tvm::ffi::detail::python

#endif  // TVM_FFI_PYTHON_RESULT_H_
