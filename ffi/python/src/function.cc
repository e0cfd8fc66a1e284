// SPDX-License-Identifier: Apache-2.0
// Function: calls of native functions from Python. This is the path that every user pays for, so it
// makes no tuple, looks up no attribute and allocates nothing for plain values.
#include "function.h"

#include <cstring>
#include <memory>
#include <string_view>

#include "error.h"
#include "result.h"

namespace tvm::ffi::detail::python {

namespace {

inline int SafeCall(TVMFFIObject* fn, const TVMFFIAny* args, int32_t nargs, TVMFFIAny* result) {
  return TVMFFIFunctionGetCellPtr(fn)->safe_call(fn, args, nargs, result);
}

inline int SafeCallWithoutGil(TVMFFIObject* fn, const TVMFFIAny* args, int32_t nargs,
                              TVMFFIAny* result) {
  rt.native_calls.Enter();
  PyThreadState* state = PyEval_SaveThread();
  int code = SafeCall(fn, args, nargs, result);
  PyEval_RestoreThread(state);
  rt.native_calls.Leave();
  return code;
}

constexpr Py_ssize_t kInlineArgs = 8;

// An interrupt that native code has noticed but not passed on must not get lost.
bool RaiseInterrupt(TVMFFIAny* result) {
  // The exception may be another thread's, which finds it when its own call is over.
  if (!PyErr_Occurred()) return false;
  rt.interrupted.store(false, std::memory_order_relaxed);
  TVMFFIAny unused = std::exchange(*result, TVMFFIAny{});
  DecRefAny(unused);
  return true;
}

// Converts the arguments into `values` and calls. `*result` is owned on true; false with an
// exception. What the arguments borrow lives as long as `scope`.
inline bool Invoke(TVMFFIObject* fn, PyObject* const* args, Py_ssize_t nargs, TVMFFIAny* values,
                   bool release_gil, ArgScope* scope, TVMFFIAny* result) {
  for (Py_ssize_t i = 0; i < nargs; ++i) {
    if (!Convert(args[i], &values[i], scope)) [[unlikely]]
      return false;
  }
  if (!scope->EnterEnvironment()) [[unlikely]]
    return false;
  int code = release_gil ? SafeCallWithoutGil(fn, values, static_cast<int32_t>(nargs), result)
                         : SafeCall(fn, values, static_cast<int32_t>(nargs), result);
  if (code != 0) [[unlikely]] {
    RaiseFor(code);
    return false;
  }
  return !rt.interrupted.load(std::memory_order_relaxed) || !RaiseInterrupt(result);
}

// The same for any number of arguments.
bool InvokeMany(TVMFFIObject* fn, PyObject* const* args, Py_ssize_t nargs, bool release_gil,
                ArgScope* scope, TVMFFIAny* result) {
  if (nargs > INT32_MAX) {
    PyErr_SetString(PyExc_OverflowError, "too many arguments");
    return false;
  }
  std::unique_ptr<TVMFFIAny[]> values(new (std::nothrow) TVMFFIAny[static_cast<size_t>(nargs)]);
  if (!values) {
    PyErr_NoMemory();
    return false;
  }
  return Invoke(fn, args, nargs, values.get(), release_gil, scope, result);
}

// Arguments of a call with keywords, put in order by the metadata of the function.
PyObject* CallWithKeywords(PyObject* self, PyObject* const* args, Py_ssize_t nargs,
                           PyObject* kwnames) {
  PyRef module(PyImport_ImportModule("tvm_ffi._signature"));
  PyRef bind(module ? PyObject_GetAttrString(module.get(), "bind_keywords") : nullptr);
  PyRef positional(PyTuple_New(nargs));
  PyRef keywords(PyDict_New());
  if (!bind || !positional || !keywords) return nullptr;
  for (Py_ssize_t i = 0; i < nargs; ++i) {
    PyTuple_SET_ITEM(positional.get(), i, Py_NewRef(args[i]));
  }
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(kwnames); ++i) {
    if (PyDict_SetItem(keywords.get(), PyTuple_GET_ITEM(kwnames, i), args[nargs + i]) < 0) {
      return nullptr;
    }
  }
  PyRef bound(
      PyObject_CallFunctionObjArgs(bind.get(), self, positional.get(), keywords.get(), nullptr));
  if (!bound) return nullptr;
  if (!PyTuple_Check(bound.get())) {
    PyErr_SetString(PyExc_SystemError, "bind_keywords must return a tuple");
    return nullptr;
  }
  return PyObject_Vectorcall(self, &PyTuple_GET_ITEM(bound.get(), 0),
                             static_cast<size_t>(PyTuple_GET_SIZE(bound.get())), nullptr);
}

PyObject* FunctionVectorcall(PyObject* self, PyObject* const* args, size_t nargsf,
                             PyObject* kwnames) {
  Py_ssize_t nargs = PyVectorcall_NARGS(nargsf);
  if (kwnames != nullptr && PyTuple_GET_SIZE(kwnames) != 0) [[unlikely]] {
    return CallWithKeywords(self, args, nargs, kwnames);
  }
  TVMFFIObject* fn = HandleOf(self);
  if (fn == nullptr) [[unlikely]]
    return nullptr;
  bool release_gil = reinterpret_cast<FunctionPy*>(self)->release_gil;
  ArgScope scope;
  TVMFFIAny result{};
  if (nargs <= kInlineArgs) [[likely]] {
    TVMFFIAny values[kInlineArgs];
    if (!Invoke(fn, args, nargs, values, release_gil, &scope, &result)) [[unlikely]]
      return nullptr;
  } else if (!InvokeMany(fn, args, nargs, release_gil, &scope, &result)) {
    return nullptr;
  }
  return Result(result, scope.exchange);
}

PyObject* FunctionNew(PyTypeObject* type, PyObject*, PyObject*) {
  PyObject* self = type->tp_alloc(type, 0);
  if (self != nullptr) InitFunctionInstance(self);
  return self;
}

void FunctionDealloc(PyObject* self) {
  PyObject_GC_UnTrack(self);
  Py_CLEAR(reinterpret_cast<FunctionPy*>(self)->dict);
  Py_CLEAR(reinterpret_cast<FunctionPy*>(self)->global_name);
  auto base = reinterpret_cast<destructor>(PyType_GetSlot(rt.object_base, Py_tp_dealloc));
  base(self);
}

int FunctionTraverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(reinterpret_cast<FunctionPy*>(self)->dict);
  auto base = reinterpret_cast<traverseproc>(PyType_GetSlot(rt.object_base, Py_tp_traverse));
  return base(self, visit, arg);
}

