// SPDX-License-Identifier: Apache-2.0
// The native type table as seen from Python: raw records, from which tvm_ffi._type_info makes
// TypeInfo, and the link between type indices and classes.
#include "type_table.h"

#include "argument.h"
#include "error.h"
#include "field.h"
#include "function.h"
#include "result.h"

namespace tvm::ffi::detail::python {

namespace {

// Largest type index that is known to exist.
std::atomic<int32_t> known_max{-1};

void RaiseKnownMax(int32_t type_index) {
  int32_t known = known_max.load(std::memory_order_relaxed);
  while (type_index > known && !known_max.compare_exchange_weak(known, type_index)) {
  }
}

void UpdateKnownMax() {
  static TVMFFIObject* keys_fn = FindGlobal("ffi.GetRegisteredTypeKeys");
  AnyRef keys;
  if (keys_fn == nullptr || !CallConverted(keys_fn, nullptr, 0, &keys)) {
    PyErr_Clear();
    return;
  }
  if (keys->type_index != kTVMFFIArray) return;
  auto* cell = reinterpret_cast<TVMFFISeqCell*>(keys->v_obj + 1);
  if (cell->size == 0) return;
  const TVMFFIAny& last = static_cast<const TVMFFIAny*>(cell->data)[cell->size - 1];
  TVMFFIByteArray key = last.type_index == kTVMFFIStr ? *TVMFFIBytesGetByteArrayPtr(last.v_obj)
                                                      : TVMFFISmallBytesGetContentByteArray(&last);
  RaiseKnownMax(TVMFFITypeGetOrAllocIndex(&key, -1, 0, 0, 0, -2));
}

// The entry of a type index; NULL with ValueError when there is none. The C function that reads the
// table ends the process for an unknown index, so the index is checked first.
const TVMFFITypeInfo* InfoOf(int32_t type_index) {
  if (type_index > known_max) UpdateKnownMax();
  bool gap = (type_index > kTVMFFIUnchanged && type_index < kTVMFFIObject) ||
             (type_index >= kTVMFFIStaticObjectEnd && type_index < kTVMFFIDynObjectBegin);
  if (type_index < 0 || gap || type_index > known_max) {
    PyErr_Format(PyExc_ValueError, "no type has the index %d", type_index);
    return nullptr;
  }
  return TVMFFIGetTypeInfo(type_index);
}

bool ParseIndex(PyObject* arg, int32_t* out) {
  long value = PyLong_AsLong(arg);
  if (value == -1 && PyErr_Occurred()) return false;
  *out = value > INT32_MAX || value < INT32_MIN ? -1 : static_cast<int32_t>(value);
  return true;
}

PyObject* OptionalText(const TVMFFIByteArray& text) {
  if (text.data == nullptr || text.size == 0) Py_RETURN_NONE;
  return UnicodeFrom(text);
}

PyObject* TypeRecord(PyObject*, PyObject* arg) {
  int32_t index;
  if (!ParseIndex(arg, &index)) return nullptr;
  const TVMFFITypeInfo* info = InfoOf(index);
  if (info == nullptr) return nullptr;
  PyRef ancestors(PyList_New(0));
  for (int32_t i = 0; ancestors && i < info->type_depth; ++i) {
    PyRef number(PyLong_FromLong(info->type_ancestors[i]->type_index));
    if (!number || PyList_Append(ancestors.get(), number.get()) < 0) return nullptr;
  }
  PyRef key(UnicodeFrom(info->type_key));
  if (!ancestors || !key) return nullptr;
  const TVMFFITypeMetadata* metadata = info->metadata;
  return Py_BuildValue("(OOiiO)", key.get(), ancestors.get(), metadata ? metadata->total_size : -1,
                       metadata ? static_cast<int>(metadata->structural_eq_hash_kind) : -1,
                       metadata ? Py_True : Py_False);
}

PyObject* FieldRecord(int32_t owner, const TVMFFIFieldInfo& field) {
  PyRef name(UnicodeFrom(field.name)), doc(OptionalText(field.doc)),
      metadata(OptionalText(field.metadata));
  PyRef getter(MakeFieldGetter(owner, field)), setter(MakeFieldSetter(owner, field));
  PyRef value(field.flags & kTVMFFIFieldFlagBitMaskHasDefault
                  ? ResultOfView(field.default_value_or_factory, nullptr)
                  : Py_NewRef(rt.py_missing));
  if (!name || !doc || !metadata || !getter || !setter || !value) return nullptr;
  return Py_BuildValue("(OOOLLLLiOOO)", name.get(), doc.get(), metadata.get(),
                       static_cast<long long>(field.flags), static_cast<long long>(field.size),
                       static_cast<long long>(field.alignment),
                       static_cast<long long>(field.offset), field.field_static_type_index,
                       getter.get(), setter.get(), value.get());
}

PyObject* FieldRecords(PyObject*, PyObject* arg) {
  int32_t index;
  if (!ParseIndex(arg, &index)) return nullptr;
  const TVMFFITypeInfo* info = InfoOf(index);
  PyRef list(info ? PyList_New(0) : nullptr);
  for (int32_t i = 0; list && i < info->num_fields; ++i) {
    PyRef record(FieldRecord(index, info->fields[i]));
    if (!record || PyList_Append(list.get(), record.get()) < 0) return nullptr;
  }
  return list.release();
}

PyObject* MethodRecords(PyObject*, PyObject* arg) {
  int32_t index;
  if (!ParseIndex(arg, &index)) return nullptr;
  const TVMFFITypeInfo* info = InfoOf(index);
  PyRef list(info ? PyList_New(0) : nullptr);
  for (int32_t i = 0; list && i < info->num_methods; ++i) {
    const TVMFFIMethodInfo& method = info->methods[i];
    PyRef name(UnicodeFrom(method.name)), doc(OptionalText(method.doc)),
        metadata(OptionalText(method.metadata)), function(ResultOfView(method.method, nullptr));
    if (!name || !doc || !metadata || !function) return nullptr;
    if (PyObject_TypeCheck(function.get(), rt.function) &&
        !DescribeFunction(function.get(), name.get(), method.metadata)) {
      return nullptr;
    }
    PyRef record(Py_BuildValue("(OOOLO)", name.get(), doc.get(), metadata.get(),
                               static_cast<long long>(method.flags), function.get()));
    if (!record || PyList_Append(list.get(), record.get()) < 0) return nullptr;
  }
  return list.release();
}

PyObject* SetClass(PyObject*, PyObject* args) {
  int index;
  PyTypeObject* cls;
  if (!PyArg_ParseTuple(args, "iO!:_set_class", &index, &PyType_Type, &cls)) return nullptr;
  if (InfoOf(index) == nullptr || !SetClassOf(index, cls)) return nullptr;
  Py_RETURN_NONE;
}

// The class of a type index, or None when none was made yet.
PyObject* GetClass(PyObject*, PyObject* arg) {
  int32_t index;
  if (!ParseIndex(arg, &index)) return nullptr;
  PyTypeObject* cls = index < 0 ? nullptr : rt.classes.Find(index);
  if (cls == nullptr) Py_RETURN_NONE;
  return Py_NewRef(reinterpret_cast<PyObject*>(cls));
}

PyObject* KeyToIndex(PyObject*, PyObject* key) {
  TVMFFIByteArray text;
  if (!PyUnicode_Check(key)) {
    return PyErr_Format(PyExc_TypeError, "a type key must be str, got %s", Py_TYPE(key)->tp_name);
  }
  if (!Utf8(key, &text)) return nullptr;
  int32_t index = TVMFFITypeGetOrAllocIndex(&text, -1, 0, 0, 0, -2);
  if (index < 0) Py_RETURN_NONE;
  return PyLong_FromLong(index);
}

PyObject* LookupAttr(PyObject*, PyObject* args, PyObject* kwargs) {
  static const char* keywords[] = {"type_index", "attr_key", "ancestor", nullptr};
  int index, ancestor = 0;
  PyObject* key;
  TVMFFIByteArray text;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "iU|p:_lookup_type_attr",
                                   const_cast<char**>(keywords), &index, &key, &ancestor) ||
      !Utf8(key, &text)) {
    return nullptr;
  }
  const TVMFFITypeAttrColumn* column = TVMFFIGetTypeAttrColumn(&text);
  if (column == nullptr) Py_RETURN_NONE;
  auto find = [column](int32_t type_index) -> const TVMFFIAny* {
    int32_t at = type_index - column->begin_index;
    if (at < 0 || at >= column->size) return nullptr;
    const TVMFFIAny* value = &column->data[at];
    return value->type_index == kTVMFFINone ? nullptr : value;
  };
  const TVMFFIAny* value = find(index);
  if (value == nullptr && ancestor) {
    const TVMFFITypeInfo* info = InfoOf(index);
    if (info == nullptr) return nullptr;
    for (int32_t depth = info->type_depth - 1; value == nullptr && depth >= 0; --depth) {
      value = find(info->type_ancestors[depth]->type_index);
    }
  }
  if (value == nullptr) Py_RETURN_NONE;
  return ResultOfView(*value, nullptr);
}

