// SPDX-License-Identifier: Apache-2.0
#include "tirx/ir/scope.h"

#include <tvm/ffi/reflection/enum_def.h>
#include <tvm/ffi/reflection/registry.h>

namespace tvm {
namespace tirx {

namespace {

template <typename Ref>
Ref GetEntry(const ffi::String& name) {
  ffi::Enum entry = ffi::EnumObj::_GetByStrIndex<typename Ref::ContainerType>(name);
  return Ref(ffi::GetObjectPtr<typename Ref::ContainerType>(const_cast<typename Ref::ContainerType*>(
      static_cast<const typename Ref::ContainerType*>(static_cast<const ffi::Object*>(entry.get())))));
}

void RegisterScopes() {
  namespace refl = ffi::reflection;
  refl::ObjectDef<MemoryScopeObj>();
  refl::ObjectDef<ThreadScopeObj>();
  refl::ObjectDef<AxisObj>();
#define TIRX_MEMORY_SCOPE(name) refl::EnumDef<MemoryScopeObj>{name};
#define TIRX_THREAD_SCOPE(name, backend, rank) \
  refl::EnumDef<ThreadScopeObj>(name)          \
      .set_attr("backend", ffi::String(backend)) \
      .set_attr("rank", static_cast<int64_t>(rank));
#define TIRX_AXIS(name, backend, memory, thread, scope, subscope) \
  refl::EnumDef<AxisObj>(name)                                    \
      .set_attr("backend", ffi::String(backend))                  \
      .set_attr("memory", static_cast<bool>(memory))              \
      .set_attr("thread", static_cast<bool>(thread))              \
      .set_attr("scope", ffi::String(scope))                      \
      .set_attr("subscope", ffi::String(subscope));
#include "tirx/defs/scopes.def"
}

}  // namespace

MemoryScope MemoryScope::Get(const ffi::String& name) { return GetEntry<MemoryScope>(name); }
const MemoryScope& MemoryScope::Global() {
  static const MemoryScope& global = *new MemoryScope(Get("global"));
  return global;
}
ThreadScope ThreadScope::Get(const ffi::String& name) { return GetEntry<ThreadScope>(name); }
Axis Axis::Get(const ffi::String& name) { return GetEntry<Axis>(name); }

TVM_FFI_STATIC_INIT_BLOCK() { RegisterScopes(); }

}  // namespace tirx
}  // namespace tvm
