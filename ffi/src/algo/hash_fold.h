// SPDX-License-Identifier: Apache-2.0
/// \file hash_fold.h
/// \brief Folding rules that the recursive and the structural hash share (ffi-abi section 6).
#ifndef TVM_FFI_SRC_ALGO_HASH_FOLD_H_
#define TVM_FFI_SRC_ALGO_HASH_FOLD_H_

#include <tvm/ffi/base_detail.h>

#include <cstdint>
#include <cstring>
#include <string_view>

#include "value_access.h"

namespace tvm {
namespace ffi {
namespace algo {

inline uint64_t Combine(uint64_t key, uint64_t value) {
  return key ^ (value + 0x9e3779b9ULL + (key << 6) + (key >> 2));
}

inline uint64_t HashBytes(std::string_view bytes) {
  return ffi::detail::StableHashBytes(bytes.data(), bytes.size());
}

/// Bits of a float with every NaN replaced by the quiet NaN.
inline uint64_t FloatBits(double value) {
  constexpr uint64_t kQuietNaN = 0x7ff8000000000000ULL;
  if (value != value) return kQuietNaN;
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

inline uint64_t TypeKeyHash(int32_t type_index) { return TypeInfoOf(type_index)->type_key_hash; }

/// combine(type_key_hash, size) folded with the dimensions.
inline uint64_t HashShape(const TVMFFIAny& v) {
  const auto& shape = CellOf<TVMFFIShapeCell>(v);
  uint64_t h = Combine(TypeKeyHash(kTVMFFIShape), shape.size);
  for (size_t i = 0; i < shape.size; ++i) h = Combine(h, static_cast<uint64_t>(shape.data[i]));
  return h;
}

}  // namespace algo
}  // namespace ffi
}  // namespace tvm
#endif  // TVM_FFI_SRC_ALGO_HASH_FOLD_H_
