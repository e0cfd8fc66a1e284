// SPDX-License-Identifier: Apache-2.0
// The strong references that a native object holds, as far as its layout or its reflected fields
// tell. What is not told (a closure of C++, a member that is no field) counts as held from outside.
#ifndef TVM_FFI_PYTHON_NATIVE_GRAPH_H_
#define TVM_FFI_PYTHON_NATIVE_GRAPH_H_

#include <vector>

#include "container.h"
#include "function.h"

namespace tvm::ffi::detail::python {

// Offsets of the owning members among the fields of one type, each place once.
struct OwnedSlots {
  int32_t num_fields = -1;
  std::vector<int64_t> any_offsets;     // TVMFFIAny
  std::vector<int64_t> object_offsets;  // TVMFFIObject*, may be NULL
};

// Valid until a field is added to the type. Takes no reference and calls no Python.
const OwnedSlots& SlotsOf(int32_t type_index);

// Whether objects of a type may lead to other objects.
inline bool MayOwn(int32_t type_index) {
  switch (type_index) {
    case kTVMFFIStr:
    case kTVMFFIBytes:
    case kTVMFFIFunction:
    case kTVMFFIShape:
    case kTVMFFITensor:
    case kTVMFFIModule:
    case kTVMFFIOpaquePyObject:
    case kTVMFFIBigInt:
      return false;
    default:
      return true;
  }
}

// The Python object that a native object holds, borrowed; NULL when it holds none.
inline PyObject* HeldByNative(const TVMFFIObject* obj) {
  if (obj->type_index == kTVMFFIFunction) return CallableOf(obj);
  if (obj->type_index != kTVMFFIOpaquePyObject) return nullptr;
  auto* handle = const_cast<TVMFFIObject*>(obj);
  return static_cast<PyObject*>(TVMFFIOpaqueObjectGetCellPtr(handle)->handle);
}

// Calls `found(TVMFFIObject*)` once for each strong reference that `obj` holds.
template <typename F>
void ForEachOwned(TVMFFIObject* obj, F&& found) {
  auto object = [&found](void* owned) {
    if (owned != nullptr) found(static_cast<TVMFFIObject*>(owned));
  };
  auto any = [&object](const TVMFFIAny& value) {
    if (value.type_index >= kTVMFFIStaticObjectBegin) object(value.v_obj);
  };
  switch (obj->type_index) {
    case kTVMFFIArray:
    case kTVMFFIList: {
      TVMFFISeqCell* cell = SequenceOf(obj);
      auto* items = static_cast<const TVMFFIAny*>(cell->data);
      for (int64_t i = 0; i < cell->size; ++i) any(items[i]);
      return;
    }
    case kTVMFFIMap:
    case kTVMFFIDict: {
      TVMFFIAny key, value;
      for (MapCursor cursor(obj); cursor.Next(obj, &key, &value) == MapCursor::Step::kEntry;) {
        any(key);
        any(value);
      }
      return;
    }
    case kTVMFFIError: {
      TVMFFIErrorCell* cell = TVMFFIErrorGetCellPtr(obj);
      object(cell->cause_chain);
      object(cell->extra_context);
      return;
    }
    default:
      break;
  }
  if (!MayOwn(obj->type_index)) return;
  const OwnedSlots& slots = SlotsOf(obj->type_index);
  char* base = reinterpret_cast<char*>(obj);
  for (int64_t offset : slots.any_offsets) any(*reinterpret_cast<TVMFFIAny*>(base + offset));
  for (int64_t offset : slots.object_offsets) object(*reinterpret_cast<void**>(base + offset));
}

}  // namespace tvm::ffi::detail::python

#endif  // TVM_FFI_PYTHON_NATIVE_GRAPH_H_
