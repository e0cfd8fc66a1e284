// SPDX-License-Identifier: Apache-2.0
// State of the extension. One per process: sub-interpreters are refused at import.
#ifndef TVM_FFI_PYTHON_RUNTIME_H_
#define TVM_FFI_PYTHON_RUNTIME_H_

#include <chrono>
#include <thread>

#include "class_table.h"
#include "concurrency.h"
#include "walk_lock.h"

namespace tvm::ffi::detail::python {

struct Runtime {
  bool ready = false;
  std::atomic<bool> alive{false};  // false once the interpreter has begun to shut down
  bool release_gil = true;         // default of Function.release_gil
  bool skip_exchange = false;      // TVM_FFI_SKIP_DLPACK_C_EXCHANGE_API

  // Calls that run native code without the interpreter at this moment. While there are any, the
  // cycle collector leaves native objects alone (see native_walk.cc).
  NativeCalls native_calls;

  // Set when a signal check inside native code left an exception pending on some thread.
  std::atomic<bool> interrupted{false};

  // Classes of this module.
  PyTypeObject* object_base = nullptr;     // CObject
  PyTypeObject* container_base = nullptr;  // CContainerBase
  PyTypeObject* function = nullptr;
  PyTypeObject* tensor = nullptr;
  PyTypeObject* error = nullptr;
  PyTypeObject* opaque = nullptr;
  PyTypeObject* data_type = nullptr;
  PyTypeObject* device = nullptr;
  PyTypeObject* rvalue_ref = nullptr;
  PyTypeObject* native_value = nullptr;  // PyNativeObject
  PyTypeObject* string = nullptr;
  PyTypeObject* bytes = nullptr;
  PyTypeObject* convertible = nullptr;  // ObjectConvertible
  PyTypeObject* field_getter = nullptr;
  PyTypeObject* field_setter = nullptr;
  PyTypeObject* field_property = nullptr;  // FFIProperty
  PyTypeObject* method = nullptr;
  PyTypeObject* constructor = nullptr;
  PyTypeObject* any = nullptr;     // CAny
  PyTypeObject* object = nullptr;  // Object, made by its metaclass
  PyTypeObject* object_meta = nullptr;

  // Classes that users may replace.
  PyObject* class_device = nullptr;
  PyObject* class_dtype = nullptr;
  PyObject* class_tensor = nullptr;
  PyObject* class_object = nullptr;

  // Tables shared with Python code.
  PyObject* error_name_to_type = nullptr;
  PyObject* error_type_to_name = nullptr;
  PyObject* opaque_ptr_handlers = nullptr;
  PyObject* dtype_cache = nullptr;  // int(DLDataType) -> dtype

  // Functions of tvm_ffi._type_info and tvm_ffi._traits.
  PyObject* make_class = nullptr;      // (type_index) -> class
  PyObject* convert_schema = nullptr;  // (TypeSchema, value) -> value

  ClassTable classes;

  // Native helpers, looked up once.
  TVMFFIObject* fn_array = nullptr;
  TVMFFIObject* fn_list = nullptr;
  TVMFFIObject* fn_map = nullptr;
  TVMFFIObject* fn_dict = nullptr;
  TVMFFIObject* fn_shape = nullptr;
  TVMFFIObject* fn_repr = nullptr;
  TVMFFIObject* missing = nullptr;
  TVMFFIObject* kwargs = nullptr;

