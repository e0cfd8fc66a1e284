// SPDX-License-Identifier: Apache-2.0
// String and Bytes: str and bytes that remember the native object they came from.
#include <cstring>

#include "argument.h"
#include "function.h"
#include "result.h"
#include "value_types.h"

namespace tvm::ffi::detail::python {

namespace {

struct StringPy {
  PyUnicodeObject base;
  TVMFFIObject* native;  // owned, NULL until the text comes from native code
  // The native string that holds the characters, NULL when they are our own. Owned, but when it is
  // `native` too, there is one reference for both.
  TVMFFIObject* text;
};

TVMFFIObject*& NativeOf(PyObject* self) { return reinterpret_cast<StringPy*>(self)->native; }

void StringDealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  auto* string = reinterpret_cast<StringPy*>(self);
  if (string->text != nullptr) {
    // str frees no characters that it does not see.
    string->base.data.any = nullptr;
    string->base._base.utf8 = nullptr;
    if (string->text != string->native) DecRefNative(string->text);
  }
  DecRefNative(string->native);
  PyUnicode_Type.tp_dealloc(self);
  Py_DECREF(type);
}

PyObject* StringCached(PyObject* self, void*) {
  TVMFFIObject* native = NativeOf(self);
  if (native == nullptr) Py_RETURN_NONE;
  IncRefNative(native);
  return WrapAs(rt.object, native);
}

int StringSetCached(PyObject* self, PyObject* value, void*) {
  TVMFFIObject* native = nullptr;
  if (value != nullptr && value != Py_None) {
    if (!IsObject(value)) {
      PyErr_SetString(PyExc_TypeError, "_tvm_ffi_cached_object must be an object or None");
      return -1;
    }
    native = HandleOf(value);
    if (native == nullptr) return -1;
    IncRefNative(native);
  }
  TVMFFIObject* old = std::exchange(NativeOf(self), native);
  const TVMFFIObject* text = reinterpret_cast<StringPy*>(self)->text;
  if (old != text) DecRefNative(old);
  if (text != nullptr && native == text) DecRefNative(native);
  return 0;
}

PyObject* StringReduce(PyObject* self, PyObject*) {
  PyRef plain(PyUnicode_FromObject(self));
  return plain ? Py_BuildValue("O(O)", &PyUnicode_Type, plain.get()) : nullptr;
}

PyObject* StringStr(PyObject* self) { return PyUnicode_FromObject(self); }

PyObject* BytesReduce(PyObject* self, PyObject*) {
  PyRef plain(PyBytes_FromStringAndSize(PyBytes_AS_STRING(self), PyBytes_GET_SIZE(self)));
  return plain ? Py_BuildValue("O(O)", &PyBytes_Type, plain.get()) : nullptr;
}

PyObject* FromObject(PyObject* obj, int32_t type_index, PyObject* (*make)(TVMFFIObject*)) {
  TVMFFIObject* handle = nullptr;
  if (IsObject(obj)) {
    handle = HandleOf(obj);
    if (handle == nullptr) return nullptr;
  }
  if (handle == nullptr || handle->type_index != type_index) {
    return PyErr_Format(PyExc_TypeError, "%R does not hold a native string", obj);
  }
  IncRefNative(handle);
  return make(handle);
}

PyObject* StringFromObject(PyObject*, PyObject* obj) {
  return FromObject(obj, kTVMFFIStr, MakeString);
}
PyObject* BytesFromObject(PyObject*, PyObject* obj) {
  return FromObject(obj, kTVMFFIBytes, MakeBytes);
}

PyMethodDef string_methods[] = {{"__reduce_ex__", StringReduce, METH_O, "Pickles as a plain str."},
                                {"__from_tvm_ffi_object__", StringFromObject, METH_O | METH_CLASS,
                                 "String of a native string object."},
                                {nullptr, nullptr, 0, nullptr}};
PyGetSetDef string_getset[] = {
    {"_tvm_ffi_cached_object", StringCached, StringSetCached,
     "The native string, or None when the text was made in Python.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyType_Slot string_slots[] = {
    {Py_tp_dealloc, reinterpret_cast<void*>(StringDealloc)},
    {Py_tp_str, reinterpret_cast<void*>(StringStr)},
    {Py_tp_methods, string_methods},
    {Py_tp_getset, string_getset},
    {Py_tp_doc, const_cast<char*>("String(value)\n--\n\nA str that may carry its native string.")},
    {0, nullptr}};
PyType_Spec string_spec = {"tvm_ffi.core.String", sizeof(StringPy), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, string_slots};

PyMethodDef bytes_methods[] = {{"__reduce_ex__", BytesReduce, METH_O, "Pickles as plain bytes."},
                               {"__from_tvm_ffi_object__", BytesFromObject, METH_O | METH_CLASS,
                                "Bytes of a native bytes object."},
                               {nullptr, nullptr, 0, nullptr}};

PyObject* InitCached(PyObject* self, PyObject* const* args, Py_ssize_t nargs) {
  if (nargs < 1 || !PyObject_TypeCheck(args[0], rt.function)) {
    PyErr_SetString(PyExc_TypeError,
                    "__init_cached_object_by_constructor__ expects a Function and its arguments");
    return nullptr;
  }
  TVMFFIObject* fn = HandleOf(args[0]);
  AnyRef result;
  if (fn == nullptr || !CallNative(fn, args + 1, nargs - 1, false, &result, nullptr))
    return nullptr;
  if (result->type_index < kTVMFFIStaticObjectBegin) {
    PyErr_SetString(PyExc_TypeError, "the constructor did not return an object");
    return nullptr;
  }
  PyRef wrapper(WrapAs(rt.object, result.release().v_obj));
  if (!wrapper || PyObject_SetAttr(self, names.tvm_ffi_cached_object, wrapper.get()) < 0) {
    return nullptr;
  }
  Py_RETURN_NONE;
}

PyMethodDef native_value_methods[] = {
    {"__init_cached_object_by_constructor__",
     reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(InitCached)), METH_FASTCALL,
     "Calls a Function and attaches the object that it returns."},
    {nullptr, nullptr, 0, nullptr}};
PyType_Slot native_value_slots[] = {
    {Py_tp_methods, native_value_methods},
    {Py_tp_doc, const_cast<char*>("Base of Python values that may carry a native object.")},
    {0, nullptr}};
PyType_Spec native_value_spec = {"tvm_ffi.core.PyNativeObject", sizeof(PyObject), 0,
                                 Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, native_value_slots};

PyObject* ConvertibleAsObject(PyObject*, PyObject*) {
  PyErr_SetNone(PyExc_NotImplementedError);
  return nullptr;
}
PyMethodDef convertible_methods[] = {
    {"asobject", ConvertibleAsObject, METH_NOARGS, "The object to pass to native code."},
    {nullptr, nullptr, 0, nullptr}};
PyType_Slot convertible_slots[] = {
    {Py_tp_methods, convertible_methods},
    {Py_tp_doc, const_cast<char*>("Base of classes whose instances convert by asobject().")},
    {0, nullptr}};
PyType_Spec convertible_spec = {"tvm_ffi.core.ObjectConvertible", sizeof(PyObject), 0,
                                Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, convertible_slots};

// bytes has items of variable number, so a subclass keeps the native object in its dict.
bool MakeBytesType(PyObject* module) {
  PyRef ns(Py_BuildValue("{s:s,s:O,s:s}", "__module__", "tvm_ffi.core", "_tvm_ffi_cached_object",
                         Py_None, "__doc__", "bytes that may carry its native object."));
  PyRef cls(ns ? PyObject_CallFunction(reinterpret_cast<PyObject*>(&PyType_Type), "s(OO)O", "Bytes",
                                       &PyBytes_Type, rt.native_value, ns.get())
               : nullptr);
  if (!cls) return false;
  auto* type = reinterpret_cast<PyTypeObject*>(cls.get());
  for (PyMethodDef* method = bytes_methods; method->ml_name != nullptr; ++method) {
    PyRef descriptor(method->ml_flags & METH_CLASS ? PyDescr_NewClassMethod(type, method)
                                                   : PyDescr_NewMethod(type, method));
    if (!descriptor || PyObject_SetAttrString(cls.get(), method->ml_name, descriptor.get()) < 0) {
      return false;
    }
  }
  if (PyModule_AddObjectRef(module, "Bytes", cls.get()) < 0) return false;
  rt.bytes = reinterpret_cast<PyTypeObject*>(cls.release());
  return true;
}

}  // namespace

