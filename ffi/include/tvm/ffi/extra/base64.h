// SPDX-License-Identifier: Apache-2.0
/*! \file tvm/ffi/extra/base64.h
 *  Base64 with the standard alphabet and padding.
 */
#ifndef TVM_FFI_EXTRA_BASE64_H_
#define TVM_FFI_EXTRA_BASE64_H_

#include <tvm/ffi/error.h>
#include <tvm/ffi/string.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace tvm {
namespace ffi {

/*! \brief Text of the bytes; four characters for each started group of three bytes. */
inline String Base64Encode(TVMFFIByteArray bytes) {
  constexpr const char* kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size; i += 3) {
    const size_t count = bytes.size - i < 3 ? bytes.size - i : 3;
    uint32_t group = 0;
    for (size_t k = 0; k < 3; ++k) {
      group = group << 8 | (k < count ? static_cast<uint8_t>(bytes.data[i + k]) : 0u);
    }
    for (size_t k = 0; k < 4; ++k) {
      text.push_back(k <= count ? kAlphabet[(group >> (18 - 6 * k)) & 63] : '=');
    }
  }
  return String(std::move(text));
}

inline String Base64Encode(const Bytes& bytes) {
  return Base64Encode(TVMFFIByteArray{bytes.data(), bytes.size()});
}

/*! \brief Bytes of the text. Anything but whole, correctly padded groups is InternalError. */
inline Bytes Base64Decode(TVMFFIByteArray text) {
  auto value_of = [](char ch) -> int {
    if (ch >= 'A' && ch <= 'Z') return ch - 'A';
    if (ch >= 'a' && ch <= 'z') return ch - 'a' + 26;
    if (ch >= '0' && ch <= '9') return ch - '0' + 52;
    return ch == '+' ? 62 : ch == '/' ? 63 : -1;
  };
  TVM_FFI_ICHECK(text.size % 4 == 0) << "invalid base64 encoding";
  std::string bytes;
  bytes.reserve(text.size / 4 * 3);
  for (size_t i = 0; i < text.size; i += 4) {
    const bool last = i + 4 == text.size;
    size_t padding = 0;
    if (last && text.data[i + 3] == '=') padding = text.data[i + 2] == '=' ? 2 : 1;
    uint32_t group = 0;
    for (size_t k = 0; k < 4; ++k) {
      const int value = k < 4 - padding ? value_of(text.data[i + k]) : 0;
      TVM_FFI_ICHECK(value >= 0) << "invalid base64 encoding";
      group = group << 6 | static_cast<uint32_t>(value);
    }
    for (size_t k = 0; k < 3 - padding; ++k) {
      bytes.push_back(static_cast<char>((group >> (16 - 8 * k)) & 255));
    }
  }
  return Bytes(std::move(bytes));
}

inline Bytes Base64Decode(const String& text) {
  return Base64Decode(TVMFFIByteArray{text.data(), text.size()});
}

}  // namespace ffi
}  // namespace tvm
#endif  // TVM_FFI_EXTRA_BASE64_H_
