// SPDX-License-Identifier: Apache-2.0
// Functions for tvm_ffi/container.py: what fills, reads and changes containers.
#include "argument.h"
#include "borrow.h"
#include "container_access.h"
#include "error.h"
#include "function.h"
#include "result.h"

namespace tvm::ffi::detail::python {

namespace {

PyObject* ContainerIterator(PyObject*, PyObject* args) {
  PyObject* container;
  int part = 0, backwards = 0;
  if (!PyArg_ParseTuple(args, "O!|ip:_container_iter", rt.container_base, &container, &part,
                        &backwards)) {
    return nullptr;
  }
  if (part < 0 || part > 2) return PyErr_Format(PyExc_ValueError, "part must be 0, 1 or 2");
  return MakeIterator(container, static_cast<Part>(part), backwards != 0);
}

PyObject* InitContainer(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
  if (nargs != 3 || !PyObject_TypeCheck(args[0], rt.container_base) || !PyUnicode_Check(args[1])) {
    PyErr_SetString(PyExc_TypeError, "_init_container(self, kind, content)");
    return nullptr;
  }
  PyObject *self = args[0], *content = args[2];
  AnyRef value;
  const DLPackExchangeAPI* exchange = nullptr;
  bool ok = false;
  switch (PyUnicode_GET_LENGTH(args[1]) == 0 ? 0 : PyUnicode_READ_CHAR(args[1], 0)) {
    case 'A':
      ok = MakeArray(content, &value, &exchange);
      break;
    case 'L':
      ok = MakeList(content, &value, &exchange);
      break;
    case 'M':
      ok = MakeMapping(rt.fn_map, content, &value, &exchange);
      break;
    case 'D':
      ok = MakeMapping(rt.fn_dict, content, &value, &exchange);
      break;
    default:
      PyErr_Format(PyExc_ValueError, "unknown kind of container: %R", args[1]);
  }
  if (!ok) return nullptr;
  reinterpret_cast<ContainerPy*>(self)->exchange = exchange;
  ReplaceHandle(self, value.release().v_obj);
  Py_RETURN_NONE;
}

PyObject* ContainerGet(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
  if (nargs != 3 || !PyObject_TypeCheck(args[0], rt.container_base)) {
    PyErr_SetString(PyExc_TypeError, "_container_get(container, key, default)");
    return nullptr;
  }
  TVMFFIObject* handle = HandleOf(args[0]);
  if (handle == nullptr) return nullptr;
  ContainerSection section(handle);
  AnyRef value;
  if (!Lookup(handle, args[1], &value)) return nullptr;
  if (IsMissing(*value)) return Py_NewRef(args[2]);
  return Result(value.release(), ExchangeOf(args[0]));
}

// Whether the first argument is a container of this kind; its object in `*handle`.
bool TakesFrom(PyObject* const* args, Py_ssize_t nargs, Py_ssize_t wanted, int32_t type_index,
               const char* usage, TVMFFIObject** handle) {
  *handle = nullptr;
  if (nargs == wanted && PyObject_TypeCheck(args[0], rt.container_base)) {
    *handle = HandleOf(args[0]);
    if (*handle == nullptr) return false;
    if ((*handle)->type_index == type_index) return true;
  }
  PyErr_SetString(PyExc_TypeError, usage);
  return false;
}

// Looking and taking are one step for other threads, with and without a GIL.
PyObject* ListTake(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
  static TVMFFIObject* pop = FindGlobal("ffi.ListPop");
  static const char usage[] = "_list_take(list, index)";
  TVMFFIObject* handle;
  if (!TakesFrom(args, nargs, 2, kTVMFFIList, usage, &handle)) return nullptr;
  Py_ssize_t index = PyNumber_AsSsize_t(args[1], PyExc_IndexError);
  if (index == -1 && PyErr_Occurred()) return nullptr;
  // The conversion may have run code that gave the wrapper another object.
  if (!TakesFrom(args, nargs, 2, kTVMFFIList, usage, &handle)) return nullptr;
  AnyRef value;
  {
    GroupScope changing(Group::kChanging);
    ContainerSection section(handle);
    int64_t size = SequenceOf(handle)->size;
    if (size == 0) {
      PyErr_SetString(PyExc_IndexError, "pop from empty list");
      return nullptr;
    }
    int64_t at = index < 0 ? index + size : index;
    if (at < 0 || at >= size) {
      return PyErr_Format(PyExc_IndexError, "Index out of range. size: %lld, got index %zd",
                          static_cast<long long>(size), index);
    }
    TVMFFIAny pop_args[2];
    SetObject(&pop_args[0], handle);
    SetInt(&pop_args[1], at);
    if (!CallConverted(pop, pop_args, 2, &value)) return nullptr;
  }
  return Result(value.release(), ExchangeOf(args[0]));
}

bool EraseKey(TVMFFIObject* dict, const TVMFFIAny& key) {
  static TVMFFIObject* erase = FindGlobal("ffi.DictErase");
  TVMFFIAny args[2];
  SetObject(&args[0], dict);
  args[1] = key;
  AnyRef nothing;
  return CallConverted(erase, args, 2, &nothing);
}

PyObject* DictTake(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
  static TVMFFIObject* get = FindGlobal("ffi.DictGetItemOrMissing");
  static const char usage[] = "_dict_take(dict, key, default)";
  TVMFFIObject* handle;
  if (!TakesFrom(args, nargs, 3, kTVMFFIDict, usage, &handle)) return nullptr;
  ArgScope scope;
  TVMFFIAny get_args[2];
  if (!Convert(args[1], &get_args[1], &scope)) return nullptr;
  // The conversion may have run code that gave the wrapper another object.
  if (!TakesFrom(args, nargs, 3, kTVMFFIDict, usage, &handle)) return nullptr;
  AnyRef value;
  {
    GroupScope changing(KeyGroup(get_args[1], Group::kChanging));
    ContainerSection section(handle);
    SetObject(&get_args[0], handle);
    Borrow borrow(get_args, 2);
    if (!CallConverted(get, get_args, 2, &value)) return nullptr;
    if (IsMissing(*value)) return Py_NewRef(args[2]);
    if (!EraseKey(handle, get_args[1])) return nullptr;
  }
  return Result(value.release(), ExchangeOf(args[0]));
}

// The first entry, taken out; None when there is none.
PyObject* DictTakeFirst(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
  TVMFFIObject* handle;
  if (!TakesFrom(args, nargs, 1, kTVMFFIDict, "_dict_take_first(dict)", &handle)) return nullptr;
  AnyRef kept_key, kept_value;
  {
    GroupScope changing(Group::kAlone);  // the key may have hooks
    ContainerSection section(handle);
    MapCursor cursor(handle);
    TVMFFIAny key, value;
    if (cursor.Next(handle, &key, &value) != MapCursor::Step::kEntry) Py_RETURN_NONE;
    *&kept_key = key;
    if (key.type_index >= kTVMFFIStaticObjectBegin) IncRefNative(key.v_obj);
    *&kept_value = value;
    if (value.type_index >= kTVMFFIStaticObjectBegin) IncRefNative(value.v_obj);
    if (!EraseKey(handle, key)) return nullptr;
  }
  PyRef py_key(Result(kept_key.release(), ExchangeOf(args[0])));
  PyRef py_value(Result(kept_value.release(), ExchangeOf(args[0])));
  return py_key && py_value ? PyTuple_Pack(2, py_key.get(), py_value.get()) : nullptr;
}

#ifdef Py_GIL_DISABLED
PyObject* ChangeLocked(PyObject* function, PyObject* const* args, Py_ssize_t nargs) {
  constexpr Py_ssize_t kMost = 4;
  TVMFFIObject* fn = HandleOf(function);
  if (fn == nullptr) return nullptr;
  if (nargs < 1 || nargs > kMost || !IsObject(args[0])) {
    PyErr_SetString(PyExc_TypeError, "expected a container and at most three values");
    return nullptr;
  }
  ArgScope scope;
  TVMFFIAny values[kMost];
  for (Py_ssize_t i = 0; i < nargs; ++i) {
    if (!Convert(args[i], &values[i], &scope)) return nullptr;
  }
  // Conversions run code that may have given the wrapper another object.
  TVMFFIObject* handle = HandleOf(args[0]);
  if (handle == nullptr) return nullptr;
  NativeRef kept = NativeRef::Borrow(handle);
  SetObject(&values[0], handle);
  AnyRef result;
  {
    bool by_key = handle->type_index == kTVMFFIDict && nargs > 1;
    GroupScope changing(by_key ? KeyGroup(values[1], Group::kChanging) : Group::kChanging);
    NativeSection section(handle);
    if (!CallConverted(fn, values, static_cast<int32_t>(nargs), &result)) return nullptr;
  }
  return Result(result.release(), scope.exchange);
}
PyMethodDef change_locked_def = {
    "change_locked", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(ChangeLocked)),
    METH_FASTCALL, nullptr};
#endif

// `function` for the use of one thread at a time on each container.
PyObject* Locked(PyObject*, PyObject* function) {
#ifdef Py_GIL_DISABLED
  return PyCFunction_New(&change_locked_def, function);
#else
  return Py_NewRef(function);
#endif
}

PyMethodDef module_functions[] = {
    {"_locked", Locked, METH_O,
     "The function that changes its first argument, a container, for one thread at a time."},
    {"_container_iter", ContainerIterator, METH_VARARGS,
     "_container_iter(container, part=0, backwards=False): part 0 keys or elements, 1 values, 2 "
     "items"},
    {"_init_container", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(InitContainer)),
     METH_FASTCALL,
     "_init_container(self, kind, content): fills an empty Array, List, Map or Dict"},
    {"_container_get", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(ContainerGet)),
     METH_FASTCALL, "_container_get(map, key, default)"},
    {"_list_take", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(ListTake)),
     METH_FASTCALL, "_list_take(list, index)"},
    {"_dict_take", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(DictTake)),
     METH_FASTCALL, "_dict_take(dict, key, default)"},
    {"_dict_take_first", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(DictTakeFirst)),
     METH_FASTCALL, "_dict_take_first(dict)"},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

bool InitContainerFunctions(PyObject* module) {
  return PyModule_AddFunctions(module, module_functions) == 0;
}

}  // namespace tvm::ffi::detail::python
