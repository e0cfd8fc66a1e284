// SPDX-License-Identifier: Apache-2.0
// Type index -> Python class.
#ifndef TVM_FFI_PYTHON_CLASS_TABLE_H_
#define TVM_FFI_PYTHON_CLASS_TABLE_H_

#include <atomic>
#include <memory>

#include "concurrency.h"

namespace tvm::ffi::detail::python {

// Read without a lock, so the parts of it never move.
class ClassTable {
 public:
  // Borrowed; NULL when the type has no class yet.
  PyTypeObject* Find(int32_t type_index) const {
    auto index = static_cast<size_t>(type_index);
    if (index >= kParts * kPartSize) return nullptr;
    const Part* part = parts_[index / kPartSize].load(std::memory_order_acquire);
    return part ? part->classes[index % kPartSize].load(std::memory_order_acquire) : nullptr;
  }
  // False when the index is out of reach.
  bool Set(int32_t type_index, PyTypeObject* cls) {
    auto index = static_cast<size_t>(type_index);
    if (index >= kParts * kPartSize) return false;
    std::atomic<Part*>& slot = parts_[index / kPartSize];
    Part* part = slot.load(std::memory_order_acquire);
    if (part == nullptr) {
      auto fresh = std::make_unique<Part>();
      if (slot.compare_exchange_strong(part, fresh.get(), std::memory_order_acq_rel)) {
        part = fresh.release();
      }
    }
    Py_INCREF(cls);
    PyTypeObject* old = part->classes[index % kPartSize].exchange(cls, std::memory_order_acq_rel);
#ifdef Py_GIL_DISABLED
    (void)old;  // another thread may be about to use it, so it stays
#else
    Py_XDECREF(old);
#endif
    return true;
  }

 private:
  static constexpr size_t kPartSize = 1024;
  static constexpr size_t kParts = 4096;
  struct Part {
    std::atomic<PyTypeObject*> classes[kPartSize] = {};
  };
  std::atomic<Part*> parts_[kParts] = {};
};

}  // namespace tvm::ffi::detail::python

#endif  // TVM_FFI_PYTHON_CLASS_TABLE_H_
