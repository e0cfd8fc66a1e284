// SPDX-License-Identifier: Apache-2.0
/*! \file tvm/ffi/ref_count_detail.h
 *  The reference count protocol. It is part of the ABI: compiled code of other people runs it on
 * the same word.
 */
#ifndef TVM_FFI_REF_COUNT_DETAIL_H_
#define TVM_FFI_REF_COUNT_DETAIL_H_

#include <tvm/ffi/base_detail.h>
#include <tvm/ffi/c_api.h>

#include <cstdint>

#if defined(_MSC_VER)
#include <intrin.h>
#endif

#if defined(__SANITIZE_THREAD__)
#define TVM_FFI_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TVM_FFI_THREAD_SANITIZER 1
#endif
#endif
#ifndef TVM_FFI_THREAD_SANITIZER
#define TVM_FFI_THREAD_SANITIZER 0
#endif

namespace tvm {
namespace ffi {
namespace detail {

inline constexpr uint64_t kStrongRefOne = 1;
inline constexpr uint64_t kWeakRefOne = uint64_t{1} << 32;
inline constexpr uint64_t kSingleRef = kWeakRefOne + kStrongRefOne;
inline constexpr uint64_t kStrongRefMask = kWeakRefOne - 1;

#if defined(_MSC_VER)
TVM_FFI_INLINE uint64_t RefCountAdd(TVMFFIObject* obj, uint64_t n) {
  return static_cast<uint64_t>(_InterlockedExchangeAdd64(
      reinterpret_cast<volatile __int64*>(&obj->combined_ref_count), static_cast<__int64>(n)));
}
TVM_FFI_INLINE uint64_t RefCountSub(TVMFFIObject* obj, uint64_t n) {
  return static_cast<uint64_t>(_InterlockedExchangeAdd64(
      reinterpret_cast<volatile __int64*>(&obj->combined_ref_count), -static_cast<__int64>(n)));
}
TVM_FFI_INLINE void RefCountAcquireFence() { _ReadWriteBarrier(); }
TVM_FFI_INLINE uint64_t RefCountLoad(const TVMFFIObject* obj) {
  return *reinterpret_cast<const volatile uint64_t*>(&obj->combined_ref_count);
}
TVM_FFI_INLINE bool RefCountCompareExchange(TVMFFIObject* obj, uint64_t* expected,
                                            uint64_t desired) {
  uint64_t old = static_cast<uint64_t>(_InterlockedCompareExchange64(
      reinterpret_cast<volatile __int64*>(&obj->combined_ref_count), static_cast<__int64>(desired),
      static_cast<__int64>(*expected)));
  bool same = old == *expected;
  *expected = old;
  return same;
}
#else
TVM_FFI_INLINE uint64_t RefCountAdd(TVMFFIObject* obj, uint64_t n) {
  return __atomic_fetch_add(&obj->combined_ref_count, n, __ATOMIC_RELAXED);
}
#if TVM_FFI_THREAD_SANITIZER
// The sanitizer knows no fences: the subtraction acquires instead.
TVM_FFI_INLINE uint64_t RefCountSub(TVMFFIObject* obj, uint64_t n) {
  return __atomic_fetch_sub(&obj->combined_ref_count, n, __ATOMIC_ACQ_REL);
}
TVM_FFI_INLINE void RefCountAcquireFence() {}
#else
TVM_FFI_INLINE uint64_t RefCountSub(TVMFFIObject* obj, uint64_t n) {
  return __atomic_fetch_sub(&obj->combined_ref_count, n, __ATOMIC_RELEASE);
}
TVM_FFI_INLINE void RefCountAcquireFence() { __atomic_thread_fence(__ATOMIC_ACQUIRE); }
#endif
TVM_FFI_INLINE uint64_t RefCountLoad(const TVMFFIObject* obj) {
  return __atomic_load_n(&obj->combined_ref_count, __ATOMIC_RELAXED);
}
TVM_FFI_INLINE bool RefCountCompareExchange(TVMFFIObject* obj, uint64_t* expected,
                                            uint64_t desired) {
  return __atomic_compare_exchange_n(&obj->combined_ref_count, expected, desired, /*weak=*/true,
                                     __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}
#endif

/*! Deleters that run inside each other on one thread, and objects that wait for their turn. */
struct DestroyQueue {
  int32_t depth;
  TVMFFIObject* pending;  // linked through combined_ref_count, which nobody else reads any more
};

/*!
 * Nested deleters allowed before objects are queued instead. A chain of a million objects is then
 * freed by a loop, not by a recursion that overflows the stack.
 */
inline constexpr int32_t kMaxNestedDeleters = 128;

// One a translation unit, with the general model: a just-in-time linker finds thread-local data in
// `.tbss` alone, where that of an inline function does not lie, and knows no local model.
#if defined(__ELF__) && defined(__GNUC__)
__attribute__((tls_model("global-dynamic")))
#endif
static thread_local DestroyQueue destroy_queue = {0, nullptr};

/*! Destroys an object whose last strong reference is gone; `old_count` is the word before that. */
TVM_FFI_NO_INLINE inline void DestroyObject(TVMFFIObject* obj, uint64_t old_count) {
  DestroyQueue& queue = destroy_queue;
  RefCountAcquireFence();
  if (obj->deleter == nullptr) return;
  if (old_count == kSingleRef && queue.depth >= kMaxNestedDeleters) {
    obj->combined_ref_count = reinterpret_cast<uintptr_t>(queue.pending);
    queue.pending = obj;
    return;
  }
  ++queue.depth;
  if (old_count == kSingleRef) {
    obj->deleter(obj, kTVMFFIObjectDeleterFlagBitMaskBoth);
  } else {
    obj->deleter(obj, kTVMFFIObjectDeleterFlagBitMaskStrong);
    if (RefCountSub(obj, kWeakRefOne) == kWeakRefOne) {
      RefCountAcquireFence();
      obj->deleter(obj, kTVMFFIObjectDeleterFlagBitMaskWeak);
    }
  }
  while (queue.depth == 1 && queue.pending != nullptr) {
    TVMFFIObject* next = queue.pending;
    queue.pending =
        reinterpret_cast<TVMFFIObject*>(static_cast<uintptr_t>(next->combined_ref_count));
    next->combined_ref_count = kWeakRefOne;
    next->deleter(next, kTVMFFIObjectDeleterFlagBitMaskBoth);
  }
  --queue.depth;
}

TVM_FFI_INLINE void IncRef(TVMFFIObject* obj) { RefCountAdd(obj, kStrongRefOne); }

TVM_FFI_INLINE void DecRef(TVMFFIObject* obj) {
  uint64_t old = RefCountSub(obj, kStrongRefOne);
  if ((old & kStrongRefMask) == 1) DestroyObject(obj, old);
}

TVM_FFI_INLINE void IncWeakRef(TVMFFIObject* obj) { RefCountAdd(obj, kWeakRefOne); }

inline void DecWeakRef(TVMFFIObject* obj) {
  if (RefCountSub(obj, kWeakRefOne) == kWeakRefOne) {
    RefCountAcquireFence();
    if (obj->deleter != nullptr) obj->deleter(obj, kTVMFFIObjectDeleterFlagBitMaskWeak);
  }
}

/*! Adds a strong reference unless the object is already destroyed. */
inline bool TryPromoteWeakRef(TVMFFIObject* obj) {
  uint64_t count = RefCountLoad(obj);
  while ((count & kStrongRefMask) != 0) {
    if (RefCountCompareExchange(obj, &count, count + kStrongRefOne)) return true;
  }
  return false;
}

}  // namespace detail
}  // namespace ffi
}  // namespace tvm
#endif  // TVM_FFI_REF_COUNT_DETAIL_H_
