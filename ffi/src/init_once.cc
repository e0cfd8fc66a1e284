// SPDX-License-Identifier: Apache-2.0
/*!
 * \file init_once.cc
 * \brief Handles that are made on first use and taken down once.
 */
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>

#include <algorithm>
#include <mutex>
#include <vector>

#include "c_arguments.h"

namespace {

// Recursive, so that making one handle may need another.
struct InitLock {
  std::recursive_mutex mutex;
  std::vector<void**> in_progress;  // innermost last; all of the thread that holds the mutex
};

InitLock* GlobalInitLock() {
  static InitLock* lock = new InitLock();
  return lock;
}

}  // namespace

int TVMFFIHandleInitOnce(void** handle_addr, int (*init_func)(void** result)) {
  if (handle_addr != nullptr && __atomic_load_n(handle_addr, __ATOMIC_ACQUIRE) != nullptr) return 0;
  TVM_FFI_SAFE_CALL_BEGIN();
  TVM_FFI_REQUIRE_ARGUMENT(handle_addr);
  TVM_FFI_REQUIRE_ARGUMENT(init_func);
  InitLock* lock = GlobalInitLock();
  std::lock_guard<std::recursive_mutex> guard(lock->mutex);
  if (__atomic_load_n(handle_addr, __ATOMIC_ACQUIRE) != nullptr) return 0;
  std::vector<void**>& in_progress = lock->in_progress;
  if (std::find(in_progress.begin(), in_progress.end(), handle_addr) != in_progress.end()) {
    TVM_FFI_THROW(RuntimeError) << "init_func needs the handle that it initialises";
  }
  in_progress.push_back(handle_addr);
  void* result = nullptr;
  int code;
  try {
    code = init_func(&result);
  } catch (...) {
    in_progress.pop_back();
    throw;
  }
  in_progress.pop_back();
  if (code != 0) return code;
  if (result == nullptr) {
    TVM_FFI_THROW(RuntimeError) << "init_func must return a non-NULL handle";
  }
  __atomic_store_n(handle_addr, result, __ATOMIC_RELEASE);
  TVM_FFI_SAFE_CALL_END();
}

int TVMFFIHandleDeinitOnce(void** handle_addr, int (*deinit_func)(void* handle)) {
  TVM_FFI_SAFE_CALL_BEGIN();
  TVM_FFI_REQUIRE_ARGUMENT(handle_addr);
  TVM_FFI_REQUIRE_ARGUMENT(deinit_func);
  void* handle = __atomic_exchange_n(handle_addr, nullptr, __ATOMIC_ACQ_REL);
  return handle == nullptr ? 0 : deinit_func(handle);
  TVM_FFI_SAFE_CALL_END();
}
