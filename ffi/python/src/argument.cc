// SPDX-License-Identifier: Apache-2.0
// Conversion of plain Python values: text, bytes, big integers, containers.
#include "argument.h"

#include <cstring>
#include <new>
#include <vector>

#include "array_builder.h"
#include "borrow.h"
#include "container.h"
#include "error.h"
#include "function.h"

namespace tvm::ffi::detail::python {

namespace {

// Lists and dicts may nest this deep. One level costs a few hundred bytes of stack.
constexpr int kMaxDepth = 1000;
thread_local int depth = 0;

class DepthGuard {
 public:
  explicit DepthGuard(PyObject* value) {
    if (depth >= kMaxDepth) {
      PyErr_Format(PyExc_RecursionError,
                   "%s is nested more than %d levels deep, or contains itself",
                   Py_TYPE(value)->tp_name, kMaxDepth);
      return;
    }
    ++depth;
    entered_ = true;
  }
  ~DepthGuard() {
    if (entered_) --depth;
  }
  bool ok() const { return entered_; }

 private:
  bool entered_ = false;
};

// Arguments of a packed container constructor.
class Elements {
 public:
  explicit Elements(size_t size) { values_.reserve(size); }
  // Takes the reference over. What the value borrows from is kept: the item may be dropped from its
  // list meanwhile.
  bool Add(PyObject* item) {
    TVMFFIAny value;
    bool plain = ConvertPlain(item, &value);
    if (plain && value.type_index < kTVMFFIStaticObjectBegin) {
      Py_DECREF(item);
    } else if (!scope_.KeepPython(item) || (!plain && !ConvertSlow(item, &value, &scope_))) {
      return false;
    }
    values_.push_back(value);
    borrow_.Set(values_.data(), static_cast<Py_ssize_t>(values_.size()));
    return true;
  }
  bool Build(TVMFFIObject* fn, TVMFFIAny* out, const DLPackExchangeAPI** exchange) {
    if (exchange != nullptr && scope_.exchange != nullptr) *exchange = scope_.exchange;
    if (values_.size() > INT32_MAX) {
      PyErr_SetString(PyExc_OverflowError, "too many elements for one container");
      return false;
    }
    return CallConverted(fn, values_.data(), static_cast<int32_t>(values_.size()), out);
  }

 private:
  std::vector<TVMFFIAny> values_;
  Borrow borrow_{nullptr, 0};
  ArgScope scope_;
};

// ffi.String and ffi.Bytes in their usual layout: the content follows in the same block.
struct NativeText {
  TVMFFIObject header;
  TVMFFIByteArray content;

  static void Delete(void* self, int flags) {
    if (flags & kTVMFFIObjectDeleterFlagBitMaskWeak) ::operator delete(self);
  }
};

// Makes a text of more than 7 bytes, owned by the caller. False with an exception.
bool MakeText(int32_t type_index, const char* data, size_t size, TVMFFIAny* out) {
  void* memory = ::operator new(sizeof(NativeText) + size + 1, std::nothrow);
  if (memory == nullptr) {
    PyErr_NoMemory();
    return false;
  }
  auto* text = static_cast<NativeText*>(memory);
  char* copy = reinterpret_cast<char*>(text + 1);
  std::memcpy(copy, data, size);
  copy[size] = '\0';
  text->header = {};
  text->header.combined_ref_count = (uint64_t{1} << 32) + 1;
  text->header.type_index = type_index;
  text->header.deleter = NativeText::Delete;
  text->content = {copy, size};
  SetObject(out, &text->header);
  return true;
}

}  // namespace

bool ConvertOwnedStr(PyObject* value, TVMFFIAny* out) {
  TVMFFIByteArray text;
  text.data = CompactAscii(value);
  if (text.data != nullptr) {
    text.size = static_cast<size_t>(PyUnicode_GET_LENGTH(value));
  } else if (!Utf8(value, &text)) {
    return false;
  }
  return SmallStr(kTVMFFISmallStr, text.data, text.size, out) ||
         MakeText(kTVMFFIStr, text.data, text.size, out);
}

bool ConvertStr(PyObject* value, TVMFFIAny* out, ArgScope* scope) {
  if (!ConvertOwnedStr(value, out)) return false;
  return out->type_index < kTVMFFIStaticObjectBegin || scope->KeepNative(out->v_obj);
}

bool ConvertBytes(const char* data, size_t size, TVMFFIAny* out, ArgScope* scope) {
  if (SmallStr(kTVMFFISmallBytes, data, size, out)) return true;
  return MakeText(kTVMFFIBytes, data, size, out) && scope->KeepNative(out->v_obj);
}

bool ConvertBigInt(PyObject* value, TVMFFIAny* out, ArgScope* scope) {
  size_t bits = _PyLong_NumBits(value);
  if (bits == static_cast<size_t>(-1) && PyErr_Occurred()) return false;
  Py_ssize_t size = static_cast<Py_ssize_t>(bits / 64 + 1) * 8;
  PyRef signed_flag(Py_BuildValue("{s:O}", "signed", Py_True));
  // That of int itself: a subclass may return anything.
  PyRef method(PyObject_GetAttr(reinterpret_cast<PyObject*>(&PyLong_Type), names.to_bytes));
  PyRef args(Py_BuildValue("(Ons)", value, size, PY_LITTLE_ENDIAN ? "little" : "big"));
  if (!signed_flag || !method || !args) return false;
  PyRef bytes(PyObject_Call(method.get(), args.get(), signed_flag.get()));
  if (!bytes) return false;
  TVMFFIByteArray content{PyBytes_AS_STRING(bytes.get()), static_cast<size_t>(size)};
  if (TVMFFIBigIntFromByteArray(&content, out) != 0) {
    RaiseFor(-1);
    return false;
  }
  return out->type_index < kTVMFFIStaticObjectBegin || scope->KeepNative(out->v_obj);
}

namespace {

// Gives `add` the items of a list, tuple or any other iterable. False with an exception.
template <typename Add>
bool ForEachItem(PyObject* values, Add&& add) {
  if (PyTuple_CheckExact(values)) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(values); ++i) {
      if (!add(PyTuple_GET_ITEM(values, i))) return false;
    }
    return true;
  }
  if (PyList_CheckExact(values)) {
    // The size is read every time: converting an item may run code that changes the list.
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(values); ++i) {
      PyRef item = ListGet(values, i);
      if (!item) break;
      if (!add(item.get())) return false;
    }
    return true;
  }
  PyRef iterator(PyObject_GetIter(values));
  if (!iterator) return false;
  while (PyRef item{PyIter_Next(iterator.get())}) {
    if (!add(item.get())) return false;
  }
  return !PyErr_Occurred();
}

}  // namespace

