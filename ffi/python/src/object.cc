// SPDX-License-Identifier: Apache-2.0
// CObject: one Python object that owns one reference to a native object.
#include "object.h"

#include "argument.h"
#include "borrow.h"
#include "field.h"
#include "function.h"
#include "result.h"

namespace tvm::ffi::detail::python {

namespace {

// Only wrappers whose object can lead back to Python take part in cycle collection.
bool MayHoldPython(const TVMFFIObject* handle) {
  switch (handle->type_index) {
    case kTVMFFIStr:
    case kTVMFFIBytes:
    case kTVMFFIShape:
    case kTVMFFITensor:
    case kTVMFFIBigInt:
    case kTVMFFIModule:
      return false;
    case kTVMFFIFunction:
      return CallableOf(handle) != nullptr;
    default:
      return true;
  }
}

void InitInstance(PyObject* self, TVMFFIObject* owned) { AsObject(self)->handle = owned; }

// Memory of wrappers. They come and go with every element that is read, so some blocks are kept, as
// CPython keeps those of its own small objects. All is done under the GIL; where there is none, or
// where somebody watches the use of memory, nothing is kept.
class WrapperBlocks {
 public:
  // Whether instances of a class are made here: of a few words, without a dict or a finalizer.
  static bool Fit(PyTypeObject* cls) {
    return cls->tp_basicsize <= kLargest && cls->tp_dictoffset == 0 && cls->tp_itemsize == 0 &&
           cls->tp_weaklistoffset == static_cast<Py_ssize_t>(offsetof(ObjectPy, weakrefs)) &&
           cls->tp_alloc == PyType_GenericAlloc && cls->tp_free == PyObject_GC_Del &&
           cls->tp_finalize == nullptr;
  }
  // An instance of a class that fits, not tracked yet. Only its head is initialised. NULL with an
  // exception.
  static PyObject* Take(PyTypeObject* cls) {
    List& list = ListOf(cls);
    if (list.count == 0) return reinterpret_cast<PyObject*>(PyObject_GC_New(ObjectPy, cls));
    return PyObject_Init(list.blocks[--list.count], cls);
  }
  // Frees an instance of a class that fits.
  static void Give(PyObject* self, PyTypeObject* cls) {
    List& list = ListOf(cls);
    if (list.count < kKept) {
      list.blocks[list.count++] = self;
    } else {
      PyObject_GC_Del(self);
    }
  }

 private:
  static constexpr Py_ssize_t kLargest = sizeof(TensorPy);
  static constexpr Py_ssize_t kSmallest = sizeof(ObjectPy);
#if defined(Py_GIL_DISABLED) || defined(__SANITIZE_ADDRESS__)
  static constexpr size_t kKept = 0;
#else
  static constexpr size_t kKept = 32;
#endif
  struct List {
    PyObject* blocks[kKept + 1];
    size_t count;
  };
  static List& ListOf(PyTypeObject* cls) {
    return lists_[static_cast<size_t>(cls->tp_basicsize - kSmallest) / sizeof(void*)];
  }
  static inline List lists_[(kLargest - kSmallest) / sizeof(void*) + 1] = {};
};

PyObject* ObjectNew(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  bool has_args = PyTuple_GET_SIZE(args) != 0 || (kwargs && PyDict_GET_SIZE(kwargs) != 0);
  if (has_args && type->tp_init == PyBaseObject_Type.tp_init) {
    return PyErr_Format(PyExc_TypeError, "%s() takes no arguments", type->tp_name);
  }
  return type->tp_alloc(type, 0);
}

void ObjectDealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  ObjectPy* object = AsObject(self);
  if (object->weakrefs != nullptr) PyObject_ClearWeakRefs(self);
  DecRefNative(std::exchange(object->handle, nullptr));
  if (WrapperBlocks::Fit(type)) {
    WrapperBlocks::Give(self, type);
  } else {
    type->tp_free(self);
  }
  Py_DECREF(type);
}

int ObjectTraverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  TVMFFIObject* handle = AsObject(self)->handle;
  if (handle != nullptr && MayHoldPython(handle)) return VisitNative(handle, visit, arg);
  return 0;
}

