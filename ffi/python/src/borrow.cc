// SPDX-License-Identifier: Apache-2.0
#include "borrow.h"

namespace tvm::ffi::detail::python {

namespace {

constexpr const char* kCapsuleName = "tvm_ffi.lost_object";

void ReleaseLost(PyObject* capsule) {
  DecRefNative(static_cast<TVMFFIObject*>(PyCapsule_GetPointer(capsule, kCapsuleName)));
}

// Called when the wrapper is gone: `capsule`, the self of this function, goes with its last
// reference, that of the weak reference's callback.
PyObject* WrapperGone(PyObject* capsule, PyObject* watch) {
  (void)capsule;
  Py_DECREF(watch);
  Py_RETURN_NONE;
}

// Keeps `owned` until the wrapper is gone. It leaks when there is no memory to remember it.
void KeepForWrapper(PyObject* wrapper, TVMFFIObject* owned) {
  static PyMethodDef gone_def = {"wrapper_gone", WrapperGone, METH_O, nullptr};
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyRef capsule(PyCapsule_New(owned, kCapsuleName, ReleaseLost));
  PyRef callback(capsule ? PyCFunction_New(&gone_def, capsule.get()) : nullptr);
  // This reference is given up in the callback.
  PyObject* watch = callback ? PyWeakref_NewRef(wrapper, callback.get()) : nullptr;
  if (watch == nullptr && capsule) PyCapsule_SetDestructor(capsule.get(), nullptr);
  PyErr_Restore(type, value, traceback);
}

bool MayBeBorrowed(PyObject* wrapper, TVMFFIObject* owned) {
#ifdef Py_GIL_DISABLED
  (void)wrapper, (void)owned;
  return true;
#else
  // A call does not tell that it borrows its function.
  return PyObject_TypeCheck(wrapper, rt.function) || Borrow::Exists(owned);
#endif
}

}  // namespace

#ifndef Py_GIL_DISABLED

Borrow Borrow::running_(nullptr, 0, &Borrow::running_, &Borrow::running_);

bool Borrow::Exists(const TVMFFIObject* object) {
  for (const Borrow* borrow = running_.next_; borrow != &running_; borrow = borrow->next_) {
    for (Py_ssize_t i = 0; i < borrow->count_; ++i) {
      const TVMFFIAny& value = borrow->values_[i];
      if (value.type_index >= kTVMFFIStaticObjectBegin && value.v_obj == object) return true;
    }
  }
  return false;
}

#endif

void GiveUp(PyObject* wrapper, TVMFFIObject* owned) {
  if (MayBeBorrowed(wrapper, owned)) {
    KeepForWrapper(wrapper, owned);
  } else {
    DecRefNative(owned);
  }
}

TVMFFIObject* TakeHandle(PyObject* wrapper) {
#ifdef Py_GIL_DISABLED
  TVMFFIObject* taken = __atomic_exchange_n(&AsObject(wrapper)->handle, nullptr, __ATOMIC_ACQ_REL);
#else
  TVMFFIObject* taken = std::exchange(AsObject(wrapper)->handle, nullptr);
#endif
  if (taken != nullptr && MayBeBorrowed(wrapper, taken)) {
    IncRefNative(taken);
    KeepForWrapper(wrapper, taken);
  }
  return taken;
}

}  // namespace tvm::ffi::detail::python
