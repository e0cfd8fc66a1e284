// SPDX-License-Identifier: Apache-2.0
// The Tensor class.
#include "tensor.h"

#include <climits>
#include <cstring>
#include <memory>
#include <new>
#include <string_view>

#include "error.h"
#include "function.h"
#include "result.h"
#include "value_types.h"

namespace tvm::ffi::detail::python {

namespace {

// The geometry of a tensor; NULL with ValueError when the wrapper is empty or its view has ended.
DLTensor* ViewOf(PyObject* self) {
  auto* tensor = reinterpret_cast<TensorPy*>(self);
  if (tensor->base.handle != nullptr) return TVMFFITensorGetDLTensorPtr(tensor->base.handle);
  if (tensor->view == nullptr) {
    PyErr_SetString(PyExc_ValueError,
                    "the tensor is empty: it was moved away, never initialised, or a view that was "
                    "only valid during a callback");
  }
  return tensor->view;
}

PyObject* IntTuple(const int64_t* values, int32_t size) {
  PyRef tuple(PyTuple_New(size));
  for (int32_t i = 0; tuple && i < size; ++i) {
    PyObject* number = PyLong_FromLongLong(values[i]);
    if (number == nullptr) return nullptr;
    PyTuple_SET_ITEM(tuple.get(), i, number);
  }
  return tuple.release();
}

PyObject* TensorShape(PyObject* self, void*) {
  DLTensor* view = ViewOf(self);
  return view ? IntTuple(view->shape, view->ndim) : nullptr;
}

PyObject* TensorStrides(PyObject* self, void*) {
  DLTensor* view = ViewOf(self);
  if (view == nullptr) return nullptr;
  if (view->strides != nullptr) return IntTuple(view->strides, view->ndim);
  std::unique_ptr<int64_t[]> strides(new int64_t[static_cast<size_t>(view->ndim) + 1]);
  int64_t step = 1;
  for (int32_t i = view->ndim - 1; i >= 0; --i) {
    strides[static_cast<size_t>(i)] = step;
    step *= view->shape[i];
  }
  return IntTuple(strides.get(), view->ndim);
}

PyObject* TensorNdim(PyObject* self, void*) {
  DLTensor* view = ViewOf(self);
  return view ? PyLong_FromLong(view->ndim) : nullptr;
}

PyObject* TensorDtype(PyObject* self, void*) {
  DLTensor* view = ViewOf(self);
  return view ? MakeDtype(view->dtype) : nullptr;
}

PyObject* TensorDevice(PyObject* self, void*) {
  DLTensor* view = ViewOf(self);
  return view ? MakeDevice(view->device) : nullptr;
}

PyObject* TensorNumel(PyObject* self, PyObject*) {
  DLTensor* view = ViewOf(self);
  if (view == nullptr) return nullptr;
  int64_t count = 1;
  for (int32_t i = 0; i < view->ndim; ++i) count *= view->shape[i];
  return PyLong_FromLongLong(count);
}

PyObject* TensorSize(PyObject* self, PyObject* index) {
  Py_ssize_t i = PyNumber_AsSsize_t(index, PyExc_IndexError);
  if (i == -1 && PyErr_Occurred()) return nullptr;
  DLTensor* view = ViewOf(self);
  if (view == nullptr) return nullptr;
  Py_ssize_t at = i < 0 ? i + view->ndim : i;
  if (at < 0 || at >= view->ndim) {
    return PyErr_Format(PyExc_IndexError,
                        "Dimension %zd out of range for tensor with %d dimensions", i, view->ndim);
  }
  return PyLong_FromLongLong(view->shape[at]);
}

bool IsContiguous(const DLTensor* view) {
  if (view->strides == nullptr) return true;
  for (int32_t i = 0; i < view->ndim; ++i) {
    if (view->shape[i] == 0) return true;
  }
  int64_t step = 1;
  for (int32_t i = view->ndim - 1; i >= 0; --i) {
    if (view->shape[i] == 1) continue;
    if (view->strides[i] != step) return false;
    step *= view->shape[i];
  }
  return true;
}

PyObject* TensorIsContiguous(PyObject* self, PyObject*) {
  DLTensor* view = ViewOf(self);
  return view ? PyBool_FromLong(IsContiguous(view)) : nullptr;
}

PyObject* TensorDataPtr(PyObject* self, PyObject*) {
  DLTensor* view = ViewOf(self);
  return view ? PyLong_FromUnsignedLongLong(reinterpret_cast<uintptr_t>(view->data) +
                                            view->byte_offset)
              : nullptr;
}

PyObject* TensorDLPackDevice(PyObject* self, PyObject*) {
  DLTensor* view = ViewOf(self);
  return view ? Py_BuildValue("(ii)", static_cast<int>(view->device.device_type),
                              view->device.device_id)
              : nullptr;
}

// float32[2, 3]@cpu:0
PyObject* TensorRepr(PyObject* self) {
  auto* tensor = reinterpret_cast<TensorPy*>(self);
  if (tensor->base.handle == nullptr && tensor->view == nullptr) return ReprOf(self);
  DLTensor* view = ViewOf(self);
  PyRef dtype(MakeDtype(view->dtype)), device(MakeDevice(view->device));
  PyRef shape(TensorShape(self, nullptr));
  PyRef list(shape ? PySequence_List(shape.get()) : nullptr);
  PyRef dtype_text(dtype ? PyObject_Str(dtype.get()) : nullptr);
  PyRef device_text(device ? PyObject_Str(device.get()) : nullptr);
  if (!list || !dtype_text || !device_text) {
    PyErr_Clear();
    return PyUnicode_FromFormat("Tensor(%p)", static_cast<void*>(tensor->base.handle));
  }
  return PyUnicode_FromFormat("%U%R@%U", dtype_text.get(), list.get(), device_text.get());
}

void DeleteLegacyCapsule(PyObject* capsule) {
  if (!PyCapsule_IsValid(capsule, "dltensor")) return;  // consumed
  auto* managed = static_cast<DLManagedTensor*>(PyCapsule_GetPointer(capsule, "dltensor"));
  if (managed != nullptr && managed->deleter != nullptr) managed->deleter(managed);
}

void DeleteVersionedCapsule(PyObject* capsule) {
  if (!PyCapsule_IsValid(capsule, "dltensor_versioned")) return;
  auto* managed =
      static_cast<DLManagedTensorVersioned*>(PyCapsule_GetPointer(capsule, "dltensor_versioned"));
  if (managed != nullptr && managed->deleter != nullptr) managed->deleter(managed);
}

// An export of a view that owns no memory. It keeps the wrapper, not the data: like the view, it is
// valid until the callback that got the view returns.
struct ViewExport {
  DLManagedTensorVersioned versioned;
  DLManagedTensor legacy;
  PyObject* tensor;    // owned
  int64_t extents[1];  // ndim shape values, then ndim strides
};

void DeleteViewExport(ViewExport* self) {
  {
    GilScope gil;
    if (!gil.ok()) return;
    __atomic_fetch_sub(&reinterpret_cast<TensorPy*>(self->tensor)->exports, 1, __ATOMIC_RELAXED);
    Py_DECREF(self->tensor);
  }
  ::operator delete(self);
}

ViewExport* ExportView(PyObject* tensor, const DLTensor* view) {
  auto ndim = static_cast<size_t>(view->ndim);
  void* memory = ::operator new(sizeof(ViewExport) + 2 * ndim * sizeof(int64_t), std::nothrow);
  if (memory == nullptr) {
    PyErr_NoMemory();
    return nullptr;
  }
  auto* made = new (memory) ViewExport{};
  int64_t* shape = made->extents;
  int64_t* strides = shape + ndim;
  int64_t step = 1;
  for (size_t i = ndim; i-- > 0;) {
    shape[i] = view->shape[i];
    strides[i] = view->strides != nullptr ? view->strides[i] : step;
    step *= shape[i];
  }
  made->versioned.version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
  made->versioned.manager_ctx = made->legacy.manager_ctx = made;
  made->versioned.deleter = [](DLManagedTensorVersioned* self) {
    DeleteViewExport(static_cast<ViewExport*>(self->manager_ctx));
  };
  made->legacy.deleter = [](DLManagedTensor* self) {
    DeleteViewExport(static_cast<ViewExport*>(self->manager_ctx));
  };
  made->versioned.dl_tensor = *view;
  made->versioned.dl_tensor.shape = shape;
  made->versioned.dl_tensor.strides = strides;
  made->legacy.dl_tensor = made->versioned.dl_tensor;
  made->tensor = Py_NewRef(tensor);
  __atomic_fetch_add(&reinterpret_cast<TensorPy*>(tensor)->exports, 1, __ATOMIC_RELAXED);
  return made;
}

template <typename Managed>
PyObject* CapsuleOf(Managed* managed, const char* name, PyCapsule_Destructor destructor) {
  PyObject* capsule = PyCapsule_New(managed, name, destructor);
  if (capsule == nullptr) managed->deleter(managed);
  return capsule;
}

// Reads an argument that is a pair of integers. False with TypeError when it is not.
bool IntPair(PyObject* value, const char* name, int* first, int* second) {
  PyRef pair(PySequence_Tuple(value));
  if (pair && PyTuple_GET_SIZE(pair.get()) == 2 && PyIndex_Check(PyTuple_GET_ITEM(pair.get(), 0)) &&
      PyIndex_Check(PyTuple_GET_ITEM(pair.get(), 1))) {
    return PyArg_ParseTuple(pair.get(), "ii", first, second) != 0;
  }
  PyErr_Clear();
  PyErr_Format(PyExc_TypeError, "%s must be a pair of integers, got %R", name, value);
  return false;
}

PyObject* TensorDLPack(PyObject* self, PyObject* args, PyObject* kwargs) {
  static const char* keywords[] = {"stream", "max_version", "dl_device", "copy", nullptr};
  PyObject *stream = Py_None, *max_version = Py_None, *device = Py_None, *copy = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|$OOOO:__dlpack__", const_cast<char**>(keywords),
                                   &stream, &max_version, &device, &copy)) {
    return nullptr;
  }
  int major = 0, minor = 0;
  if (max_version != Py_None && !IntPair(max_version, "max_version", &major, &minor)) {
    return nullptr;
  }
  int type = 0, id = 0;
  if (device != Py_None && !IntPair(device, "dl_device", &type, &id)) return nullptr;
  int copies = copy == Py_None ? 0 : PyObject_IsTrue(copy);
  if (copies < 0) return nullptr;
  // Looked at last, since reading the arguments may run code that empties the wrapper.
  DLTensor* view = ViewOf(self);
  if (view == nullptr) return nullptr;
  TVMFFIObject* handle = AsObject(self)->handle;
  if (device != Py_None && (type != view->device.device_type || id != view->device.device_id)) {
    PyErr_SetString(PyExc_BufferError, "the tensor can't be exported to another device");
    return nullptr;
  }
  if (copies) {
    PyErr_SetString(PyExc_BufferError, "the tensor can't be exported as a copy");
    return nullptr;
  }
  if (handle == nullptr) {
    ViewExport* made = ExportView(self, view);
    if (made == nullptr) return nullptr;
    return major < 1 ? CapsuleOf(&made->legacy, "dltensor", DeleteLegacyCapsule)
                     : CapsuleOf(&made->versioned, "dltensor_versioned", DeleteVersionedCapsule);
  }
  if (major < 1) {
    if (IsReadOnlyTensor(handle)) {
      PyErr_SetString(PyExc_BufferError,
                      "a read-only tensor needs max_version=(1, 0) or later to be exported");
      return nullptr;
    }
    DLManagedTensor* managed = nullptr;
    if (int code = TVMFFITensorToDLPack(handle, &managed)) return RaiseFor(code);
    return CapsuleOf(managed, "dltensor", DeleteLegacyCapsule);
  }
  DLManagedTensorVersioned* managed = nullptr;
  if (int code = TVMFFITensorToDLPackVersioned(handle, &managed)) return RaiseFor(code);
  if (IsReadOnlyTensor(handle)) managed->flags |= DLPACK_FLAG_BITMASK_READ_ONLY;
  return CapsuleOf(managed, "dltensor_versioned", DeleteVersionedCapsule);
}

