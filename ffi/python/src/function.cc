// SPDX-License-Identifier: Apache-2.0
// Function: calls of native functions from Python. This is the path that every user pays for, so it
// makes no tuple, looks up no attribute and allocates nothing for plain values.
#include "function.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string_view>

#include "borrow.h"
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
  ShutdownBarrier barrier;
  PyEval_RestoreThread(state);
  barrier.Pass();
  rt.native_calls.Leave();
  return code;
}

constexpr Py_ssize_t kInlineArgs = 8;

// An interrupt that native code has noticed but not passed on must not get lost.
[[gnu::cold]] bool RaiseInterrupt(TVMFFIAny* result) {
  // The exception may be another thread's, which finds it when its own call is over.
  if (!PyErr_Occurred()) return false;
  rt.interrupted.store(false, std::memory_order_relaxed);
  TVMFFIAny unused = std::exchange(*result, TVMFFIAny{});
  DecRefAny(unused);
  return true;
}

// Calls with converted arguments. `*result`, none before, is owned on true; false with an
// exception.
[[gnu::always_inline]] inline bool CallValues(TVMFFIObject* fn, const TVMFFIAny* values,
                                              Py_ssize_t nargs, bool release_gil,
                                              TVMFFIAny* result) {
  int code = release_gil ? SafeCallWithoutGil(fn, values, static_cast<int32_t>(nargs), result)
                         : SafeCall(fn, values, static_cast<int32_t>(nargs), result);
  if (code != 0) [[unlikely]] {
    RaiseFor(code);
    return false;
  }
  return !rt.interrupted.load(std::memory_order_relaxed) || !RaiseInterrupt(result);
}

// Converts the arguments into `values` and calls. What they borrow lives as long as `scope`.
bool Invoke(TVMFFIObject* fn, PyObject* const* args, Py_ssize_t nargs, TVMFFIAny* values,
            bool release_gil, ArgScope* scope, TVMFFIAny* result) {
  Borrow borrow(values, 0);
  for (Py_ssize_t i = 0; i < nargs; ++i) {
    if (!Convert(args[i], &values[i], scope)) [[unlikely]]
      return false;
    borrow.Extend(i + 1);
  }
  return scope->EnterEnvironment() && CallValues(fn, values, nargs, release_gil, result);
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

// Arguments of a call with keywords or default values, put in order by the metadata of the
// function. False with an exception.
PyRef BindArguments(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  static Lazy lazy_bind;
  PyObject* bind = lazy_bind.Get([]() -> PyObject* {
    PyRef module(PyImport_ImportModule("tvm_ffi._signature"));
    return module ? PyObject_GetAttrString(module.get(), "bind_arguments") : nullptr;
  });
  PyRef positional(PyTuple_New(nargs));
  PyRef keywords(PyDict_New());
  if (bind == nullptr || !positional || !keywords) return PyRef();
  for (Py_ssize_t i = 0; i < nargs; ++i) {
    PyTuple_SET_ITEM(positional.get(), i, Py_NewRef(args[i]));
  }
  for (Py_ssize_t i = 0; kwnames != nullptr && i < PyTuple_GET_SIZE(kwnames); ++i) {
    if (PyDict_SetItem(keywords.get(), PyTuple_GET_ITEM(kwnames, i), args[nargs + i]) < 0) {
      return PyRef();
    }
  }
  PyRef bound(PyObject_CallFunctionObjArgs(bind, self, positional.get(), keywords.get(), nullptr));
  if (bound && !PyTuple_Check(bound.get())) {
    PyErr_SetString(PyExc_SystemError, "bind_arguments must return a tuple");
    return PyRef();
  }
  return bound;
}

}  // namespace

void ExplainCount(PyObject* self, Py_ssize_t nargs) {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  {
    PyRef module(PyImport_ImportModule("tvm_ffi._signature"));
    PyRef done(module
                   ? PyObject_CallMethod(module.get(), "explain_count", "OOn", self, value, nargs)
                   : nullptr);
    if (!done) PyErr_Clear();
  }
  PyErr_Restore(type, value, traceback);
}

