// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/container/map_base.h
 * \brief The insertion-ordered hash table behind Map and Dict.
 *
 * Code compiled elsewhere reads and changes these tables in place, so slot order, chains and
 * growth are part of the ABI: the order of the checks below is not free.
 */
#ifndef TVM_FFI_CONTAINER_MAP_BASE_H_
#define TVM_FFI_CONTAINER_MAP_BASE_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/container/container_detail.h>
#include <tvm/ffi/container/map_base_detail.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/memory.h>
#include <tvm/ffi/object.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <new>
#include <string>
#include <utility>

namespace tvm {
namespace ffi {
/*!
 * \brief Base of MapObj and DictObj.
 *
 * Two layouts share the header fields. Small: `data_` is an array of at most four pairs in
 * insertion order, usually in the same allocation. Dense: `data_` is an array of blocks of 16
 * slots; elements whose keys share a home slot form a chain, and a doubly linked list through
 * the slots keeps the insertion order. A small object may turn dense in place (a Dict that grows),
 * so every allocation has room for the fields of DenseFields.
 *
 * Pairs that go away are destroyed only after the table is whole again.
 * Hashing and comparing objects may run code of their types. When that code changes the map, the
 * operation throws RuntimeError. A key whose hash changes is no longer found, and harms nothing.
 */
class MapBaseObj : public Object {
 public:
  using key_type = Any;
  using mapped_type = Any;
  /*! \brief A stored pair, 32 bytes. */
  using KVType = std::pair<Any, Any>;
  static_assert(sizeof(KVType) == 32, "pairs are read in place by code compiled elsewhere");

  /*!
   * \brief Bidirectional iterator; it stays memory-safe while the object lives, also when the
   *        object changes. One without an object has nothing before or behind it.
   */
  class iterator {
   public:
    using iterator_category = std::bidirectional_iterator_tag;
    using difference_type = int64_t;
    using value_type = KVType;
    using pointer = KVType*;
    using reference = KVType&;

    iterator() = default;
    bool operator==(const iterator& other) const { return index_ == other.index_; }
    bool operator!=(const iterator& other) const { return index_ != other.index_; }
    /*! \brief Throws RuntimeError at the end and on a slot that has been emptied. */
    pointer operator->() const {
      if (TVM_FFI_PREDICT_FALSE(self_ == nullptr)) detail::ThrowMapStaleIterator();
      return self_->PairAt(index_);
    }
    reference operator*() const { return *operator->(); }
    iterator& operator++() {
      if (TVM_FFI_PREDICT_TRUE(self_ != nullptr)) index_ = self_->NextIndex(index_);
      return *this;
    }
    iterator& operator--() {
      if (TVM_FFI_PREDICT_TRUE(self_ != nullptr)) index_ = self_->PrevIndex(index_);
      return *this;
    }
    iterator operator++(int) {
      iterator copy = *this;
      ++*this;
      return copy;
    }
    iterator operator--(int) {
      iterator copy = *this;
      --*this;
      return copy;
    }

   private:
    friend class MapBaseObj;
    iterator(uint64_t index, const MapBaseObj* self) : index_(index), self_(self) {}
    uint64_t index_ = 0;
    const MapBaseObj* self_ = nullptr;
  };

  MapBaseObj() : data_(nullptr), size_(0), slots_(0), data_deleter_(nullptr) {}
  MapBaseObj(const MapBaseObj&) = delete;
  MapBaseObj& operator=(const MapBaseObj&) = delete;

  /*! \brief Destroys the pairs of the layout in force now, then releases the storage. */
  ~MapBaseObj() {
    DestroyPairs();
    ReleaseStorage();
  }

  size_t size() const { return static_cast<size_t>(size_); }
  bool empty() const { return size_ == 0; }
  size_t count(const Any& key) const { return FindIndex(key) == kNotFound ? 0 : 1; }

  /*! \brief The value of `key`; throws KeyError when there is none. */
  const Any& at(const Any& key) const { return PairOf(key)->second; }
  Any& at(const Any& key) { return PairOf(key)->second; }

  iterator begin() const { return iterator(BeginIndex(), this); }
  iterator end() const { return iterator(EndIndex(), this); }
  iterator find(const Any& key) const {
    const uint64_t index = FindIndex(key);
    return index == kNotFound ? end() : iterator(index, this);
  }

