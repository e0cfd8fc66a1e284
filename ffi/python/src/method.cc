// SPDX-License-Identifier: Apache-2.0
// Method: a native function that binds like a Python function. Constructor: `__ffi_init__`.
#include <memory>

#include "borrow.h"
#include "field.h"
#include "function.h"

namespace tvm::ffi::detail::python {

namespace {

struct MethodPy {
  PyObject_HEAD PyObject* function;  // owned Function
  PyObject* name;
  PyObject* qualname;
  PyObject* doc;
  PyObject* owner;  // Constructor: the TypeInfo whose classes it may fill; else NULL
  bool once;        // Constructor: leave an object alone that is filled already
  bool is_init;     // Constructor: named __init__, so __post_init__ follows
  vectorcallfunc vectorcall;
  PyObject* dict;
};

PyObject* MethodCall(PyObject* self, PyObject* const* args, size_t nargsf, PyObject* kwnames) {
  return PyObject_Vectorcall(reinterpret_cast<MethodPy*>(self)->function, args,
                             static_cast<size_t>(PyVectorcall_NARGS(nargsf)), kwnames);
}

bool CheckOwner(MethodPy* method, PyObject* obj) {
  if (method->owner == nullptr || method->owner == Py_None) return true;
  static PyObject* attribute = PyUnicode_InternFromString("__tvm_ffi_type_info__");
  if (_PyType_Lookup(Py_TYPE(obj), attribute) == method->owner) return true;
  PyErr_Format(PyExc_TypeError,
               "%S can't initialise a %s: the class is registered for another native type",
               method->qualname, Py_TYPE(obj)->tp_name);
  return false;
}

// Constructors with a signature of their own don't know the form that keywords take on their way.
bool TakesNoKeywords(MethodPy* method) {
  PyRef dict = PyRef::Borrow(method->dict);
  return dict && PyDict_GetItemString(dict.get(), "__ffi_positional__") == Py_True;
}

// The positional values of a call that has keywords or leaves out arguments with a default: a
// tuple, NULL with an exception.
PyObject* BindConstructor(PyObject* self, PyObject* const* args, Py_ssize_t nargs,
                          PyObject* kwnames) {
  PyRef module(PyImport_ImportModule("tvm_ffi._signature"));
  PyRef positional(PyTuple_New(nargs)), keywords(PyDict_New());
  if (!module || !positional || !keywords) return nullptr;
  for (Py_ssize_t i = 0; i < nargs; ++i) {
    PyTuple_SET_ITEM(positional.get(), i, Py_NewRef(args[i]));
  }
  for (Py_ssize_t i = 0; kwnames != nullptr && i < PyTuple_GET_SIZE(kwnames); ++i) {
    PyObject* value = args[nargs + i];
    if (IsObject(value) && AsObject(value)->handle == rt.missing) continue;
    if (PyDict_SetItem(keywords.get(), PyTuple_GET_ITEM(kwnames, i), value) < 0) return nullptr;
  }
  PyRef bound(PyObject_CallMethod(module.get(), "bind_constructor", "OOO", self, positional.get(),
                                  keywords.get()));
  if (bound && !PyTuple_Check(bound.get())) {
    PyErr_SetString(PyExc_SystemError, "bind_constructor must return a tuple");
    return nullptr;
  }
  return bound.release();
}

// Keywords follow the positional values as KWARGS, name, value, name, value, ...
PyObject* ConstructorCall(PyObject* self, PyObject* const* args, size_t nargsf, PyObject* kwnames) {
  auto* method = reinterpret_cast<MethodPy*>(self);
  Py_ssize_t nargs = PyVectorcall_NARGS(nargsf);
  if (nargs < 1) {
    PyErr_SetString(PyExc_TypeError, "__ffi_init__ needs the object to fill");
    return nullptr;
  }
  PyObject* obj = args[0];
  if (!IsObject(obj)) {
    return PyErr_Format(PyExc_TypeError, "__ffi_init__ needs a native object, got %s",
                        Py_TYPE(obj)->tp_name);
  }
  if (method->once && AsObject(obj)->handle != nullptr) Py_RETURN_NONE;
  if (!CheckOwner(method, obj)) return nullptr;
  TVMFFIObject* fn = HandleOf(method->function);
  if (fn == nullptr) return nullptr;
  Py_ssize_t nkeywords = kwnames ? PyTuple_GET_SIZE(kwnames) : 0;
  // Of a constructor of which some parameters have default values; else 0.
  Py_ssize_t num_params = reinterpret_cast<FunctionPy*>(method->function)->num_params;
  AnyRef result;
  if (nkeywords == 0 && nargs - 1 >= num_params) {
    if (!CallNative(fn, args + 1, nargs - 1, false, &result, nullptr)) {
      if (num_params != 0 && nargs - 1 != num_params) ExplainCount(method->function, nargs - 1);
      return nullptr;
    }
  } else if (num_params != 0 || TakesNoKeywords(method)) {
    PyRef bound(BindConstructor(self, args + 1, nargs - 1, kwnames));
    if (!bound) return nullptr;
    Py_ssize_t count = PyTuple_GET_SIZE(bound.get());
    if (!CallNative(fn, &PyTuple_GET_ITEM(bound.get(), 0), count, false, &result, nullptr)) {
      if (num_params != 0 && count != num_params) ExplainCount(method->function, count);
      return nullptr;
    }
  } else {
    std::unique_ptr<PyObject*[]> packed(new PyObject*[static_cast<size_t>(nargs + 2 * nkeywords)]);
    Py_ssize_t count = 0;
    for (Py_ssize_t i = 1; i < nargs; ++i) packed[static_cast<size_t>(count++)] = args[i];
    Py_ssize_t sentinel = count++;
    packed[static_cast<size_t>(sentinel)] = rt.py_kwargs;
    for (Py_ssize_t i = 0; i < nkeywords; ++i) {
      PyObject* value = args[nargs + i];
      if (IsObject(value) && AsObject(value)->handle == rt.missing) continue;
      packed[static_cast<size_t>(count++)] = PyTuple_GET_ITEM(kwnames, i);
      packed[static_cast<size_t>(count++)] = value;
    }
    if (count == sentinel + 1) count = sentinel;
    if (!CallNative(fn, packed.get(), count, false, &result, nullptr)) return nullptr;
  }
  if (result->type_index < kTVMFFIStaticObjectBegin) {
    PyErr_SetString(PyExc_TypeError, "the constructor did not return an object");
    return nullptr;
  }
  if (!RequireLayout(obj, result->v_obj)) return nullptr;
  ReplaceHandle(obj, result.release().v_obj);
  if (method->is_init && _PyType_Lookup(Py_TYPE(obj), names.post_init) != nullptr) {
    PyRef done(PyObject_CallMethodNoArgs(obj, names.post_init));
    if (!done) return nullptr;
  }
  Py_RETURN_NONE;
}

int Init(PyObject* self, PyObject* args, PyObject* kwargs, vectorcallfunc call) {
  static const char* keywords[] = {"function", "name", "qualname", "doc", "owner", "once", nullptr};
  PyObject *function, *name, *qualname, *doc = Py_None, *owner = Py_None;
  int once = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O!UU|OOp", const_cast<char**>(keywords),
                                   rt.function, &function, &name, &qualname, &doc, &owner, &once)) {
    return -1;
  }
  auto* method = reinterpret_cast<MethodPy*>(self);
  if (method->function != nullptr) {  // a call may be using it
    PyErr_Format(PyExc_RuntimeError, "%U is initialised already", method->qualname);
    return -1;
  }
  method->function = Py_NewRef(function);
  method->name = Py_NewRef(name);
  method->qualname = Py_NewRef(qualname);
  method->doc = Py_NewRef(doc);
  method->owner = Py_NewRef(owner);
  method->once = once != 0;
  method->is_init = PyUnicode_CompareWithASCIIString(name, "__init__") == 0;
  method->vectorcall = call;
  return 0;
}

