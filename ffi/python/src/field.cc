// SPDX-License-Identifier: Apache-2.0
// FieldGetter, FieldSetter and FFIProperty: fields are read and written in place through the C
// functions that the type registered.
#include "field.h"

#include "argument.h"
#include "borrow.h"
#include "error.h"
#include "function.h"
#include "native_cycle.h"
#include "native_graph.h"
#include "result.h"

namespace tvm::ffi::detail::python {

namespace {

struct FieldGetterPy {
  PyObject_HEAD int32_t owner;
  int64_t offset;
  TVMFFIFieldGetter getter;
  vectorcallfunc vectorcall;
  unsigned int version;  // of a class whose instances are native objects; 0: none seen
};

struct FieldSetterPy {
  PyObject_HEAD int32_t owner;
  bool is_function;
  int64_t offset;
  void* setter;  // C function, or an owned function object
  vectorcallfunc vectorcall;
};

// IsObject(), which remembers the last class by its version: that is never used for another class.
bool IsObjectSeen(PyObject* self, unsigned int* version) {
#ifdef Py_GIL_DISABLED
  (void)version;
  return IsObject(self);
#else
  unsigned int tag = Py_TYPE(self)->tp_version_tag;
  if (tag != 0 && tag == *version) return true;
  if (!IsObject(self)) return false;
  *version = tag;
  return true;
#endif
}

// Address of a field in the object behind `self`; NULL with an exception for another type.
// `is_object` is what IsObject() says of it.
inline void* FieldAddress(PyObject* self, bool is_object, int32_t owner, int64_t offset) {
  if (!is_object) [[unlikely]] {
    PyErr_Format(PyExc_TypeError, "the field belongs to native objects, not to %s",
                 Py_TYPE(self)->tp_name);
    return nullptr;
  }
  TVMFFIObject* handle = HandleOf(self);
  if (handle == nullptr) return nullptr;
  if (handle->type_index != owner && !IsInstanceOf(handle->type_index, owner)) [[unlikely]] {
    PyRef key(UnicodeFrom(TVMFFIGetTypeInfo(owner)->type_key));
    if (key) {
      PyErr_Format(PyExc_TypeError, "the field belongs to %U, not to %s", key.get(),
                   Py_TYPE(self)->tp_name);
    }
    return nullptr;
  }
  return reinterpret_cast<char*>(handle) + offset;
}

PyObject* ReadField(FieldGetterPy* field, PyObject* obj) {
  bool is_object = IsObjectSeen(obj, &field->version);
  void* address = FieldAddress(obj, is_object, field->owner, field->offset);
  if (address == nullptr) return nullptr;
  TVMFFIAny value{};
  int code;
  {
    NativeSection section(AsObject(obj)->handle);
    code = field->getter(address, &value);
  }
  return code == 0 ? Result(value, nullptr) : RaiseFor(code);
}

// `type.key.name` of the field that a setter writes.
std::string QualifiedName(const FieldSetterPy* setter) {
  auto text = [](const TVMFFIByteArray& bytes) { return std::string(bytes.data, bytes.size); };
  const TVMFFITypeInfo* info = TVMFFIGetTypeInfo(setter->owner);
  std::string name = text(info->type_key);
  for (int32_t i = 0; i < info->num_fields; ++i) {
    const TVMFFIFieldInfo& field = info->fields[i];
    if (field.offset == setter->offset && field.setter == setter->setter) {
      return name + "." + text(field.name);
    }
  }
  return name;
}

bool WriteField(FieldSetterPy* field, PyObject* obj, PyObject* value) {
  void* address = FieldAddress(obj, IsObject(obj), field->owner, field->offset);
  if (address == nullptr) return false;
  ArgScope scope;
  TVMFFIAny args[2];
  if (!Convert(value, &args[1], &scope)) return false;
  // Conversion runs Python code, which may have moved the object away.
  address = FieldAddress(obj, IsObject(obj), field->owner, field->offset);
  if (address == nullptr) return false;
  // The setter of a native class may read Lists and Dicts to convert them.
  bool reads = !field->is_function &&
               (IsSequenceIndex(args[1].type_index) || IsMappingIndex(args[1].type_index));
  GroupScope changing(reads ? Group::kAlone : Group::kChanging);
  NativeSection section(AsObject(obj)->handle);
  // What the field loses may run code when it ends.
  TVMFFIAny used[2];
  SetObject(&used[0], AsObject(obj)->handle);
  used[1] = args[1];
  Borrow borrow(used, 2);
  if (args[1].type_index >= kTVMFFIStaticObjectBegin && MayOwn(args[1].type_index)) {
    NoteStored(AsObject(obj)->handle);
  }
  if (field->is_function) {
    SetPtr(&args[0], address);
    auto* setter = static_cast<TVMFFIObject*>(field->setter);
    AnyRef result;
    int code = TVMFFIFunctionGetCellPtr(setter)->safe_call(setter, args, 2, &result);
    if (code != 0) RaiseAbout(QualifiedName(field), code);
    return code == 0;
  }
  int code = reinterpret_cast<TVMFFIFieldSetter>(field->setter)(address, &args[1]);
  if (code != 0) RaiseAbout(QualifiedName(field), code);
  return code == 0;
}

bool CheckCall(const char* name, Py_ssize_t nargs, Py_ssize_t want, PyObject* kwnames) {
  if (nargs == want && (kwnames == nullptr || PyTuple_GET_SIZE(kwnames) == 0)) return true;
  PyErr_Format(PyExc_TypeError, "%s takes %zd positional arguments, got %zd", name, want, nargs);
  return false;
}

PyObject* GetterCall(PyObject* self, PyObject* const* args, size_t nargsf, PyObject* kwnames) {
  if (!CheckCall("FieldGetter", PyVectorcall_NARGS(nargsf), 1, kwnames)) return nullptr;
  return ReadField(reinterpret_cast<FieldGetterPy*>(self), args[0]);
}

PyObject* SetterCall(PyObject* self, PyObject* const* args, size_t nargsf, PyObject* kwnames) {
  if (!CheckCall("FieldSetter", PyVectorcall_NARGS(nargsf), 2, kwnames)) return nullptr;
  if (!WriteField(reinterpret_cast<FieldSetterPy*>(self), args[0], args[1])) return nullptr;
  Py_RETURN_NONE;
}

void GetterDealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

void SetterDealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  auto* field = reinterpret_cast<FieldSetterPy*>(self);
  if (field->is_function) DecRefNative(static_cast<TVMFFIObject*>(field->setter));
  type->tp_free(self);
  Py_DECREF(type);
}

PyMemberDef getter_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(FieldGetterPy, vectorcall), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};
PyType_Slot getter_slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(GetterDealloc)},
                              {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
                              {Py_tp_members, getter_members},
                              {Py_tp_doc, const_cast<char*>("Reads one field: getter(obj).")},
                              {0, nullptr}};
