// SPDX-License-Identifier: Apache-2.0
// Native objects that running code uses while only a wrapper owns them.
//
// Arguments of a call are borrowed: the caller keeps the wrappers, and they keep the objects. But a
// wrapper may lose its object before the call is over, when the conversion of another argument, a
// callback or another thread initialises the wrapper anew or moves its object away. So code that
// borrows says so with a Borrow, and what a wrapper loses stays while somebody borrows it.
#ifndef TVM_FFI_PYTHON_BORROW_H_
#define TVM_FFI_PYTHON_BORROW_H_

#include "object.h"

namespace tvm::ffi::detail::python {

#ifdef Py_GIL_DISABLED

// Threads would have to tell each other of every call. Instead nothing that a wrapper loses is
// freed before the wrapper is.
class Borrow {
 public:
  Borrow(const TVMFFIAny*, Py_ssize_t) {}
  void Extend(Py_ssize_t) {}
  void Set(const TVMFFIAny*, Py_ssize_t) {}
};

#else

// Tells that the objects among some values are borrowed. Made and ended under the GIL.
class Borrow {
 public:
  Borrow(const TVMFFIAny* values, Py_ssize_t count)
      : Borrow(values, count, running_.next_, &running_) {
    next_->previous_ = this;
    running_.next_ = this;
  }
  ~Borrow() {
    previous_->next_ = next_;
    next_->previous_ = previous_;
    if (lost_ != nullptr) [[unlikely]]
      ReleaseLost();
  }
  Borrow(const Borrow&) = delete;
  Borrow& operator=(const Borrow&) = delete;

  // More of the values are valid now.
  void Extend(Py_ssize_t count) { count_ = count; }
  void Set(const TVMFFIAny* values, Py_ssize_t count) {
    values_ = values;
    count_ = count;
  }

  // Gives everybody who borrows an object a reference of their own, which ends with the Borrow.
  static void Keep(TVMFFIObject* object);

 private:
  struct Lost {
    TVMFFIObject* object;  // owned
    Lost* next;
  };
  bool Mentions(const TVMFFIObject* object) const;
  void ReleaseLost();

  Borrow(const TVMFFIAny* values, Py_ssize_t count, Borrow* next, Borrow* previous)
      : next_(next), previous_(previous), values_(values), count_(count) {}

  Borrow* next_;
  Borrow* previous_;
  const TVMFFIAny* values_;
  Py_ssize_t count_;
  Lost* lost_ = nullptr;   // what wrappers have lost meanwhile
  static Borrow running_;  // head of the ring of all that run, in any thread
};

#endif

// Gives up `owned`, which the wrapper has lost, as soon as nobody can have borrowed it from there.
void GiveUp(PyObject* wrapper, TVMFFIObject* owned);

// Puts `owned`, which may be NULL, into a wrapper and returns what was there.
inline TVMFFIObject* ExchangeHandle(PyObject* wrapper, TVMFFIObject* owned) {
#ifdef Py_GIL_DISABLED
  return __atomic_exchange_n(&AsObject(wrapper)->handle, owned, __ATOMIC_ACQ_REL);
#else
  return std::exchange(AsObject(wrapper)->handle, owned);
#endif
}

// Puts `owned`, which may be NULL, into a wrapper and gives up what was there.
inline void ReplaceHandle(PyObject* wrapper, TVMFFIObject* owned) {
  TVMFFIObject* old = ExchangeHandle(wrapper, owned);
  if (old != nullptr) GiveUp(wrapper, old);
}

// Takes the object out of a wrapper and leaves that empty. Whoever may have borrowed it gets a
// reference of their own. NULL when the wrapper was empty.
TVMFFIObject* TakeHandle(PyObject* wrapper);

}  // namespace tvm::ffi::detail::python

#endif  // TVM_FFI_PYTHON_BORROW_H_
