// SPDX-License-Identifier: Apache-2.0
// CContainerBase: the reading half of Array, List, Map and Dict. The classes themselves, with what
// changes a List or a Dict, are in tvm_ffi/container.py.
#include "container.h"

#include "argument.h"
#include "borrow.h"
#include "error.h"
#include "function.h"
#include "result.h"

#include <optional>

namespace tvm::ffi::detail::python {

namespace {

const DLPackExchangeAPI* ExchangeOf(PyObject* self) {
  return reinterpret_cast<ContainerPy*>(self)->exchange;
}

// Array and Map never change; the others are used by one thread at a time.
class ContainerSection {
 public:
  explicit ContainerSection(TVMFFIObject* handle) {
#ifdef Py_GIL_DISABLED
    if (handle->type_index == kTVMFFIList || handle->type_index == kTVMFFIDict) {
      section_.emplace(handle);
    }
#else
    (void)handle;
#endif
  }

 private:
#ifdef Py_GIL_DISABLED
  std::optional<NativeSection> section_;
#endif
};

const char* NameOf(PyObject* self) { return Py_TYPE(self)->tp_name; }

Py_ssize_t ContainerLength(PyObject* self) {
  TVMFFIObject* handle = HandleOf(self);
  if (handle == nullptr) return -1;
  ContainerSection section(handle);
  if (IsSequenceIndex(handle->type_index)) return SequenceOf(handle)->size;
  if (IsMappingIndex(handle->type_index)) return static_cast<Py_ssize_t>(MapOf(handle)->size);
  PyErr_Format(PyExc_TypeError, "%s has no length", NameOf(self));
  return -1;
}

int ContainerBool(PyObject* self) {
  Py_ssize_t length = ContainerLength(self);
  return length < 0 ? -1 : length != 0;
}

// The sequence in a wrapper that held one before Python code ran; NULL with an exception.
TVMFFIObject* SequenceStillIn(PyObject* self) {
  TVMFFIObject* handle = HandleOf(self);
  if (handle == nullptr || IsSequenceIndex(handle->type_index)) return handle;
  PyErr_Format(PyExc_RuntimeError, "%s got another object while it was read", NameOf(self));
  return nullptr;
}

PyObject* ItemAt(PyObject* self, Py_ssize_t index) {
  TVMFFIObject* handle = SequenceStillIn(self);
  if (handle == nullptr) return nullptr;
  ContainerSection section(handle);
  TVMFFISeqCell* cell = SequenceOf(handle);
  Py_ssize_t at = index < 0 ? index + cell->size : index;
  if (at < 0 || at >= cell->size) {
    return PyErr_Format(PyExc_IndexError, "Index out of range. size: %zd, got index %zd",
                        static_cast<Py_ssize_t>(cell->size), index);
  }
  return ResultOfView(static_cast<const TVMFFIAny*>(cell->data)[at], ExchangeOf(self));
}

PyObject* SliceOf(PyObject* self, PyObject* slice) {
  Py_ssize_t start, stop, step;
  if (PySlice_Unpack(slice, &start, &stop, &step) < 0) return nullptr;
  TVMFFIObject* handle = SequenceStillIn(self);
  if (handle == nullptr) return nullptr;
  ContainerSection section(handle);
  NativeRef kept = NativeRef::Borrow(handle);
  TVMFFISeqCell* cell = SequenceOf(handle);
  Py_ssize_t count = PySlice_AdjustIndices(cell->size, &start, &stop, step);
  PyRef list(PyList_New(0));
  for (Py_ssize_t i = 0; list && i < count; ++i) {
    // Making a wrapper may run code that shortens the list.
    Py_ssize_t at = start + i * step;
    if (at >= cell->size) break;
    PyRef item(ResultOfView(static_cast<const TVMFFIAny*>(cell->data)[at], ExchangeOf(self)));
    if (!item || PyList_Append(list.get(), item.get()) < 0) return nullptr;
  }
  return list.release();
}

// The group for an operation on a Map or Dict by a key: comparing keys with hooks of their own may
// be a walk over what they hold.
Group KeyGroup(const TVMFFIAny& key, Group plain) {
  if (key.type_index < kTVMFFIStaticObjectEnd) return plain;
  return plain == Group::kNone ? Group::kWalking : Group::kAlone;
}

// Value of a key, or the MISSING object. False with an exception.
bool Lookup(TVMFFIObject* map, PyObject* key, TVMFFIAny* out) {
  static TVMFFIObject* map_get = FindGlobal("ffi.MapGetItemOrMissing");
  static TVMFFIObject* dict_get = FindGlobal("ffi.DictGetItemOrMissing");
  ArgScope scope;
  TVMFFIAny args[2];
  SetObject(&args[0], map);
  Borrow borrow(args, 1);
  if (!Convert(key, &args[1], &scope)) return false;
  GroupScope walking(KeyGroup(args[1], Group::kNone));
  TVMFFIObject* get = map->type_index == kTVMFFIMap ? map_get : dict_get;
  if (get == nullptr) {
    PyErr_SetString(PyExc_RuntimeError, "the library has no map lookup");
    return false;
  }
  return CallConverted(get, args, 2, out);
}

bool IsMissing(const TVMFFIAny& value) {
  return value.type_index == kTVMFFIObject && value.v_obj == rt.missing;
}

PyObject* ContainerSubscript(PyObject* self, PyObject* key) {
  TVMFFIObject* handle = HandleOf(self);
  if (handle == nullptr) return nullptr;
  if (IsSequenceIndex(handle->type_index)) {
    if (PyIndex_Check(key)) {
      Py_ssize_t index = PyNumber_AsSsize_t(key, PyExc_IndexError);
      if (index == -1 && PyErr_Occurred()) return nullptr;
      return ItemAt(self, index);
    }
    if (PySlice_Check(key)) return SliceOf(self, key);
    return PyErr_Format(PyExc_TypeError, "indices must be integers or slices, not %s",
                        Py_TYPE(key)->tp_name);
  }
  ContainerSection section(handle);
  AnyRef value;
  bool is_map = handle->type_index == kTVMFFIMap;
  if (!Lookup(handle, key, &value)) return nullptr;
  if (IsMissing(*value)) {
    if (is_map) {
      PyErr_Format(PyExc_KeyError, "key is not in Map: %R", key);
    } else {
      PyErr_SetObject(PyExc_KeyError, key);
    }
    return nullptr;
  }
  return Result(value.release(), ExchangeOf(self));
}

int ContainerContains(PyObject* self, PyObject* item) {
  TVMFFIObject* handle = HandleOf(self);
  if (handle == nullptr) return -1;
  if (IsMappingIndex(handle->type_index)) {
    ContainerSection section(handle);
    AnyRef value;
    if (!Lookup(handle, item, &value)) return -1;
    return !IsMissing(*value);
  }
  ArgScope scope;
  TVMFFIAny values[2];
  SetObject(&values[0], handle);
  Borrow borrow(values, 1);
  if (!Convert(item, &values[1], &scope)) return -1;
  borrow.Extend(2);
  GroupScope walking(Group::kWalking);
  TVMFFISeqCell* cell = SequenceOf(handle);
  // Comparing may run code that changes a List; elements that it adds are not looked at.
  for (int64_t i = 0, size = cell->size; i < size && i < cell->size; ++i) {
    int equal = ValuesEqual(static_cast<const TVMFFIAny*>(cell->data)[i], values[1]);
    if (equal != 0) return equal;
  }
  return 0;
}

Py_hash_t ContainerHash(PyObject* self) {
  static TVMFFIObject* fn = FindGlobal("ffi.RecursiveHash");
  TVMFFIObject* handle = HandleOf(self);
  if (handle == nullptr || fn == nullptr) return -1;
  TVMFFIAny arg;
  SetObject(&arg, handle);
  AnyRef result;
  if (!CallConverted(fn, &arg, 1, &result)) return -1;
  auto hash = static_cast<Py_hash_t>(result->v_int64);
  return hash == -1 ? -2 : hash;
}

bool IsPlainSequence(PyObject* value) {
  if (PyList_Check(value) || PyTuple_Check(value)) return true;
  if (PyUnicode_Check(value) || PyBytes_Check(value) || PyDict_Check(value)) return false;
  static Lazy lazy_cls;
  PyObject* cls = lazy_cls.Get([] {
    PyRef module(PyImport_ImportModule("collections.abc"));
    return module ? PyObject_GetAttrString(module.get(), "Sequence") : nullptr;
  });
  int is = cls ? PyObject_IsInstance(value, cls) : 0;
  PyErr_Clear();
  return is == 1 && !PyByteArray_Check(value);
}

bool IsPlainMapping(PyObject* value) {
  if (PyDict_Check(value)) return true;
  static Lazy lazy_cls;
  PyObject* cls = lazy_cls.Get([] {
    PyRef module(PyImport_ImportModule("collections.abc"));
    return module ? PyObject_GetAttrString(module.get(), "Mapping") : nullptr;
  });
  int is = cls ? PyObject_IsInstance(value, cls) : 0;
  PyErr_Clear();
  return is == 1;
}

PyObject* ContainerCompare(PyObject* self, PyObject* other, int op) {
  if (op != Py_EQ && op != Py_NE) Py_RETURN_NOTIMPLEMENTED;
  TVMFFIObject* handle = AsObject(self)->handle;
  if (handle == nullptr) {
    bool same = IsObject(other) && AsObject(other)->handle == nullptr && self == other;
    return PyBool_FromLong(same == (op == Py_EQ));
  }
  bool sequence = IsSequenceIndex(handle->type_index);
  TVMFFIAny sides[2];
  SetObject(&sides[0], handle);
  Borrow borrow(sides, 1);
  AnyRef converted;
  if (PyObject_TypeCheck(other, rt.container_base)) {
    TVMFFIObject* other_handle = AsObject(other)->handle;
    if (other_handle == nullptr) return PyBool_FromLong(op == Py_NE);
    SetObject(&sides[1], other_handle);
  } else if (sequence && IsPlainSequence(other)) {
    if (PyObject_Size(other) != ContainerLength(self)) {
      if (PyErr_Occurred()) return nullptr;
      return PyBool_FromLong(op == Py_NE);
    }
    if (!MakeArray(other, &converted, nullptr)) return nullptr;
    sides[1] = *converted;
  } else if (!sequence && IsPlainMapping(other)) {
    if (PyObject_Size(other) != ContainerLength(self)) {
      if (PyErr_Occurred()) return nullptr;
      return PyBool_FromLong(op == Py_NE);
    }
    if (!MakeMapping(rt.fn_map, other, &converted, nullptr)) return nullptr;
    sides[1] = *converted;
  } else {
    Py_RETURN_NOTIMPLEMENTED;
  }
  borrow.Extend(2);
  int equal = ValuesEqual(sides[0], sides[1]);
  if (equal < 0) return nullptr;
  return PyBool_FromLong((equal == 1) == (op == Py_EQ));
}

// ---- iterators ---------------------------------------------------------------------------------

enum class Part : int { kKey = 0, kValue = 1, kItem = 2 };

struct IteratorPy {
  PyObject_HEAD PyObject* container;  // owned, NULL once exhausted
  Py_ssize_t index;
  Py_ssize_t step;  // 1 or -1, sequences only
  Part part;
  MapCursor cursor;
};

int IteratorTraverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(reinterpret_cast<IteratorPy*>(self)->container);
  return 0;
}

int IteratorClear(PyObject* self) {
  Py_CLEAR(reinterpret_cast<IteratorPy*>(self)->container);
  return 0;
}

void IteratorDealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  IteratorClear(self);
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject* SequenceNext(IteratorPy* it, TVMFFIObject* handle) {
  TVMFFISeqCell* cell = SequenceOf(handle);
  if (it->index < 0 || it->index >= cell->size) {
    Py_CLEAR(it->container);
    return nullptr;
  }
  const TVMFFIAny& item = static_cast<const TVMFFIAny*>(cell->data)[it->index];
  it->index += it->step;
  return ResultOfView(item, ExchangeOf(it->container));
}

PyObject* MappingNext(IteratorPy* it, TVMFFIObject* handle) {
  TVMFFIAny key, value;
  switch (it->cursor.Next(handle, &key, &value)) {
    case MapCursor::Step::kEntry:
      break;
    case MapCursor::Step::kEnd:
      Py_CLEAR(it->container);
      return nullptr;
    case MapCursor::Step::kChanged:
      PyErr_Format(PyExc_RuntimeError, "%s changed size during iteration", NameOf(it->container));
      return nullptr;
  }
  const DLPackExchangeAPI* exchange = ExchangeOf(it->container);
  if (it->part == Part::kKey) return ResultOfView(key, exchange);
  if (it->part == Part::kValue) return ResultOfView(value, exchange);
  // Making the key may run code that drops the value.
  if (value.type_index >= kTVMFFIStaticObjectBegin) IncRefNative(value.v_obj);
  PyRef py_key(ResultOfView(key, exchange));
  PyRef py_value(Result(value, exchange));
  return py_key && py_value ? PyTuple_Pack(2, py_key.get(), py_value.get()) : nullptr;
}

PyObject* IteratorNext(PyObject* self) {
  auto* it = reinterpret_cast<IteratorPy*>(self);
  PythonSection iterator(self);
  if (it->container == nullptr) return nullptr;
  PyRef container = PyRef::Borrow(it->container);
  TVMFFIObject* handle = HandleOf(container.get());
  if (handle == nullptr) return nullptr;
  ContainerSection section(handle);
  return IsSequenceIndex(handle->type_index) ? SequenceNext(it, handle) : MappingNext(it, handle);
}

PyObject* IteratorLengthHint(PyObject* self, PyObject*) {
  auto* it = reinterpret_cast<IteratorPy*>(self);
  PythonSection iterator(self);
  TVMFFIObject* handle = it->container ? AsObject(it->container)->handle : nullptr;
  if (handle == nullptr) return PyLong_FromLong(0);
  ContainerSection section(handle);
  if (!IsSequenceIndex(handle->type_index)) return PyLong_FromUnsignedLongLong(it->cursor.left());
  Py_ssize_t left = it->step > 0 ? SequenceOf(handle)->size - it->index : it->index + 1;
  return PyLong_FromSsize_t(left < 0 ? 0 : left);
}

PyMethodDef iterator_methods[] = {
    {"__length_hint__", IteratorLengthHint, METH_NOARGS, "Number of items left."},
    {nullptr, nullptr, 0, nullptr}};
PyType_Slot iterator_slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(IteratorDealloc)},
                                {Py_tp_traverse, reinterpret_cast<void*>(IteratorTraverse)},
                                {Py_tp_clear, reinterpret_cast<void*>(IteratorClear)},
                                {Py_tp_iter, reinterpret_cast<void*>(PyObject_SelfIter)},
                                {Py_tp_iternext, reinterpret_cast<void*>(IteratorNext)},
                                {Py_tp_methods, iterator_methods},
                                {0, nullptr}};