int ObjectClear(PyObject* self) {
  DecRefNative(std::exchange(AsObject(self)->handle, nullptr));
  return 0;
}

PyObject* ObjectRepr(PyObject* self) { return ReprOf(self); }

Py_hash_t ObjectHash(PyObject* self) {
  auto bits = reinterpret_cast<uintptr_t>(AsObject(self)->handle);
  auto hash = static_cast<Py_hash_t>((bits >> 4) | (bits << (8 * sizeof(bits) - 4)));
  return hash == -1 ? -2 : hash;
}

PyObject* ObjectCompare(PyObject* self, PyObject* other, int op) {
  if ((op != Py_EQ && op != Py_NE) || !IsObject(other)) Py_RETURN_NOTIMPLEMENTED;
  bool same = AsObject(self)->handle == AsObject(other)->handle;
  return PyBool_FromLong(same == (op == Py_EQ));
}

PyObject* ObjectChandle(PyObject* self, PyObject*) {
  return PyLong_FromVoidPtr(AsObject(self)->handle);
}

PyObject* ObjectCtypesHandle(PyObject* self, PyObject*) {
  return MakeCVoidP(AsObject(self)->handle);
}

PyObject* ObjectId(PyObject* self, void*) { return PyLong_FromVoidPtr(AsObject(self)->handle); }

PyObject* ObjectSameAs(PyObject* self, PyObject* other) {
  return PyBool_FromLong(IsObject(other) && AsObject(self)->handle == AsObject(other)->handle);
}

PyObject* ObjectMove(PyObject* self, PyObject*) {
  return PyObject_CallOneArg(reinterpret_cast<PyObject*>(rt.rvalue_ref), self);
}

// Whether `self` may hold the object, which the caller keeps: the methods of its class expect the
// native type of the class. False with TypeError; `what` holds the object. Runs Python code.
bool RequireFits(PyObject* self, TVMFFIObject* handle, const char* what) {
  if (handle == nullptr) return true;
  PyRef info(PyObject_GetAttrString(self, "__tvm_ffi_type_info__"));
  PyRef index(info ? PyObject_GetAttrString(info.get(), "type_index") : nullptr);
  bool fits = false;
  if (index) {
    long target = PyLong_AsLong(index.get());
    if (target == -1 && PyErr_Occurred()) return false;
    fits = IsInstanceOf(handle->type_index, static_cast<int32_t>(target));
  } else {  // a class of the extension
    PyErr_Clear();
    PyTypeObject* cls = ClassOf(handle->type_index);
    if (cls == nullptr) return false;
    fits = PyType_IsSubtype(Py_TYPE(self), cls) || PyType_IsSubtype(cls, Py_TYPE(self));
  }
  if (fits) return RequireLayout(self, handle);
  const TVMFFITypeInfo* found = TVMFFIGetTypeInfo(handle->type_index);
  PyErr_Format(PyExc_TypeError, "%s holds an object of type `%s`, which is no %s", what,
               found->type_key.data, Py_TYPE(self)->tp_name);
  return false;
}

PyObject* ObjectMoveHandleFrom(PyObject* self, PyObject* other) {
  if (!IsObject(other)) {
    return PyErr_Format(PyExc_TypeError, "__move_handle_from__ expects an object, got %s",
                        Py_TYPE(other)->tp_name);
  }
  if (self == other) Py_RETURN_NONE;
  NativeRef checked = NativeRef::Borrow(AsObject(other)->handle);
  if (!RequireFits(self, checked.get(), "the other wrapper")) return nullptr;
  if (AsObject(other)->handle != checked.get()) {
    return PyErr_Format(PyExc_RuntimeError, "%s got another object while it was moved",
                        Py_TYPE(other)->tp_name);
  }
  ReplaceHandle(self, TakeHandle(other));
  Py_RETURN_NONE;
}

