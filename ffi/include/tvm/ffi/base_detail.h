// SPDX-License-Identifier: Apache-2.0
/*! \file tvm/ffi/base_detail.h
 *  Compiler macros, load-time blocks and the hash functions shared by all headers.
 */
#ifndef TVM_FFI_BASE_DETAIL_H_
#define TVM_FFI_BASE_DETAIL_H_

#include <tvm/ffi/c_api.h>
#include <tvm/ffi/endian.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <utility>

#if defined(_MSC_VER)
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>
#ifdef ERROR
#undef ERROR
#endif
#endif

#if defined(_MSC_VER)
#define TVM_FFI_INLINE [[msvc::forceinline]] inline
#define TVM_FFI_NO_INLINE __declspec(noinline)
#define TVM_FFI_COLD_CODE
#define TVM_FFI_UNREACHABLE() __assume(false)
#define TVM_FFI_FUNC_SIG __FUNCSIG__
#define TVM_FFI_PREDICT_TRUE(Cond) (Cond)
#define TVM_FFI_PREDICT_FALSE(Cond) (Cond)
#define TVM_FFI_UNSAFE_ASSUME(Cond) __assume(Cond)
#else
#define TVM_FFI_INLINE [[gnu::always_inline]] inline
#define TVM_FFI_NO_INLINE [[gnu::noinline]]
#define TVM_FFI_COLD_CODE [[gnu::cold]]
#define TVM_FFI_UNREACHABLE() __builtin_unreachable()
#define TVM_FFI_FUNC_SIG __PRETTY_FUNCTION__
#define TVM_FFI_PREDICT_TRUE(Cond) (__builtin_expect(static_cast<bool>(Cond), 1))
#define TVM_FFI_PREDICT_FALSE(Cond) (__builtin_expect(static_cast<bool>(Cond), 0))
#if defined(__clang__)
#define TVM_FFI_UNSAFE_ASSUME(Cond) __builtin_assume(static_cast<bool>(Cond))
#else
#define TVM_FFI_UNSAFE_ASSUME(Cond) \
  do {                              \
    if (!(Cond)) {                  \
      __builtin_unreachable();      \
    }                               \
  } while (0)
#endif
#endif

#define TVM_FFI_STR_CONCAT_IMPL_(A, B) A##B
/*! Pastes two tokens after expanding them. */
#define TVM_FFI_STR_CONCAT(A, B) TVM_FFI_STR_CONCAT_IMPL_(A, B)

/*!
 * Followed by `{ ... }` at namespace scope: the body runs once when the image is loaded. It may be
 * used any number of times in a file.
 *
 * An exception that leaves the body does not end the process. When libtvm_ffi is loading the image,
 * as `Module::LoadFromFile` and Python's `load_module` do, loading fails with an error that names
 * the file and the cause, and what it registered is taken back; else the error goes to stderr.
 */
#if defined(_MSC_VER)
#define TVM_FFI_STATIC_INIT_BLOCK_IMPL_(Name)                                                      \
  static void Name();                                                                              \
  static const int TVM_FFI_STR_CONCAT(Name, _run) = (::tvm::ffi::detail::RunStaticInit(&Name), 0); \
  static void Name()
#else
// Cold: start-up code is run once, so it is compiled for size.
#define TVM_FFI_STATIC_INIT_BLOCK_IMPL_(Name)                                       \
  static void Name();                                                               \
  __attribute__((constructor, cold)) static void TVM_FFI_STR_CONCAT(Name, _run)() { \
    ::tvm::ffi::detail::RunStaticInit(&Name);                                       \
  }                                                                                 \
  __attribute__((cold)) static void Name()
#endif
#define TVM_FFI_STATIC_INIT_BLOCK() \
  TVM_FFI_STATIC_INIT_BLOCK_IMPL_(TVM_FFI_STR_CONCAT(TVMFFIStaticInitBlock_, __COUNTER__))

