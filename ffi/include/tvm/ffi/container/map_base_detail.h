// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/container/map_base_detail.h
 * \brief What map_base.h throws and asks of keys, and the distances of its dense layout.
 */
#ifndef TVM_FFI_CONTAINER_MAP_BASE_DETAIL_H_
#define TVM_FFI_CONTAINER_MAP_BASE_DETAIL_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/error.h>

#include <cstdint>
#include <new>

namespace tvm {
namespace ffi {
namespace detail {

[[noreturn]] TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline void ThrowMapMissingKey() {
  TVM_FFI_THROW(KeyError) << "key is not in Map";
  TVM_FFI_UNREACHABLE();
}

[[noreturn]] TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline void ThrowMapStaleIterator() {
  TVM_FFI_THROW(RuntimeError) << "the iterator is at the end or the map changed during iteration";
  TVM_FFI_UNREACHABLE();
}

[[noreturn]] TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline void ThrowMapChanged() {
  TVM_FFI_THROW(RuntimeError) << "the map changed while a key of it was hashed or compared";
  TVM_FFI_UNREACHABLE();
}

/*! \brief Whether hashing or comparing a key may run code of its type. */
inline bool RunsHooks(const Any& key) {
  const int32_t index = key.type_index();
  return index >= TypeIndex::kTVMFFIStaticObjectBegin && index != TypeIndex::kTVMFFIStr &&
         index != TypeIndex::kTVMFFIBytes;
}

/*! \brief The dense table for `capacity` pairs: its slots, and the shift that maps hashes to them.
 */
inline void MapTableSize(uint64_t capacity, uint32_t* fib_shift, uint64_t* slots) {
  if (capacity > (static_cast<uint64_t>(1) << 48)) throw std::bad_alloc();
  uint32_t shift = 64;
  uint64_t count = 1;
  for (uint64_t c = capacity; c != 0; c >>= 1) {
    --shift;
    count <<= 1;
  }
  if (count < 2 * capacity) {
    --shift;
    count <<= 1;
  }
  *fib_shift = shift;
  *slots = count;
}

/*! \brief Distances from an element of a chain to the next one; entry 0 ends the chain. */
inline constexpr uint64_t kMapJumps[126] = {
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
    // triangular numbers
    21, 28, 36, 45, 55, 66, 78, 91, 105, 120, 136, 153, 171, 190, 210, 231, 253, 276, 300, 325, 351,
    378, 406, 435, 465, 496, 528, 561, 595, 630, 666, 703, 741, 780, 820, 861, 903, 946, 990, 1035,
    1081, 1128, 1176, 1225, 1275, 1326, 1378, 1431, 1485, 1540, 1596, 1653, 1711, 1770, 1830, 1891,
    1953, 2016, 2080, 2145, 2211, 2278, 2346, 2415, 2485, 2556, 2628,
    // growing by about 9 / 4
    8515, 19110, 42778, 96141, 216153, 486591, 1092981, 2458653, 5532801, 12442566, 27993903,
    62983476, 141717030, 318844378, 717352503, 1614057336, 3631522476, 8170957530, 18384510628,
    41364789378, 93070452520, 209408356380, 471168559170, 1060128894105, 2385289465695,
    5366898840628, 12075518705635, 27169915244790, 61132312065111, 137547689707000, 309482283181501,
    696335127828753, 1566753995631385, 3525196511162271, 7931691992677701, 17846306936293605,
    40154190677507445, 90346928918121501, 203280589587557251, 457381325854679626,
    1029107982097042876, 2315492959180353330, 5209859154120846435};

}  // namespace detail
}  // namespace ffi
}  // namespace tvm
#endif  // TVM_FFI_CONTAINER_MAP_BASE_DETAIL_H_
