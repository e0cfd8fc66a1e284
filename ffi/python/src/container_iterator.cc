// SPDX-License-Identifier: Apache-2.0
// Iterators of Array, List, Map and Dict.
#include "container_access.h"
#include "result.h"

namespace tvm::ffi::detail::python {

namespace {

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

}  // namespace

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

bool InitContainerIterators(PyObject* module) {
  return MakeType(module, &iterator_spec, nullptr, &iterator_type);
}

}  // namespace tvm::ffi::detail::python