/*! Defaulted copy and noexcept move members of a class. */
#define TVM_FFI_DEFINE_DEFAULT_COPY_MOVE_AND_ASSIGN(TypeName) \
  TypeName(const TypeName& other) = default;                  \
  TypeName(TypeName&& other) noexcept = default;              \
  TypeName& operator=(const TypeName& other) = default;       \
  TypeName& operator=(TypeName&& other) noexcept = default

/*! Surround code that must not throw: an exception is printed and ends the process with status -1.
 */
#define TVM_FFI_LOG_EXCEPTION_CALL_BEGIN() \
  try {                                    \
  (void)0
#define TVM_FFI_LOG_EXCEPTION_CALL_END(Name)                                      \
  }                                                                               \
  catch (const std::exception& err) {                                             \
    std::fprintf(stderr, "Exception caught during %s:\n%s\n", #Name, err.what()); \
    std::exit(-1);                                                                \
  }

/*! Where pointers are smaller than the payload, zeroes the payload before a pointer is stored. */
#if (defined(UINTPTR_MAX) && UINTPTR_MAX < 0xffffffffffffffffULL)
#define TVM_FFI_CLEAR_PTR_PADDING_IN_FFI_ANY(result) (result)->v_int64 = 0
#else
#define TVM_FFI_CLEAR_PTR_PADDING_IN_FFI_ANY(result) (void)0
#endif

namespace tvm {
namespace ffi {

namespace detail {}
/*! Older extensions spell the namespace this way. */
namespace details = detail;

namespace detail {

/*! Runs the body of a TVM_FFI_STATIC_INIT_BLOCK. Defined in error.h. */
inline void RunStaticInit(void (*body)());

/*! Calls `f(i, arg_i)` for each argument in order. */
template <typename F, typename... Args>
TVM_FFI_INLINE void for_each(F&& f, Args&&... args) {
  [[maybe_unused]] size_t index = 0;
  (f(index++, std::forward<Args>(args)), ...);
}

/*! Mixes a value into a hash; the same on every platform. */
TVM_FFI_INLINE constexpr uint64_t StableHashCombine(uint64_t key, uint64_t value) {
  return key ^ (value + 0x9e3779b9ULL + (key << 6) + (key >> 2));
}

inline constexpr uint64_t kStableHashModulus = 2147483647ULL;
inline constexpr uint64_t kStableHashMultiplier = 1099511628211ULL;

/*! Hash of `size` bytes, read as little-endian 64-bit words; the last word is filled with zeros. */
inline uint64_t StableHashBytes(const void* data_ptr, size_t size) {
  const char* data = static_cast<const char*>(data_ptr);
  auto load = [](const char* from, size_t count) {
    uint64_t word = 0;
    std::memcpy(&word, from, count);
    if constexpr (!TVM_FFI_LITTLE_ENDIAN) ByteSwap(&word, sizeof(word), 1);
    return word;
  };
  uint64_t hash = 0;
  for (; size >= 8; data += 8, size -= 8) {
    hash = (hash * kStableHashMultiplier + load(data, 8)) % kStableHashModulus;
  }
  if (size != 0) hash = (hash * kStableHashMultiplier + load(data, size)) % kStableHashModulus;
  return hash;
}

/*! The same hash for the content of a small string or small bytes value. */
TVM_FFI_INLINE uint64_t StableHashSmallStrBytes(const TVMFFIAny* value) {
  uint64_t word = value->v_uint64;
  if constexpr (!TVM_FFI_LITTLE_ENDIAN) ByteSwap(&word, sizeof(word), 1);
  return word % kStableHashModulus;
}

}  // namespace detail
}  // namespace ffi
}  // namespace tvm

// For RunStaticInit. The headers that error.h needs itself include it at their own end.
#if !defined(TVM_FFI_ERROR_H_) && !defined(TVM_FFI_OBJECT_H_) &&                 \
    !defined(TVM_FFI_TYPE_TRAITS_H_) && !defined(TVM_FFI_REF_COUNT_DETAIL_H_) && \
    !defined(TVM_FFI_MESSAGE_DETAIL_H_) && !defined(TVM_FFI_OBJECT_TRAITS_DETAIL_H_)
#include <tvm/ffi/error.h>
#endif

#endif  // TVM_FFI_BASE_DETAIL_H_