int MethodInit(PyObject* self, PyObject* args, PyObject* kwargs) {
  return Init(self, args, kwargs, MethodCall);
}
int ConstructorInit(PyObject* self, PyObject* args, PyObject* kwargs) {
  return Init(self, args, kwargs, ConstructorCall);
}

int MethodTraverse(PyObject* self, visitproc visit, void* arg) {
  auto* method = reinterpret_cast<MethodPy*>(self);
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(method->function);
  Py_VISIT(method->doc);
  Py_VISIT(method->owner);
  Py_VISIT(method->dict);
  return 0;
}

int MethodClear(PyObject* self) {
  auto* method = reinterpret_cast<MethodPy*>(self);
  Py_CLEAR(method->function);
  Py_CLEAR(method->doc);
  Py_CLEAR(method->owner);
  Py_CLEAR(method->dict);
  return 0;
}

void MethodDealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  MethodClear(self);
  Py_CLEAR(reinterpret_cast<MethodPy*>(self)->name);
  Py_CLEAR(reinterpret_cast<MethodPy*>(self)->qualname);
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject* MethodGet(PyObject* self, PyObject* obj, PyObject*) {
  if (obj == nullptr || obj == Py_None) return Py_NewRef(self);
  return PyMethod_New(self, obj);
}

