// SPDX-License-Identifier: Apache-2.0
// FFI value -> Python value.
#ifndef TVM_FFI_PYTHON_RESULT_H_
#define TVM_FFI_PYTHON_RESULT_H_

#include "object.h"

namespace tvm::ffi::detail::python {

PyObject* ResultSlow(TVMFFIAny value, const DLPackExchangeAPI* exchange);

// New reference for an owned value, which is consumed also on failure. `exchange` (may be NULL)
// turns tensors into those of the caller's framework.
inline PyObject* Result(TVMFFIAny value, const DLPackExchangeAPI* exchange) {
  switch (value.type_index) {
    case kTVMFFINone:
      Py_RETURN_NONE;
    case kTVMFFIInt:
      return PyLong_FromLongLong(value.v_int64);
    case kTVMFFIFloat:
      return PyFloat_FromDouble(value.v_float64);
    case kTVMFFIBool:
      return PyBool_FromLong(value.v_int64 != 0);
    case kTVMFFISmallStr:
      return PyUnicode_DecodeUTF8(value.v_bytes, value.small_str_len, nullptr);
    default:
      return ResultSlow(value, exchange);
  }
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