int FunctionClear(PyObject* self) {
  Py_CLEAR(reinterpret_cast<FunctionPy*>(self)->dict);
  auto base = reinterpret_cast<inquiry>(PyType_GetSlot(rt.object_base, Py_tp_clear));
  return base(self);
}

PyObject* FunctionReleaseGil(PyObject* self, void*) {
  return PyBool_FromLong(reinterpret_cast<FunctionPy*>(self)->release_gil);
}

int FunctionSetReleaseGil(PyObject* self, PyObject* value, void*) {
  int truth = value == nullptr ? -1 : PyObject_IsTrue(value);
  if (value == nullptr) PyErr_SetString(PyExc_AttributeError, "release_gil can't be deleted");
  if (truth < 0) return -1;
  reinterpret_cast<FunctionPy*>(self)->release_gil = truth != 0;
  return 0;
}

// Attributes that tvm_ffi._signature derives from metadata the first time they are asked for.
PyObject* FunctionDerived(PyObject* self, void* attribute) {
  auto name = static_cast<const char*>(attribute);
  PyObject* dict = reinterpret_cast<FunctionPy*>(self)->dict;
  if (dict != nullptr) {
    PyObject* own = PyDict_GetItemString(dict, name);
    if (own != nullptr) return Py_NewRef(own);
  }
  PyRef module(PyImport_ImportModule("tvm_ffi._signature"));
  if (!module) return nullptr;
  return PyObject_CallMethod(module.get(), "derive", "Os", self, name);
}

