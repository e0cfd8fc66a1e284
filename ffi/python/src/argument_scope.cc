// SPDX-License-Identifier: Apache-2.0
// What a call keeps alive, and the stream and allocator that it installs.
#include "aliased_tensor.h"
#include "argument.h"
#include "borrow.h"

namespace tvm::ffi::detail::python {

namespace {

// An object on its way from a wrapper to a callee.
struct MovedObject {
  TVMFFIObject* object;  // owned, NULL when the callee has taken it
  PyObject* wrapper;     // owned
};

void EndMove(MovedObject* moved) {
  if (moved->object != nullptr) {
    if (AsObject(moved->wrapper)->handle == nullptr) {
      ReplaceHandle(moved->wrapper, moved->object);
    } else {
      DecRefNative(moved->object);
    }
  }
  Py_DECREF(moved->wrapper);
  delete moved;
}

}  // namespace

bool ArgScope::Move(PyObject* wrapper, TVMFFIAny* out) {
  if (HandleOf(wrapper) == nullptr) return false;
  auto* moved = new (std::nothrow) MovedObject{nullptr, Py_NewRef(wrapper)};
  if (moved == nullptr) {
    Py_DECREF(wrapper);
    PyErr_NoMemory();
    return false;
  }
  if (!Keep(reinterpret_cast<uintptr_t>(moved) | kMoved)) return false;
  moved->object = TakeHandle(wrapper);
  out->type_index = kTVMFFIObjectRValueRef;
  out->zero_padding = 0;
  out->v_ptr = &moved->object;
  return true;
}

void ArgScope::Drop(uintptr_t item) {
  uintptr_t address = item & ~kKinds;
  switch (item & kKinds) {
    case kPython:
      Py_DECREF(reinterpret_cast<PyObject*>(address));
      break;
    case kAliased:
      ReleaseAliasedTensor(reinterpret_cast<AliasedTensor*>(address));
      break;
    case kMoved:
      EndMove(reinterpret_cast<MovedObject*>(address));
      break;
    default:
      DecRefNative(reinterpret_cast<TVMFFIObject*>(address));
  }
}

bool ArgScope::KeepMore(uintptr_t item) {
  uint32_t index = count_ - kInline;
  if (index == 0) {
    capacity_ = 0;
    more_ = nullptr;
  }
  if (index >= capacity_) {
    uint32_t capacity = capacity_ ? capacity_ * 2 : 32;
    void* grown = PyMem_Realloc(more_, size_t{capacity} * sizeof(uintptr_t));
    if (grown == nullptr) {
      Drop(item);
      PyErr_NoMemory();
      return false;
    }
    more_ = static_cast<uintptr_t*>(grown);
    capacity_ = capacity;
  }
  more_[index] = item;
  ++count_;
  return true;
}

bool ArgScope::InstallEnvironment() {
  stream_set_ = allocator_set_ = false;
  if (device_type_ != 0) {
    if (exchange != nullptr && stream_ == nullptr && exchange->current_work_stream != nullptr) {
      if (exchange->current_work_stream(static_cast<DLDeviceType>(device_type_), device_id_,
                                        &stream_) != 0) {
        if (!PyErr_Occurred()) {
          PyErr_SetString(PyExc_RuntimeError, "the array library did not tell its current stream");
        }
        return false;
      }
    }
    TVMFFIEnvSetStream(device_type_, device_id_, stream_, &old_stream_);
    stream_set_ = env_changed_ = true;
  }
  if (exchange != nullptr && exchange->managed_tensor_allocator != nullptr) {
    DLPackManagedTensorAllocator old = nullptr;
    TVMFFIEnvSetDLPackManagedTensorAllocator(exchange->managed_tensor_allocator, 0, &old);
    old_allocator_ = old;
    allocator_set_ = env_changed_ = true;
  }
  return true;
}

void ArgScope::Release() {
  if (env_changed_) {
    if (stream_set_) TVMFFIEnvSetStream(device_type_, device_id_, old_stream_, nullptr);
    if (allocator_set_) TVMFFIEnvSetDLPackManagedTensorAllocator(old_allocator_, 0, nullptr);
  }
  if (count_ == 0) return;
  // Destructors run Python code, which may clear or replace a pending exception.
  PyObject *type, *value, *traceback;
  bool pending = PyErr_Occurred() != nullptr;
  if (pending) PyErr_Fetch(&type, &value, &traceback);
  for (uint32_t i = count_; i-- > 0;) {
    Drop(i < kInline ? inline_[i] : more_[i - kInline]);
  }
  if (count_ > kInline) PyMem_Free(more_);
  if (pending) PyErr_Restore(type, value, traceback);
}

}  // namespace tvm::ffi::detail::python
