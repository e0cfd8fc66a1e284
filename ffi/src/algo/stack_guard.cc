// SPDX-License-Identifier: Apache-2.0
#include "stack_guard.h"

#if defined(__linux__)
#include <pthread.h>
#endif
#include <tvm/ffi/error.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace tvm {
namespace ffi {
namespace algo {
namespace {

constexpr size_t kReservedBytes = size_t{256} << 10;
// Only for stacks whose bounds are unknown: 1,000 nested hooks fit the smallest stack in use for
// fibers that run Python.
constexpr int kMaxNestingOnUnknownStack = 1000;

struct StackBounds {
  uintptr_t low = 0;    // first address that may be used
  uintptr_t limit = 0;  // below this address the reserve begins
  uintptr_t high = 0;

  StackBounds() {
#if defined(__linux__)
    pthread_attr_t attr;
    if (pthread_getattr_np(pthread_self(), &attr) != 0) return;
    void* base = nullptr;
    size_t size = 0;
    if (pthread_attr_getstack(&attr, &base, &size) == 0) {
      low = reinterpret_cast<uintptr_t>(base);
      high = low + size;
      limit = low + std::min(kReservedBytes, size / 4);
    }
    pthread_attr_destroy(&attr);
#endif
  }
};

thread_local int nesting = 0;

}  // namespace

bool HasStackRoom() {
  static thread_local const StackBounds bounds;
  const uintptr_t here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  if (here < bounds.low || here >= bounds.high) return nesting < kMaxNestingOnUnknownStack;
  return here >= bounds.limit;
}

void CheckStackRoom(const char* what) {
  if (!HasStackRoom())
    TVM_FFI_THROW(RecursionError) << what << ": maximum nesting of hooks exceeded";
}

NestingScope::NestingScope(const char* what) {
  CheckStackRoom(what);
  ++nesting;
}

NestingScope::~NestingScope() { --nesting; }

}  // namespace algo
}  // namespace ffi
}  // namespace tvm