  PyObject* py_missing = nullptr;
  PyObject* py_kwargs = nullptr;
};

extern Runtime rt;

// Interned attribute names. A name that is made anew for each use stays in the method cache of
// CPython.
#define TVM_FFI_PY_NAMES(X)                          \
  X(tvm_ffi_error, "__tvm_ffi_error__")              \
  X(tvm_ffi_object, "__tvm_ffi_object__")            \
  X(tvm_ffi_value, "__tvm_ffi_value__")              \
  X(tvm_ffi_int, "__tvm_ffi_int__")                  \
  X(tvm_ffi_float, "__tvm_ffi_float__")              \
  X(tvm_ffi_opaque_ptr, "__tvm_ffi_opaque_ptr__")    \
  X(tvm_ffi_env_stream, "__tvm_ffi_env_stream__")    \
  X(from_tvm_ffi_object, "__from_tvm_ffi_object__")  \
  X(ffi_mismatch, "_ffi_mismatch")                   \
  X(tvm_ffi_cached_object, "_tvm_ffi_cached_object") \
  X(tvm_ffi_dtype, "_tvm_ffi_dtype")                 \
  X(dlpack, "__dlpack__")                            \
  X(dlpack_device, "__dlpack_device__")              \
  X(dlpack_data_type, "__dlpack_data_type__")        \
  X(dlpack_exchange, "__dlpack_c_exchange_api__")    \
  X(cuda_stream, "__cuda_stream__")                  \
  X(asobject, "asobject")                            \
  X(obj, "obj")                                      \
  X(items, "items")                                  \
  X(to_bytes, "to_bytes")                            \
  X(from_bytes, "from_bytes")                        \
  X(is_conj, "is_conj")                              \
  X(is_neg, "is_neg")                                \
  X(max_version, "max_version")                      \
  X(value, "value")                                  \
  X(name, "__name__")                                \
  X(doc, "__doc__")                                  \
  X(qualname, "__qualname__")                        \
  X(signature, "__signature__")                      \
  X(post_init, "__post_init__")

struct Names {
#define TVM_FFI_PY_NAME(field, text) PyObject* field = nullptr;
  TVM_FFI_PY_NAMES(TVM_FFI_PY_NAME)
#undef TVM_FFI_PY_NAME
};

extern Names names;

// Around a call that may take the GIL. CPython before 3.14 ends a thread that does so while the
// interpreter shuts down: the frames above are unwound, though they may be noexcept and their
// destructors use an interpreter that the thread does not hold. As in 3.14, it stops here instead.
class ShutdownBarrier {
 public:
  ShutdownBarrier() = default;
  ~ShutdownBarrier() {
    if (!passed_ && PyGILState_Check() == 0) StopForEver();
  }
  ShutdownBarrier(const ShutdownBarrier&) = delete;
  ShutdownBarrier& operator=(const ShutdownBarrier&) = delete;
  void Pass() { passed_ = true; }

 private:
  // The process ends without the thread.
  [[noreturn, gnu::cold]] static void StopForEver() {
    for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
  }
  bool passed_ = false;
};

// Holds the GIL of the main interpreter, from any thread. Not ok() when the interpreter is gone:
// then Python must not be touched and what should be released leaks. What is registered with atexit
// before this module still runs after rt.alive has ended, on a thread that Python knows.
class GilScope {
 public:
  GilScope() {
    if (!rt.alive && (!Py_IsInitialized() || !PyGILState_GetThisThreadState())) return;
    ShutdownBarrier barrier;
    state_ = PyGILState_Ensure();
    barrier.Pass();
    held_ = true;
  }
  ~GilScope() {
    if (!held_) return;
    ShutdownBarrier barrier;  // for a thread that has lost the GIL in Python code
    if (PyGILState_Check() == 0) return;
    PyGILState_Release(state_);
    barrier.Pass();
  }
  GilScope(const GilScope&) = delete;
  GilScope& operator=(const GilScope&) = delete;
  bool ok() const { return held_; }

 private:
  OutsideGroups outside_;  // first: no place is waited for with the GIL held
  PyGILState_STATE state_ = PyGILState_UNLOCKED;
  bool held_ = false;
};

inline TVMFFIByteArray ByteArray(const char* data, size_t size) { return {data, size}; }

// UTF-8 of `text`, borrowed from it; false with an exception when it has lone surrogates.
inline bool Utf8(PyObject* text, TVMFFIByteArray* out) {
  Py_ssize_t size = 0;
  const char* data = PyUnicode_AsUTF8AndSize(text, &size);
  if (data == nullptr) return false;
  *out = {data, static_cast<size_t>(size)};
  return true;
}

inline PyObject* UnicodeFrom(const TVMFFIByteArray& bytes) {
  return PyUnicode_DecodeUTF8(bytes.data, static_cast<Py_ssize_t>(bytes.size), nullptr);
}

// Creates a class of this module and stores it in *out. Returns false with an exception.
bool MakeType(PyObject* module, PyType_Spec* spec, PyTypeObject* base, PyTypeObject** out);

}  // namespace tvm::ffi::detail::python

#endif  // TVM_FFI_PYTHON_RUNTIME_H_
