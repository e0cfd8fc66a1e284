// SPDX-License-Identifier: Apache-2.0
// Cycles of native objects that no wrapper leads to, such as a List that contains itself.
#ifndef TVM_FFI_PYTHON_NATIVE_CYCLE_H_
#define TVM_FFI_PYTHON_NATIVE_CYCLE_H_

#include "runtime.h"

namespace tvm::ffi::detail::python {

// `container` (a List, a Dict or an object with fields) has been given another object by Python
// code, so it may be part of a cycle from now on.
void NoteStored(TVMFFIObject* container);

// Types whose objects may be emptied when they are garbage: those defined in Python.
void NotePythonType(int32_t type_index);

// Whether any object was noted that still lives.
bool MayHaveNativeCycles();

bool InitNativeCycles(PyObject* module);

}  // namespace tvm::ffi::detail::python

#endif  // TVM_FFI_PYTHON_NATIVE_CYCLE_H_