int FunctionSetDerived(PyObject* self, PyObject* value, void* attribute) {
  auto name = static_cast<const char*>(attribute);
  auto* function = reinterpret_cast<FunctionPy*>(self);
  PythonSection section(self);
  if (function->dict == nullptr) function->dict = PyDict_New();
  if (function->dict == nullptr) return -1;
  if (value == nullptr) return PyDict_DelItemString(function->dict, name);
  return PyDict_SetItemString(function->dict, name, value);
}

// ffi.Function(name) when the function has a name to show, else ffi.Function.
PyObject* FunctionRepr(PyObject* self) {
  if (AsObject(self)->handle == nullptr) return ReprOf(self);
  PyRef name(PyObject_GetAttr(self, names.qualname));
  if (!name || !PyUnicode_Check(name.get())) {
    PyErr_Clear();
    return PyUnicode_FromString("ffi.Function");
  }
  if (PyUnicode_CompareWithASCIIString(name.get(), "Function") == 0) {
    return PyUnicode_FromString("ffi.Function");
  }
  return PyUnicode_FromFormat("ffi.Function(%U)", name.get());
}

PyObject* FunctionReduce(PyObject* self, PyObject*) {
  return PyErr_Format(PyExc_TypeError, "%s can't be pickled", Py_TYPE(self)->tp_name);
}

void ReleasePython(void* value) {
  GilScope gil;
  if (gil.ok()) Py_DECREF(static_cast<PyObject*>(value));
}

PyObject* WrapFunction(TVMFFIObjectHandle owned) {
  return WrapObject(static_cast<TVMFFIObject*>(owned));
}

PyObject* FromExternC(PyObject*, PyObject* args, PyObject* kwargs) {
  static const char* keywords[] = {"c_symbol", "keep_alive_object", nullptr};
  PyObject *address, *keep = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|$O:__from_extern_c__",
                                   const_cast<char**>(keywords), &address, &keep)) {
    return nullptr;
  }
  void* symbol = PyLong_AsVoidPtr(address);
  if (symbol == nullptr) {
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "c_symbol is a null pointer");
    return nullptr;
  }
  auto safe_call = reinterpret_cast<TVMFFISafeCallType>(symbol);
  TVMFFIObjectHandle out = nullptr;
  int code;
  if (keep == Py_None) {
    code = TVMFFIFunctionCreate(nullptr, safe_call, nullptr, &out);
  } else {
    Py_INCREF(keep);
    code = TVMFFIFunctionCreate(keep, safe_call, ReleasePython, &out);
    if (code != 0) Py_DECREF(keep);
  }
  return code == 0 ? WrapFunction(out) : RaiseFor(code);
}

// An entry of MLIR's packed form: one array of pointers to the values.
struct PackedEntry {
  void (*call)(void**);
  PyObject* keep;  // owned, may be NULL
};

int PackedSafeCall(void* self, const TVMFFIAny* args, int32_t num_args, TVMFFIAny* result) {
  void* handle = nullptr;
  int32_t code = 0;
  void* slots[] = {&handle, &args, &num_args, &result, &code};
  static_cast<PackedEntry*>(self)->call(slots);
  return code;
}

void ReleasePackedEntry(void* self) {
  auto* entry = static_cast<PackedEntry*>(self);
  if (entry->keep != nullptr) ReleasePython(entry->keep);
  delete entry;
}

PyObject* FromMlirPacked(PyObject*, PyObject* args, PyObject* kwargs) {
  static const char* keywords[] = {"mlir_packed_symbol", "keep_alive_object", nullptr};
  PyObject *address, *keep = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|$O:__from_mlir_packed_safe_call__",
                                   const_cast<char**>(keywords), &address, &keep)) {
    return nullptr;
  }
  void* symbol = PyLong_AsVoidPtr(address);
  if (symbol == nullptr) {
    if (!PyErr_Occurred())
      PyErr_SetString(PyExc_ValueError, "mlir_packed_symbol is a null pointer");
    return nullptr;
  }
  auto* entry = new PackedEntry{reinterpret_cast<void (*)(void**)>(symbol),
                                keep == Py_None ? nullptr : Py_NewRef(keep)};
  TVMFFIObjectHandle out = nullptr;
  int code = TVMFFIFunctionCreate(entry, PackedSafeCall, ReleasePackedEntry, &out);
  if (code != 0) {
    ReleasePackedEntry(entry);
    return RaiseFor(code);
  }
  return WrapFunction(out);
}

