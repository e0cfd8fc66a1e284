// SPDX-License-Identifier: Apache-2.0
/*!
 * \file input.h
 * \brief Takes the bytes of a fuzz input apart. A used up input gives zeros, so every input is
 * whole.
 */
#ifndef TVM_FFI_FUZZ_INPUT_H_
#define TVM_FFI_FUZZ_INPUT_H_

#include <tvm/ffi/error.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace fuzz {

class Input {
 public:
  Input(const uint8_t* data, size_t size) : data_(data), size_(size) {}

  bool AtEnd() const { return size_ == 0; }

  template <typename T>
  T Take() {
    T value{};
    const size_t count = std::min(sizeof(T), size_);
    if (count != 0) std::memcpy(&value, data_, count);
    Skip(count);
    return value;
  }

  uint8_t Byte() { return Take<uint8_t>(); }

  /*! \brief A number below `bound`, which is at least 1. */
  size_t Below(size_t bound) { return (bound <= 256 ? Byte() : Take<uint32_t>()) % bound; }

  /*! \brief At most `limit` bytes. */
  std::string Text(size_t limit) {
    const size_t count = std::min(std::min<size_t>(Byte(), limit), size_);
    std::string text(reinterpret_cast<const char*>(data_), count);
    Skip(count);
    return text;
  }

 private:
  void Skip(size_t count) {
    data_ += count;
    size_ -= count;
  }

  const uint8_t* data_;
  size_t size_;
};

/*! \brief Ends the process when a rule that holds for every input is broken. */
inline void Require(bool holds, const char* rule) {
  if (holds) return;
  std::fprintf(stderr, "broken: %s\n", rule);
  std::abort();
}

/*! \brief Runs `body`; an Error, which bad input may raise, is fine. Returns whether none came. */
template <typename Body>
bool Succeeds(Body&& body) {
  try {
    body();
    return true;
  } catch (const tvm::ffi::Error&) {
    return false;
  }
}

}  // namespace fuzz

#endif  // TVM_FFI_FUZZ_INPUT_H_
