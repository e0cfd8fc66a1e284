// SPDX-License-Identifier: Apache-2.0
/*!
 * \file thread_owned.h
 * \brief Values of one thread that may be used until its very end.
 */
#ifndef TVM_FFI_SRC_THREAD_OWNED_H_
#define TVM_FFI_SRC_THREAD_OWNED_H_

#if !defined(_WIN32)
#include <pthread.h>

#include <optional>
#endif

namespace tvm {
namespace ffi {

/*!
 * \brief Calls `end(value)` when the calling thread ends, after the destructors of its
 * `thread_local` variables. One value for each `end`; the main thread may end without the call.
 *
 * Needs no lock of the dynamic loader, which a `thread_local` with a destructor takes in each
 * thread: a library that waits for a thread in its initialiser would wait for ever. This library
 * stays mapped instead (thread_owned.cc).
 */
template <void (*end)(void*)>
void CallAtThreadEnd(void* value) {
#if defined(_WIN32)
  struct Owner {
    void* value = nullptr;
    ~Owner() { end(value); }
  };
  thread_local Owner owner;
  owner.value = value;
#else
  // Without a key, all being taken, the value is not released.
  static const std::optional<pthread_key_t> key = []() -> std::optional<pthread_key_t> {
    pthread_key_t made;
    if (pthread_key_create(&made, end) != 0) return std::nullopt;
    return made;
  }();
  if (key.has_value()) pthread_setspecific(*key, value);
#endif
}

template <typename T>
struct ThreadValue {
  static constinit inline thread_local T* value = nullptr;

  static void End(void*) {
    T* last = value;
    value = nullptr;  // first: the destructor may ask for a value
    delete last;
  }
};

/*!
 * \brief The value of type `T` of the calling thread, made on first use. One for each `T`.
 *
 * A plain `thread_local` dies before the last code of its thread has run: destructors of other
 * thread-local or static objects may still raise errors. Here they get a new value.
 */
template <typename T>
T& ThreadOwned() {
  T*& value = ThreadValue<T>::value;
  if (value == nullptr) {
    value = new T();
    CallAtThreadEnd<&ThreadValue<T>::End>(value);
  }
  return *value;
}

}  // namespace ffi
}  // namespace tvm

#endif  // TVM_FFI_SRC_THREAD_OWNED_H_
