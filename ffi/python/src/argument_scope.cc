// SPDX-License-Identifier: Apache-2.0
// What a call keeps alive, and the stream and allocator that it installs.
#include "aliased_tensor.h"
#include "argument.h"

namespace tvm::ffi::detail::python {

void ArgScope::Drop(uintptr_t item) {
  uintptr_t address = item & ~kKinds;
  switch (item & kKinds) {
    case kPython:
      Py_DECREF(reinterpret_cast<PyObject*>(address));
      break;
    case kAliased:
      ReleaseAliasedTensor(reinterpret_cast<AliasedTensor*>(address));
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
