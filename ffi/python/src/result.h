// SPDX-License-Identifier: Apache-2.0
// FFI value -> Python value.
#ifndef TVM_FFI_PYTHON_RESULT_H_
#define TVM_FFI_PYTHON_RESULT_H_

#include <cstring>

#include "object.h"

namespace tvm::ffi::detail::python {

PyObject* ResultSlow(TVMFFIAny value, const DLPackExchangeAPI* exchange);

inline PyObject* SmallText(const TVMFFIAny& value) {
  // Single characters are left to the decoder, which has shared objects for them.
  if (value.small_str_len < 2 || (value.v_uint64 & 0x8080808080808080u) != 0) {
    return PyUnicode_DecodeUTF8(value.v_bytes, value.small_str_len, nullptr);
  }
  PyObject* text = PyUnicode_New(value.small_str_len, 127);
  if (text != nullptr) std::memcpy(PyUnicode_1BYTE_DATA(text), value.v_bytes, value.small_str_len);
  return text;
}

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
      return SmallText(value);
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
