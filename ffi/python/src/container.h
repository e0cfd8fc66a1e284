// SPDX-License-Identifier: Apache-2.0
// Reads of Array, List, Map and Dict straight from their published memory layout.
#ifndef TVM_FFI_PYTHON_CONTAINER_H_
#define TVM_FFI_PYTHON_CONTAINER_H_

#include "object.h"

namespace tvm::ffi::detail::python {

inline bool IsSequenceIndex(int32_t type_index) {
  return type_index == kTVMFFIArray || type_index == kTVMFFIList;
}
inline bool IsMappingIndex(int32_t type_index) {
  return type_index == kTVMFFIMap || type_index == kTVMFFIDict;
}

inline TVMFFISeqCell* SequenceOf(TVMFFIObject* obj) {
  return reinterpret_cast<TVMFFISeqCell*>(obj + 1);
}

struct SmallMapPair {
  TVMFFIAny key, value;
};
struct DenseMapItem {
  TVMFFIAny key, value;
  uint64_t prev, next;
};
struct DenseMapBlock {
  uint8_t meta[16];
  DenseMapItem items[16];
};
static_assert(sizeof(DenseMapBlock) == 784);

// Content of Map and Dict, right after the header.
struct MapCell {
  void* data;
  uint64_t size;
  uint64_t slots;  // bit 63: small layout
  void (*data_deleter)(void*);
  // Dense layout only:
  uint32_t fib_shift;
  uint64_t iter_head, iter_tail;

  static constexpr uint64_t kSmall = uint64_t{1} << 63;
  static constexpr uint64_t kEnd = ~uint64_t{0};
  bool small() const { return (slots & kSmall) != 0; }
  const SmallMapPair* pairs() const { return static_cast<const SmallMapPair*>(data); }
  // The item of a slot in dense layout; NULL when the slot is empty or there is none.
  const DenseMapItem* item(uint64_t slot) const {
    if (slot >= slots) return nullptr;
    const DenseMapBlock& block = static_cast<const DenseMapBlock*>(data)[slot / 16];
    return block.meta[slot % 16] >= 0xFE ? nullptr : &block.items[slot % 16];
  }
};
static_assert(sizeof(TVMFFIObject) + sizeof(MapCell) == 80);

inline MapCell* MapOf(TVMFFIObject* obj) { return reinterpret_cast<MapCell*>(obj + 1); }

// Goes through the entries of a Map or Dict in order. A change of the container ends the walk.
class MapCursor {
 public:
  explicit MapCursor(TVMFFIObject* map) : size_(MapOf(map)->size), left_(size_) {
    const MapCell* cell = MapOf(map);
    next_ = cell->small() || size_ == 0 ? 0 : cell->iter_head;
  }
  enum class Step { kEntry, kEnd, kChanged };
  Step Next(TVMFFIObject* map, TVMFFIAny* key, TVMFFIAny* value) {
    if (left_ == 0) return Step::kEnd;
    const MapCell* cell = MapOf(map);
    if (cell->size != size_) return Step::kChanged;
    if (cell->small()) {
      if (next_ >= cell->size) return Step::kChanged;
      *key = cell->pairs()[next_].key;
      *value = cell->pairs()[next_].value;
      ++next_;
    } else {
      const DenseMapItem* item = cell->item(next_);
      if (item == nullptr) return Step::kChanged;
      *key = item->key;
      *value = item->value;
      next_ = item->next;
    }
    --left_;
    return Step::kEntry;
  }
  uint64_t left() const { return left_; }

 private:
  uint64_t size_, left_, next_;
};

// Whether two values are equal: containers by content whatever their kind, everything else as
// ffi.RecursiveEq says. 1, 0, or -1 with an exception.
int ValuesEqual(const TVMFFIAny& left, const TVMFFIAny& right);

bool InitContainers(PyObject* module);

}  // namespace tvm::ffi::detail::python

#endif  // TVM_FFI_PYTHON_CONTAINER_H_