PyObject* TensorArray(PyObject* self, PyObject* args, PyObject* kwargs) {
  static const char* keywords[] = {"dtype", "copy", nullptr};
  PyObject *dtype = Py_None, *copy = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|OO:__array__", const_cast<char**>(keywords),
                                   &dtype, &copy)) {
    return nullptr;
  }
  if (ViewOf(self) == nullptr) return nullptr;
  const TVMFFIObject* handle = reinterpret_cast<TensorPy*>(self)->base.handle;
  PyObject* read_only = handle != nullptr && IsReadOnlyTensor(handle) ? Py_True : Py_False;
  PyRef module(PyImport_ImportModule("tvm_ffi._array"));
  if (!module) return nullptr;
  return PyObject_CallMethod(module.get(), "array_of", "OOOO", self, read_only, dtype, copy);
}

PyObject* TensorCopy(PyObject*, PyObject*) {
  PyErr_SetString(PyExc_TypeError,
                  "Type `ffi.Tensor` does not support copy: it shares the memory of its producer. "
                  "Copy that array, or numpy.from_dlpack(tensor).copy()");
  return nullptr;
}

PyMethodDef tensor_methods[] = {
    {"numel", TensorNumel, METH_NOARGS, "Number of elements."},
    {"size", TensorSize, METH_O, "Extent of one dimension; negative counts from the end."},
    {"is_contiguous", TensorIsContiguous, METH_NOARGS,
     "Whether the elements lie in row-major order without gaps."},
    {"data_ptr", TensorDataPtr, METH_NOARGS, "Address of the first element."},
    {"__dlpack__", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(TensorDLPack)),
     METH_VARARGS | METH_KEYWORDS,
     "__dlpack__($self, /, *, stream=None, max_version=None, dl_device=None, copy=None)\n--\n\n"
     "DLPack capsule that shares the memory: versioned for max_version >= (1, 0), else legacy."},
    {"__dlpack_device__", TensorDLPackDevice, METH_NOARGS, "(DLDeviceType, index)"},
    {"__array__", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(TensorArray)),
     METH_VARARGS | METH_KEYWORDS,
     "__array__($self, /, dtype=None, copy=None)\n--\n\n"
     "numpy array that shares the memory of a tensor on the cpu. Another dtype or copy=True makes "
     "a copy;\nValueError for another dtype with copy=False, TypeError where numpy has no such "
     "array."},
    {"__copy__", TensorCopy, METH_NOARGS, "Always TypeError: tensors have no copy."},
    {"__deepcopy__", TensorCopy, METH_O, "Always TypeError: tensors have no copy."},
    {nullptr, nullptr, 0, nullptr}};