PyObject* ObjectInitByConstructor(PyObject* self, PyObject* const* args, Py_ssize_t nargs) {
  if (nargs < 1 || !PyObject_TypeCheck(args[0], rt.function)) {
    PyErr_SetString(PyExc_TypeError,
                    "__init_handle_by_constructor__ expects a Function and its arguments");
    return nullptr;
  }
  TVMFFIObject* fn = HandleOf(args[0]);
  if (fn == nullptr) return nullptr;
  AnyRef result;
  if (!CallNative(fn, args + 1, nargs - 1, /*release_gil=*/false, &result, nullptr)) return nullptr;
  if (result->type_index < kTVMFFIStaticObjectBegin) {
    PyErr_SetString(PyExc_TypeError, "the constructor did not return an object");
    return nullptr;
  }
  if (!RequireLayout(self, result->v_obj)) return nullptr;
  ReplaceHandle(self, result.release().v_obj);
  Py_RETURN_NONE;
}

// Calls the global function `name` with the GIL kept.
bool CallGlobal(const char* name, const TVMFFIAny* args, int32_t nargs, TVMFFIAny* result) {
  NativeRef fn(FindGlobal(name));
  if (!fn) {
    PyErr_Format(PyExc_RuntimeError, "Cannot find global function %s", name);
    return false;
  }
  return CallConverted(fn.get(), args, nargs, result);
}

PyObject* ObjectGetState(PyObject* self, PyObject*) {
  PyRef text(Py_NewRef(Py_None));
  if (AsObject(self)->handle != nullptr) {
    TVMFFIAny args[2] = {};
    SetObject(&args[0], AsObject(self)->handle);
    AnyRef result;
    if (!CallGlobal("ffi.ToJSONGraphString", args, 2, &result)) return nullptr;
    PyRef value(Result(result.release(), nullptr));
    if (!value) return nullptr;
    text = PyRef(PyObject_Str(value.get()));
    if (!text) return nullptr;
  }
  PyRef state(Py_BuildValue("{s:O}", "handle", text.get()));
  // Attributes of Python subclasses that have a dict.
  PyRef attributes(state ? PyObject_GetAttrString(self, "__dict__") : nullptr);
  if (!attributes) {
    PyErr_Clear();
  } else if (PyDict_Check(attributes.get()) && PyDict_GET_SIZE(attributes.get()) != 0 &&
             PyDict_SetItemString(state.get(), "__dict__", attributes.get()) < 0) {
    return nullptr;
  }
  return state.release();
}

PyObject* ObjectSetState(PyObject* self, PyObject* state) {
  // Owned, since the attributes may run code that changes the state.
  auto part = [state](const char* key) {
    return PyRef::Borrow(PyDict_Check(state) ? PyDict_GetItemString(state, key) : nullptr);
  };
  PyRef text = part("handle"), attributes = part("__dict__");
  if (attributes) {
    PyRef own(PyObject_GetAttrString(self, "__dict__"));
    if (!own || PyDict_Update(own.get(), attributes.get()) < 0) return nullptr;
    // The object itself was made by its constructor.
    if (!text && AsObject(self)->handle != nullptr) Py_RETURN_NONE;
  }
  if (!text) {
    PyErr_SetString(PyExc_ValueError, "the pickled state of an object needs the key 'handle'");
    return nullptr;
  }
  TVMFFIObject* handle = nullptr;
  if (text.get() != Py_None) {
    ArgScope scope;
    TVMFFIAny arg;
    if (!Convert(text.get(), &arg, &scope)) return nullptr;
    AnyRef result;
    if (!CallGlobal("ffi.FromJSONGraphString", &arg, 1, &result)) return nullptr;
    if (result->type_index < kTVMFFIStaticObjectBegin) {
      PyErr_SetString(PyExc_ValueError, "the pickled state does not hold an object");
      return nullptr;
    }
    if (!RequireFits(self, result->v_obj, "the pickled state")) return nullptr;
    handle = result.release().v_obj;
  }
  ReplaceHandle(self, handle);
  Py_RETURN_NONE;
}

