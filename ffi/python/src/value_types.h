// SPDX-License-Identifier: Apache-2.0
// DataType, Device, and the str and bytes subclasses that carry a native object.
#ifndef TVM_FFI_PYTHON_VALUE_TYPES_H_
#define TVM_FFI_PYTHON_VALUE_TYPES_H_

#include "object.h"

namespace tvm::ffi::detail::python {

struct DataTypePy {
  PyObject_HEAD DLDataType dtype;
};

struct DevicePy {
  PyObject_HEAD DLDevice device;
};

// Each writes *out; false with an exception.
bool DtypeOf(PyObject* value, DLDataType* out);        // a tvm_ffi.dtype or DataType
bool DtypeFromText(PyObject* text, DLDataType* out);   // such as "float32x4"
bool TorchDtype(PyObject* value, DLDataType* out);     // a torch.dtype
bool ProtocolDtype(PyObject* value, DLDataType* out);  // class with __dlpack_data_type__
bool DeviceOf(PyObject* value, DLDevice* out);         // a Device
bool ProtocolDevice(PyObject* value, DLDevice* out);   // class with __dlpack_device__

// Native object that a String carries, borrowed; NULL for none or for another class.
TVMFFIObject* CachedNative(PyObject* value);

// String or Bytes of an owned native object, which is consumed.
PyObject* MakeString(TVMFFIObject* owned);
PyObject* MakeBytes(TVMFFIObject* owned);

bool InitValueTypes(PyObject* module);
bool InitNativeStr(PyObject* module);

}  // namespace tvm::ffi::detail::python

#endif  // TVM_FFI_PYTHON_VALUE_TYPES_H_
