// SPDX-License-Identifier: Apache-2.0
#include "tirx/ir/stack_guard.h"

#include <pthread.h>
#include <tvm/ffi/error.h>

#include <algorithm>

namespace tvm {
namespace tirx {

uintptr_t StackLimit() {
  // Room for the throw, its backtrace and destructors on the way up.
  constexpr size_t kReserve = 192 * 1024;
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 0;
  void* lowest = nullptr;
  size_t size = 0;
  int failed = pthread_attr_getstack(&attributes, &lowest, &size);
  pthread_attr_destroy(&attributes);
  if (failed != 0) return 0;
  return reinterpret_cast<uintptr_t>(lowest) + std::min(kReserve, size / 2);
}

void ThrowStackOverflow() {
  TVM_FFI_THROW(RecursionError) << "the program is nested too deeply for the stack of this thread";
  TVM_FFI_UNREACHABLE();
}

}  // namespace tirx
}  // namespace tvm