  /*! \brief Removes the pair at `position`; the end iterator removes nothing. */
  void erase(const iterator& position) {
    if (IsLive(position.index_)) EraseIndex(position.index_);
  }
  /*! \brief Removes `key` if it is there. */
  void erase(const Any& key) {
    const uint64_t index = FindIndex(key);
    if (index != kNotFound) EraseIndex(index);
  }

  /*! \brief Removes all pairs; the layout and the number of slots stay. */
  void clear() {
    if (IsSmall()) {
      while (size_ != 0) {
        KVType removed = std::move(SmallData()[size_ - 1]);
        --size_;
      }
    } else if (size_ != 0) {
      // Fresh blocks, so that code in destructors sees an empty, working map.
      Block* old = Blocks();
      const FDataDeleter old_deleter = data_deleter_;
      Block* fresh = NewBlocks(slots_);
      DenseFields* dense = Dense();
      const uint64_t count = CountBlocks(slots_);
      data_ = fresh;
      data_deleter_ = DeleteBlocks;
      size_ = 0;
      dense->iter_list_head = kInvalidIndex;
      dense->iter_list_tail = kInvalidIndex;
      DestroyBlockPairs(old, count);
      if (old_deleter != nullptr) old_deleter(old);
    }
  }

 protected:
  using FDataDeleter = void (*)(void*);

  static constexpr uint64_t kInvalidIndex = ~static_cast<uint64_t>(0);
  static constexpr uint64_t kNotFound = kInvalidIndex;
  static constexpr uint64_t kSmallTagMask = static_cast<uint64_t>(1) << 63;
  static constexpr uint64_t kMinSmallSlots = 2;
  static constexpr uint64_t kMaxSmallSlots = 4;
  static constexpr uint64_t kBlockSlots = 16;
  static constexpr double kMaxLoadFactor = 0.99;
  static constexpr uint8_t kEmptySlot = 0xFF;
  static constexpr uint8_t kProtectedSlot = 0xFE;
  static constexpr uint8_t kTailBit = 0x80;
  static constexpr uint8_t kJumpMask = 0x7F;
  static constexpr uint8_t kNumJumps = 126;

  /*! \brief Fields behind the header fields of a dense object. */
  struct DenseFields {
    uint32_t fib_shift;
    uint64_t iter_list_head;
    uint64_t iter_list_tail;
  };

  /*! \brief A slot of a dense table. */
  struct Entry {
    KVType pair;
    uint64_t prev;
    uint64_t next;
  };

  /*! \brief 16 slots and their metadata bytes; slots are raw memory until they are in use. */
  struct Block {
    uint8_t meta[kBlockSlots];
    unsigned char entries[kBlockSlots * sizeof(Entry)];
  };
  static_assert(sizeof(Entry) == 48 && sizeof(Block) == 784, "layout of the published ABI");

  enum class Insertion { kNoRoom, kAdded, kReplaced };

  // ---- construction ----

  /*! \brief Gives the storage a home: an object of the final class with trailing slots. */
  template <typename MapType>
  TVM_FFI_NO_INLINE static ObjectPtr<Object> NewSmall(uint64_t slots) {
    slots = detail::Larger(slots, kMinSmallSlots);
    ObjectPtr<MapType> p = make_inplace_array_object<MapType, KVType>(static_cast<size_t>(slots));
    p->data_ = reinterpret_cast<char*>(p.get()) + sizeof(MapBaseObj);
    p->slots_ = slots | kSmallTagMask;
    return p;
  }
  template <typename MapType>
  TVM_FFI_NO_INLINE static ObjectPtr<Object> NewDense(uint32_t fib_shift, uint64_t slots) {
    static_assert(sizeof(DenseFields) == 3 * sizeof(uint64_t), "layout of the published ABI");
    ObjectPtr<MapType> p = make_inplace_array_object<MapType, uint64_t>(3);
    *p->Dense() = DenseFields{fib_shift, kInvalidIndex, kInvalidIndex};
    p->data_ = NewBlocks(slots);
    p->slots_ = slots;
    p->data_deleter_ = DeleteBlocks;
    return p;
  }
  /*! \brief Constructors of the final class; the code below is the same for Map and Dict. */
  struct Maker {
    ObjectPtr<Object> (*small)(uint64_t slots);
    ObjectPtr<Object> (*dense)(uint32_t fib_shift, uint64_t slots);
  };
  template <typename MapType>
  static constexpr Maker MakerOf() {
    return {&MapBaseObj::NewSmall<MapType>, &MapBaseObj::NewDense<MapType>};
  }

