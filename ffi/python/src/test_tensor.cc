// SPDX-License-Identifier: Apache-2.0
// DLTensorTestWrapper: a foreign tensor class for tests, which speaks the C exchange protocol.
#include <cstdlib>

#include "core_functions.h"
#include "error.h"
#include "result.h"
#include "tensor.h"

namespace tvm::ffi::detail::python {

namespace {

struct WrapperPy {
  PyObject_HEAD PyObject* tensor;  // owned Tensor
};

PyTypeObject* wrapper_type = nullptr;

PyObject* TensorOf(PyObject* self) { return reinterpret_cast<WrapperPy*>(self)->tensor; }

int WrapperInit(PyObject* self, PyObject* args, PyObject* kwargs) {
  static const char* keywords[] = {"tensor", nullptr};
  PyObject* tensor;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O!:DLTensorTestWrapper",
                                   const_cast<char**>(keywords), rt.tensor, &tensor)) {
    return -1;
  }
  Py_XSETREF(reinterpret_cast<WrapperPy*>(self)->tensor, Py_NewRef(tensor));
  return 0;
}

void WrapperDealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  Py_XDECREF(TensorOf(self));
  type->tp_free(self);
  Py_DECREF(type);
}

bool CheckFilled(PyObject* self) {
  if (TensorOf(self) != nullptr) return true;
  PyErr_SetString(PyExc_ValueError, "the wrapper holds no tensor");
  return false;
}

PyObject* WrapperDLPack(PyObject* self, PyObject* args, PyObject* kwargs) {
  if (!CheckFilled(self)) return nullptr;
  PyRef method(PyObject_GetAttr(TensorOf(self), names.dlpack));
  return method ? PyObject_Call(method.get(), args, kwargs) : nullptr;
}

PyObject* WrapperDevice(PyObject* self, PyObject*) {
  return CheckFilled(self) ? PyObject_CallMethodNoArgs(TensorOf(self), names.dlpack_device)
                           : nullptr;
}

PyObject* WrapperStream(PyObject* self, PyObject*) {
  if (!CheckFilled(self)) return nullptr;
  TVMFFIObject* handle = HandleOf(TensorOf(self));
  if (handle == nullptr) return nullptr;
  DLDevice device = TVMFFITensorGetDLTensorPtr(handle)->device;
  return PyLong_FromVoidPtr(TVMFFIEnvGetStream(device.device_type, device.device_id));
}

PyMethodDef wrapper_methods[] = {
    {"__dlpack__", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(WrapperDLPack)),
     METH_VARARGS | METH_KEYWORDS, "Capsule of the wrapped tensor."},
    {"__dlpack_device__", WrapperDevice, METH_NOARGS, "Device of the wrapped tensor."},
    {"__tvm_ffi_env_stream__", WrapperStream, METH_NOARGS, "Current stream of that device."},
    {nullptr, nullptr, 0, nullptr}};
PyMemberDef wrapper_members[] = {
    {"tensor", T_OBJECT_EX, offsetof(WrapperPy, tensor), READONLY, "The wrapped tensor."},
    {nullptr, 0, 0, 0, nullptr}};
PyType_Slot wrapper_slots[] = {
    {Py_tp_init, reinterpret_cast<void*>(WrapperInit)},
    {Py_tp_dealloc, reinterpret_cast<void*>(WrapperDealloc)},
    {Py_tp_methods, wrapper_methods},
    {Py_tp_members, wrapper_members},
    {Py_tp_doc, const_cast<char*>("DLTensorTestWrapper(tensor)\n--\n\nA foreign tensor class for "
                                  "tests of the exchange protocol.")},
    {0, nullptr}};
PyType_Spec wrapper_spec = {"tvm_ffi.core.DLTensorTestWrapper", sizeof(WrapperPy), 0,
                            Py_TPFLAGS_DEFAULT, wrapper_slots};

// ---- the exchange table ------------------------------------------------------------------------

struct OwnedBlock {
  DLManagedTensorVersioned managed;
  int64_t extents[1];
};

void DeleteBlock(DLManagedTensorVersioned* self) {
  std::free(self->dl_tensor.data);
  std::free(self);
}

