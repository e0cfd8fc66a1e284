// SPDX-License-Identifier: Apache-2.0
// The functions of python_calls.py, written against the C API of Python.
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

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
// ---- an object that is called, and one with fields: what a function or an object of a binding is
// at least --------

struct CalledPy {
  PyObject_HEAD vectorcallfunc call;
};

PyObject* CalledNoGil(PyObject*, PyObject* const*, size_t, PyObject*) {
  Py_BEGIN_ALLOW_THREADS;
  Py_END_ALLOW_THREADS;
  Py_RETURN_NONE;
}

PyObject* Called(PyObject*, PyObject* const*, size_t, PyObject*) { Py_RETURN_NONE; }

template <PyObject* (*kCall)(PyObject*, PyObject* const*, size_t, PyObject*)>
PyObject* NewCalled(PyTypeObject* type, PyObject*, PyObject*) {
  PyObject* self = type->tp_alloc(type, 0);
  if (self != nullptr) reinterpret_cast<CalledPy*>(self)->call = kCall;
  return self;
}

PyMemberDef called_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(CalledPy, call), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};

template <PyObject* (*kCall)(PyObject*, PyObject* const*, size_t, PyObject*)>
PyObject* MakeCalledType(const char* name) {
  static PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void*>(NewCalled<kCall>)},
                                {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
                                {Py_tp_members, called_members},
                                {0, nullptr}};
  static PyType_Spec spec = {name, sizeof(CalledPy), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL, slots};
  return PyType_FromSpec(&spec);
}

struct FieldsPy {
  PyObject_HEAD long long value;
};

PyObject* GetValue(PyObject* self, void*) {
  return PyLong_FromLongLong(reinterpret_cast<FieldsPy*>(self)->value);
}

PyMemberDef fields_members[] = {
    {"member", T_LONGLONG, offsetof(FieldsPy, value), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};
PyGetSetDef fields_getset[] = {{"getset", GetValue, nullptr, nullptr, nullptr},
                               {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyType_Slot fields_slots[] = {
    {Py_tp_members, fields_members}, {Py_tp_getset, fields_getset}, {0, nullptr}};
PyType_Spec fields_spec = {"raw_calls.Fields", sizeof(FieldsPy), 0, Py_TPFLAGS_DEFAULT,
                           fields_slots};

bool AddType(PyObject* module, const char* name, PyObject* type) {
  return type != nullptr && PyModule_AddObject(module, name, type) == 0;
}

PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "raw_calls", nullptr, -1, methods, nullptr, nullptr, nullptr, nullptr};

}  // namespace

PyMODINIT_FUNC PyInit_raw_calls(void) {
  PyObject* self = PyModule_Create(&module);
  if (self == nullptr) return nullptr;
  bool ok = AddType(self, "Called", MakeCalledType<Called>("raw_calls.Called")) &&
            AddType(self, "CalledNoGil", MakeCalledType<CalledNoGil>("raw_calls.CalledNoGil")) &&
            AddType(self, "Fields", PyType_FromSpec(&fields_spec));
  return ok ? self : nullptr;
}
