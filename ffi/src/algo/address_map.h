// SPDX-License-Identifier: Apache-2.0
/// \file address_map.h
/// \brief A table keyed by the addresses of objects, for what walks remember of them.
#ifndef TVM_FFI_SRC_ALGO_ADDRESS_MAP_H_
#define TVM_FFI_SRC_ALGO_ADDRESS_MAP_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tvm {
namespace ffi {
namespace algo {

/// Open addressing with linear probing: one allocation, no node for each entry. Pointers to values
/// stay good until the next insertion or removal.
template <typename Value>
class AddressMap {
 public:
  /// The value of a key, or nullptr.
  Value* Find(const void* key) {
    if (slots_.empty()) return nullptr;
    for (size_t i = Home(key);; i = (i + 1) & mask_) {
      if (slots_[i].key == key) return &slots_[i].value;
      if (slots_[i].key == nullptr) return nullptr;
    }
  }
  const Value* Find(const void* key) const { return const_cast<AddressMap*>(this)->Find(key); }

  /// The value of a key, made from nothing when it is new, and whether it is.
  std::pair<Value*, bool> Insert(const void* key) {
    if ((size_ + 1) * 4 > slots_.size() * 3) Grow();
    for (size_t i = Home(key);; i = (i + 1) & mask_) {
      if (slots_[i].key == key) return {&slots_[i].value, false};
      if (slots_[i].key == nullptr) {
        slots_[i].key = key;
        ++size_;
        return {&slots_[i].value, true};
      }
    }
  }

  void Erase(const void* key) {
    if (slots_.empty()) return;
    size_t hole = Home(key);
    while (slots_[hole].key != key) {
      if (slots_[hole].key == nullptr) return;
      hole = (hole + 1) & mask_;
    }
    // Entries behind move up where that brings them no further from home, so no probe ends early.
    for (size_t i = (hole + 1) & mask_; slots_[i].key != nullptr; i = (i + 1) & mask_) {
      const size_t home = Home(slots_[i].key);
      if (((i - home) & mask_) < ((i - hole) & mask_)) continue;
      slots_[hole] = std::move(slots_[i]);
      hole = i;
    }
    slots_[hole] = Slot();
    --size_;
  }

 private:
  struct Slot {
    const void* key = nullptr;
    Value value{};
  };

  size_t Home(const void* key) const {
    const uint64_t bits = reinterpret_cast<uintptr_t>(key);
    return static_cast<size_t>((bits * 0x9e3779b97f4a7c15ULL) >> 32) & mask_;
  }

  void Grow() {
    std::vector<Slot> old(slots_.empty() ? 64 : slots_.size() * 2);
    old.swap(slots_);
    mask_ = slots_.size() - 1;
    for (Slot& slot : old) {
      if (slot.key == nullptr) continue;
      size_t i = Home(slot.key);
      while (slots_[i].key != nullptr) i = (i + 1) & mask_;
      slots_[i] = std::move(slot);
    }
  }

  std::vector<Slot> slots_;
  size_t mask_ = 0;
  size_t size_ = 0;
};

}  // namespace algo
}  // namespace ffi
}  // namespace tvm
#endif  // TVM_FFI_SRC_ALGO_ADDRESS_MAP_H_