  /*! \brief An empty table for `count` insertions. */
  static ObjectPtr<Object> NewForRange(const Maker& maker, uint64_t count) {
    if (count < kMaxSmallSlots) return maker.small(count);
    uint32_t fib_shift = 64;
    uint64_t slots = 1;
    detail::MapTableSize(count, &fib_shift, &slots);
    return maker.dense(fib_shift, slots);
  }

  /*! \brief A new object with the pairs of `from` in the same order. */
  static ObjectPtr<Object> CopyFrom(const Maker& maker, const MapBaseObj* from) {
    if (from->IsSmall()) {
      ObjectPtr<Object> copy = maker.small(from->size_);
      MapBaseObj* self = Cast(copy);
      for (uint64_t i = 0; i < from->size_; ++i) {
        new (self->SmallData() + i) KVType(from->SmallData()[i]);
        ++self->size_;
      }
      return copy;
    }
    if (from->slots_ == 0) return maker.small(kMinSmallSlots);
    ObjectPtr<Object> copy = maker.dense(from->Dense()->fib_shift, from->slots_);
    MapBaseObj* self = Cast(copy);
    for (uint64_t i = 0; i < from->slots_; ++i) {
      const uint8_t meta = from->Meta(i);
      self->Meta(i) = meta;
      if (!IsUsed(meta)) continue;
      const Entry& entry = from->At(i);
      new (&self->At(i)) Entry{entry.pair, entry.prev, entry.next};
    }
    self->Dense()->iter_list_head = from->Dense()->iter_list_head;
    self->Dense()->iter_list_tail = from->Dense()->iter_list_tail;
    self->size_ = from->size_;
    return copy;
  }

  static MapBaseObj* Cast(const ObjectPtr<Object>& p) { return static_cast<MapBaseObj*>(p.get()); }

  // ---- insertion ----

  /*!
   * \brief Adds or overwrites a pair.
   * \return null when the pair is in `this`. Otherwise a new object that holds the pair and all
   *         pairs of `this`, which has none left.
   */
  TVM_FFI_NO_INLINE ObjectPtr<Object> Insert(const Maker& maker, Any key, Any value) {
    KVType pair(std::move(key), std::move(value));
    ObjectPtr<Object> fresh;
    if (!IsSmall()) {
      if (slots_ == 0) {
        // The husk of a table whose storage was taken over.
        fresh = maker.small(kMinSmallSlots);
        Cast(fresh)->SmallAppend(&pair);
      } else if (DenseInsert(&pair) == Insertion::kNoRoom) {
        fresh = MoveToDense(maker, Dense()->fib_shift - 1, slots_ * 2, &pair);
      }
      return fresh;
    }
    const uint64_t slots = SmallSlots();
    const uint64_t found = SmallFind(pair.first);
    if (size_ == kMaxSmallSlots && slots == kMaxSmallSlots) {
      uint32_t fib_shift = 64;
      uint64_t dense_slots = 1;
      detail::MapTableSize(kMaxSmallSlots, &fib_shift, &dense_slots);
      if (found == kNotFound) return MoveToDense(maker, fib_shift, dense_slots, &pair);
      SmallData()[found].second.swap(pair.second);
      SmallMoveLast(found);
      return MoveToDense(maker, fib_shift, dense_slots, nullptr);
    }
    if (found != kNotFound) {
      SmallData()[found].second.swap(pair.second);
    } else if (size_ < slots) {
      SmallAppend(&pair);
    } else {
      fresh =
          maker.small(detail::Smaller(detail::Larger(slots * 2, kMinSmallSlots), kMaxSmallSlots));
      MapBaseObj* target = Cast(fresh);
      for (uint64_t i = 0; i < size_; ++i) {
        Relocate(target->SmallData() + i, SmallData() + i);
      }
      target->size_ = size_;
      size_ = 0;
      target->SmallAppend(&pair);
    }
    return fresh;
  }

