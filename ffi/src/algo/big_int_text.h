// SPDX-License-Identifier: Apache-2.0
/// \file big_int_text.h
/// \brief Decimal text, order and JSON form of BigInt values given as two's-complement words.
#ifndef TVM_FFI_SRC_ALGO_BIG_INT_TEXT_H_
#define TVM_FFI_SRC_ALGO_BIG_INT_TEXT_H_

#include <tvm/ffi/any.h>

#include <string>
#include <string_view>

namespace tvm {
namespace ffi {
namespace algo {

/// Decimal text of little-endian 64-bit words in two's complement (8 bytes a word, as
/// TVMFFIBigIntGetContentByteArray gives them). Takes time in the square of the word count.
std::string BigIntText(std::string_view words);

/// Value of `-?[0-9]+`: an Int when it fits, else a BigInt. ValueError `Invalid decimal string for
/// ffi.BigInt` otherwise.
Any BigIntFromText(std::string_view text);

/// -1, 0 or 1 for the numeric order of two values given as words.
int CompareBigIntWords(std::string_view a, std::string_view b);

}  // namespace algo
}  // namespace ffi
}  // namespace tvm
#endif  // TVM_FFI_SRC_ALGO_BIG_INT_TEXT_H_