PyObject* RegisterAttr(PyObject*, PyObject* args) {
  int index;
  PyObject *key, *value;
  TVMFFIByteArray text;
  if (!PyArg_ParseTuple(args, "iUO:_register_type_attr", &index, &key, &value) ||
      !Utf8(key, &text)) {
    return nullptr;
  }
  if (index < 0) return PyErr_Format(PyExc_ValueError, "no type has the index %d", index);
  ArgScope scope;
  TVMFFIAny view;
  if (!Convert(value, &view, &scope)) return nullptr;
  if (int code = TVMFFITypeRegisterAttr(index, &text, &view)) return RaiseFor(code);
  Py_RETURN_NONE;
}

PyObject* NewObject(PyObject*, PyObject* cls) {
  if (!PyType_Check(cls) ||
      !PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(cls), rt.object_base)) {
    return PyErr_Format(PyExc_TypeError, "_new_object expects a class of objects, got %R", cls);
  }
  auto* type = reinterpret_cast<PyTypeObject*>(cls);
  if (PyType_IsSubtype(type, rt.function)) return PyObject_CallNoArgs(cls);
  return type->tp_alloc(type, 0);
}

// Whether objects of one type index are instances of another.
PyObject* IsSubtype(PyObject*, PyObject* args) {
  int index, target;
  if (!PyArg_ParseTuple(args, "ii:_is_native_subtype", &index, &target)) return nullptr;
  if (index < 0 || InfoOf(index) == nullptr) {
    PyErr_Clear();
    Py_RETURN_FALSE;
  }
  return PyBool_FromLong(IsInstanceOf(index, target));
}

