// SPDX-License-Identifier: Apache-2.0
/*!
 * \file c_call.h
 * \brief Shorthand for tests of the C functions.
 */
#ifndef TVM_FFI_TESTS_CPP_C_CALL_H_
#define TVM_FFI_TESTS_CPP_C_CALL_H_

#include <tvm/ffi/c_api.h>

#include <cstring>
#include <string>

inline TVMFFIByteArray Bytes(const char* text) { return {text, std::strlen(text)}; }
inline TVMFFIByteArray Bytes(const std::string& text) { return {text.data(), text.size()}; }
inline std::string Text(const TVMFFIByteArray& bytes) {
  return bytes.size == 0 ? std::string() : std::string(bytes.data, bytes.size);
}

/*! \brief Text of a string value in either form. */
inline std::string TextOf(const TVMFFIAny& value) {
  if (value.type_index == kTVMFFISmallStr || value.type_index == kTVMFFISmallBytes) {
    return Text(TVMFFISmallBytesGetContentByteArray(&value));
  }
  return Text(*TVMFFIBytesGetByteArrayPtr(value.v_obj));
}

inline void Release(TVMFFIAny* value) {
  if (value->type_index >= kTVMFFIStaticObjectBegin) TVMFFIObjectDecRef(value->v_obj);
  *value = TVMFFIAny{};
}

/*! \brief Takes the pending error; "KIND: MESSAGE", or "" when there is none. */
inline std::string TakeError() {
  TVMFFIObjectHandle error = nullptr;
  TVMFFIErrorMoveFromRaised(&error);
  if (error == nullptr) return "";
  const TVMFFIErrorCell* cell = TVMFFIErrorGetCellPtr(error);
  std::string text = Text(cell->kind) + ": " + Text(cell->message);
  TVMFFIObjectDecRef(error);
  return text;
}

/*! \brief Strong count of an object. */
inline uint32_t StrongCount(TVMFFIObjectHandle object) {
  return static_cast<uint32_t>(static_cast<TVMFFIObject*>(object)->combined_ref_count);
}

#endif  // TVM_FFI_TESTS_CPP_C_CALL_H_
