// SPDX-License-Identifier: Apache-2.0
/*!
 * \file allocator.cc
 * \brief The registered object allocator. Nothing in the library allocates through it: the slot
 * exists for bindings that agree on an allocator among themselves.
 */
#include <tvm/ffi/c_api.h>

#include <cstdlib>
#include <limits>

namespace {

// Between the start of an allocation and the body: room for the header, and malloc's alignment
// kept.
constexpr size_t kBodyOffset = 16;
static_assert(kBodyOffset >= sizeof(TVMFFIObjectAllocHeader));

void ReleaseBody(void* body) { std::free(static_cast<char*>(body) - kBodyOffset); }

void* AllocateBody(size_t size, size_t alignment, int32_t type_index, void* context) {
  if (alignment > kBodyOffset) {
    TVMFFIErrorSetRaisedFromCStr("ValueError",
                                 "The built-in object allocator aligns to at most 16 bytes");
    return nullptr;
  }
  void* start = nullptr;
  if (size <= std::numeric_limits<size_t>::max() - kBodyOffset) {
    start = std::malloc(kBodyOffset + size);
  }
  if (start == nullptr) {
    TVMFFIErrorSetRaisedFromCStr("MemoryError", "Cannot allocate an object");
    return nullptr;
  }
  char* body = static_cast<char*>(start) + kBodyOffset;
  reinterpret_cast<TVMFFIObjectAllocHeader*>(body)[-1].delete_space = ReleaseBody;
  return body;
}

TVMFFICustomAllocator builtin_allocator = {AllocateBody, nullptr};
TVMFFICustomAllocator* current_allocator = &builtin_allocator;

}  // namespace

TVMFFICustomAllocator* TVMFFIGetCustomAllocator(void) { return current_allocator; }

int TVMFFISetCustomAllocator(TVMFFICustomAllocator* allocator) {
  if (allocator != nullptr && allocator->allocate == nullptr) {
    TVMFFIErrorSetRaisedFromCStr("ValueError",
                                 "TVMFFISetCustomAllocator: the member `allocate` is null");
    return -1;
  }
  current_allocator = allocator == nullptr ? &builtin_allocator : allocator;
  return 0;
}
