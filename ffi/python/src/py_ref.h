// SPDX-License-Identifier: Apache-2.0
// Owning pointers for the two kinds of reference that this extension handles.
#ifndef TVM_FFI_PYTHON_PY_REF_H_
#define TVM_FFI_PYTHON_PY_REF_H_

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>
#include <tvm/ffi/c_api.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/ref_count_detail.h>

#include <algorithm>
#include <utility>

// The namespace lies inside tvm::ffi::detail so that backtraces leave these frames out.
namespace tvm::ffi::detail::python {

// Owns one reference to a Python object, or nothing.
class PyRef {
 public:
  PyRef() = default;
  // Takes over a new reference (NULL allowed).
  explicit PyRef(PyObject* owned) : ptr_(owned) {}
  PyRef(PyRef&& other) noexcept : ptr_(std::exchange(other.ptr_, nullptr)) {}
  PyRef& operator=(PyRef&& other) noexcept {
    PyObject* old = std::exchange(ptr_, std::exchange(other.ptr_, nullptr));
    Py_XDECREF(old);
    return *this;
  }
  PyRef(const PyRef&) = delete;
  PyRef& operator=(const PyRef&) = delete;
  ~PyRef() { Py_XDECREF(ptr_); }

  static PyRef Borrow(PyObject* borrowed) {
    Py_XINCREF(borrowed);
    return PyRef(borrowed);
  }

  PyObject* get() const { return ptr_; }
  PyObject* release() { return std::exchange(ptr_, nullptr); }
  explicit operator bool() const { return ptr_ != nullptr; }

 private:
  PyObject* ptr_ = nullptr;
};

inline void IncRefNative(TVMFFIObject* obj) {
  __atomic_fetch_add(&obj->combined_ref_count, 1, __ATOMIC_RELAXED);
}

inline void DecRefNative(TVMFFIObject* obj) {
  if (obj == nullptr) return;
  constexpr uint64_t kOneWeak = uint64_t{1} << 32;
  uint64_t old = detail::RefCountSub(obj, 1);
  if (old == kOneWeak + 1) {
    detail::RefCountAcquireFence();
    if (obj->deleter) obj->deleter(obj, kTVMFFIObjectDeleterFlagBitMaskBoth);
  } else if (static_cast<uint32_t>(old) == 1) {
    detail::RefCountAcquireFence();
    if (obj->deleter) obj->deleter(obj, kTVMFFIObjectDeleterFlagBitMaskStrong);
    if (detail::RefCountSub(obj, kOneWeak) == kOneWeak) {
      detail::RefCountAcquireFence();
      if (obj->deleter) obj->deleter(obj, kTVMFFIObjectDeleterFlagBitMaskWeak);
    }
  }
}

inline uint32_t UseCount(const TVMFFIObject* obj) {
  return static_cast<uint32_t>(__atomic_load_n(&obj->combined_ref_count, __ATOMIC_RELAXED));
}

// Owns one strong reference to a native object, or nothing.
class NativeRef {
 public:
  NativeRef() = default;
  explicit NativeRef(TVMFFIObject* owned) : ptr_(owned) {}
  explicit NativeRef(TVMFFIObjectHandle owned) : ptr_(static_cast<TVMFFIObject*>(owned)) {}
  NativeRef(NativeRef&& other) noexcept : ptr_(std::exchange(other.ptr_, nullptr)) {}
  NativeRef& operator=(NativeRef&& other) noexcept {
    TVMFFIObject* old = std::exchange(ptr_, std::exchange(other.ptr_, nullptr));
    DecRefNative(old);
    return *this;
  }
  NativeRef(const NativeRef&) = delete;
  NativeRef& operator=(const NativeRef&) = delete;
  ~NativeRef() { DecRefNative(ptr_); }

  static NativeRef Borrow(TVMFFIObject* borrowed) {
    if (borrowed) IncRefNative(borrowed);
    return NativeRef(borrowed);
  }

  TVMFFIObject* get() const { return ptr_; }
  TVMFFIObject* release() { return std::exchange(ptr_, nullptr); }
  explicit operator bool() const { return ptr_ != nullptr; }

 private:
  TVMFFIObject* ptr_ = nullptr;
};

inline void DecRefAny(const TVMFFIAny& value) {
  if (value.type_index >= kTVMFFIStaticObjectBegin) DecRefNative(value.v_obj);
}

// Owns a value, none at first.
class AnyRef {
 public:
  AnyRef() : value_{} {}
  AnyRef(const AnyRef&) = delete;
  AnyRef& operator=(const AnyRef&) = delete;
  ~AnyRef() { DecRefAny(value_); }

  TVMFFIAny* operator&() { return &value_; }
  const TVMFFIAny& operator*() const { return value_; }
  const TVMFFIAny* operator->() const { return &value_; }
  // Gives up ownership.
  TVMFFIAny release() { return std::exchange(value_, TVMFFIAny{}); }

 private:
  TVMFFIAny value_;
};

}  // namespace tvm::ffi::detail::python

#endif  // TVM_FFI_PYTHON_PY_REF_H_
