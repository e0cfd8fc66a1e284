// SPDX-License-Identifier: Apache-2.0
// The native type table as seen from Python.
#ifndef TVM_FFI_PYTHON_TYPE_TABLE_H_
#define TVM_FFI_PYTHON_TYPE_TABLE_H_

#include "object.h"

namespace tvm::ffi::detail::python {

// Tells the table of a type index that was just allocated.
void NoteTypeIndex(int32_t type_index);

bool InitTypeTable(PyObject* module);
bool InitPyClass(PyObject* module);  // types defined in Python

}  // namespace tvm::ffi::detail::python

#endif  // TVM_FFI_PYTHON_TYPE_TABLE_H_
