// SPDX-License-Identifier: Apache-2.0
/*!
 * \file thread_owned.h
 * \brief Values of one thread that may be used until its very end.
 */
#ifndef TVM_FFI_SRC_THREAD_OWNED_H_
#define TVM_FFI_SRC_THREAD_OWNED_H_

#if !defined(_WIN32)
// Of the C++ ABI: calls `function(value)` when the calling thread ends, also if it is ending.
extern "C" int __cxa_thread_atexit(void (*function)(void*), void* value, void* library) noexcept;
extern "C" void* __dso_handle;
#endif

namespace tvm {
namespace ffi {

/*!
 * \brief The value of type `T` of the calling thread, made on first use. One for each `T`.
 *
 * A plain `thread_local` dies before the last code of its thread has run: destructors of other
 * thread-local or static objects may still raise errors. Here they get a new value.
 */
template <typename T>
T& ThreadOwned() {
  thread_local T* value = nullptr;  // readable at all times, as it has no destructor
  if (value == nullptr) {
    struct Owner {
      static void End(void*) {
        T* last = value;
        value = nullptr;  // first: the destructor may ask for a value
        delete last;
      }
      ~Owner() { End(nullptr); }
    };
    value = new T();
#if defined(_WIN32)
    thread_local Owner owner;  // for the first value; later ones stay
    static_cast<void>(owner);
#else
    __cxa_thread_atexit(&Owner::End, nullptr, &__dso_handle);
#endif
  }
  return *value;
}

}  // namespace ffi
}  // namespace tvm

#endif  // TVM_FFI_SRC_THREAD_OWNED_H_