int Allocate(DLTensor* prototype, DLManagedTensorVersioned** out, void* error_ctx,
             void (*set_error)(void*, const char*, const char*)) {
  if (prototype->device.device_type != kDLCPU) {
    set_error(error_ctx, "RuntimeError", "the test allocator only has CPU memory");
    return -1;
  }
  auto ndim = static_cast<size_t>(prototype->ndim);
  auto* block =
      static_cast<OwnedBlock*>(std::calloc(1, sizeof(OwnedBlock) + 2 * ndim * sizeof(int64_t)));
  size_t count = 1;
  for (size_t i = 0; i < ndim; ++i) count *= static_cast<size_t>(prototype->shape[i]);
  size_t bytes = (count * prototype->dtype.bits * prototype->dtype.lanes + 7) / 8;
  void* data = std::aligned_alloc(64, (bytes + 64) / 64 * 64);
  if (block == nullptr || data == nullptr) {
    std::free(block);
    std::free(data);
    set_error(error_ctx, "MemoryError", "no memory for a tensor");
    return -1;
  }
  int64_t step = 1;
  for (size_t i = ndim; i-- > 0;) {
    block->extents[i] = prototype->shape[i];
    block->extents[ndim + i] = step;
    step *= prototype->shape[i];
  }
  block->managed.version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
  block->managed.deleter = DeleteBlock;
  block->managed.dl_tensor = *prototype;
  block->managed.dl_tensor.data = data;
  block->managed.dl_tensor.byte_offset = 0;
  block->managed.dl_tensor.shape = block->extents;
  block->managed.dl_tensor.strides = block->extents + ndim;
  *out = &block->managed;
  return 0;
}

TVMFFIObject* HandleOfWrapper(void* object) {
  auto* self = static_cast<PyObject*>(object);
  if (!PyObject_TypeCheck(self, wrapper_type)) {
    PyErr_SetString(PyExc_TypeError, "expected a DLTensorTestWrapper");
    return nullptr;
  }
  return CheckFilled(self) ? HandleOf(TensorOf(self)) : nullptr;
}

int FromPyObject(void* object, DLManagedTensorVersioned** out) {
  TVMFFIObject* handle = HandleOfWrapper(object);
  if (handle == nullptr) return -1;
  if (int code = TVMFFITensorToDLPackVersioned(handle, out)) {
    RaiseFor(code);
    return -1;
  }
  return 0;
}

int ToPyObject(DLManagedTensorVersioned* managed, void** out) {
  TVMFFIObjectHandle handle = nullptr;
  if (int code = TVMFFITensorFromDLPackVersioned(managed, 0, 0, &handle)) {
    RaiseFor(code);
    return -1;
  }
  PyRef tensor(MakeTensor(static_cast<TVMFFIObject*>(handle), nullptr));
  if (!tensor) return -1;
  *out = PyObject_CallOneArg(reinterpret_cast<PyObject*>(wrapper_type), tensor.get());
  return *out == nullptr ? -1 : 0;
}

int ViewFromPyObject(void* object, DLTensor* out) {
  TVMFFIObject* handle = HandleOfWrapper(object);
  if (handle == nullptr) return -1;
  *out = *TVMFFITensorGetDLTensorPtr(handle);
  return 0;
}

int CurrentStream(DLDeviceType type, int32_t id, void** out) {
  *out = TVMFFIEnvGetStream(type, id);
  return 0;
}

DLPackExchangeAPI table = {{{DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION}, nullptr},
                           Allocate,
                           FromPyObject,
                           ToPyObject,
                           ViewFromPyObject,
                           CurrentStream};

}  // namespace

bool InitTestTensor(PyObject* module) {
  if (!MakeType(module, &wrapper_spec, nullptr, &wrapper_type)) return false;
  PyRef capsule(PyCapsule_New(&table, "dlpack_exchange_api", nullptr));
  return capsule && PyObject_SetAttr(reinterpret_cast<PyObject*>(wrapper_type),
                                     names.dlpack_exchange, capsule.get()) == 0;
}

}  // namespace tvm::ffi::detail::python