  /*!
   * \brief Makes the storage of `source` the storage of `this`, which holds no pairs.
   * \param source The result of Insert on `this`; its object is left without storage.
   */
  void TakeOver(ObjectPtr<Object> source) {
    MapBaseObj* from = Cast(source);
    ReleaseStorage();
    data_ = from->data_;
    size_ = from->size_;
    slots_ = from->slots_;
    data_deleter_ = from->data_deleter_;
    const bool keeps_source = from->IsSmall() && from->data_deleter_ == nullptr;
    if (!from->IsSmall()) *Dense() = *from->Dense();
    from->data_ = nullptr;
    from->size_ = 0;
    from->slots_ = 0;
    from->data_deleter_ = nullptr;
    if (keeps_source) {
      // The pairs lie inside the allocation of the source, which lives on as long as they do.
      data_deleter_ = ReleaseHolder;
      detail::ObjectUnsafe::MoveObjectPtrToTVMFFIObjectPtr(std::move(source));
    }
  }

  // ---- lookup ----

  TVM_FFI_NO_INLINE uint64_t FindIndex(const Any& key) const {
    return IsSmall() ? SmallFind(key) : DenseFind(key);
  }

  KVType* PairOf(const Any& key) const {
    const uint64_t index = FindIndex(key);
    if (index == kNotFound) detail::ThrowMapMissingKey();
    return IsSmall() ? SmallData() + index : &At(index).pair;
  }

  bool IsSmall() const { return (slots_ & kSmallTagMask) != 0; }

 private:
  static void DeleteBlocks(void* data) { delete[] static_cast<Block*>(data); }
  static void ReleaseHolder(void* data) {
    detail::ObjectUnsafe::DecRefObjectHandle(static_cast<char*>(data) - sizeof(MapBaseObj));
  }
  static Block* NewBlocks(uint64_t slots) {
    const uint64_t count = CountBlocks(slots);
    Block* blocks = new Block[count];
    for (uint64_t i = 0; i < count; ++i) std::memset(blocks[i].meta, kEmptySlot, kBlockSlots);
    return blocks;
  }
  static uint64_t CountBlocks(uint64_t slots) { return (slots + kBlockSlots - 1) / kBlockSlots; }
  static bool IsUsed(uint8_t meta) { return meta < kProtectedSlot; }
  /*! \brief Moves a pair to raw memory by its bytes; the source becomes raw memory. */
  static void Relocate(KVType* to, KVType* from) {
    std::memcpy(static_cast<void*>(to), static_cast<const void*>(from), sizeof(KVType));
  }
  /*! \brief Relocates a local pair, which is left holding two None. */
  static void Consume(KVType* to, KVType* local) {
    Relocate(to, local);
    std::memset(static_cast<void*>(local), 0, sizeof(KVType));
  }

  DenseFields* Dense() const {
    return reinterpret_cast<DenseFields*>(const_cast<char*>(reinterpret_cast<const char*>(this)) +
                                          sizeof(MapBaseObj));
  }
  Block* Blocks() const { return static_cast<Block*>(data_); }
  uint8_t& Meta(uint64_t i) const { return Blocks()[i / kBlockSlots].meta[i % kBlockSlots]; }
  Entry& At(uint64_t i) const {
    return reinterpret_cast<Entry*>(Blocks()[i / kBlockSlots].entries)[i % kBlockSlots];
  }
  KVType* SmallData() const { return static_cast<KVType*>(data_); }
  uint64_t SmallSlots() const { return slots_ & ~kSmallTagMask; }

  /*! \brief What an insertion or a removal changes; hooks run between two looks at it. */
  struct Shape {
    explicit Shape(const MapBaseObj* map)
        : data(map->data_), size(map->size_), slots(map->slots_) {}
    void RequireSame(const MapBaseObj* map) const {
      if (data != map->data_ || size != map->size_ || slots != map->slots_) {
        detail::ThrowMapChanged();
      }
    }
    const void* data;
    uint64_t size;
    uint64_t slots;
  };

