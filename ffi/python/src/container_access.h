// SPDX-License-Identifier: Apache-2.0
// What the class of containers, its iterators and the functions for tvm_ffi/container.py share.
#ifndef TVM_FFI_PYTHON_CONTAINER_ACCESS_H_
#define TVM_FFI_PYTHON_CONTAINER_ACCESS_H_

#include <optional>

#include "concurrency.h"
#include "container.h"
#include "walk_lock.h"

namespace tvm::ffi::detail::python {

inline const DLPackExchangeAPI* ExchangeOf(PyObject* self) {
  return reinterpret_cast<ContainerPy*>(self)->exchange;
}

// Array and Map never change; the others are used by one thread at a time.
class ContainerSection {
 public:
  explicit ContainerSection(TVMFFIObject* handle) {
#ifdef Py_GIL_DISABLED
    if (handle->type_index == kTVMFFIList || handle->type_index == kTVMFFIDict) {
      section_.emplace(handle);
    }
#else
    (void)handle;
#endif
  }

 private:
#ifdef Py_GIL_DISABLED
  std::optional<NativeSection> section_;
#endif
};

inline const char* NameOf(PyObject* self) { return Py_TYPE(self)->tp_name; }

// The group for an operation on a Map or Dict by a key: comparing keys with hooks of their own may
// be a walk over what they hold.
inline Group KeyGroup(const TVMFFIAny& key, Group plain) {
  if (key.type_index < kTVMFFIStaticObjectEnd) return plain;
  return plain == Group::kNone ? Group::kWalking : Group::kAlone;
}

inline bool IsMissing(const TVMFFIAny& value) {
  return value.type_index == kTVMFFIObject && value.v_obj == rt.missing;
}

// Value of a key, or the MISSING object. False with an exception.
bool Lookup(TVMFFIObject* map, PyObject* key, TVMFFIAny* out);

// What an iterator gives of the entries of a mapping.
enum class Part : int { kKey = 0, kValue = 1, kItem = 2 };

// An iterator over a container; sequences also go backwards. NULL with an exception.
PyObject* MakeIterator(PyObject* container, Part part, bool backwards);

bool InitContainerIterators(PyObject* module);
bool InitContainerFunctions(PyObject* module);

}  // namespace tvm::ffi::detail::python

#endif  // TVM_FFI_PYTHON_CONTAINER_ACCESS_H_
