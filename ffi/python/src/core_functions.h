// SPDX-License-Identifier: Apache-2.0
// Small functions of tvm_ffi.core that belong to no class, and CAny.
#ifndef TVM_FFI_PYTHON_CORE_FUNCTIONS_H_
#define TVM_FFI_PYTHON_CORE_FUNCTIONS_H_

#include "object.h"

namespace tvm::ffi::detail::python {

// The value of a CAny, borrowed from it; NULL for another class.
const TVMFFIAny* AnyOf(PyObject* value);

bool InitCoreFunctions(PyObject* module);
bool InitTestTensor(PyObject* module);

}  // namespace tvm::ffi::detail::python

#endif  // TVM_FFI_PYTHON_CORE_FUNCTIONS_H_