PyObject* MethodRepr(PyObject* self) {
  auto* method = reinterpret_cast<MethodPy*>(self);
  return PyUnicode_FromFormat("<native method %V>", method->qualname, "?");
}

// `__name__` or `__qualname__`, whose offset `closure` is.
PyObject** NameSlot(PyObject* self, void* closure) {
  return reinterpret_cast<PyObject**>(reinterpret_cast<char*>(self) +
                                      reinterpret_cast<uintptr_t>(closure));
}

PyObject* MethodName(PyObject* self, void* closure) {
  PyObject* name = *NameSlot(self, closure);
  return Py_NewRef(name ? name : Py_None);
}

int MethodSetName(PyObject* self, PyObject* value, void* closure) {
  if (value == nullptr || !PyUnicode_Check(value)) {
    PyErr_SetString(PyExc_TypeError, "the name of a method must be a str");
    return -1;
  }
  Py_XSETREF(*NameSlot(self, closure), Py_NewRef(value));
  return 0;
}

PyObject* MethodSignature(PyObject* self, void*) {
  PyRef module(PyImport_ImportModule("tvm_ffi._signature"));
  if (!module) return nullptr;
  return PyObject_CallMethod(module.get(), "method_signature", "O", self);
}

PyMemberDef method_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(MethodPy, vectorcall), READONLY, nullptr},
    {"__dictoffset__", T_PYSSIZET, offsetof(MethodPy, dict), READONLY, nullptr},
    {"__func__", T_OBJECT, offsetof(MethodPy, function), READONLY, nullptr},
    {"__doc__", T_OBJECT, offsetof(MethodPy, doc), 0, nullptr},
    {nullptr, 0, 0, 0, nullptr}};
PyGetSetDef method_getset[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {"__name__", MethodName, MethodSetName, nullptr,
     reinterpret_cast<void*>(offsetof(MethodPy, name))},
    {"__qualname__", MethodName, MethodSetName, nullptr,
     reinterpret_cast<void*>(offsetof(MethodPy, qualname))},
    {"__signature__", MethodSignature, nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

#define METHOD_SLOTS(init)                                                                  \
  {                                                                                         \
    {Py_tp_init, reinterpret_cast<void*>(init)},                                            \
        {Py_tp_dealloc, reinterpret_cast<void*>(MethodDealloc)},                            \
        {Py_tp_traverse, reinterpret_cast<void*>(MethodTraverse)},                          \
        {Py_tp_clear, reinterpret_cast<void*>(MethodClear)},                                \
        {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},                           \
        {Py_tp_descr_get, reinterpret_cast<void*>(MethodGet)},                              \
        {Py_tp_repr, reinterpret_cast<void*>(MethodRepr)}, {Py_tp_members, method_members}, \
        {Py_tp_getset, method_getset}, {                                                    \
      0, nullptr                                                                            \
    }                                                                                       \
  }

PyType_Slot method_slots[] = METHOD_SLOTS(MethodInit);
PyType_Slot constructor_slots[] = METHOD_SLOTS(ConstructorInit);
constexpr unsigned long kMethodFlags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC |
                                       Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR;
PyType_Spec method_spec = {"tvm_ffi.core._Method", sizeof(MethodPy), 0, kMethodFlags, method_slots};
PyType_Spec constructor_spec = {"tvm_ffi.core._Constructor", sizeof(MethodPy), 0, kMethodFlags,
                                constructor_slots};

}  // namespace

bool InitMethods(PyObject* module) {
  return MakeType(module, &method_spec, nullptr, &rt.method) &&
         MakeType(module, &constructor_spec, nullptr, &rt.constructor);
}

}  // namespace tvm::ffi::detail::python