PyGetSetDef tensor_getset[] = {
    {"shape", TensorShape, nullptr, "Extents.", nullptr},
    {"strides", TensorStrides, nullptr, "Steps counted in elements.", nullptr},
    {"ndim", TensorNdim, nullptr, "Number of dimensions.", nullptr},
    {"dtype", TensorDtype, nullptr, "Element type.", nullptr},
    {"device", TensorDevice, nullptr, "Device that holds the elements.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyType_Slot tensor_slots[] = {
    {Py_tp_repr, reinterpret_cast<void*>(TensorRepr)},
    {Py_tp_methods, tensor_methods},
    {Py_tp_getset, tensor_getset},
    {Py_tp_doc, const_cast<char*>("A strided array that shares its memory with its producer.")},
    {0, nullptr}};
PyType_Spec tensor_spec = {"tvm_ffi.core.Tensor", sizeof(TensorPy), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, tensor_slots};

// Turns a capsule into a tensor and marks the capsule as used. NULL with an exception.
TVMFFIObject* TensorFromCapsule(PyObject* capsule, int32_t alignment, int32_t contiguous) {
  TVMFFIObjectHandle out = nullptr;
  if (PyCapsule_IsValid(capsule, "dltensor_versioned")) {
    auto* managed =
        static_cast<DLManagedTensorVersioned*>(PyCapsule_GetPointer(capsule, "dltensor_versioned"));
    if (managed->version.major > DLPACK_MAJOR_VERSION) {
      PyErr_Format(PyExc_BufferError, "the capsule has DLPack version %u.%u, at most 1.x is known",
                   managed->version.major, managed->version.minor);
      return nullptr;
    }
    if (int code = TVMFFITensorFromDLPackVersioned(managed, alignment, contiguous, &out)) {
      RaiseFor(code);
      return nullptr;
    }
    PyCapsule_SetName(capsule, "used_dltensor_versioned");
  } else if (PyCapsule_IsValid(capsule, "dltensor")) {
    auto* managed = static_cast<DLManagedTensor*>(PyCapsule_GetPointer(capsule, "dltensor"));
    if (int code = TVMFFITensorFromDLPack(managed, alignment, contiguous, &out)) {
      RaiseFor(code);
      return nullptr;
    }
    PyCapsule_SetName(capsule, "used_dltensor");
  } else {
    const char* name = PyCapsule_GetName(capsule);
    PyErr_Format(PyExc_ValueError, "expected an unused DLPack capsule, got one named \"%s\"",
                 name ? name : "");
    return nullptr;
  }
  return static_cast<TVMFFIObject*>(out);
}

// Asks for the versioned form first: only it tells that data is read-only. A producer that knows no
// keywords is asked again in the old way.
PyObject* CapsuleFrom(PyObject* value) {
  static Lazy lazy_names, lazy_version;
  PyObject* keyword = lazy_names.Get([] { return PyTuple_Pack(1, names.max_version); });
  PyObject* version = lazy_version.Get(
      [] { return Py_BuildValue("(ii)", DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION); });
  if (keyword == nullptr || version == nullptr) return nullptr;
  PyObject* args[] = {value, version};
  PyObject* capsule = PyObject_VectorcallMethod(names.dlpack, args, 1, keyword);
  if (capsule != nullptr || !PyErr_ExceptionMatches(PyExc_TypeError)) return capsule;
  PyErr_Clear();
  return PyObject_CallMethodNoArgs(value, names.dlpack);
}

TVMFFIObject* FromProtocol(PyObject* value, int32_t alignment, int32_t contiguous) {
  PyRef capsule(CapsuleFrom(value));
  if (!capsule) return nullptr;
  if (!PyCapsule_CheckExact(capsule.get())) {
    PyErr_Format(PyExc_TypeError, "%s.__dlpack__() must return a capsule, got %s",
                 Py_TYPE(value)->tp_name, Py_TYPE(capsule.get())->tp_name);
    return nullptr;
  }
  return TensorFromCapsule(capsule.get(), alignment, contiguous);
}

bool CheckLayout(TVMFFIObject* tensor, int32_t alignment, int32_t contiguous) {
  DLTensor* view = TVMFFITensorGetDLTensorPtr(tensor);
  if (contiguous && !IsContiguous(view)) {
    PyErr_SetString(PyExc_RuntimeError, "FromDLPack: Tensor is not contiguous.");
    return false;
  }
  if (alignment > 0 && (reinterpret_cast<uintptr_t>(view->data) + view->byte_offset) %
                               static_cast<uintptr_t>(alignment) !=
                           0) {
    PyErr_Format(PyExc_RuntimeError, "FromDLPack: Data is not aligned to %d bytes.", alignment);
    return false;
  }
  return true;
}

PyObject* FromDLPack(PyObject*, PyObject* args, PyObject* kwargs) {
  static const char* keywords[] = {"ext_tensor", "require_alignment", "require_contiguous",
                                   nullptr};
  PyObject* value;
  int alignment = 0, contiguous = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|$ip:from_dlpack", const_cast<char**>(keywords),
                                   &value, &alignment, &contiguous)) {
    return nullptr;
  }
  if (alignment < 0) {
    return PyErr_Format(PyExc_ValueError, "require_alignment must not be negative, got %d",
                        alignment);
  }
  NativeRef tensor;
  if (IsNumpyArray(Py_TYPE(value))) {
    tensor = NativeRef(TensorFromNumpy(value));
    if (!tensor || !CheckLayout(tensor.get(), alignment, contiguous)) return nullptr;
    return MakeTensor(tensor.release(), nullptr);
  }
  PyRef table(PyObject_GetAttr(value, names.dlpack_exchange));
  if (!table) PyErr_Clear();
  if (table && table.get() != Py_None) {
    const DLPackExchangeAPI* api = ExchangeFromValue(table.get());
    if (api == nullptr) return nullptr;
    tensor = NativeRef(TensorFromExchange(value, api));
    if (tensor && IsSubclassOfLoaded(Py_TYPE(value), "torch", "Tensor") &&
        !CheckTorchTensor(value, *TVMFFITensorGetDLTensorPtr(tensor.get()))) {
      return nullptr;
    }
    if (tensor) {
      if (!CheckLayout(tensor.get(), alignment, contiguous)) return nullptr;
      return MakeTensor(tensor.release(), nullptr);
    }
    if (!PyErr_ExceptionMatches(PyExc_BufferError)) return nullptr;
    PyErr_Clear();
  }
  if (PyObject_HasAttr(value, names.dlpack)) {
    tensor = NativeRef(FromProtocol(value, alignment, contiguous));
  } else if (PyCapsule_CheckExact(value)) {
    tensor = NativeRef(TensorFromCapsule(value, alignment, contiguous));
  } else {
    PyErr_SetString(PyExc_TypeError,
                    "Expect from_dlpack to take either a compatible tensor or PyCapsule");
  }
  return tensor ? MakeTensor(tensor.release(), nullptr) : nullptr;
}

