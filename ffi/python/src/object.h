// SPDX-License-Identifier: Apache-2.0
// Python wrappers of native objects.
#ifndef TVM_FFI_PYTHON_OBJECT_H_
#define TVM_FFI_PYTHON_OBJECT_H_

#include "runtime.h"

namespace tvm::ffi::detail::python {

// Instance layout of CObject and every class below it.
struct ObjectPy {
  PyObject_HEAD TVMFFIObject* handle;  // owned; NULL when not initialised yet or moved away
  PyObject* weakrefs;
};

struct ContainerPy {
  ObjectPy base;
  // Table that turns tensors found in this container into the caller's tensors; NULL for none.
  const DLPackExchangeAPI* exchange;
};

struct FunctionPy {
  ObjectPy base;
  vectorcallfunc vectorcall;
  PyObject* dict;
  PyObject* name;      // str: what it was looked up by; NULL when it came in another way
  PyObject* metadata;  // JSON text; NULL when there is none
  int32_t num_params;  // of a function with default values, else 0: it takes any number
  bool release_gil;
};

struct TensorPy {
  ObjectPy base;
  DLTensor* view;   // of the handle, or borrowed from native code that owns the data
  int64_t exports;  // DLPack exports of a borrowed view that are still alive
};

inline ObjectPy* AsObject(PyObject* self) { return reinterpret_cast<ObjectPy*>(self); }

inline bool IsObject(PyObject* value) { return PyObject_TypeCheck(value, rt.object_base); }

// The handle of a wrapper; NULL with ValueError when it is empty.
inline TVMFFIObject* HandleOf(PyObject* self) {
  TVMFFIObject* handle = AsObject(self)->handle;
  if (handle == nullptr) [[unlikely]] {
    PyErr_Format(PyExc_ValueError, "%s holds no object: it was moved away or never initialised",
                 Py_TYPE(self)->tp_name);
  }
  return handle;
}

// Whether `self` may hold the object: what is done with a Function or a Tensor relies on the native
// type. False with TypeError.
bool RequireLayout(PyObject* self, const TVMFFIObject* handle);

// Wraps `owned` (released on failure) in an instance of `cls`, a class below CObject.
PyObject* WrapAs(PyTypeObject* cls, TVMFFIObject* owned);

// Wraps `owned` in the class registered for its type index.
PyObject* WrapObject(TVMFFIObject* owned);

// The class of a type index, made on first use. Borrowed; NULL with an exception.
PyTypeObject* ClassOf(int32_t type_index);

// Replaces the class of a type index. False with an exception.
bool SetClassOf(int32_t type_index, PyTypeObject* cls);

// Text of ffi.ReprPrint, or `Name(<address>)`. Never raises.
PyObject* ReprOf(PyObject* self);

// Visits the Python objects that `root` (its only reference being that of the caller) keeps alive.
int VisitNative(TVMFFIObject* root, visitproc visit, void* arg);

bool InitObjectTypes(PyObject* module);

}  // namespace tvm::ffi::detail::python

#endif  // TVM_FFI_PYTHON_OBJECT_H_
