// SPDX-License-Identifier: Apache-2.0
// Descriptors of reflected fields, methods and constructors.
#ifndef TVM_FFI_PYTHON_FIELD_H_
#define TVM_FFI_PYTHON_FIELD_H_

#include "object.h"

namespace tvm::ffi::detail::python {

// New FieldGetter and FieldSetter of a field of type `owner`.
PyObject* MakeFieldGetter(int32_t owner, const TVMFFIFieldInfo& field);
PyObject* MakeFieldSetter(int32_t owner, const TVMFFIFieldInfo& field);

// Whether objects of type `type_index` are instances of `target`.
bool IsInstanceOf(int32_t type_index, int32_t target);

bool InitFields(PyObject* module);
bool InitMethods(PyObject* module);

}  // namespace tvm::ffi::detail::python

#endif  // TVM_FFI_PYTHON_FIELD_H_