PyCFunction WithKeywords(PyCFunctionWithKeywords fn) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(fn));
}

PyMethodDef function_methods[] = {
    {"__from_extern_c__", WithKeywords(FromExternC), METH_VARARGS | METH_KEYWORDS | METH_STATIC,
     "__from_extern_c__(c_symbol, *, keep_alive_object=None)\n--\n\n"
     "Function over the address of a C function with the safe-call signature. keep_alive_object "
     "lives as long as the function."},
    {"__from_mlir_packed_safe_call__", WithKeywords(FromMlirPacked),
     METH_VARARGS | METH_KEYWORDS | METH_STATIC,
     "__from_mlir_packed_safe_call__(mlir_packed_symbol, *, keep_alive_object=None)\n--\n\n"
     "Function over the address of a `void (void**)` entry whose slots point to handle, args, "
     "num_args, result and return code."},
    {"__reduce__", FunctionReduce, METH_NOARGS, "Functions can't be pickled."},
    {nullptr, nullptr, 0, nullptr}};

PyGetSetDef function_getset[] = {
    {"release_gil", FunctionReleaseGil, FunctionSetReleaseGil,
     "Whether other Python threads may run during a call.", nullptr},
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {"__name__", FunctionDerived, FunctionSetDerived, nullptr, const_cast<char*>("__name__")},
    {"__qualname__", FunctionDerived, FunctionSetDerived, nullptr,
     const_cast<char*>("__qualname__")},
    {"__doc__", FunctionDerived, FunctionSetDerived, nullptr, const_cast<char*>("__doc__")},
    {"__signature__", FunctionDerived, FunctionSetDerived, nullptr,
     const_cast<char*>("__signature__")},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyMemberDef function_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(FunctionPy, vectorcall), READONLY, nullptr},
    {"__dictoffset__", T_PYSSIZET, offsetof(FunctionPy, dict), READONLY, nullptr},
    {"_global_name", T_OBJECT, offsetof(FunctionPy, global_name), READONLY,
     "Name under which the function was found, or None."},
    {nullptr, 0, 0, 0, nullptr}};

