// SPDX-License-Identifier: Apache-2.0
/*! \file tvm/ffi/endian.h
 *  Byte order of the target and in-place byte swapping.
 */
#ifndef TVM_FFI_ENDIAN_H_
#define TVM_FFI_ENDIAN_H_

#include <cstddef>
#include <cstdint>

/*! Byte order of serialized data. */
#ifndef TVM_FFI_IO_USE_LITTLE_ENDIAN
#define TVM_FFI_IO_USE_LITTLE_ENDIAN 1
#endif

// A cross build can state the byte order with TVM_FFI_CMAKE_LITTLE_ENDIAN.
#ifndef TVM_FFI_LITTLE_ENDIAN
#if defined(TVM_FFI_CMAKE_LITTLE_ENDIAN)
#define TVM_FFI_LITTLE_ENDIAN TVM_FFI_CMAKE_LITTLE_ENDIAN
#elif defined(__BYTE_ORDER__) && defined(__ORDER_LITTLE_ENDIAN__)
#define TVM_FFI_LITTLE_ENDIAN (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
#else
#define TVM_FFI_LITTLE_ENDIAN 1
#endif
#endif

/*! True when serialized data has the byte order of the target. */
#define TVM_FFI_IO_NO_ENDIAN_SWAP (TVM_FFI_LITTLE_ENDIAN == TVM_FFI_IO_USE_LITTLE_ENDIAN)

namespace tvm {
namespace ffi {

/*!
 * \brief Reverses the bytes of each element in place.
 * \param data First element.
 * \param elem_bytes Size of one element in bytes.
 * \param num_elems Number of elements.
 */
inline void ByteSwap(void* data, size_t elem_bytes, size_t num_elems) {
  uint8_t* elem = static_cast<uint8_t*>(data);
  for (size_t i = 0; i < num_elems; ++i, elem += elem_bytes) {
    for (size_t lo = 0, hi = elem_bytes; lo + 1 < hi; ++lo) {
      --hi;
      uint8_t byte = elem[lo];
      elem[lo] = elem[hi];
      elem[hi] = byte;
    }
  }
}

}  // namespace ffi
}  // namespace tvm
#endif  // TVM_FFI_ENDIAN_H_