PyType_Spec iterator_spec = {
    "tvm_ffi.core._ContainerIterator", sizeof(IteratorPy), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_HAVE_GC, iterator_slots};
PyTypeObject* iterator_type = nullptr;

PyObject* MakeIterator(PyObject* container, Part part, bool backwards) {
  TVMFFIObject* handle = HandleOf(container);
  if (handle == nullptr) return nullptr;
  PyObject* self = iterator_type->tp_alloc(iterator_type, 0);
  if (self == nullptr) return nullptr;
  auto* it = reinterpret_cast<IteratorPy*>(self);
  it->container = Py_NewRef(container);
  it->part = part;
  ContainerSection section(handle);
  if (IsSequenceIndex(handle->type_index)) {
    it->step = backwards ? -1 : 1;
    it->index = backwards ? SequenceOf(handle)->size - 1 : 0;
  } else {
    it->cursor = MapCursor(handle);
  }
  return self;
}

PyObject* ContainerIter(PyObject* self) { return MakeIterator(self, Part::kKey, false); }

PyType_Slot container_slots[] = {
    {Py_mp_length, reinterpret_cast<void*>(ContainerLength)},
    {Py_mp_subscript, reinterpret_cast<void*>(ContainerSubscript)},
    {Py_sq_length, reinterpret_cast<void*>(ContainerLength)},
    {Py_sq_contains, reinterpret_cast<void*>(ContainerContains)},
    {Py_nb_bool, reinterpret_cast<void*>(ContainerBool)},
    {Py_tp_iter, reinterpret_cast<void*>(ContainerIter)},
    {Py_tp_hash, reinterpret_cast<void*>(ContainerHash)},
    {Py_tp_richcompare, reinterpret_cast<void*>(ContainerCompare)},
    {Py_tp_doc, const_cast<char*>("Base of Array, List, Map and Dict.")},
    {0, nullptr}};
PyType_Spec container_spec = {"tvm_ffi.core.CContainerBase", sizeof(ContainerPy), 0,
                              Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, container_slots};

// ---- functions for tvm_ffi.container -----------------------------------------------------------

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

bool InitContainers(PyObject* module) {
  return MakeType(module, &container_spec, rt.object_base, &rt.container_base) &&
         MakeType(module, &iterator_spec, nullptr, &iterator_type) &&
         PyModule_AddFunctions(module, module_functions) == 0;
}

}  // namespace tvm::ffi::detail::python
