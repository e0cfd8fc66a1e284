// SPDX-License-Identifier: Apache-2.0
// Calls from Python to native functions, and back.
#ifndef TVM_FFI_PYTHON_FUNCTION_H_
#define TVM_FFI_PYTHON_FUNCTION_H_

#include "argument.h"

namespace tvm::ffi::detail::python {

// Makes a fresh instance of Function (all zero behind its header) callable.
void InitFunctionInstance(PyObject* self);

// Tells a Function by which name it was found (NULL for none) and its metadata (JSON text). A
// function that says there that it never blocks keeps the GIL from now on. False with an exception.
bool DescribeFunction(PyObject* function, PyObject* name, const TVMFFIByteArray& metadata);

// Lets the pending exception of a call with a wrong number of arguments tell how many may be left
// out. `function` is a Function of which some parameters have default values.
void ExplainCount(PyObject* function, Py_ssize_t nargs);

// Calls `fn` with the given values. `*result` is owned on true; false with an exception. `exchange`
// (may be NULL) receives the table of the first framework tensor.
bool CallNative(TVMFFIObject* fn, PyObject* const* args, Py_ssize_t nargs, bool release_gil,
                TVMFFIAny* result, const DLPackExchangeAPI** exchange);

// Calls `fn` with converted values and the GIL kept. `*result` is owned. False with an exception.
bool CallConverted(TVMFFIObject* fn, const TVMFFIAny* args, int32_t nargs, TVMFFIAny* result);

// Owned native function that calls `callable`. Tensors reach it through `exchange` (may be NULL).
TVMFFIObject* MakeCallback(PyObject* callable, const DLPackExchangeAPI* exchange);

// The callable behind a function made by MakeCallback, borrowed; NULL for any other function.
PyObject* CallableOf(const TVMFFIObject* function);

// Owned opaque object that holds `value`. NULL with an exception.
TVMFFIObject* MakeOpaque(PyObject* value);

// Owned global function, or NULL when there is none (no exception).
TVMFFIObject* FindGlobal(const char* name);

bool InitFunctions(PyObject* module);

}  // namespace tvm::ffi::detail::python

#endif  // TVM_FFI_PYTHON_FUNCTION_H_
