// SPDX-License-Identifier: Apache-2.0
/*!
 * \file type_table.h
 * \brief The process-wide table of types.
 */
#ifndef TVM_FFI_SRC_TYPE_TABLE_H_
#define TVM_FFI_SRC_TYPE_TABLE_H_

#include <tvm/ffi/c_api.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "loading.h"
#include "retiring_array.h"

namespace tvm {
namespace ffi {

/*!
 * \brief Types by index and by key.
 *
 * Never destroyed. Entries never move, so readers need no lock: FindInfo is two loads. Registration
 * takes a mutex and publishes an entry only when it is complete; arrays that grow keep their old
 * storage alive for readers that are still in it.
 */
class TypeTable {
 public:
  /*! \brief Type indices lie in [0, kMaxTypes). */
  static constexpr int32_t kMaxTypes = 1 << 24;

  static TypeTable* Global();

  /*!
   * \brief Index of `key`, allocated when the key is new.
   * \param static_index Wanted index, negative to allocate one.
   * \param parent_index Index of the parent, -1 for none, -2 to only look the key up.
   * \param registrant An address in the code that asks.
   * \return The index; -2 when only looking up and the key is unknown.
   * \throws InternalError when the request contradicts the table.
   */
  int32_t GetOrAllocIndex(std::string_view key, int32_t static_index, int32_t depth,
                          int32_t num_child_slots, bool child_slots_can_overflow,
                          int32_t parent_index, const void* registrant);

  /*!
   * \brief An index for a key of which GetOrAllocIndex refused the request, for a library that is
   * loading: it has to go on, and is refused or warned about when it is done.
   */
  int32_t AllocPlaceholder(std::string_view key, const void* registrant);

  /*! \brief Entry of an index, nullptr when there is none. Lock-free. */
  const TVMFFITypeInfo* FindInfo(int32_t type_index) const {
    const Entry* entry = FindEntry(type_index);
    return entry == nullptr ? nullptr : &entry->info;
  }

  /*! \brief Entry of an index. \throws InternalError when there is none. */
  const TVMFFITypeInfo* RequireInfo(int32_t type_index) const {
    return &RequireEntry(type_index)->info;
  }

  /*! \brief Index of a registered key. \throws InternalError when it is unknown. */
  int32_t KeyToIndex(std::string_view key);

  /*!
   * \brief Frees the key of a type for a new type, as when a class is defined a second time.
   *
   * The entry stays under its index for the instances that exist.
   */
  void ForgetKey(int32_t type_index);

  // The code at `registrant` gives a type a part. While a library is loaded, a part that is there
  // already goes to KeepFirst; else it is an error.
  void RegisterField(int32_t type_index, const TVMFFIFieldInfo& field, const void* registrant);
  void RegisterMethod(int32_t type_index, const TVMFFIMethodInfo& method, const void* registrant);
  void RegisterMetadata(int32_t type_index, const TVMFFITypeMetadata& metadata,
                        const void* registrant);

  /*!
   * \brief Takes back the definition of a type, of which there are no instances: metadata, fields,
   * methods and attributes.
   *
   * Key, index and parent stay, since the code of the definition may go on using the index.
   */
  void TakeBackDefinition(int32_t type_index);

  /*!
   * \brief The harmless repeat of a type's definition. Its `first` is null when the file of
   * `registrant` does not define the type again.
   */
  Repeat RepeatOf(int32_t type_index, const void* registrant);

  /*! \brief Keys of all types in index order. */
  std::vector<std::string_view> Keys();

 private:
  struct Entry {
    TVMFFITypeInfo info;
    TVMFFITypeMetadata metadata;
    std::vector<const TVMFFITypeInfo*> ancestors;
    RetiringArray<TVMFFIFieldInfo> fields;
    RetiringArray<TVMFFIMethodInfo> methods;
    // Indices [index, index + num_slots) are reserved for the type and its children.
    int32_t num_slots;
    int32_t allocated_slots;
    bool child_slots_can_overflow;
    const void* registrant;              // an address in the code that defined the type, or first
                                         // used its key
    const void* redefined_by = nullptr;  // base of the file that defined it again last
  };

  static constexpr int kChunkBits = 10;
  static constexpr int kNumChunks = kMaxTypes >> kChunkBits;
  using Chunk = std::atomic<Entry*>;

  TypeTable();

  Entry* FindEntry(int32_t type_index) const {
    if (static_cast<uint32_t>(type_index) >= static_cast<uint32_t>(kMaxTypes)) return nullptr;
    Chunk* chunk = chunks_[type_index >> kChunkBits].load(std::memory_order_acquire);
    if (chunk == nullptr) return nullptr;
    return chunk[type_index & ((1 << kChunkBits) - 1)].load(std::memory_order_acquire);
  }
  Entry* RequireEntry(int32_t type_index) const;

  // All below: the caller holds mutex_, or runs in the constructor.
  int32_t AllocIndex(Entry* parent, int32_t num_slots);
  Entry* AddEntry(std::string_view key, int32_t type_index, int32_t num_slots,
                  bool child_slots_can_overflow, const Entry* parent, const void* registrant);
  // What `parent_index` differs in from the parent of an entry; empty when in nothing.
  std::string DifferenceOfParent(const Entry* entry, int32_t parent_index) const;
  // Takes back one part of a type that may have instances, known by the address of its name.
  void TakeBackField(int32_t type_index, const char* kept_name);
  void TakeBackMethod(int32_t type_index, const char* kept_name);
  // Base of the file of `registrant` if any type was defined again, null if none was. To be called
  // without mutex_, since it takes the lock of the dynamic loader, which initialisers hold.
  const void* FileOfRedefinition(const void* registrant) const;
  static Repeat RepeatOf(const Entry* entry, const void* registrant);

  std::mutex mutex_;
  std::atomic<bool> has_redefinitions_{false};
  std::atomic<Chunk*> chunks_[kNumChunks] = {};
  std::unordered_map<std::string_view, Entry*> by_key_;
  std::vector<Entry*> entries_;
  int32_t next_index_ = kTVMFFIDynObjectBegin;
};

/*! \brief Empties the places of a type in all columns of type attributes. */
void ClearTypeAttrs(int32_t type_index);

/*! \brief Copies text into memory that is never released. The copy ends with a NUL. */
TVMFFIByteArray KeepForever(const TVMFFIByteArray& text);

}  // namespace ffi
}  // namespace tvm

#endif  // TVM_FFI_SRC_TYPE_TABLE_H_