PyType_Spec getter_spec = {
    "tvm_ffi.core.FieldGetter", sizeof(FieldGetterPy), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    getter_slots};

PyMemberDef setter_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(FieldSetterPy, vectorcall), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};
PyType_Slot setter_slots[] = {
    {Py_tp_dealloc, reinterpret_cast<void*>(SetterDealloc)},
    {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
    {Py_tp_members, setter_members},
    {Py_tp_doc, const_cast<char*>("Writes one field: setter(obj, value).")},
    {0, nullptr}};
PyType_Spec setter_spec = {
    "tvm_ffi.core.FieldSetter", sizeof(FieldSetterPy), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    setter_slots};

// FFIProperty keeps its own members behind those of property, whose layout is private.
struct PropertyExtra {
  PyObject* getter;  // the FieldGetter, or NULL when it is something else
  PyObject* setter;  // also kept when the property is frozen
  PyObject* doc;
};

PropertyExtra* Extra(PyObject* self) {
  return reinterpret_cast<PropertyExtra*>(reinterpret_cast<char*>(self) +
                                          PyProperty_Type.tp_basicsize);
}

int PropertyInit(PyObject* self, PyObject* args, PyObject* kwargs) {
  static const char* keywords[] = {"fget", "fset", "frozen", "fdel", "doc", nullptr};
  PyObject *fget, *fset, *fdel = Py_None, *doc = Py_None;
  int frozen;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OOp|OO:FFIProperty", const_cast<char**>(keywords),
                                   &fget, &fset, &frozen, &fdel, &doc)) {
    return -1;
  }
  PyRef base_args(PyTuple_Pack(4, fget, frozen ? Py_None : fset, fdel, doc));
  if (!base_args || PyProperty_Type.tp_init(self, base_args.get(), nullptr) < 0) return -1;
  PropertyExtra* extra = Extra(self);
  Py_XSETREF(extra->getter, Py_IS_TYPE(fget, rt.field_getter) ? Py_NewRef(fget) : nullptr);
  Py_XSETREF(extra->setter, Py_NewRef(fset));
  Py_XSETREF(extra->doc, Py_NewRef(doc));
  return 0;
}

void PropertyDealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  PropertyExtra* extra = Extra(self);
  Py_CLEAR(extra->getter);
  Py_CLEAR(extra->setter);
  Py_CLEAR(extra->doc);
  PyProperty_Type.tp_dealloc(self);
  Py_DECREF(type);
}

int PropertyTraverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  PropertyExtra* extra = Extra(self);
  Py_VISIT(extra->getter);
  Py_VISIT(extra->setter);
  Py_VISIT(extra->doc);
  return PyProperty_Type.tp_traverse(self, visit, arg);
}

PyObject* PropertyGet(PyObject* self, PyObject* obj, PyObject* type) {
  PyObject* getter = Extra(self)->getter;
  if (getter != nullptr && obj != nullptr && obj != Py_None) {
    return ReadField(reinterpret_cast<FieldGetterPy*>(getter), obj);
  }
  return PyProperty_Type.tp_descr_get(self, obj, type);
}

PyObject* PropertySet(PyObject* self, PyObject* const* args, Py_ssize_t nargs) {
  if (nargs != 2) {
    return PyErr_Format(PyExc_TypeError, "set() takes an object and a value, got %zd arguments",
                        nargs);
  }
  // Owned, since the value may run code that initialises this property anew.
  PyRef setter = PyRef::Borrow(Extra(self)->setter);
  if (!setter || setter.get() == Py_None) {
    PyErr_SetString(PyExc_AttributeError, "the field has no setter");
    return nullptr;
  }
  return PyObject_Vectorcall(setter.get(), args, 2, nullptr);
}

PyMethodDef property_methods[] = {
    {"set", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(PropertySet)), METH_FASTCALL,
     "set(obj, value): writes the field, also when it is read-only as an attribute."},
    {nullptr, nullptr, 0, nullptr}};
PyType_Slot property_slots[] = {{Py_tp_init, reinterpret_cast<void*>(PropertyInit)},
                                {Py_tp_dealloc, reinterpret_cast<void*>(PropertyDealloc)},
                                {Py_tp_traverse, reinterpret_cast<void*>(PropertyTraverse)},
                                {Py_tp_descr_get, reinterpret_cast<void*>(PropertyGet)},
                                {Py_tp_methods, property_methods},
                                {0, nullptr},
                                {0, nullptr}};

}  // namespace

bool IsInstanceOf(int32_t type_index, int32_t target) {
  if (type_index == target) return true;
  if (type_index < target) return false;
  const TVMFFITypeInfo* info = TVMFFIGetTypeInfo(type_index);
  for (int32_t depth = info->type_depth - 1; depth >= 0; --depth) {
    if (info->type_ancestors[depth]->type_index == target) return true;
  }
  return false;
}

PyObject* MakeFieldGetter(int32_t owner, const TVMFFIFieldInfo& field) {
  if (field.getter == nullptr) Py_RETURN_NONE;
  auto* self = PyObject_New(FieldGetterPy, rt.field_getter);
  if (self == nullptr) return nullptr;
  self->owner = owner;
  self->offset = field.offset;
  self->getter = field.getter;
  self->version = 0;
  self->vectorcall = GetterCall;
  return reinterpret_cast<PyObject*>(self);
}

PyObject* MakeFieldSetter(int32_t owner, const TVMFFIFieldInfo& field) {
  if (field.setter == nullptr) Py_RETURN_NONE;
  auto* self = PyObject_New(FieldSetterPy, rt.field_setter);
  if (self == nullptr) return nullptr;
  self->owner = owner;
  self->offset = field.offset;
  self->is_function = (field.flags & kTVMFFIFieldFlagBitSetterIsFunctionObj) != 0;
  self->setter = field.setter;
  if (self->is_function) IncRefNative(static_cast<TVMFFIObject*>(self->setter));
  self->vectorcall = SetterCall;
  return reinterpret_cast<PyObject*>(self);
}

bool InitFields(PyObject* module) {
  // The layout of property is only known at run time.
  static PyMemberDef members[] = {
      {"__doc__", T_OBJECT,
       static_cast<Py_ssize_t>(PyProperty_Type.tp_basicsize +
                               static_cast<Py_ssize_t>(offsetof(PropertyExtra, doc))),
       0, nullptr},
      {nullptr, 0, 0, 0, nullptr}};
  property_slots[5] = {Py_tp_members, members};
  PyType_Spec spec = {"tvm_ffi.core.FFIProperty",
                      static_cast<int>(PyProperty_Type.tp_basicsize +
                                       static_cast<Py_ssize_t>(sizeof(PropertyExtra))),
                      0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
                      property_slots};
  return MakeType(module, &getter_spec, nullptr, &rt.field_getter) &&
         MakeType(module, &setter_spec, nullptr, &rt.field_setter) &&
         MakeType(module, &spec, &PyProperty_Type, &rt.field_property);
}

}  // namespace tvm::ffi::detail::python
