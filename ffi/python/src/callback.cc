// SPDX-License-Identifier: Apache-2.0
// Calls from native code into Python: functions made from callables, and opaque Python objects.
#include <memory>
#include <new>

#include "error.h"
#include "function.h"
#include "result.h"

namespace tvm::ffi::detail::python {

namespace {

// A native function of our own layout: the cycle collector can look into it (native_walk.cc), which
// a function made by TVMFFIFunctionCreate hides.
struct CallbackObject {
  TVMFFIObject header;
  TVMFFIFunctionCell cell;
  PyObject* callable;  // owned
  const DLPackExchangeAPI* exchange;
};

void ReleasePython(void* value) {
  GilScope gil;
  if (gil.ok()) Py_DECREF(static_cast<PyObject*>(value));
}

void DeleteCallback(void* self, int flags) {
  auto* callback = static_cast<CallbackObject*>(self);
  if (flags & kTVMFFIObjectDeleterFlagBitMaskStrong) ReleasePython(callback->callable);
  if (flags & kTVMFFIObjectDeleterFlagBitMaskWeak) ::operator delete(callback);
}

// Keeps an exception that was pending before the callback, such as an interrupt that native code
// has noticed already, away from the Python code that runs now.
class PendingException {
 public:
  PendingException() {
    if (PyErr_Occurred()) PyErr_Fetch(&type_, &value_, &traceback_);
  }
  ~PendingException() {
    if (type_ != nullptr) PyErr_Restore(type_, value_, traceback_);
  }

 private:
  PyObject *type_ = nullptr, *value_ = nullptr, *traceback_ = nullptr;
};

bool ReturnValue(PyObject* value, TVMFFIAny* result) {
  ArgScope scope;
  TVMFFIAny view;
  if (!Convert(value, &view, &scope)) return false;
  if (view.type_index >= kTVMFFIStaticObjectBegin) {
    IncRefNative(view.v_obj);
  } else if (view.type_index >= kTVMFFIRawStr && view.type_index <= kTVMFFIObjectRValueRef) {
    if (TVMFFIAnyViewToOwnedAny(&view, result) != 0) {
      RaiseFor(-1);
      return false;
    }
    return true;
  }
  *result = view;
  return true;
}

// An array over the memory of a view can't be taken back. False when the warning is an error.
bool WarnOfExports() {
  const char* text =
      "an array made from a tensor view outlives the callback that got the view; its memory may be "
      "freed or reused from now on, so copy what is to be kept";
  if (PyErr_WarnEx(PyExc_RuntimeWarning, text, 1) == 0) return true;
  SetSlotFromPython();
  PyErr_Clear();
  return false;
}

bool CallPython(const CallbackObject* self, const TVMFFIAny* args, int32_t num_args,
                TVMFFIAny* result) {
  constexpr int32_t kInline = 8;
  PyObject* inline_values[kInline + 1];
  std::unique_ptr<PyObject*[]> more;
  PyObject** values = inline_values;
  if (num_args > kInline) {
    more.reset(new (std::nothrow) PyObject*[static_cast<size_t>(num_args) + 1]);
    if (!more) {
      PyErr_NoMemory();
      return false;
    }
    values = more.get();
  }
  // Slot 0 is free for the callee (PY_VECTORCALL_ARGUMENTS_OFFSET).
  ++values;
  int32_t made = 0;
  PyRef callable = PyRef::Borrow(self->callable);
  PyRef value;
  for (; made < num_args; ++made) {
    values[made] = ResultOfView(args[made], self->exchange);
    if (values[made] == nullptr) break;
  }
  if (made == num_args) {
    ShutdownBarrier barrier;
    value = PyRef(PyObject_Vectorcall(
        callable.get(), values, static_cast<size_t>(num_args) | PY_VECTORCALL_ARGUMENTS_OFFSET,
        nullptr));
    barrier.Pass();
  }
  bool ok = value && ReturnValue(value.get(), result);
  if (!ok) {
    SetSlotFromPython();
    PyErr_Clear();
  }
  while (made > 0) {
    PyObject* argument = values[--made];
    if (args[made].type_index == kTVMFFIDLTensorPtr && Py_REFCNT(argument) > 1 &&
        PyObject_TypeCheck(argument, rt.tensor)) {
      // The view ends with the call; whoever kept the wrapper gets an error, not freed memory.
      auto* tensor = reinterpret_cast<TensorPy*>(argument);
      tensor->view = nullptr;
      if (__atomic_load_n(&tensor->exports, __ATOMIC_RELAXED) != 0 && ok && !WarnOfExports()) {
        DecRefAny(std::exchange(*result, TVMFFIAny{}));
        ok = false;
      }
    }
    Py_DECREF(argument);
  }
  return ok;
}

int CallbackSafeCall(void* handle, const TVMFFIAny* args, int32_t num_args, TVMFFIAny* result) {
  GilScope gil;
  if (!gil.ok()) {
    TVMFFIErrorSetRaisedFromCStr("RuntimeError",
                                 "a Python function was called after the interpreter shut down");
    return -1;
  }
  PendingException pending;
  return CallPython(static_cast<const CallbackObject*>(handle), args, num_args, result) ? 0 : -1;
}

}  // namespace

TVMFFIObject* MakeCallback(PyObject* callable, const DLPackExchangeAPI* exchange) {
  void* memory = ::operator new(sizeof(CallbackObject), std::nothrow);
  if (memory == nullptr) {
    PyErr_NoMemory();
    return nullptr;
  }
  auto* callback = new (memory) CallbackObject{};
  callback->header.combined_ref_count = (uint64_t{1} << 32) + 1;
  callback->header.type_index = kTVMFFIFunction;
  callback->header.deleter = DeleteCallback;
  callback->cell.safe_call = CallbackSafeCall;
  callback->callable = Py_NewRef(callable);
  callback->exchange = exchange;
  return &callback->header;
}

PyObject* CallableOf(const TVMFFIObject* function) {
  auto* callback = reinterpret_cast<const CallbackObject*>(function);
  return callback->cell.safe_call == CallbackSafeCall ? callback->callable : nullptr;
}

TVMFFIObject* MakeOpaque(PyObject* value) {
  TVMFFIObjectHandle out = nullptr;
  Py_INCREF(value);
  if (TVMFFIObjectCreateOpaque(value, kTVMFFIOpaquePyObject, ReleasePython, &out) != 0) {
    Py_DECREF(value);
    RaiseFor(-1);
    return nullptr;
  }
  return static_cast<TVMFFIObject*>(out);
}

}  // namespace tvm::ffi::detail::python