bool MakeArray(PyObject* values, TVMFFIAny* out, const DLPackExchangeAPI** exchange) {
  DepthGuard guard(values);
  if (!guard.ok()) return false;
  ArrayBuilder array;
  bool sized = PyTuple_CheckExact(values) || PyList_CheckExact(values);
  if (!array.Reserve(sized ? Py_SIZE(values) : 0)) return false;
  if (!ForEachItem(values, [&array](PyObject* item) { return array.Add(item); })) return false;
  if (exchange != nullptr && array.exchange() != nullptr) *exchange = array.exchange();
  SetObject(out, array.Finish());
  return true;
}

bool MakeList(PyObject* values, TVMFFIAny* out, const DLPackExchangeAPI** exchange) {
  AnyRef array;
  if (!MakeArray(values, &array, exchange)) return false;
  const TVMFFISeqCell* cell = SequenceOf(array->v_obj);
  if (cell->size > INT32_MAX) {
    PyErr_SetString(PyExc_OverflowError, "too many elements for one container");
    return false;
  }
  return CallConverted(rt.fn_list, static_cast<const TVMFFIAny*>(cell->data),
                       static_cast<int32_t>(cell->size), out);
}

bool MakeMapping(TVMFFIObject* fn, PyObject* mapping, TVMFFIAny* out,
                 const DLPackExchangeAPI** exchange) {
  DepthGuard guard(mapping);
  if (!guard.ok()) return false;
  if (PyDict_CheckExact(mapping)) {
    Py_ssize_t size = PyDict_GET_SIZE(mapping), position = 0;
    Elements elements(static_cast<size_t>(size) * 2);
    PyObject *key, *value;
    PythonSection section(mapping);
    while (PyDict_Next(mapping, &position, &key, &value)) {
      PyRef kept_value = PyRef::Borrow(value);
      if (!elements.Add(Py_NewRef(key)) || !elements.Add(kept_value.release())) return false;
      if (PyDict_GET_SIZE(mapping) != size) {
        PyErr_SetString(PyExc_RuntimeError, "dictionary changed size during conversion");
        return false;
      }
    }
    return elements.Build(fn, out, exchange);
  }
  PyRef items(PyObject_CallMethodNoArgs(mapping, names.items));
  PyRef iterator(items ? PyObject_GetIter(items.get()) : nullptr);
  if (!iterator) return false;
  Elements elements(0);
  while (PyRef item{PyIter_Next(iterator.get())}) {
    PyRef pair(PySequence_Fast(item.get(), "items() must give pairs"));
    if (!pair) return false;
    if (PySequence_Fast_GET_SIZE(pair.get()) != 2) {
      PyErr_SetString(PyExc_ValueError, "items() must give pairs");
      return false;
    }
    if (!elements.Add(Py_NewRef(PySequence_Fast_GET_ITEM(pair.get(), 0))) ||
        !elements.Add(Py_NewRef(PySequence_Fast_GET_ITEM(pair.get(), 1)))) {
      return false;
    }
  }
  return !PyErr_Occurred() && elements.Build(fn, out, exchange);
}

bool ConvertOwned(PyObject* value, TVMFFIAny* out) {
  ArgScope scope;
  TVMFFIAny view;
  if (!Convert(value, &view, &scope)) return false;
  if (TVMFFIAnyViewToOwnedAny(&view, out) != 0) {
    RaiseFor(-1);
    return false;
  }
  return true;
}

}  // namespace tvm::ffi::detail::python
