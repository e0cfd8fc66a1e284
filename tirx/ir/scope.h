// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tvm/ffi/enum.h>

#include "tirx/ir/node.h"

namespace tvm {
namespace tirx {

// A kind of memory: one object per name for the whole process ("global", "shared", "local", ...).
struct MemoryScopeObj : ffi::EnumObj {
  using ffi::EnumObj::EnumObj;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("runtime.MemoryScope", MemoryScopeObj, ffi::EnumObj);
};
struct MemoryScope : ffi::ObjectRef {
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(MemoryScope, ffi::ObjectRef, MemoryScopeObj);
  // Throws ValueError for an unknown name.
  TIRX_API static MemoryScope Get(const ffi::String& name);
  TIRX_API static const MemoryScope& Global();
  const ffi::String& name() const { return get()->_str_index; }
  bool is(std::string_view s) const { return std::string_view(name().data(), name().size()) == s; }
};

// A level of the thread hierarchy, "cuda.warp" for example.
struct ThreadScopeObj : ffi::EnumObj {
  using ffi::EnumObj::EnumObj;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("tirx.ThreadScope", ThreadScopeObj, ffi::EnumObj);
};
struct ThreadScope : ffi::ObjectRef {
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(ThreadScope, ffi::ObjectRef, ThreadScopeObj);
  // Throws ValueError for an unknown name.
  TIRX_API static ThreadScope Get(const ffi::String& name);
  const ffi::String& name() const { return get()->_str_index; }
};

// A named axis of a layout: the memory axis "m" or a thread axis such as "laneid".
struct AxisObj : ffi::EnumObj {
  using ffi::EnumObj::EnumObj;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("tirx.Axis", AxisObj, ffi::EnumObj);
};
struct Axis : ffi::ObjectRef {
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Axis, ffi::ObjectRef, AxisObj);
  // Throws ValueError for an unknown name.
  TIRX_API static Axis Get(const ffi::String& name);
  const ffi::String& name() const { return get()->_str_index; }
};

}  // namespace tirx
}  // namespace tvm