PyObject* ObjectReduce(PyObject* self, PyObject*) {
  PyRef core(PyImport_ImportModule("tvm_ffi.core"));
  if (!core) return nullptr;
  PyRef make(PyObject_GetAttrString(core.get(), "_new_object"));
  if (!make) return nullptr;
  PyRef state(PyObject_CallMethod(self, "__getstate__", nullptr));
  if (!state) {
    if (!PyErr_ExceptionMatches(PyExc_TypeError) || !PyObject_TypeCheck(self, rt.object)) {
      return nullptr;
    }
    PyObject *type, *error, *traceback;
    PyErr_Fetch(&type, &error, &traceback);
    PyErr_NormalizeException(&type, &error, &traceback);
    PyRef type_ref(type), error_ref(error), traceback_ref(traceback);
    PyRef copying(PyImport_ImportModule("tvm_ffi._copy"));
    if (!copying) return nullptr;
    return PyObject_CallMethod(copying.get(), "reduce_without_creator", "OO", self, error);
  }
  return Py_BuildValue("O(O)O", make.get(), Py_TYPE(self), state.get());
}

PyMethodDef object_methods[] = {
    {"__chandle__", ObjectChandle, METH_NOARGS, "Address of the native object, 0 when empty."},
    {"__ctypes_handle__", ObjectCtypesHandle, METH_NOARGS,
     "Address of the native object as ctypes.c_void_p."},
    {"same_as", ObjectSameAs, METH_O, "Whether both wrap the same native object."},
    {"is_", ObjectSameAs, METH_O, "Whether both wrap the same native object."},
    {"_move", ObjectMove, METH_NOARGS,
     "Lets the next call take the native object over; this wrapper is empty afterwards."},
    {"__move_handle_from__", ObjectMoveHandleFrom, METH_O,
     "Takes the native object of another wrapper over and leaves that one empty."},
    {"__init_handle_by_constructor__",
     reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(ObjectInitByConstructor)),
     METH_FASTCALL, "Calls a Function and adopts the object that it returns."},
    {"__getstate__", ObjectGetState, METH_NOARGS,
     "State for pickle: the JSON graph of the object."},
    {"__setstate__", ObjectSetState, METH_O, "Restores the object from its JSON graph."},
    {"__reduce__", ObjectReduce, METH_NOARGS, "Support for pickle."},
    {nullptr, nullptr, 0, nullptr}};

PyGetSetDef object_getset[] = {{"id_", ObjectId, nullptr, "Address of the native object.", nullptr},
                               {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyMemberDef object_members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(ObjectPy, weakrefs), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};

PyType_Slot object_slots[] = {
    {Py_tp_new, reinterpret_cast<void*>(ObjectNew)},
    {Py_tp_dealloc, reinterpret_cast<void*>(ObjectDealloc)},
    {Py_tp_traverse, reinterpret_cast<void*>(ObjectTraverse)},
    {Py_tp_clear, reinterpret_cast<void*>(ObjectClear)},
    {Py_tp_repr, reinterpret_cast<void*>(ObjectRepr)},
    {Py_tp_hash, reinterpret_cast<void*>(ObjectHash)},
    {Py_tp_richcompare, reinterpret_cast<void*>(ObjectCompare)},
    {Py_tp_methods, object_methods},
    {Py_tp_getset, object_getset},
    {Py_tp_members, object_members},
    {Py_tp_doc, const_cast<char*>("Base of all wrappers of native objects.")},
    {0, nullptr}};

PyType_Spec object_spec = {"tvm_ffi.core.CObject", sizeof(ObjectPy), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
                           object_slots};

PyObject* OpaqueGet(PyObject* self, PyObject*) {
  TVMFFIObject* handle = HandleOf(self);
  if (handle == nullptr) return nullptr;
  if (handle->type_index != kTVMFFIOpaquePyObject) {  // classes can be assigned
    return PyErr_Format(PyExc_TypeError, "%s holds no Python object", Py_TYPE(self)->tp_name);
  }
  return Py_NewRef(static_cast<PyObject*>(TVMFFIOpaqueObjectGetCellPtr(handle)->handle));
}

PyMethodDef opaque_methods[] = {
    {"pyobject", OpaqueGet, METH_NOARGS, "The Python object that is held."},
    {nullptr, nullptr, 0, nullptr}};
PyType_Slot opaque_slots[] = {
    {Py_tp_methods, opaque_methods},
    {Py_tp_doc, const_cast<char*>("A Python object that travels through native code as it is.")},
    {0, nullptr}};
PyType_Spec opaque_spec = {"tvm_ffi.core.OpaquePyObject", sizeof(ObjectPy), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, opaque_slots};

// ObjectRValueRef: names the wrapper whose handle the next call may take.
struct RValueRefPy {
  PyObject_HEAD PyObject* obj;
};

int RValueRefInit(PyObject* self, PyObject* args, PyObject* kwargs) {
  static const char* keywords[] = {"obj", nullptr};
  PyObject* obj = nullptr;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O!:ObjectRValueRef", const_cast<char**>(keywords),
                                   rt.object_base, &obj)) {
    return -1;
  }
  Py_XSETREF(reinterpret_cast<RValueRefPy*>(self)->obj, Py_NewRef(obj));
  return 0;
}

void RValueRefDealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  Py_XDECREF(reinterpret_cast<RValueRefPy*>(self)->obj);
  type->tp_free(self);
  Py_DECREF(type);
}

// One that no call used may lie in a field of its own object.
int RValueRefTraverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(reinterpret_cast<RValueRefPy*>(self)->obj);
  return 0;
}

int RValueRefClear(PyObject* self) {
  Py_CLEAR(reinterpret_cast<RValueRefPy*>(self)->obj);
  return 0;
}

PyMemberDef rvalue_ref_members[] = {
    {"obj", T_OBJECT_EX, offsetof(RValueRefPy, obj), READONLY, "The wrapper to take from."},
    {nullptr, 0, 0, 0, nullptr}};
PyType_Slot rvalue_ref_slots[] = {
    {Py_tp_init, reinterpret_cast<void*>(RValueRefInit)},
    {Py_tp_dealloc, reinterpret_cast<void*>(RValueRefDealloc)},
    {Py_tp_traverse, reinterpret_cast<void*>(RValueRefTraverse)},
    {Py_tp_clear, reinterpret_cast<void*>(RValueRefClear)},
    {Py_tp_members, rvalue_ref_members},
    {Py_tp_doc, const_cast<char*>("Lets a call take the native object of a wrapper over.")},
    {0, nullptr}};
PyType_Spec rvalue_ref_spec = {"tvm_ffi.core.ObjectRValueRef", sizeof(RValueRefPy), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, rvalue_ref_slots};

}  // namespace

namespace {

// The native type that the methods of a class rely on.
int32_t LayoutType(PyTypeObject* cls) {
  if (cls->tp_basicsize <= static_cast<Py_ssize_t>(sizeof(ContainerPy))) return kTVMFFIObject;
  return PyType_IsSubtype(cls, rt.function) ? kTVMFFIFunction
         : PyType_IsSubtype(cls, rt.tensor) ? kTVMFFITensor
                                            : kTVMFFIObject;
}

}  // namespace

bool RequireLayout(PyObject* self, const TVMFFIObject* handle) {
  PyTypeObject* cls = Py_TYPE(self);
  if (IsInstanceOf(handle->type_index, LayoutType(cls))) return true;
  PyErr_Format(PyExc_TypeError, "an object of type `%s` is no %s",
               TVMFFIGetTypeInfo(handle->type_index)->type_key.data, cls->tp_name);
  return false;
}

