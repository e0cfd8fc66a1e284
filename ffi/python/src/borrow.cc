// SPDX-License-Identifier: Apache-2.0
#include "borrow.h"

#include <new>

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

// Lets those who may have borrowed an object from the wrapper, which has lost it, keep it.
void KeepForBorrowers(PyObject* wrapper, TVMFFIObject* object) {
#ifndef Py_GIL_DISABLED
  // A call does not tell that it borrows its function.
  if (!PyObject_TypeCheck(wrapper, rt.function)) return Borrow::Keep(object);
#endif
  IncRefNative(object);
  KeepForWrapper(wrapper, object);
}

}  // namespace

#ifndef Py_GIL_DISABLED

Borrow Borrow::running_(nullptr, 0, &Borrow::running_, &Borrow::running_);

bool Borrow::Mentions(const TVMFFIObject* object) const {
  for (Py_ssize_t i = 0; i < count_; ++i) {
    if (values_[i].type_index >= kTVMFFIStaticObjectBegin && values_[i].v_obj == object) {
      return true;
    }
  }
  return false;
}

void Borrow::Keep(TVMFFIObject* object) {
  for (Borrow* borrow = running_.next_; borrow != &running_; borrow = borrow->next_) {
    if (!borrow->Mentions(object)) continue;
    IncRefNative(object);
    // Without memory to remember it, the object stays for ever.
    if (auto* lost = new (std::nothrow) Lost{object, borrow->lost_}) borrow->lost_ = lost;
  }
}

void Borrow::ReleaseLost() {
  // Ends of objects run Python code, which may clear or replace a pending exception.
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  while (Lost* lost = lost_) {
    lost_ = lost->next;
    DecRefNative(lost->object);
    delete lost;
  }
  PyErr_Restore(type, value, traceback);
}

#endif

void GiveUp(PyObject* wrapper, TVMFFIObject* owned) {
  KeepForBorrowers(wrapper, owned);
  DecRefNative(owned);
}

TVMFFIObject* TakeHandle(PyObject* wrapper) {
  TVMFFIObject* taken = ExchangeHandle(wrapper, nullptr);
  if (taken != nullptr) KeepForBorrowers(wrapper, taken);
  return taken;
}

}  // namespace tvm::ffi::detail::python
