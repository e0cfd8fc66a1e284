// SPDX-License-Identifier: Apache-2.0
// Native registration of types that are defined in Python. What a class means is decided in Python
// (tvm_ffi._py_class); here are the calls of the C ABI.
#include <cstring>

#include "argument.h"
#include "core_functions.h"
#include "error.h"
#include "field_converter.h"
#include "function.h"
#include "native_cycle.h"
#include "result.h"
#include "type_table.h"

namespace tvm::ffi::detail::python {

namespace {

PyObject* AllocType(PyObject*, PyObject* args) {
  PyObject* key;
  int parent;
  TVMFFIByteArray text;
  if (!PyArg_ParseTuple(args, "Ui:_alloc_type", &key, &parent) || !Utf8(key, &text)) return nullptr;
  if (TVMFFITypeGetOrAllocIndex(&text, -1, 0, 0, 0, -2) >= 0) Py_RETURN_NONE;
  static TVMFFIObject* alloc = FindGlobal("ffi._AllocTypeBelow");
  ArgScope scope;
  TVMFFIAny arguments[2] = {};
  if (!Convert(key, &arguments[0], &scope)) return nullptr;
  arguments[1].type_index = kTVMFFIInt;
  arguments[1].v_int64 = parent;
  AnyRef made;
  if (!CallConverted(alloc, arguments, 2, &made)) return nullptr;
  auto index = static_cast<int32_t>(made->v_int64);
  NoteTypeIndex(index);
  NotePythonType(index);
  return PyLong_FromLong(index);
}

PyObject* ConverterAddress(PyObject*, PyObject*) {
  return PyLong_FromVoidPtr(reinterpret_cast<void*>(ConvertForField));
}

PyObject* NewConverter(PyObject*, PyObject* schema) {
  void* converter = MakeFieldConverter(schema);
  return converter ? PyLong_FromVoidPtr(converter) : nullptr;
}

PyObject* RegisterField(PyObject*, PyObject* args) {
  int type_index, static_index;
  PyObject *name, *doc, *metadata, *getter, *setter, *value;
  long long flags, size, alignment, offset;
  if (!PyArg_ParseTuple(args, "iUOULLLLiOO!O:_register_field", &type_index, &name, &doc, &metadata,
                        &flags, &size, &alignment, &offset, &static_index, &getter, rt.function,
                        &setter, &value)) {
    return nullptr;
  }
  TVMFFIFieldInfo info{};
  if (!Utf8(name, &info.name) || !Utf8(metadata, &info.metadata)) return nullptr;
  if (doc != Py_None) {
    if (!PyUnicode_Check(doc)) return PyErr_Format(PyExc_TypeError, "doc must be str or None");
    if (!Utf8(doc, &info.doc)) return nullptr;
  }
  info.flags = flags | kTVMFFIFieldFlagBitSetterIsFunctionObj;
  info.size = size;
  info.alignment = alignment;
  info.offset = offset;
  info.getter = reinterpret_cast<TVMFFIFieldGetter>(PyLong_AsVoidPtr(getter));
  if (info.getter == nullptr) {
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "the getter is a null pointer");
    return nullptr;
  }
  TVMFFIObject* setter_handle = HandleOf(setter);
  if (setter_handle == nullptr) return nullptr;
  info.setter = setter_handle;
  info.field_static_type_index = static_index;
  ArgScope scope;
  if (flags & kTVMFFIFieldFlagBitMaskHasDefault &&
      !Convert(value, &info.default_value_or_factory, &scope)) {
    return nullptr;
  }
  if (int code = TVMFFITypeRegisterField(type_index, &info)) return RaiseFor(code);
  Py_RETURN_NONE;
}

PyObject* RegisterMethod(PyObject*, PyObject* args) {
  int type_index;
  PyObject *name, *doc, *metadata, *function;
  long long flags;
  if (!PyArg_ParseTuple(args, "iUOULO!:_register_method", &type_index, &name, &doc, &metadata,
                        &flags, rt.function, &function)) {
    return nullptr;
  }
  TVMFFIMethodInfo info{};
  if (!Utf8(name, &info.name) || !Utf8(metadata, &info.metadata)) return nullptr;
  if (doc != Py_None && (!PyUnicode_Check(doc) || !Utf8(doc, &info.doc))) {
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "doc must be str or None");
    return nullptr;
  }
  info.flags = flags;
  TVMFFIObject* handle = HandleOf(function);
  if (handle == nullptr) return nullptr;
  SetObject(&info.method, handle);
  if (int code = TVMFFITypeRegisterMethod(type_index, &info)) return RaiseFor(code);
  Py_RETURN_NONE;
}

PyObject* RegisterMetadata(PyObject*, PyObject* args) {
  int type_index, total_size, kind;
  PyObject* doc;
  if (!PyArg_ParseTuple(args, "iOii:_register_metadata", &type_index, &doc, &total_size, &kind)) {
    return nullptr;
  }
  TVMFFITypeMetadata metadata{};
  if (doc != Py_None && (!PyUnicode_Check(doc) || !Utf8(doc, &metadata.doc))) {
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "doc must be str or None");
    return nullptr;
  }
  metadata.total_size = total_size;
  metadata.structural_eq_hash_kind = static_cast<TVMFFISEqHashKind>(kind);
  if (int code = TVMFFITypeRegisterMetadata(type_index, &metadata)) return RaiseFor(code);
  Py_RETURN_NONE;
}

PyMethodDef module_functions[] = {
    {"_alloc_type", AllocType, METH_VARARGS,
     "_alloc_type(type_key, parent_index) -> new type index, or None when the key is taken"},
    {"_field_converter_address", ConverterAddress, METH_NOARGS,
     "Address of the C function that converts the values of fields."},
    {"_make_field_converter", NewConverter, METH_O,
     "_make_field_converter(schema) -> address of what that function needs for a TypeSchema; it is "
     "kept for ever."},
    {"_register_field", RegisterField, METH_VARARGS,
     "_register_field(type_index, name, doc, metadata, flags, size, alignment, offset, "
     "static_type_index, getter_address, setter, default)"},
    {"_register_method", RegisterMethod, METH_VARARGS,
     "_register_method(type_index, name, doc, metadata, flags, function)"},
    {"_register_metadata", RegisterMetadata, METH_VARARGS,
     "_register_metadata(type_index, doc, total_size, structural_kind)"},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

bool InitPyClass(PyObject* module) { return PyModule_AddFunctions(module, module_functions) == 0; }

}  // namespace tvm::ffi::detail::python