PyObject* WrapAs(PyTypeObject* cls, TVMFFIObject* owned) {
  if (WrapperBlocks::Fit(cls)) {
    PyObject* self = WrapperBlocks::Take(cls);
    if (self == nullptr) {
      DecRefNative(owned);
      return nullptr;
    }
    char* body = reinterpret_cast<char*>(self) + sizeof(PyObject);
    std::fill(body, reinterpret_cast<char*>(self) + cls->tp_basicsize, '\0');
    InitInstance(self, owned);
    // Objects that can't be part of a cycle need no tracking.
    if (MayHoldPython(owned)) PyObject_GC_Track(self);
    return self;
  }
  PyObject* self = cls->tp_alloc(cls, 0);
  if (self == nullptr) {
    DecRefNative(owned);
    return nullptr;
  }
  InitInstance(self, owned);
  if (owned->type_index == kTVMFFIFunction && PyType_IsSubtype(cls, rt.function)) {
    InitFunctionInstance(self);
  }
  return self;
}

PyTypeObject* ClassOf(int32_t type_index) {
  if (PyTypeObject* known = rt.classes.Find(type_index)) [[likely]]
    return known;
  PyRef cls(PyObject_CallFunction(rt.make_class, "i", type_index));
  if (!cls) return nullptr;
  PyTypeObject* made = rt.classes.Find(type_index);
  if (made == nullptr) {
    PyErr_Format(PyExc_SystemError, "no class was registered for type index %d", type_index);
  }
  return made;
}

bool SetClassOf(int32_t type_index, PyTypeObject* cls) {
  if (int32_t wanted = LayoutType(cls);
      type_index >= 0 && wanted != kTVMFFIObject && !IsInstanceOf(type_index, wanted)) {
    PyErr_Format(PyExc_TypeError, "%s can't be the class of type index %d: it is a %s",
                 cls->tp_name, type_index, wanted == kTVMFFIFunction ? "Function" : "Tensor");
    return false;
  }
  if (type_index >= 0 && rt.classes.Set(type_index, cls)) return true;
  PyErr_Format(PyExc_ValueError, "invalid type index %d", type_index);
  return false;
}

PyObject* WrapObject(TVMFFIObject* owned) {
  PyTypeObject* cls = ClassOf(owned->type_index);
  if (cls == nullptr) {
    DecRefNative(owned);
    return nullptr;
  }
  if (PyType_IsSubtype(cls, rt.object_base)) [[likely]]
    return WrapAs(cls, owned);
  // A value class such as Shape builds itself from the plain wrapper.
  PyRef plain(WrapAs(rt.object, owned));
  if (!plain) return nullptr;
  return PyObject_CallMethodOneArg(reinterpret_cast<PyObject*>(cls), names.from_tvm_ffi_object,
                                   plain.get());
}

PyObject* ReprOf(PyObject* self) {
  TVMFFIObject* handle = AsObject(self)->handle;
  const char* name = strrchr(Py_TYPE(self)->tp_name, '.');
  name = name ? name + 1 : Py_TYPE(self)->tp_name;
  if (handle == nullptr) return PyUnicode_FromFormat("%s(chandle=None)", name);
  TVMFFIAny arg;
  SetObject(&arg, handle);
  AnyRef result;
  if (rt.fn_repr != nullptr && CallConverted(rt.fn_repr, &arg, 1, &result)) {
    PyRef value(Result(result.release(), nullptr));
    if (value && PyUnicode_Check(value.get())) {
      if (PyUnicode_CheckExact(value.get())) return value.release();
      return PyObject_Str(value.get());
    }
  }
  // A printer that fails must not hide the object from a debugger or a traceback. An interrupt is
  // not such a failure.
  if (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_Exception)) return nullptr;
  PyErr_Clear();
  return PyUnicode_FromFormat("%s(%p)", name, static_cast<void*>(handle));
}

bool InitObjectTypes(PyObject* module) {
  return MakeType(module, &object_spec, nullptr, &rt.object_base) &&
         MakeType(module, &opaque_spec, rt.object_base, &rt.opaque) &&
         MakeType(module, &rvalue_ref_spec, nullptr, &rt.rvalue_ref);
}

}  // namespace tvm::ffi::detail::python
