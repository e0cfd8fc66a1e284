// SPDX-License-Identifier: Apache-2.0
/// \file value_access.h
/// \brief Read access to values in their ABI form (ffi-abi sections 1.1, 1.5, 5.6, 5.7), shared by
/// all walks.
///
/// Nothing here owns anything: pointers are valid while the walked value lives and is not changed.
#ifndef TVM_FFI_SRC_ALGO_VALUE_ACCESS_H_
#define TVM_FFI_SRC_ALGO_VALUE_ACCESS_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/c_api.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/string.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

namespace tvm {
namespace ffi {
namespace algo {

/// Depth at which DeepCopy, ReprPrint and RecursiveHash give up with a ValueError.
constexpr size_t kMaxGraphDepth = size_t{1} << 20;

inline const TVMFFIAny& Raw(const Any& value) { return reinterpret_cast<const TVMFFIAny&>(value); }
inline const Any& AsAny(const TVMFFIAny& value) { return reinterpret_cast<const Any&>(value); }
inline AnyView ViewOf(const TVMFFIAny& value) { return AnyView::CopyFromTVMFFIAny(value); }

/// A new reference to a value given in raw form (views become owned values).
inline Any Own(const TVMFFIAny& value) { return Any(ViewOf(value)); }

inline bool IsObject(const TVMFFIAny& v) { return v.type_index >= kTVMFFIStaticObjectBegin; }
inline bool IsStr(const TVMFFIAny& v) {
  return v.type_index == kTVMFFISmallStr || v.type_index == kTVMFFIStr;
}
inline bool IsBytes(const TVMFFIAny& v) {
  return v.type_index == kTVMFFISmallBytes || v.type_index == kTVMFFIBytes;
}
inline bool SameBits(const TVMFFIAny& a, const TVMFFIAny& b) {
  return std::memcmp(&a, &b, sizeof(a)) == 0;
}

/// Strong references right now. A value reached through the only reference can't be reached a
/// second time, so walks remember (for sharing and cycles) only what is shared.
inline uint32_t StrongCount(const TVMFFIAny& v) {
  return static_cast<uint32_t>(__atomic_load_n(&v.v_obj->combined_ref_count, __ATOMIC_RELAXED));
}

inline const TVMFFITypeInfo* TypeInfoOf(int32_t type_index) {
  return TVMFFIGetTypeInfo(type_index);
}

inline std::string TypeKeyOf(int32_t type_index) {
  const TVMFFIByteArray& key = TVMFFIGetTypeInfo(type_index)->type_key;
  return std::string(key.data, key.size);
}

inline std::string_view ViewOfBytes(const TVMFFIByteArray& bytes) {
  return std::string_view(bytes.data, bytes.size);
}

/// Content of a String or Bytes value in either form.
inline std::string_view TextOf(const TVMFFIAny& v) {
  if (v.type_index == kTVMFFISmallStr || v.type_index == kTVMFFISmallBytes) {
    return std::string_view(v.v_bytes, v.small_str_len);
  }
  const auto* bytes = reinterpret_cast<const TVMFFIByteArray*>(
      reinterpret_cast<const char*>(v.v_obj) + sizeof(TVMFFIObject));
  return std::string_view(bytes->data, bytes->size);
}

/// Little-endian words of an Int or BigInt value.
inline std::string_view BigIntWords(const TVMFFIAny& v) {
  return ViewOfBytes(TVMFFIBigIntGetContentByteArray(&v));
}

template <typename CellType>
inline const CellType& CellOf(const TVMFFIAny& v) {
  return *reinterpret_cast<const CellType*>(reinterpret_cast<const char*>(v.v_obj) +
                                            sizeof(TVMFFIObject));
}

inline const TVMFFISeqCell& SeqOf(const TVMFFIAny& v) { return CellOf<TVMFFISeqCell>(v); }
inline const TVMFFIAny& SeqItem(const TVMFFISeqCell& seq, int64_t i) {
  return static_cast<const TVMFFIAny*>(seq.data)[i];
}

/// Address of a reflected field.
inline void* FieldAddress(const TVMFFIObject* header, const TVMFFIFieldInfo* field) {
  return const_cast<char*>(reinterpret_cast<const char*>(header)) + field->offset;
}

/// Looks type information up once for each run of values of one type.
class TypeInfoCache {
 public:
  const TVMFFITypeInfo* Of(int32_t type_index) {
    if (info_ == nullptr || type_index != type_index_) {
      info_ = TypeInfoOf(type_index);
      type_index_ = type_index;
    }
    return info_;
  }