PyMethodDef module_functions[] = {
    {"_type_record", TypeRecord, METH_O,
     "_type_record(type_index) -> (key, ancestors, total_size, structural_kind, has_metadata)"},
    {"_field_records", FieldRecords, METH_O,
     "_field_records(type_index) -> list of (name, doc, metadata, flags, size, alignment, offset, "
     "static_type_index, getter, setter, default)"},
    {"_method_records", MethodRecords, METH_O,
     "_method_records(type_index) -> list of (name, doc, metadata, flags, function)"},
    {"_set_class", SetClass, METH_VARARGS, "_set_class(type_index, cls)"},
    {"_get_class", GetClass, METH_O, "_get_class(type_index) -> class or None"},
    {"_object_type_key_to_index", KeyToIndex, METH_O,
     "Type index of a key, or None when it is not registered."},
    {"_lookup_type_attr", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(LookupAttr)),
     METH_VARARGS | METH_KEYWORDS, "_lookup_type_attr(type_index, attr_key, ancestor=False)"},
    {"_register_type_attr", RegisterAttr, METH_VARARGS,
     "_register_type_attr(type_index, attr_key, value)"},
    {"_new_object", NewObject, METH_O, "An empty instance of a class of objects."},
    {"_is_native_subtype", IsSubtype, METH_VARARGS, "_is_native_subtype(type_index, target)"},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

void NoteTypeIndex(int32_t type_index) { RaiseKnownMax(type_index); }

bool InitTypeTable(PyObject* module) {
  return PyModule_AddFunctions(module, module_functions) == 0;
}

}  // namespace tvm::ffi::detail::python