namespace {

// What the common case leaves out: keywords, default values, many arguments, an empty wrapper.
[[gnu::cold]] PyObject* CallUncommon(PyObject* self, PyObject* const* args, Py_ssize_t nargs,
                                     PyObject* kwnames) {
  auto* function = reinterpret_cast<FunctionPy*>(self);
  TVMFFIObject* fn = HandleOf(self);
  if (fn == nullptr) return nullptr;
  PyRef bound;
  bool has_keywords = kwnames != nullptr && PyTuple_GET_SIZE(kwnames) != 0;
  if (has_keywords || nargs < function->num_params) {
    bound = BindArguments(self, args, nargs, kwnames);
    if (!bound) return nullptr;
    args = &PyTuple_GET_ITEM(bound.get(), 0);
    nargs = PyTuple_GET_SIZE(bound.get());
  }
  TVMFFIAny result;
  const DLPackExchangeAPI* exchange = nullptr;
  if (!CallNative(fn, args, nargs, function->release_gil, &result, &exchange)) {
    if (function->num_params != 0 && nargs != function->num_params) ExplainCount(self, nargs);
    return nullptr;
  }
  return Result(result, exchange);
}

// A call whose arguments need more than a look at their values.
PyObject* CallScoped(TVMFFIObject* fn, PyObject* const* args, Py_ssize_t nargs, bool release_gil) {
  ArgScope scope;
  TVMFFIAny values[kInlineArgs];
  TVMFFIAny result{};
  if (!Invoke(fn, args, nargs, values, release_gil, &scope, &result)) return nullptr;
  return Result(result, scope.exchange);
}

template <bool kReleaseGil>
[[gnu::noinline]] PyObject* CallWithoutArgs(TVMFFIObject* fn) {
  TVMFFIAny result{};
  if (!CallValues(fn, &result, 0, kReleaseGil, &result)) [[unlikely]]
    return nullptr;
  return Result(result, nullptr);
}

template <bool kReleaseGil>
[[gnu::noinline]] PyObject* CallBorrowing(TVMFFIObject* fn, const TVMFFIAny* values,
                                          Py_ssize_t nargs) {
  TVMFFIAny result{};
  {
    Borrow borrow(values, nargs);
    if (!CallValues(fn, values, nargs, kReleaseGil, &result)) [[unlikely]]
      return nullptr;
  }
  return Result(result, nullptr);
}

template <bool kReleaseGil>
[[gnu::noinline]] PyObject* CallWithArgs(TVMFFIObject* fn, PyObject* const* args,
                                         Py_ssize_t nargs) {
  TVMFFIAny values[kInlineArgs];
  bool has_objects = false;
  for (Py_ssize_t i = 0; i < nargs; ++i) {
    // Plain values have no effects, so the conversion may start anew.
    if (!ConvertPlain(args[i], &values[i])) return CallScoped(fn, args, nargs, kReleaseGil);
    has_objects |= values[i].type_index >= kTVMFFIStaticObjectBegin;
  }
  if (has_objects) return CallBorrowing<kReleaseGil>(fn, values, nargs);
  TVMFFIAny result{};
  if (!CallValues(fn, values, nargs, kReleaseGil, &result)) [[unlikely]]
    return nullptr;
  return Result(result, nullptr);
}

// Entry of a call. There is one for either value of release_gil, so that no call asks for it.
template <bool kReleaseGil>
PyObject* FunctionVectorcall(PyObject* self, PyObject* const* args, size_t nargsf,
                             PyObject* kwnames) {
  Py_ssize_t nargs = PyVectorcall_NARGS(nargsf);
  TVMFFIObject* fn = AsObject(self)->handle;
  if (kwnames != nullptr || nargs > kInlineArgs || fn == nullptr) [[unlikely]] {
    return CallUncommon(self, args, nargs, kwnames);
  }
  return nargs == 0 ? CallWithoutArgs<kReleaseGil>(fn) : CallWithArgs<kReleaseGil>(fn, args, nargs);
}

// Entry of a function with default values: only a call with another number of arguments pays for
// them.
PyObject* DefaultsVectorcall(PyObject* self, PyObject* const* args, size_t nargsf,
                             PyObject* kwnames) {
  auto* function = reinterpret_cast<FunctionPy*>(self);
  Py_ssize_t nargs = PyVectorcall_NARGS(nargsf);
  if (nargs != function->num_params) return CallUncommon(self, args, nargs, kwnames);
  return function->release_gil ? FunctionVectorcall<true>(self, args, nargsf, kwnames)
                               : FunctionVectorcall<false>(self, args, nargsf, kwnames);
}

void ChooseEntry(FunctionPy* function) {
  function->vectorcall = function->num_params != 0 ? DefaultsVectorcall
                         : function->release_gil   ? FunctionVectorcall<true>
                                                   : FunctionVectorcall<false>;
}

PyObject* FunctionNew(PyTypeObject* type, PyObject*, PyObject*) {
  PyObject* self = type->tp_alloc(type, 0);
  if (self != nullptr) InitFunctionInstance(self);
  return self;
}

void FunctionDealloc(PyObject* self) {
  PyObject_GC_UnTrack(self);
  Py_CLEAR(reinterpret_cast<FunctionPy*>(self)->dict);
  Py_CLEAR(reinterpret_cast<FunctionPy*>(self)->name);
  Py_CLEAR(reinterpret_cast<FunctionPy*>(self)->metadata);
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
  ChooseEntry(reinterpret_cast<FunctionPy*>(self));
  return 0;
}

// Attributes that tvm_ffi._signature derives from metadata the first time they are asked for.
PyObject* FunctionDerived(PyObject* self, void* attribute) {
  auto name = static_cast<const char*>(attribute);
  // Owned, since comparing keys may run code that gives the function another dict.
  if (PyRef dict = PyRef::Borrow(reinterpret_cast<FunctionPy*>(self)->dict)) {
    PyObject* own = PyDict_GetItemString(dict.get(), name);
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
  PyRef dict = PyRef::Borrow(function->dict);
  if (value == nullptr) {
    int code = PyDict_DelItemString(dict.get(), name);
    if (code < 0 && PyErr_ExceptionMatches(PyExc_KeyError)) {
      PyErr_Format(PyExc_AttributeError, "%s is not set", name);
    }
    return code;
  }
  return PyDict_SetItemString(dict.get(), name, value);
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

// Like Python's own functions, a function is its own copy.
PyObject* FunctionCopy(PyObject* self, PyObject*) { return Py_NewRef(self); }

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
    {"__copy__", FunctionCopy, METH_NOARGS, "The function itself, as for functions of Python."},
    {"__deepcopy__", FunctionCopy, METH_O, "The function itself, as for functions of Python."},
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
    {"_name", T_OBJECT, offsetof(FunctionPy, name), READONLY,
     "Name under which the function was found, or None."},
    {"_metadata", T_OBJECT, offsetof(FunctionPy, metadata), READONLY,
     "Metadata as JSON text, or None."},
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

// Text behind `"key":` in a JSON object, or nothing. Metadata is written by the registration of
// functions, whose values hold no such text unless they quote it.
std::string_view MetadataValue(std::string_view text, std::string_view quoted_key) {
  size_t key = text.find(quoted_key);
  if (key == std::string_view::npos) return {};
  size_t value = text.find_first_not_of(" \t\n:", key + quoted_key.size());
  return value == std::string_view::npos ? std::string_view() : text.substr(value);
}

// Number of parameters when some have a default value, else 0. -1 with an exception.
int32_t CountDefaulted(PyObject* metadata) {
  PyRef module(PyImport_ImportModule("tvm_ffi._signature"));
  if (!module) return -1;
  PyRef count(PyObject_CallMethod(module.get(), "count_defaulted", "O", metadata));
  if (!count) return -1;
  long number = PyLong_AsLong(count.get());
  if (number == -1 && PyErr_Occurred()) return -1;
  return static_cast<int32_t>(std::clamp(number, 0L, 1L << 20));
}

// _describe_function(function, name, metadata, doc)
PyObject* Describe(PyObject*, PyObject* args) {
  PyObject *function, *name, *metadata, *doc;
  TVMFFIByteArray text{nullptr, 0};
  if (!PyArg_ParseTuple(args, "O!UOO:_describe_function", rt.function, &function, &name, &metadata,
                        &doc)) {
    return nullptr;
  }
  if (metadata != Py_None && (!PyUnicode_Check(metadata) || !Utf8(metadata, &text))) {
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "metadata must be str or None");
    return nullptr;
  }
  if (!DescribeFunction(function, name, text)) return nullptr;
  if (doc != Py_None && PyObject_SetAttr(function, names.doc, doc) < 0) return nullptr;
  Py_RETURN_NONE;
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
  static TVMFFIObject* get_metadata = FindGlobal("ffi.GetGlobalFuncMetadata");
  TVMFFIByteArray metadata_text{nullptr, 0};
  AnyRef metadata;
  if (get_metadata != nullptr) {
    TVMFFIAny arg;
    ArgScope scope;
    if (!Convert(name, &arg, &scope) || !CallConverted(get_metadata, &arg, 1, &metadata)) {
      PyErr_Clear();
    } else if (metadata->type_index == kTVMFFIStr) {
      metadata_text = *TVMFFIBytesGetByteArrayPtr(metadata->v_obj);
    }
  }
  if (!DescribeFunction(function.get(), name, metadata_text)) return nullptr;
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
    {"_describe_function", Describe, METH_VARARGS,
     "_describe_function(function, name, metadata, doc): what its signature is derived from"},
    {"_register_global_func", RegisterGlobalFunc, METH_VARARGS,
     "_register_global_func(name, pyfunc, override)"},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

void InitFunctionInstance(PyObject* self) {
  reinterpret_cast<FunctionPy*>(self)->release_gil = rt.release_gil;
  ChooseEntry(reinterpret_cast<FunctionPy*>(self));
}

bool DescribeFunction(PyObject* self, PyObject* name, const TVMFFIByteArray& metadata) {
  auto* function = reinterpret_cast<FunctionPy*>(self);
  Py_XSETREF(function->name, Py_XNewRef(name));
  if (metadata.size == 0) return true;
  PyObject* text = UnicodeFrom(metadata);
  if (text == nullptr) return false;
  Py_XSETREF(function->metadata, text);
  std::string_view view(metadata.data, metadata.size);
  std::string_view never_blocks = MetadataValue(view, "\"never_blocks\"");
  if (!never_blocks.empty() && (never_blocks[0] == 't' || never_blocks[0] == '1')) {
    function->release_gil = false;
  }
  if (!MetadataValue(view, "\"param_defaults\"").empty()) {
    int32_t count = CountDefaulted(text);
    if (count < 0) return false;
    function->num_params = count;
  }
  ChooseEntry(function);
  return true;
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
  Borrow borrow(args, nargs);
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