  TVM_FFI_NO_INLINE uint64_t HashByHook(const Any& key) const {
    const Shape shape(this);
    const Any kept = key;  // NOLINT(performance-unnecessary-copy-initialization)
    const uint64_t hash = static_cast<uint64_t>(AnyHash()(kept));
    shape.RequireSame(this);
    return hash;
  }
  uint64_t HomeOf(const Any& key) const {
    const uint64_t hash =
        detail::RunsHooks(key) ? HashByHook(key) : static_cast<uint64_t>(AnyHash()(key));
    return (static_cast<uint64_t>(11400714819323198485ull) * hash) >> Dense()->fib_shift;
  }
  TVM_FFI_NO_INLINE bool HoldsKeyByHook(const Any& stored, uint64_t index, const Any& key) const {
    const Shape shape(this);
    // The hook may remove the pair; `key` may be the key of another one.
    const Any kept = stored;  // NOLINT(performance-unnecessary-copy-initialization)
    const Any asked = key;    // NOLINT(performance-unnecessary-copy-initialization)
    const bool same = AnyEqual()(kept, asked);
    shape.RequireSame(this);
    if (!IsLive(index) || !PairAt(index)->first.same_as(kept)) detail::ThrowMapChanged();
    return same;
  }
  /*! \brief Whether `stored`, the key at `index`, equals `key`. */
  bool HoldsKey(const Any& stored, uint64_t index, const Any& key) const {
    return detail::RunsHooks(stored) ? HoldsKeyByHook(stored, index, key) : AnyEqual()(stored, key);
  }
  uint64_t Jump(uint64_t from, uint8_t meta) const {
    return (from + detail::kMapJumps[meta & kJumpMask]) & (slots_ - 1);
  }
  static bool EndsChain(uint8_t meta) { return (meta & kJumpMask) == 0; }
  bool IsFull() const {
    return static_cast<double>(size_ + 1) > static_cast<double>(slots_) * kMaxLoadFactor;
  }

  uint64_t SmallFind(const Any& key) const {
    const KVType* pairs = SmallData();
    for (uint64_t i = 0; i < size_; ++i) {
      if (HoldsKey(pairs[i].first, i, key)) return i;
    }
    return kNotFound;
  }
  uint64_t DenseFind(const Any& key) const {
    if (size_ == 0) return kNotFound;
    uint64_t i = HomeOf(key);
    if ((Meta(i) & kTailBit) != 0) return kNotFound;
    for (;;) {
      if (HoldsKey(At(i).pair.first, i, key)) return i;
      const uint8_t meta = Meta(i);
      if (EndsChain(meta)) return kNotFound;
      i = Jump(i, meta);
    }
  }

  // ---- iteration ----

  bool IsLive(uint64_t index) const {
    if (IsSmall()) return index < size_;
    return index < slots_ && IsUsed(Meta(index));
  }
  KVType* PairAt(uint64_t index) const {
    if (TVM_FFI_PREDICT_FALSE(!IsLive(index))) detail::ThrowMapStaleIterator();
    return IsSmall() ? SmallData() + index : &At(index).pair;
  }
  uint64_t BeginIndex() const {
    if (IsSmall()) return 0;
    return slots_ == 0 ? kInvalidIndex : Dense()->iter_list_head;
  }
  uint64_t EndIndex() const { return IsSmall() ? size_ : kInvalidIndex; }
  uint64_t NextIndex(uint64_t index) const {
    if (!IsLive(index)) return EndIndex();
    return IsSmall() ? index + 1 : At(index).next;
  }
  uint64_t PrevIndex(uint64_t index) const {
    if (IsSmall()) return index - 1;
    if (index == kInvalidIndex) return slots_ == 0 ? kInvalidIndex : Dense()->iter_list_tail;
    return IsLive(index) ? At(index).prev : kInvalidIndex;
  }

