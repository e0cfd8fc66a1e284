// SPDX-License-Identifier: Apache-2.0
/*!
 * \file thread_owned.h
 * \brief Values of one thread that may be used until its very end.
 */
#ifndef TVM_FFI_SRC_THREAD_OWNED_H_
#define TVM_FFI_SRC_THREAD_OWNED_H_

namespace tvm {
namespace ffi {

/*!
 * \brief The value of type `T` of the calling thread, made on first use. One for each `T`.
 *
 * A plain `thread_local` dies before the last code of its thread has run: destructors of other
 * thread-local or static objects may still raise errors. Here they get a new value, which stays.
 */
template <typename T>
T& ThreadOwned() {
  thread_local T* value = nullptr;  // readable at all times, as it has no destructor
  if (value == nullptr) {
    struct Owner {
      ~Owner() {
        T* last = value;
        value = nullptr;  // first: the destructor may ask for a value
        delete last;
      }
    };
    value = new T();
    thread_local Owner owner;  // made once for a thread
    static_cast<void>(owner);
  }
  return *value;
}

}  // namespace ffi
}  // namespace tvm

#endif  // TVM_FFI_SRC_THREAD_OWNED_H_