 private:
  const TVMFFITypeInfo* info_ = nullptr;
  int32_t type_index_ = 0;
};

/// Owned value of a reflected field; errors of the getter are thrown.
inline Any ReadField(const TVMFFIObject* header, const TVMFFIFieldInfo* field) {
  if (field->getter == nullptr) {
    TVM_FFI_THROW(TypeError) << "Field `" << ViewOfBytes(field->name) << "` has no getter";
  }
  Any out;
  TVM_FFI_CHECK_SAFE_CALL(
      field->getter(FieldAddress(header, field), reinterpret_cast<TVMFFIAny*>(&out)));
  return out;
}

/// Field order of all algorithms: ancestors from depth 1 to the parent, then the type's own fields.
/// `fields` pointers are read again at each step because registration may move them.
class FieldCursor {
 public:
  FieldCursor() = default;
  explicit FieldCursor(const TVMFFITypeInfo* info)
      : info_(info), last_level_(info->type_depth > 1 ? info->type_depth : 1) {}

  /// The next field, or nullptr at the end.
  const TVMFFIFieldInfo* Next() {
    for (; level_ <= last_level_; ++level_, index_ = 0) {
      const TVMFFITypeInfo* owner =
          level_ < info_->type_depth ? info_->type_ancestors[level_] : info_;
      if (index_ < owner->num_fields) return owner->fields + index_++;
    }
    return nullptr;
  }

 private:
  const TVMFFITypeInfo* info_ = nullptr;
  int32_t level_ = 1;
  int32_t last_level_ = 0;
  int32_t index_ = 0;
};

/// Iterates over a Map or Dict in its order, by the layout of ffi-abi 5.7.
/// A Dict that changes under the cursor (a hook may do that) raises RuntimeError, or ends the
/// iteration after as many entries as there were at its start; no freed memory is read.
class MapCursor {
 public:
  /// Good until the next hook runs: whoever runs one copies first.
  struct Entry {
    const TVMFFIAny* key = nullptr;
    const TVMFFIAny* value = nullptr;
    explicit operator bool() const { return key != nullptr; }
  };

  MapCursor() = default;
  explicit MapCursor(const TVMFFIAny& map)
      : map_(&CellOf<Cell>(map)), size_(map_->size), left_(map_->size), data_(map_->data) {
    if (!IsSmall()) index_ = DenseCell()->head;
  }

  static uint64_t SizeOf(const TVMFFIAny& map) { return CellOf<Cell>(map).size; }

  /// The next entry, or an empty one at the end.
  Entry Next() {
    if (map_->size != size_ || map_->data != data_) ThrowChanged();
    Entry out;
    if (left_ == 0) return out;
    --left_;
    if (IsSmall()) {
      if (index_ >= size_) ThrowChanged();
      out.key = static_cast<const TVMFFIAny*>(data_) + 2 * index_;
      ++index_;
    } else {
      const char* item = Item(index_);
      if (item == nullptr) ThrowChanged();
      out.key = reinterpret_cast<const TVMFFIAny*>(item);
      std::memcpy(&index_, item + 40, sizeof(index_));
    }
    out.value = out.key + 1;
    return out;
  }

 private:
  struct Cell {
    void* data;
    uint64_t size;
    uint64_t slots;
    void (*data_deleter)(void*);
  };
  struct Dense {
    Cell base;
    uint32_t fib_shift;
    uint64_t head;
    uint64_t tail;
  };
  static constexpr uint64_t kBlockBytes = 784;
  static constexpr uint64_t kItemBytes = 48;
  static constexpr unsigned char kFirstUnusedMeta = 0xFE;