PyObject* StridesFromShape(PyObject*, PyObject* shape) {
  PyRef items(PySequence_Tuple(shape));
  if (!items) return nullptr;
  Py_ssize_t size = PyTuple_GET_SIZE(items.get());
  PyRef strides(PyTuple_New(size));
  PyRef step(PyLong_FromLong(1));
  for (Py_ssize_t i = size - 1; strides && step && i >= 0; --i) {
    PyTuple_SET_ITEM(strides.get(), i, Py_NewRef(step.get()));
    step = PyRef(PyNumber_Multiply(step.get(), PyTuple_GET_ITEM(items.get(), i)));
  }
  return step ? strides.release() : nullptr;
}

PyObject* ShapeTuple(PyObject*, PyObject* obj) {
  if (!IsObject(obj)) {
    PyErr_SetString(PyExc_TypeError, "expected a native shape");
    return nullptr;
  }
  TVMFFIObject* handle = HandleOf(obj);
  if (handle == nullptr) return nullptr;
  if (handle->type_index != kTVMFFIShape) {
    PyErr_SetString(PyExc_TypeError, "expected a native shape");
    return nullptr;
  }
  TVMFFIShapeCell* cell = TVMFFIShapeGetCellPtr(handle);
  if (cell->size > INT_MAX) {
    PyErr_SetString(PyExc_OverflowError, "the shape is too long");
    return nullptr;
  }
  return IntTuple(cell->data, static_cast<int32_t>(cell->size));
}

