// SPDX-License-Identifier: Apache-2.0
/*!
 * \file c_arguments.h
 * \brief Checks of what callers of the C functions pass. A null pointer becomes an error that names
 * function and argument.
 */
#ifndef TVM_FFI_SRC_C_ARGUMENTS_H_
#define TVM_FFI_SRC_C_ARGUMENTS_H_

#include <tvm/ffi/base_detail.h>
#include <tvm/ffi/c_api.h>
#include <tvm/ffi/error.h>

#include <string_view>

namespace tvm {
namespace ffi {

[[noreturn]] TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline void ThrowNullArgument(
    const char* function, const char* argument) {
  TVM_FFI_THROW(ValueError) << function << ": the argument `" << argument << "` is null";
  TVM_FFI_UNREACHABLE();
}

/*! \brief The text of an argument, which may be empty but not null. */
inline std::string_view TextArgument(const TVMFFIByteArray* text, const char* function,
                                     const char* argument) {
  if (text == nullptr) ThrowNullArgument(function, argument);
  if (text->data == nullptr && text->size != 0) {
    TVM_FFI_THROW(ValueError) << function << ": the argument `" << argument << "` has "
                              << text->size << " bytes, but its data is null";
  }
  return {text->data, text->size};
}

}  // namespace ffi
}  // namespace tvm

/*! \brief Throws ValueError when a pointer argument of the enclosing function is null. */
#define TVM_FFI_REQUIRE_ARGUMENT(argument)                \
  do {                                                    \
    if (TVM_FFI_PREDICT_FALSE((argument) == nullptr)) {   \
      ::tvm::ffi::ThrowNullArgument(__func__, #argument); \
    }                                                     \
  } while (false)

/*! \brief The text of a TVMFFIByteArray argument of the enclosing function. */
#define TVM_FFI_TEXT_ARGUMENT(argument) ::tvm::ffi::TextArgument(argument, __func__, #argument)

#endif  // TVM_FFI_SRC_C_ARGUMENTS_H_