  bool IsSmall() const { return (map_->slots >> 63) != 0; }
  const Dense* DenseCell() const { return reinterpret_cast<const Dense*>(map_); }
  /// nullptr for a slot that holds nothing or does not exist.
  const char* Item(uint64_t slot) const {
    if (slot >= map_->slots) return nullptr;
    const char* block = static_cast<const char*>(data_) + (slot / 16) * kBlockBytes;
    if (static_cast<unsigned char>(block[slot % 16]) >= kFirstUnusedMeta) return nullptr;
    return block + 16 + (slot % 16) * kItemBytes;
  }
  [[noreturn]] TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE static void ThrowChanged() {
    TVM_FFI_THROW(RuntimeError) << "Map or Dict changed during iteration";
    TVM_FFI_UNREACHABLE();
  }

  const Cell* map_ = nullptr;
  uint64_t size_ = 0;
  uint64_t left_ = 0;
  const void* data_ = nullptr;
  uint64_t index_ = 0;
};

/// The elements of an Array or List that were there when the walk came to it. A List that hooks
/// make longer meanwhile would have no end.
class SeqCursor {
 public:
  SeqCursor() = default;
  explicit SeqCursor(const TVMFFIAny& seq) : seq_(&SeqOf(seq)), size_(seq_->size) {}

  /// The next element, good until the next hook runs, or nullptr at the end.
  const TVMFFIAny* Next() { return index_ < end() ? items() + index_++ : nullptr; }
  bool HasNext() const { return index_ < end(); }

  // For loops that run no hooks: the elements up to end(), of which index() are done.
  const TVMFFIAny* items() const { return static_cast<const TVMFFIAny*>(seq_->data); }
  int64_t end() const { return size_ < seq_->size ? size_ : seq_->size; }
  void MoveTo(int64_t index) { index_ = index; }

  /// Number of elements that Next() gave.
  int64_t index() const { return index_; }

 private:
  const TVMFFISeqCell* seq_ = nullptr;
  int64_t size_ = 0;
  int64_t index_ = 0;
};

/// A type attribute column whose address is looked up once. The column must have been ensured at
/// startup.
class HookColumn {
 public:
  explicit HookColumn(const char* name) {
    TVMFFIByteArray bytes{name, std::strlen(name)};
    column_ = TVMFFIGetTypeAttrColumn(&bytes);
  }

  /// The entry of a type, or nullptr when there is none (None counts as none).
  const TVMFFIAny* Find(int32_t type_index) const {
    if (column_ == nullptr || type_index < column_->begin_index) return nullptr;
    const int32_t offset = type_index - column_->begin_index;
    if (offset >= column_->size) return nullptr;
    const TVMFFIAny* entry = column_->data + offset;
    return entry->type_index == kTVMFFINone ? nullptr : entry;
  }

  /// The entry of a type as a Function, or a null Function; TypeError when it is something else.
  Function FindFunction(int32_t type_index, const char* name) const {
    const TVMFFIAny* entry = Find(type_index);
    if (entry == nullptr) return Function(nullptr);
    if (entry->type_index != kTVMFFIFunction) {
      TVM_FFI_THROW(TypeError) << name << " must be an ffi.Function";
    }
    return AsAny(*entry).cast<Function>();
  }

 private:
  const TVMFFITypeAttrColumn* column_;
};

/// Calls the setter of a field (function pointer or Function) with a borrowed value; errors are
/// thrown.
void WriteField(const TVMFFIObject* header, const TVMFFIFieldInfo* field, const TVMFFIAny& value);

/// Default value of a field with HasDefault: the stored value, or a fresh result of its factory.
Any FieldDefault(const TVMFFIFieldInfo* field);

/// True when `type_index` is `ancestor` or derives from it (both dynamic or static object types).
bool IsSubtype(int32_t type_index, int32_t ancestor);

/// The walkers' type test of ffi-abi section 2: -1 matches all, 65/66 match small forms too, 64 all
/// objects.
bool DynamicMatch(int32_t actual, int32_t target);

/// Creates an empty object through the native creator or `__ffi_new__`; RuntimeError when the type
/// has neither.
Any CreateEmpty(const TVMFFITypeInfo* info);

/// True when CreateEmpty() works for the type.
bool CanCreate(const TVMFFITypeInfo* info);

}  // namespace algo
}  // namespace ffi
}  // namespace tvm
#endif  // TVM_FFI_SRC_ALGO_VALUE_ACCESS_H_