PyObject* GetStream(PyObject*, PyObject* args) {
  int type, id;
  if (!PyArg_ParseTuple(args, "ii:_env_get_current_stream", &type, &id)) return nullptr;
  return PyLong_FromVoidPtr(TVMFFIEnvGetStream(type, id));
}

PyObject* SetStream(PyObject*, PyObject* args) {
  int type, id;
  PyObject* stream;
  if (!PyArg_ParseTuple(args, "iiO:_env_set_current_stream", &type, &id, &stream)) return nullptr;
  void* ptr = PyLong_AsVoidPtr(stream);
  if (ptr == nullptr && PyErr_Occurred()) return nullptr;
  void* old = nullptr;
  if (int code = TVMFFIEnvSetStream(type, id, ptr, &old)) return RaiseFor(code);
  return PyLong_FromVoidPtr(old);
}

PyMethodDef module_functions[] = {
    {"from_dlpack", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(FromDLPack)),
     METH_VARARGS | METH_KEYWORDS,
     "from_dlpack(ext_tensor, *, require_alignment=0, require_contiguous=False)\n--\n\n"
     "Tensor that shares the memory of an array or of an unused DLPack capsule. RuntimeError when "
     "the data is not aligned to require_alignment bytes or, if asked for, not contiguous."},
    {"_make_strides_from_shape", StridesFromShape, METH_O, "Row-major strides of a shape."},
    {"_shape_obj_get_py_tuple", ShapeTuple, METH_O, "Extents of a native shape."},
    {"_env_get_current_stream", GetStream, METH_VARARGS,
     "_env_get_current_stream(device_type, device_id)"},
    {"_env_set_current_stream", SetStream, METH_VARARGS,
     "_env_set_current_stream(device_type, device_id, stream)"},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