  void LinkAtEnd(uint64_t index) {
    DenseFields* dense = Dense();
    Entry& entry = At(index);
    entry.prev = dense->iter_list_tail;
    entry.next = kInvalidIndex;
    if (dense->iter_list_tail == kInvalidIndex) {
      dense->iter_list_head = index;
    } else {
      At(dense->iter_list_tail).next = index;
    }
    dense->iter_list_tail = index;
  }
  void Unlink(uint64_t index) { Relink(At(index), At(index).next, At(index).prev); }
  /*! \brief Lets the new slot `to` take the place of slot `from` in the order. */
  void ReplaceInOrder(uint64_t from, uint64_t to) {
    At(to).prev = At(from).prev;
    At(to).next = At(from).next;
    Relink(At(from), to, to);
  }
  /*! \brief Points the neighbours of `entry` to `for_prev` and `for_next`. */
  void Relink(const Entry& entry, uint64_t for_prev, uint64_t for_next) {
    DenseFields* dense = Dense();
    const uint64_t prev = entry.prev;
    const uint64_t next = entry.next;
    (prev == kInvalidIndex ? dense->iter_list_head : At(prev).next) = for_prev;
    (next == kInvalidIndex ? dense->iter_list_tail : At(next).prev) = for_next;
  }

  // ---- dense table ----

  /*! \brief First empty slot reachable by one jump from `from`; false when there is none. */
  bool FindFreeSlot(uint64_t from, uint8_t* jump, uint64_t* slot) const {
    for (uint8_t j = 1; j < kNumJumps; ++j) {
      const uint64_t candidate = Jump(from, j);
      if (Meta(candidate) == kEmptySlot) {
        *jump = j;
        *slot = candidate;
        return true;
      }
    }
    return false;
  }
  void SetJump(uint64_t index, uint8_t jump) {
    Meta(index) = static_cast<uint8_t>((Meta(index) & kTailBit) | jump);
  }
  bool Precedes(uint64_t prev, uint64_t index) const {
    return IsUsed(Meta(prev)) && !EndsChain(Meta(prev)) && Jump(prev, Meta(prev)) == index;
  }
  /*! \brief The element before `index` in its chain, which starts at the home of its key. */
  uint64_t ChainPredecessor(uint64_t index) const {
    const uint8_t meta = Meta(index);
    uint64_t prev = HomeOf(At(index).pair.first);
    if (Meta(index) != meta) detail::ThrowMapChanged();
    while (IsUsed(Meta(prev)) && !EndsChain(Meta(prev))) {
      const uint64_t next = Jump(prev, Meta(prev));
      if (next == index) return prev;
      prev = next;
    }
    // The hash of this key is no longer that of its insertion.
    for (prev = 0; prev < slots_; ++prev) {
      if (Precedes(prev, index)) return prev;
    }
    detail::ThrowMapChanged();
  }

  /*! \brief Puts the bytes of `pair` into an empty slot; `pair` becomes raw memory. */
  void Place(uint64_t index, uint8_t meta, KVType* pair) {
    Meta(index) = meta;
    Relocate(&At(index).pair, pair);
    LinkAtEnd(index);
    ++size_;
  }

  /*!
   * \brief Inserts by bytes.
   * \param pair Raw memory afterwards when added; new key and old value when replaced.
   * \param is_new The key is known to be none of the table's.
   */
  Insertion DenseInsertBytes(KVType* pair, bool is_new) {
    const uint64_t home = HomeOf(pair->first);
    const uint8_t home_meta = Meta(home);
    if (home_meta == kEmptySlot) {
      Place(home, 0, pair);
      return Insertion::kAdded;
    }
    if ((home_meta & kTailBit) != 0) {
      // The slot belongs to a chain with another home: that chain makes way.
      if (IsFull() || !MoveChainAway(home)) return Insertion::kNoRoom;
      Place(home, 0, pair);
      return Insertion::kAdded;
    }
    uint64_t tail = home;
    for (;;) {
      if (!is_new && HoldsKey(At(tail).pair.first, tail, pair->first)) {
        // An overwritten pair becomes the last of the iteration order.
        At(tail).pair.second.swap(pair->second);
        Unlink(tail);
        LinkAtEnd(tail);
        return Insertion::kReplaced;
      }
      const uint8_t meta = Meta(tail);
      if (EndsChain(meta)) break;
      tail = Jump(tail, meta);
    }
    uint8_t jump = 0;
    uint64_t slot = 0;
    if (IsFull() || !FindFreeSlot(tail, &jump, &slot)) return Insertion::kNoRoom;
    SetJump(tail, jump);
    Place(slot, kTailBit, pair);
    return Insertion::kAdded;
  }
  Insertion DenseInsert(KVType* pair) {
    const Insertion result = DenseInsertBytes(pair, false);
    if (result == Insertion::kAdded) std::memset(static_cast<void*>(pair), 0, sizeof(KVType));
    return result;
  }

