// SPDX-License-Identifier: Apache-2.0
#include "concurrency.h"

namespace tvm::ffi::detail::python {

#ifdef Py_GIL_DISABLED

namespace {
constexpr size_t kLocks = 256;
PyObject* locks[kLocks];
}  // namespace

PyObject* NativeSection::LockOf(const void* native) {
  return locks[(reinterpret_cast<uintptr_t>(native) * 0x9E3779B97F4A7C15u) >> 56];
}

bool InitConcurrency() {
  for (PyObject*& lock : locks) {
    lock = PyObject_CallNoArgs(reinterpret_cast<PyObject*>(&PyBaseObject_Type));
    if (lock == nullptr) return false;
  }
  return true;
}

#else

bool InitConcurrency() { return true; }

#endif

}  // namespace tvm::ffi::detail::python
