// SPDX-License-Identifier: Apache-2.0
#include "tirx/ir/scope.h"

#include <tvm/ffi/reflection/enum_def.h>
#include <tvm/ffi/reflection/registry.h>

namespace tvm {
namespace tirx {

namespace {

namespace refl = ffi::reflection;

template <typename Ref>
Ref GetEntry(const ffi::String& name) {
  ffi::Enum entry = ffi::EnumObj::_GetByStrIndex<typename Ref::ContainerType>(name);
  using Node = typename Ref::ContainerType;
  return Ref(ffi::details::ObjectUnsafe::ObjectPtrFromObjectRef<Node>(std::move(entry)));
}

// The type, its JSON form (the name) and a lookup by name.
template <typename Ref>
void RegisterEntries(const char* lookup) {
  using Node = typename Ref::ContainerType;
  refl::ObjectDef<Node>(refl::init(false))
      .def_type_attr("__data_to_json__",
                     [](const Node* node) { return ffi::Any(node->_str_index); })
      .def_type_attr("__data_from_json__", [](ffi::String name) { return Ref::Get(name); });
  refl::GlobalDef().def(lookup, [](ffi::String name) { return Ref::Get(name); });
}

void RegisterScopes() {
  RegisterEntries<MemoryScope>("script.MemoryScope");
  RegisterEntries<ThreadScope>("script.ThreadScope");
  RegisterEntries<Axis>("script.Axis");
  // A second copy of this library in one process uses the entries of the first.
  if (refl::EnumDef<MemoryScopeObj>::IsDefined("global")) return;
#define TIRX_MEMORY_SCOPE(name) refl::EnumDef<MemoryScopeObj>{name};
#define TIRX_THREAD_SCOPE(name, backend, rank)   \
  refl::EnumDef<ThreadScopeObj>(name)            \
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