  /*!
   * \brief Moves the rest of a chain, from slot `home` on, to other slots and frees `home`.
   * \return false when a slot ran out; the table then serves only for iteration, and is rebuilt.
   */
  bool MoveChainAway(uint64_t home) {
    uint64_t last = ChainPredecessor(home);
    uint64_t moving = home;
    for (;;) {
      uint8_t jump = 0;
      uint64_t slot = 0;
      if (!FindFreeSlot(last, &jump, &slot)) return false;
      const uint8_t moving_meta = Meta(moving);
      Meta(slot) = kTailBit;
      Relocate(&At(slot).pair, &At(moving).pair);
      ReplaceInOrder(moving, slot);
      Meta(moving) = moving == home ? kProtectedSlot : kEmptySlot;
      SetJump(last, jump);
      last = slot;
      if (EndsChain(moving_meta)) return true;
      moving = Jump(moving, moving_meta);
    }
  }

  /*! \brief References to the pairs in order where a hash may run hooks, else null. */
  std::unique_ptr<KVType[]> KeepPairs(const KVType* pair) const {
    bool runs_hooks = pair != nullptr && detail::RunsHooks(pair->first);
    for (uint64_t i = BeginIndex(); i != EndIndex() && !runs_hooks; i = NextIndex(i)) {
      runs_hooks = detail::RunsHooks(PairAt(i)->first);
    }
    if (!runs_hooks) return nullptr;
    std::unique_ptr<KVType[]> kept(new KVType[static_cast<size_t>(size_)]);
    KVType* next = kept.get();
    for (uint64_t i = BeginIndex(); i != EndIndex(); i = NextIndex(i)) *next++ = *PairAt(i);
    return kept;
  }
  /*! \brief Throws unless the pairs are those of `kept`, in the same order. */
  void RequirePairs(const KVType* kept, uint64_t count) const {
    bool same = size_ == count;
    for (uint64_t i = BeginIndex(); same && i != EndIndex(); i = NextIndex(i), ++kept) {
      const KVType& pair = *PairAt(i);
      same = pair.first.same_as(kept->first) && pair.second.same_as(kept->second);
    }
    if (!same) detail::ThrowMapChanged();
  }
  /*!
   * \brief Moves the bytes of all pairs of `this`, then of `pair`, to the empty `target`.
   * \param kept The pairs of `this` when hooks may run, else null.
   * \return false when the target is too small; whoever owned a pair still does.
   */
  bool MoveBytesTo(MapBaseObj* target, KVType* kept, KVType* pair) {
    const uint64_t count = size_;
    if (kept != nullptr) {
      for (uint64_t i = 0; i < count; ++i) {
        if (!target->InsertCopyOfBytes(kept + i)) return false;
      }
    } else {
      for (uint64_t i = BeginIndex(); i != EndIndex(); i = NextIndex(i)) {
        if (!target->InsertCopyOfBytes(PairAt(i))) return false;
      }
    }
    if (pair != nullptr && !target->InsertCopyOfBytes(pair)) return false;
    if (kept != nullptr) RequirePairs(kept, count);
    if (pair != nullptr) std::memset(static_cast<void*>(pair), 0, sizeof(KVType));
    return true;
  }
  bool InsertCopyOfBytes(const KVType* pair) {
    alignas(KVType) unsigned char bytes[sizeof(KVType)];
    std::memcpy(bytes, static_cast<const void*>(pair), sizeof(KVType));
    return DenseInsertBytes(reinterpret_cast<KVType*>(bytes), true) != Insertion::kNoRoom;
  }

