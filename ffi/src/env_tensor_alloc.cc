// SPDX-License-Identifier: Apache-2.0
/*!
 * \file env_tensor_alloc.cc
 * \brief Tensor allocation through the framework that the program runs in.
 */
#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/function.h>

#include <atomic>
#include <string>

#include "c_arguments.h"

namespace {

thread_local DLPackManagedTensorAllocator thread_allocator = nullptr;
std::atomic<DLPackManagedTensorAllocator> default_allocator{nullptr};

// torch hands on its C++ errors as they are, with a dump of the stack behind the message.
void SetAllocationError(void*, const char* kind, const char* message) {
  std::string text(message == nullptr ? "" : message);
  const size_t end = text.find("\nException raised from ");
  if (end != std::string::npos && text.find("(most recent call first)", end) != std::string::npos) {
    text.resize(end);
  }
  TVMFFIErrorSetRaisedFromCStr(kind, text.c_str());
}

}  // namespace

int TVMFFIEnvSetDLPackManagedTensorAllocator(
    DLPackManagedTensorAllocator allocator, int write_to_global_context,
    DLPackManagedTensorAllocator* opt_out_original_allocator) {
  if (opt_out_original_allocator != nullptr) *opt_out_original_allocator = thread_allocator;
  thread_allocator = allocator;
  if (write_to_global_context != 0) default_allocator.store(allocator);
  return 0;
}

DLPackManagedTensorAllocator TVMFFIEnvGetDLPackManagedTensorAllocator(void) {
  return thread_allocator != nullptr ? thread_allocator : default_allocator.load();
}

int TVMFFIEnvTensorAlloc(DLTensor* prototype, TVMFFIObjectHandle* out) {
  TVM_FFI_SAFE_CALL_BEGIN();
  TVM_FFI_REQUIRE_ARGUMENT(prototype);
  TVM_FFI_REQUIRE_ARGUMENT(out);
  DLPackManagedTensorAllocator allocate = TVMFFIEnvGetDLPackManagedTensorAllocator();
  if (allocate == nullptr) {
    TVM_FFI_THROW(RuntimeError) << "TVMFFIEnvTensorAlloc: allocator is nullptr, likely because "
                                   "TVMFFIEnvSetDLPackManagedTensorAllocator has not been called.";
  }
  DLManagedTensorVersioned* managed = nullptr;
  int code = allocate(prototype, &managed, nullptr, SetAllocationError);
  if (code != 0) return code;
  if (managed == nullptr) {
    TVM_FFI_THROW(RuntimeError)
        << "TVMFFIEnvTensorAlloc: failed to allocate a tensor from the allocator";
  }
  code = TVMFFITensorFromDLPackVersioned(managed, /*require_alignment=*/0,
                                         /*require_contiguous=*/0, out);
  if (code != 0) {
    if (managed->deleter != nullptr) managed->deleter(managed);
    return code;
  }
  TVM_FFI_SAFE_CALL_END();
}
