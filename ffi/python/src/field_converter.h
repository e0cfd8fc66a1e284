// SPDX-License-Identifier: Apache-2.0
// Conversion of the values of fields to their declared types.
#ifndef TVM_FFI_PYTHON_FIELD_CONVERTER_H_
#define TVM_FFI_PYTHON_FIELD_CONVERTER_H_

#include "runtime.h"

namespace tvm::ffi::detail::python {

// C function for ffi.MakeFieldSetter. `converter` comes from MakeFieldConverter. `*out` is owned.
// 0, or -1 with the error raised natively. May be called without the GIL.
int ConvertForField(void* converter, const TVMFFIAny* value, TVMFFIAny* out);

// The converter of a TypeSchema, kept for ever. NULL with an exception.
void* MakeFieldConverter(PyObject* schema);

}  // namespace tvm::ffi::detail::python

#endif  // TVM_FFI_PYTHON_FIELD_CONVERTER_H_
