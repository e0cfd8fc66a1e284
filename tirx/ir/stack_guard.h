// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "tirx/ir/api.h"

namespace tvm {
namespace tirx {

// Lowest stack address that a recursive walk of this thread may reach.
TIRX_API uintptr_t StackLimit();
[[noreturn]] TIRX_API void ThrowStackOverflow();

// Every recursive walk over user programs calls this once a level: raises RecursionError while
// there is still room to unwind, in place of overflowing the stack.
inline void GuardStack() {
  thread_local const uintptr_t limit = StackLimit();
  if (reinterpret_cast<uintptr_t>(__builtin_frame_address(0)) < limit) ThrowStackOverflow();
}

}  // namespace tirx
}  // namespace tvm