TVMFFIObject* CachedNative(PyObject* value) {
  return PyObject_TypeCheck(value, rt.string) ? NativeOf(value) : nullptr;
}

namespace {

bool IsAscii(const char* data, size_t size) {
  uint64_t seen = 0;
  size_t i = 0;
  for (; i + 8 <= size; i += 8) {
    uint64_t word;
    std::memcpy(&word, data + i, 8);
    seen |= word;
  }
  for (; i < size; ++i) seen |= static_cast<unsigned char>(data[i]);
  return (seen & 0x8080808080808080u) == 0;
}

// A String of ASCII text whose characters stay where they are, in `owned`, which also ends them
// with a zero byte. NULL with an exception; `owned` is consumed in any case.
PyObject* NewAsciiString(TVMFFIObject* owned, char* data, size_t size) {
  PyObject* self = rt.string->tp_alloc(rt.string, 0);
  if (self == nullptr) {
    DecRefNative(owned);
    return nullptr;
  }
  auto* string = reinterpret_cast<StringPy*>(self);
  string->native = string->text = owned;
  auto* unicode = reinterpret_cast<PyUnicodeObject*>(self);
  PyASCIIObject& ascii = unicode->_base._base;
  ascii.length = static_cast<Py_ssize_t>(size);
  ascii.hash = -1;
  ascii.state.interned = 0;
  ascii.state.kind = PyUnicode_1BYTE_KIND;
  ascii.state.compact = 0;
  ascii.state.ascii = 1;
#if PY_VERSION_HEX < 0x030C0000
  ascii.state.ready = 1;
  ascii.wstr = nullptr;
  unicode->_base.wstr_length = 0;
#endif
  unicode->_base.utf8_length = static_cast<Py_ssize_t>(size);
  unicode->_base.utf8 = data;
  unicode->data.any = data;
  return self;
}

}  // namespace

