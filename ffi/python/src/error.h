// SPDX-License-Identifier: Apache-2.0
// Exceptions across the language boundary.
#ifndef TVM_FFI_PYTHON_ERROR_H_
#define TVM_FFI_PYTHON_ERROR_H_

#include <string>

#include "object.h"

namespace tvm::ffi::detail::python {

// Raises the error in this thread's slot as a Python exception. Always returns NULL.
PyObject* RaiseFromSlot();

// Raises for a failing return code of a C function. Always returns NULL.
inline PyObject* RaiseFor(int code) {
  // -2 says that a Python exception is pending already.
  if (code == -2 && PyErr_Occurred()) return nullptr;
  return RaiseFromSlot();
}

// RaiseFor(), where a mismatch of types or ranges that native code, or a conversion of this
// package, found is about `subject`, which then precedes its text. Exceptions of callbacks stay as
// they are.
PyObject* RaiseAbout(const std::string& subject, int code);

// Moves the pending Python exception into this thread's error slot. Returns -1.
int SetSlotFromPython();

// New exception object for an error (borrowed): the one that was raised in Python when there is
// one, else an instance of the class registered for its kind. NULL with an exception.
PyObject* ExceptionOf(TVMFFIObject* error);

// Error object of an exception. Owned; NULL with an exception.
TVMFFIObject* ErrorOf(PyObject* exception);

// Text of a traceback, innermost frame first (NULL: empty).
std::string BacktraceText(PyObject* traceback);

// Puts one synthetic frame per line of `backtrace` around `traceback` (may be NULL) and returns the
// new traceback. NULL with an exception.
PyObject* ExtendTraceback(PyObject* traceback, const char* text, size_t size);

bool InitErrors(PyObject* module);

}  // namespace tvm::ffi::detail::python

#endif  // TVM_FFI_PYTHON_ERROR_H_
