// SPDX-License-Identifier: Apache-2.0
// What free-threaded CPython needs beside atomics. With a GIL everything here is free.
#ifndef TVM_FFI_PYTHON_CONCURRENCY_H_
#define TVM_FFI_PYTHON_CONCURRENCY_H_

#include <atomic>

#include "py_ref.h"

namespace tvm::ffi::detail::python {

// Number of threads in native code without the interpreter. Each thread counts in one of several
// places, so that threads don't fight for one.
class NativeCalls {
 public:
#ifdef Py_GIL_DISABLED
  void Enter() { Mine().fetch_add(1, std::memory_order_relaxed); }
  void Leave() { Mine().fetch_sub(1, std::memory_order_relaxed); }
  bool none() const {
    for (const Place& place : places_) {
      if (place.count.load(std::memory_order_relaxed) != 0) return false;
    }
    return true;
  }

 private:
  struct alignas(64) Place {
    std::atomic<Py_ssize_t> count{0};
  };
  static constexpr size_t kPlaces = 64;
  std::atomic<Py_ssize_t>& Mine() {
    return places_[(reinterpret_cast<uintptr_t>(PyThreadState_Get()) >> 8) % kPlaces].count;
  }
  Place places_[kPlaces];
#else
  // Changed under the GIL only.
  void Enter() { ++count_; }
  void Leave() { --count_; }
  bool none() const { return count_ == 0; }

 private:
  Py_ssize_t count_ = 0;
#endif
};

// Guards state of the extension that several threads change. Nothing that can run Python code may
// happen while it is held.
class SharedMutex {
 public:
#ifdef Py_GIL_DISABLED
  void lock() { PyMutex_Lock(&mutex_); }
  void unlock() { PyMutex_Unlock(&mutex_); }

 private:
  PyMutex mutex_{};
#else
  void lock() {}
  void unlock() {}
#endif
};

// A Python object that is made on first use and kept for ever.
class Lazy {
 public:
  // `make` returns a new reference, or NULL with an exception, which is what Get returns then. The
  // result is borrowed.
  template <typename F>
  PyObject* Get(F&& make) {
    PyObject* known = object_.load(std::memory_order_acquire);
    if (known != nullptr) return known;
    PyObject* made = make();
    if (made == nullptr) return nullptr;
    if (object_.compare_exchange_strong(known, made, std::memory_order_acq_rel)) return made;
    Py_DECREF(made);
    return known;
  }

 private:
  std::atomic<PyObject*> object_{nullptr};
};

// Lets one thread at a time work on a native object that Python code changes. The lock is given up
// while Python code runs, as critical sections of CPython are, so it can't deadlock.
class NativeSection {
 public:
#ifdef Py_GIL_DISABLED
  explicit NativeSection(const void* native) { PyCriticalSection_Begin(&section_, LockOf(native)); }
  ~NativeSection() { PyCriticalSection_End(&section_); }

 private:
  static PyObject* LockOf(const void* native);
  PyCriticalSection section_;
#else
  explicit NativeSection(const void*) {}
#endif

  NativeSection(const NativeSection&) = delete;
  NativeSection& operator=(const NativeSection&) = delete;
};

// The same for a Python object.
class PythonSection {
 public:
#ifdef Py_GIL_DISABLED
  explicit PythonSection(PyObject* object) { PyCriticalSection_Begin(&section_, object); }
  ~PythonSection() { PyCriticalSection_End(&section_); }

 private:
  PyCriticalSection section_;
#else
  explicit PythonSection(PyObject*) {}
#endif

  PythonSection(const PythonSection&) = delete;
  PythonSection& operator=(const PythonSection&) = delete;
};

// The value of a key as a new reference; empty, maybe with an exception, when there is none.
inline PyRef DictGet(PyObject* dict, PyObject* key) {
#if PY_VERSION_HEX >= 0x030D0000
  PyObject* value = nullptr;
  PyDict_GetItemRef(dict, key, &value);
  return PyRef(value);
#else
  return PyRef::Borrow(PyDict_GetItemWithError(dict, key));
#endif
}

// An item of a list as a new reference; empty without an exception when the list is shorter.
inline PyRef ListGet(PyObject* list, Py_ssize_t index) {
#ifdef Py_GIL_DISABLED
  PyObject* item = PyList_GetItemRef(list, index);
  if (item == nullptr) PyErr_Clear();
  return PyRef(item);
#else
  return index < PyList_GET_SIZE(list) ? PyRef::Borrow(PyList_GET_ITEM(list, index)) : PyRef();
#endif
}

bool InitConcurrency();

}  // namespace tvm::ffi::detail::python

#endif  // TVM_FFI_PYTHON_CONCURRENCY_H_
