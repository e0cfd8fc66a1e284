// SPDX-License-Identifier: Apache-2.0
/// \file object_pair.h
/// \brief A pair of objects by address, as the key of the tables of pairs that a comparison has
/// met.
#ifndef TVM_FFI_SRC_ALGO_OBJECT_PAIR_H_
#define TVM_FFI_SRC_ALGO_OBJECT_PAIR_H_

#include <tvm/ffi/c_api.h>

#include <cstdint>
#include <utility>

namespace tvm {
namespace ffi {
namespace algo {

using ObjectPair = std::pair<const TVMFFIObject*, const TVMFFIObject*>;

struct ObjectPairHash {
  size_t operator()(const ObjectPair& pair) const {
    const uint64_t a = reinterpret_cast<uintptr_t>(pair.first);
    const uint64_t b = reinterpret_cast<uintptr_t>(pair.second);
    return static_cast<size_t>((a >> 4) * 0x9e3779b97f4a7c15ULL ^ (b >> 4));
  }
};

}  // namespace algo
}  // namespace ffi
}  // namespace tvm
#endif  // TVM_FFI_SRC_ALGO_OBJECT_PAIR_H_