TVMFFIObject* TensorFromProtocol(PyObject* value) { return FromProtocol(value, 0, 0); }

namespace {

// torch's table hands on its C++ errors as they are, with a dump of the stack behind the message.
void CutStackDump() {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  PyRef text(PyObject_Str(value));
  TVMFFIByteArray bytes;
  if (text && Utf8(text.get(), &bytes)) {
    std::string_view message(bytes.data, bytes.size);
    size_t end = message.find("\nException raised from ");
    if (end != std::string_view::npos &&
        message.find("(most recent call first)", end) != std::string_view::npos) {
      PyRef args(Py_BuildValue("(s#)", bytes.data, static_cast<Py_ssize_t>(end)));
      if (args) static_cast<void>(PyObject_SetAttrString(value, "args", args.get()));
    }
  }
  PyErr_Clear();
  PyErr_Restore(type, value, traceback);
}

}  // namespace

bool ExchangeFailed(PyObject* value) {
  if (!PyErr_Occurred()) {
    PyErr_Format(PyExc_BufferError, "%s could not be exchanged as a tensor",
                 Py_TYPE(value)->tp_name);
  } else {
    CutStackDump();
  }
  return false;
}

TVMFFIObject* TensorFromExchange(PyObject* value, const DLPackExchangeAPI* api) {
  DLManagedTensorVersioned* managed = nullptr;
  if (api->managed_tensor_from_py_object_no_sync(value, &managed) != 0 || managed == nullptr) {
    ExchangeFailed(value);
    return nullptr;
  }
  TVMFFIObjectHandle out = nullptr;
  if (int code = TVMFFITensorFromDLPackVersioned(managed, 0, 0, &out)) {
    if (managed->deleter != nullptr) managed->deleter(managed);
    RaiseFor(code);
    return nullptr;
  }
  return static_cast<TVMFFIObject*>(out);
}

