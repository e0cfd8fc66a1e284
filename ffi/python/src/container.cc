// SPDX-License-Identifier: Apache-2.0
// CContainerBase: the reading half of Array, List, Map and Dict. The classes themselves, with what
// changes a List or a Dict, are in tvm_ffi/container.py.
#include "container.h"

#include "argument.h"
#include "borrow.h"
#include "container_access.h"
#include "error.h"
#include "function.h"
#include "result.h"

namespace tvm::ffi::detail::python {

namespace {

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

}  // namespace

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

bool InitContainers(PyObject* module) {
  return MakeType(module, &container_spec, rt.object_base, &rt.container_base) &&
         InitContainerIterators(module) && InitContainerFunctions(module);
}

}  // namespace tvm::ffi::detail::python
