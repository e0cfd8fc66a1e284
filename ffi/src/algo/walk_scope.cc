// SPDX-License-Identifier: Apache-2.0
#include "walk_scope.h"

#include <tvm/ffi/reflection/registry.h>

#include "register.h"

namespace tvm {
namespace ffi {
namespace algo {

std::atomic<const WalkHooks*> walk_hooks{nullptr};

void RegisterWalkHooks() {
  reflection::GlobalDef().def(
      "ffi._SetWalkHooks",
      [](void* enter, void* leave, void* holds_interpreter, void* take_interpreter,
         void* drop_interpreter, void* interpreter_entries) -> void {
        // Kept: a walk on another thread may be using the ones before.
        auto* hooks = new WalkHooks;
        hooks->enter = reinterpret_cast<int32_t (*)(int32_t)>(enter);
        hooks->leave = reinterpret_cast<void (*)(int32_t)>(leave);
        hooks->holds_interpreter = reinterpret_cast<int32_t (*)()>(holds_interpreter);
        hooks->take_interpreter = reinterpret_cast<int32_t (*)()>(take_interpreter);
        hooks->drop_interpreter = reinterpret_cast<void (*)(int32_t)>(drop_interpreter);
        hooks->interpreter_entries = reinterpret_cast<uint64_t (*)()>(interpreter_entries);
        walk_hooks.store(hooks, std::memory_order_release);
      });
}

}  // namespace algo
}  // namespace ffi
}  // namespace tvm