PyObject* MakeString(TVMFFIObject* owned) {
  NativeRef native(owned);
  TVMFFIByteArray* content = TVMFFIBytesGetByteArrayPtr(owned);
  // Empty text and single characters are left to str, which has shared objects for them.
  if (content->size > 1 && IsAscii(content->data, content->size)) {
    return NewAsciiString(native.release(), const_cast<char*>(content->data), content->size);
  }
  PyRef text(UnicodeFrom(*TVMFFIBytesGetByteArrayPtr(owned)));
  PyRef args(text ? PyTuple_Pack(1, text.get()) : nullptr);
  PyObject* self = args ? PyUnicode_Type.tp_new(rt.string, args.get(), nullptr) : nullptr;
  if (self != nullptr) NativeOf(self) = native.release();
  return self;
}

PyObject* MakeBytes(TVMFFIObject* owned) {
  NativeRef native(owned);
  TVMFFIByteArray* content = TVMFFIBytesGetByteArrayPtr(owned);
  PyRef plain(PyBytes_FromStringAndSize(content->data, static_cast<Py_ssize_t>(content->size)));
  PyRef args(plain ? PyTuple_Pack(1, plain.get()) : nullptr);
  PyRef self(args ? PyBytes_Type.tp_new(rt.bytes, args.get(), nullptr) : nullptr);
  PyRef wrapper(self ? WrapAs(rt.object, native.release()) : nullptr);
  if (!wrapper || PyObject_SetAttr(self.get(), names.tvm_ffi_cached_object, wrapper.get()) < 0) {
    return nullptr;
  }
  return self.release();
}

bool InitNativeStr(PyObject* module) {
  if (!MakeType(module, &native_value_spec, nullptr, &rt.native_value) ||
      !MakeType(module, &convertible_spec, nullptr, &rt.convertible)) {
    return false;
  }
  PyRef bases(PyTuple_Pack(2, &PyUnicode_Type, rt.native_value));
  PyRef string(bases ? PyType_FromModuleAndSpec(module, &string_spec, bases.get()) : nullptr);
  if (!string || PyModule_AddObjectRef(module, "String", string.get()) < 0) return false;
  rt.string = reinterpret_cast<PyTypeObject*>(string.release());
  return MakeBytesType(module);
}

}  // namespace tvm::ffi::detail::python
