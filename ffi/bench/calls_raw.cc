// SPDX-License-Identifier: Apache-2.0
// The functions of python_calls.py, written against the C API of Python.
#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace {

PyObject* Empty(PyObject*, PyObject* const*, Py_ssize_t) { Py_RETURN_NONE; }

PyObject* EmptyNoGil(PyObject*, PyObject* const*, Py_ssize_t) {
  Py_BEGIN_ALLOW_THREADS;
  Py_END_ALLOW_THREADS;
  Py_RETURN_NONE;
}

bool ThreeInts(PyObject* const* args, Py_ssize_t nargs) {
  if (nargs != 3) {
    PyErr_SetString(PyExc_TypeError, "expected 3 arguments");
    return false;
  }
  for (int i = 0; i < 3; ++i) {
    if (PyLong_AsLongLong(args[i]) == -1 && PyErr_Occurred()) return false;
  }
  return true;
}

PyObject* Three(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
  if (!ThreeInts(args, nargs)) return nullptr;
  Py_RETURN_NONE;
}

PyObject* ThreeNoGil(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
  if (!ThreeInts(args, nargs)) return nullptr;
  Py_BEGIN_ALLOW_THREADS;
  Py_END_ALLOW_THREADS;
  Py_RETURN_NONE;
}

PyObject* Int(PyObject*, PyObject* const* args, Py_ssize_t) {
  long long value = PyLong_AsLongLong(args[0]);
  if (value == -1 && PyErr_Occurred()) return nullptr;
  return PyLong_FromLongLong(value);
}

PyObject* Str(PyObject*, PyObject* const* args, Py_ssize_t) {
  Py_ssize_t size;
  const char* data = PyUnicode_AsUTF8AndSize(args[0], &size);
  return data ? PyUnicode_DecodeUTF8(data, size, nullptr) : nullptr;
}

PyObject* Array(PyObject*, PyObject* const* args, Py_ssize_t) {
  Py_buffer view;
  if (PyObject_GetBuffer(args[0], &view, PyBUF_RECORDS_RO) < 0) return nullptr;
  PyObject* result = PyLong_FromSsize_t(view.ndim);
  PyBuffer_Release(&view);
  return result;
}

PyObject* Fail(PyObject*, PyObject* const*, Py_ssize_t) {
  PyErr_SetString(PyExc_ValueError, "no");
  return nullptr;
}

PyMethodDef Method(const char* name,
                   PyObject* (*function)(PyObject*, PyObject* const*, Py_ssize_t)) {
  return {name, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function)),
          METH_FASTCALL, nullptr};
}

PyMethodDef methods[] = {Method("empty", Empty),        Method("empty_nogil", EmptyNoGil),
                         Method("three", Three),        Method("three_nogil", ThreeNoGil),
                         Method("int_", Int),           Method("str", Str),
                         Method("array", Array),        Method("fail", Fail),
                         {nullptr, nullptr, 0, nullptr}};
PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "raw_calls", nullptr, -1, methods, nullptr, nullptr, nullptr, nullptr};

}  // namespace

PyMODINIT_FUNC PyInit_raw_calls(void) { return PyModule_Create(&module); }