  /*!
   * \brief A dense object with the pairs of `this` in order and `pair`; `this` has none left.
   * \param pair A pair with a new key; null for none.
   */
  ObjectPtr<Object> MoveToDense(const Maker& maker, uint32_t fib_shift, uint64_t slots,
                                KVType* pair) {
    const std::unique_ptr<KVType[]> kept = KeepPairs(pair);
    for (;; --fib_shift, slots *= 2) {
      ObjectPtr<Object> fresh = maker.dense(fib_shift, slots);
      MapBaseObj* target = Cast(fresh);
      // Pairs move by bytes: until all have found a slot, `this` still owns every one of them,
      // so a hash that throws, or a table that is too small, loses nothing.
      bool fits = false;
      try {
        fits = MoveBytesTo(target, kept.get(), pair);
      } catch (...) {
        target->ForgetPairs();
        throw;
      }
      if (fits) {
        ForgetPairs();
        return fresh;
      }
      target->ForgetPairs();
    }
  }
  /*! \brief Drops all pairs without destroying them. */
  void ForgetPairs() {
    size_ = 0;
    if (IsSmall()) return;
    for (uint64_t i = 0; i < CountBlocks(slots_); ++i) {
      std::memset(Blocks()[i].meta, kEmptySlot, kBlockSlots);
    }
    Dense()->iter_list_head = kInvalidIndex;
    Dense()->iter_list_tail = kInvalidIndex;
  }

  /*! \brief Makes the pair at `index` the last one. */
  void SmallMoveLast(uint64_t index) {
    alignas(KVType) unsigned char bytes[sizeof(KVType)];
    KVType* moving = reinterpret_cast<KVType*>(bytes);
    Relocate(moving, SmallData() + index);
    std::memmove(static_cast<void*>(SmallData() + index),
                 static_cast<const void*>(SmallData() + index + 1),
                 static_cast<size_t>(size_ - 1 - index) * sizeof(KVType));
    Relocate(SmallData() + size_ - 1, moving);
  }
  void SmallAppend(KVType* pair) {
    Consume(SmallData() + size_, pair);
    ++size_;
  }

  // ---- removal ----

  void EraseIndex(uint64_t index) {
    KVType removed;
    if (IsSmall()) {
      Relocate(&removed, SmallData() + index);
      --size_;
      std::memmove(static_cast<void*>(SmallData() + index),
                   static_cast<const void*>(SmallData() + index + 1),
                   static_cast<size_t>(size_ - index) * sizeof(KVType));
      return;
    }
    const uint8_t meta = Meta(index);
    if (EndsChain(meta)) {
      if ((meta & kTailBit) != 0) SetJump(ChainPredecessor(index), 0);
      Relocate(&removed, &At(index).pair);
      Unlink(index);
      Meta(index) = kEmptySlot;
    } else {
      uint64_t before_last = index;
      uint64_t last = Jump(index, meta);
      while (!EndsChain(Meta(last))) {
        before_last = last;
        last = Jump(last, Meta(last));
      }
      Relocate(&removed, &At(index).pair);
      Unlink(index);
      Relocate(&At(index).pair, &At(last).pair);
      ReplaceInOrder(last, index);
      Meta(last) = kEmptySlot;
      SetJump(before_last, 0);
    }
    --size_;
  }

  static void DestroyBlockPairs(Block* blocks, uint64_t count) {
    for (uint64_t b = 0; b < count; ++b) {
      Entry* entries = reinterpret_cast<Entry*>(blocks[b].entries);
      for (uint64_t i = 0; i < kBlockSlots; ++i) {
        if (IsUsed(blocks[b].meta[i])) entries[i].pair.~KVType();
      }
    }
  }
  void DestroyPairs() {
    if (IsSmall()) {
      for (uint64_t i = 0; i < size_; ++i) SmallData()[i].~KVType();
    } else {
      DestroyBlockPairs(Blocks(), CountBlocks(slots_));
    }
  }
  void ReleaseStorage() {
    if (data_ != nullptr && data_deleter_ != nullptr) data_deleter_(data_);
  }

 protected:
  /*! \brief Pairs (small) or blocks (dense). */
  void* data_;
  /*! \brief Number of pairs. */
  uint64_t size_;
  /*! \brief Number of slots; bit 63 says small. */
  uint64_t slots_;
  /*! \brief Releases `data_`; null when it lies in the allocation of this object. */
  FDataDeleter data_deleter_;
};

static_assert(sizeof(MapBaseObj) == 56, "layout of the published ABI");

}  // namespace ffi
}  // namespace tvm
#endif  // TVM_FFI_CONTAINER_MAP_BASE_H_
