// SPDX-License-Identifier: Apache-2.0
// Raising, catching, cleaning up and passing on, with an account that may be overdrawn.
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/reflection/registry.h>

#include <stdexcept>
#include <string>

namespace ffi = tvm::ffi;

namespace {

int64_t open_handles = 0;

// Whatever leaves the scope, the handle is closed: exceptions of other languages unwind C++ as
// usual.
class Handle {
 public:
  Handle() { ++open_handles; }
  ~Handle() { --open_handles; }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
};

int64_t Withdraw(int64_t balance, int64_t amount) {
  // The message is put together only when the check fails.
  TVM_FFI_CHECK_GE(amount, 0, ValueError) << "an amount is never negative";
  if (amount > balance) {
    // The kind is any name. Python makes of it what is registered for the name, or a RuntimeError.
    TVM_FFI_THROW(OverdrawnError) << amount - balance << " short";
  }
  return balance - amount;
}

// Calls back while a resource is held.
ffi::Any WithHandle(const ffi::Function& body) {
  Handle handle;
  return body(open_handles);
}

// Catches errors of a callback by kind, and lets the others through.
ffi::Any Retry(const ffi::Function& body, int64_t attempts) {
  for (int64_t i = 1;; ++i) {
    try {
      return body(i);
    } catch (const ffi::Error& error) {
      if (error.kind() != "ConnectionError" || i == attempts) throw;
    }
  }
}

// What only C++ knows about is translated: the text of the original is in the new one.
int64_t ParsePort(const ffi::String& text) {
  try {
    return std::stoi(std::string(text));
  } catch (const std::logic_error& error) {
    TVM_FFI_THROW(ValueError) << "`" << text << "` is not a port (" << error.what() << ")";
  }
}

// An exception that is not an ffi::Error arrives too.
void OutOfRange() { throw std::out_of_range("past the end"); }

// Errors as values: nothing is thrown; the caller gets the number or the error, and looks which.
ffi::Expected<int64_t> CheckedDivide(int64_t a, int64_t b) {
  TVM_FFI_RET_CHECK(b != 0, ZeroDivisionError) << "can't divide " << a << " by zero";
  return a / b;
}

// Collects the outcome of several actions instead of stopping at the first error.
ffi::Array<ffi::String> Outcomes(const ffi::Array<ffi::Function>& actions) {
  ffi::Array<ffi::String> texts;
  for (const ffi::Function& action : actions) {
    ffi::Expected<ffi::Any> result = action.CallExpected();
    texts.push_back(result.is_ok() ? std::string("ok") : result.error().kind());
  }
  return texts;
}

TVM_FFI_STATIC_INIT_BLOCK() {
  namespace refl = tvm::ffi::reflection;
  refl::GlobalDef()
      .def("errors.withdraw", Withdraw)
      .def("errors.with_handle", WithHandle)
      .def("errors.open_handles", [] { return open_handles; })
      .def("errors.retry", Retry)
      .def("errors.parse_port", ParsePort)
      .def("errors.out_of_range", OutOfRange)
      .def("errors.checked_divide", CheckedDivide)
      .def("errors.outcomes", Outcomes);
}

}  // namespace