const DLPackExchangeAPI* ExchangeFromValue(PyObject* value) {
  const DLPackExchangeAPIHeader* header = nullptr;
  if (PyCapsule_CheckExact(value)) {
    header = static_cast<const DLPackExchangeAPIHeader*>(
        PyCapsule_GetPointer(value, "dlpack_exchange_api"));
  } else if (PyLong_Check(value)) {
    unsigned long long address = PyLong_AsUnsignedLongLong(value);
    if (PyErr_Occurred()) return nullptr;
    // What can't be the address of a table is told; of the rest only the owner knows.
    if (address < 4096 || address % alignof(DLPackExchangeAPIHeader) != 0) {
      return PyErr_Format(PyExc_ValueError, "__dlpack_c_exchange_api__ is no address: %R", value),
             nullptr;
    }
    header = reinterpret_cast<const DLPackExchangeAPIHeader*>(static_cast<uintptr_t>(address));
  } else {
    PyErr_Format(PyExc_TypeError,
                 "__dlpack_c_exchange_api__ must be a capsule or an address, got %s",
                 Py_TYPE(value)->tp_name);
  }
  if (header == nullptr) return nullptr;
  while (header != nullptr && header->version.major != DLPACK_MAJOR_VERSION) {
    header = header->prev_api;
  }
  if (header == nullptr) {
    PyErr_SetString(PyExc_BufferError, "the exchange table has no version 1.x");
    return nullptr;
  }
  return reinterpret_cast<const DLPackExchangeAPI*>(header);
}

bool FirstDeviceOf(TVMFFIObject* container, DLDevice* out) {
  static TVMFFIObject* find = FindGlobal("ffi.ContainerFindFirstNonCPUDevice");
  *out = {kDLCPU, 0};
  if (find == nullptr) return true;
  TVMFFIAny arg;
  SetObject(&arg, container);
  AnyRef device;
  if (!CallConverted(find, &arg, 1, &device)) return false;
  if (device->type_index == kTVMFFIDevice) *out = device->v_device;
  return true;
}

PyObject* MakeTensor(TVMFFIObject* owned, const DLPackExchangeAPI* exchange) {
  if (exchange != nullptr && exchange->managed_tensor_to_py_object_no_sync != nullptr) {
    DLManagedTensorVersioned* managed = nullptr;
    if (TVMFFITensorToDLPackVersioned(owned, &managed) == 0) {
      void* converted = nullptr;
      if (exchange->managed_tensor_to_py_object_no_sync(managed, &converted) == 0 &&
          converted != nullptr) {
        DecRefNative(owned);
        return static_cast<PyObject*>(converted);
      }
      managed->deleter(managed);
      PyErr_Clear();
    } else {
      RaiseFor(-1);
      PyErr_Clear();
    }
  }
  auto* cls = reinterpret_cast<PyTypeObject*>(rt.class_tensor);
  return WrapAs(cls ? cls : rt.tensor, owned);
}

PyObject* MakeTensorView(DLTensor* view) {
  if (view == nullptr) Py_RETURN_NONE;
  auto* cls = reinterpret_cast<PyTypeObject*>(rt.class_tensor);
  if (cls == nullptr) cls = rt.tensor;
  PyObject* self = cls->tp_alloc(cls, 0);
  if (self != nullptr) reinterpret_cast<TensorPy*>(self)->view = view;
  return self;
}

bool InitTensors(PyObject* module) {
  return MakeType(module, &tensor_spec, rt.object_base, &rt.tensor) &&
         PyModule_AddFunctions(module, module_functions) == 0;
}

}  // namespace tvm::ffi::detail::python