PyType_Slot function_slots[] = {{Py_tp_new, reinterpret_cast<void*>(FunctionNew)},
                                {Py_tp_dealloc, reinterpret_cast<void*>(FunctionDealloc)},
                                {Py_tp_traverse, reinterpret_cast<void*>(FunctionTraverse)},
                                {Py_tp_clear, reinterpret_cast<void*>(FunctionClear)},
                                {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
                                {Py_tp_repr, reinterpret_cast<void*>(FunctionRepr)},
                                {Py_tp_methods, function_methods},
                                {Py_tp_getset, function_getset},
                                {Py_tp_members, function_members},
                                {0, nullptr}};
PyType_Spec function_spec = {
    "tvm_ffi.core.Function", sizeof(FunctionPy), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL,
    function_slots};

// "never_blocks" in the metadata says that a function never waits, so the GIL is kept.
bool NeverBlocks(const TVMFFIByteArray& metadata) {
  std::string_view text(metadata.data, metadata.size);
  size_t key = text.find("\"never_blocks\"");
  if (key == std::string_view::npos) return false;
  size_t value = text.find_first_not_of(" :", key + 14);
  return value != std::string_view::npos && (text[value] == 't' || text[value] == '1');
}

PyObject* GetGlobalFunc(PyObject*, PyObject* args) {
  PyObject* name;
  int allow_missing = 0;
  if (!PyArg_ParseTuple(args, "U|p:_get_global_func", &name, &allow_missing)) return nullptr;
  TVMFFIByteArray text;
  if (!Utf8(name, &text)) return nullptr;
  TVMFFIObjectHandle out = nullptr;
  if (int code = TVMFFIFunctionGetGlobal(&text, &out)) return RaiseFor(code);
  if (out == nullptr) {
    if (allow_missing) Py_RETURN_NONE;
    return PyErr_Format(PyExc_ValueError, "Cannot find global function %U", name);
  }
  PyRef function(WrapFunction(out));
  if (!function || !PyObject_TypeCheck(function.get(), rt.function)) return function.release();
  auto* self = reinterpret_cast<FunctionPy*>(function.get());
  static TVMFFIObject* get_metadata = FindGlobal("ffi.GetGlobalFuncMetadata");
  if (get_metadata != nullptr) {
    TVMFFIAny arg;
    ArgScope scope;
    AnyRef metadata;
    if (!Convert(name, &arg, &scope) || !CallConverted(get_metadata, &arg, 1, &metadata)) {
      PyErr_Clear();
    } else if (metadata->type_index == kTVMFFIStr &&
               NeverBlocks(*TVMFFIBytesGetByteArrayPtr(metadata->v_obj))) {
      self->release_gil = false;
    }
  }
  self->global_name = Py_NewRef(name);
  return function.release();
}

PyObject* RegisterGlobalFunc(PyObject*, PyObject* args) {
  PyObject *name, *callable;
  int override_existing = 0;
  if (!PyArg_ParseTuple(args, "UO|p:_register_global_func", &name, &callable, &override_existing)) {
    return nullptr;
  }
  PyRef function;
  if (PyObject_TypeCheck(callable, rt.function)) {
    function = PyRef::Borrow(callable);
  } else if (PyCallable_Check(callable)) {
    TVMFFIObject* made = MakeCallback(callable, nullptr);
    function = PyRef(made ? WrapFunction(made) : nullptr);
  } else {
    return PyErr_Format(PyExc_TypeError, "a global function must be callable, got %s",
                        Py_TYPE(callable)->tp_name);
  }
  TVMFFIByteArray text;
  if (!function || !Utf8(name, &text)) return nullptr;
  TVMFFIObject* handle = HandleOf(function.get());
  if (handle == nullptr) return nullptr;
  if (int code = TVMFFIFunctionSetGlobal(&text, handle, override_existing)) return RaiseFor(code);
  return function.release();
}

PyMethodDef module_functions[] = {
    {"_get_global_func", GetGlobalFunc, METH_VARARGS, "_get_global_func(name, allow_missing)"},
    {"_register_global_func", RegisterGlobalFunc, METH_VARARGS,
     "_register_global_func(name, pyfunc, override)"},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

void InitFunctionInstance(PyObject* self) {
  auto* function = reinterpret_cast<FunctionPy*>(self);
  function->vectorcall = FunctionVectorcall;
  function->release_gil = rt.release_gil;
}

bool CallNative(TVMFFIObject* fn, PyObject* const* args, Py_ssize_t nargs, bool release_gil,
                TVMFFIAny* result, const DLPackExchangeAPI** exchange) {
  ArgScope scope;
  *result = TVMFFIAny{};
  if (nargs <= kInlineArgs) {
    TVMFFIAny values[kInlineArgs];
    if (!Invoke(fn, args, nargs, values, release_gil, &scope, result)) return false;
  } else if (!InvokeMany(fn, args, nargs, release_gil, &scope, result)) {
    return false;
  }
  if (exchange != nullptr) *exchange = scope.exchange;
  return true;
}

bool CallConverted(TVMFFIObject* fn, const TVMFFIAny* args, int32_t nargs, TVMFFIAny* result) {
  *result = TVMFFIAny{};
  int code = SafeCall(fn, args, nargs, result);
  if (code != 0) RaiseFor(code);
  return code == 0;
}

TVMFFIObject* FindGlobal(const char* name) {
  TVMFFIByteArray text{name, std::strlen(name)};
  TVMFFIObjectHandle out = nullptr;
  if (TVMFFIFunctionGetGlobal(&text, &out) != 0) {
    TVMFFIErrorMoveFromRaised(&out);
    DecRefNative(static_cast<TVMFFIObject*>(out));
    return nullptr;
  }
  return static_cast<TVMFFIObject*>(out);
}

bool InitFunctions(PyObject* module) {
  return MakeType(module, &function_spec, rt.object_base, &rt.function) &&
         PyModule_AddFunctions(module, module_functions) == 0;
}

}  // namespace tvm::ffi::detail::python
