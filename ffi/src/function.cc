// SPDX-License-Identifier: Apache-2.0
/*!
 * \file function.cc
 * \brief Functions made from a C pointer, and the C entry that calls any function.
 */
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/memory.h>

#include "c_arguments.h"

namespace tvm {
namespace ffi {
// In `detail`: stack traces leave out what lies between two user functions.
namespace detail {

// Calls `call(self, ...)`. Without self and deleter the C pointer itself is the object's safe_call
// and receives the object.
class ExternFunctionObj : public FunctionObj {
 public:
  ExternFunctionObj(void* self, TVMFFISafeCallType call, void (*deleter)(void*))
      : self_(self), call_(call), deleter_(deleter) {
    safe_call = self == nullptr && deleter == nullptr ? call : Forward;
    cpp_call = nullptr;
  }
  ~ExternFunctionObj() {
    if (deleter_ != nullptr) deleter_(self_);
  }

 private:
  static int Forward(void* handle, const TVMFFIAny* args, int32_t num_args, TVMFFIAny* result) {
    auto* object = static_cast<ExternFunctionObj*>(static_cast<Object*>(handle));
    return object->call_(object->self_, args, num_args, result);
  }

  void* self_;
  TVMFFISafeCallType call_;
  void (*deleter_)(void*);
};

}  // namespace detail

namespace {

TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE int RejectCall(TVMFFIObjectHandle func, const TVMFFIAny* args,
                                                   int32_t num_args) {
  TVM_FFI_SAFE_CALL_BEGIN();
  if (func == nullptr) TVM_FFI_THROW(ValueError) << "Cannot call a null function";
  if (TVMFFIObjectGetTypeIndex(func) != kTVMFFIFunction) {
    TVM_FFI_THROW(TypeError) << "Cannot call an object of type `"
                             << TypeIndexToTypeKey(TVMFFIObjectGetTypeIndex(func))
                             << "`: it is not a `ffi.Function`";
  }
  if (num_args < 0) {
    TVM_FFI_THROW(ValueError) << "Cannot call a function with " << num_args << " arguments";
  }
  if (args == nullptr && num_args != 0) ThrowNullArgument("TVMFFIFunctionCall", "args");
  ThrowNullArgument("TVMFFIFunctionCall", "result");
  TVM_FFI_SAFE_CALL_END();
}

}  // namespace
}  // namespace ffi
}  // namespace tvm

int TVMFFIFunctionCreate(void* self, TVMFFISafeCallType safe_call, void (*deleter)(void* self),
                         TVMFFIObjectHandle* out) {
  namespace ffi = tvm::ffi;
  TVM_FFI_SAFE_CALL_BEGIN();
  if (safe_call == nullptr) {
    TVM_FFI_THROW(ValueError) << "A function needs a non-NULL safe_call";
  }
  TVM_FFI_REQUIRE_ARGUMENT(out);
  *out = ffi::detail::ObjectUnsafe::MoveObjectPtrToTVMFFIObjectPtr(
      ffi::make_object<ffi::detail::ExternFunctionObj>(self, safe_call, deleter));
  TVM_FFI_SAFE_CALL_END();
}

int TVMFFIFunctionCall(TVMFFIObjectHandle func, TVMFFIAny* args, int32_t num_args,
                       TVMFFIAny* result) {
  const bool is_function = func != nullptr && TVMFFIObjectGetTypeIndex(func) == kTVMFFIFunction;
  const bool has_arguments = (args != nullptr && num_args >= 0) || num_args == 0;
  if (TVM_FFI_PREDICT_FALSE(!is_function || !has_arguments || result == nullptr)) {
    return tvm::ffi::RejectCall(func, args, num_args);
  }
  int code = TVMFFIFunctionGetCellPtr(func)->safe_call(func, args, num_args, result);
#if defined(__GNUC__)
  // Not a tail call: stack traces recognise the language boundary by this frame.
  asm volatile("" : "+r"(code));
#endif
  return code;
}
