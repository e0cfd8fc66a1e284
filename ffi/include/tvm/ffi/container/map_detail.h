// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/container/map_detail.h
 * \brief What the typed references Map and Dict share: keys, iterators, conversion rules.
 */
#ifndef TVM_FFI_CONTAINER_MAP_DETAIL_H_
#define TVM_FFI_CONTAINER_MAP_DETAIL_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/container/container_detail.h>
#include <tvm/ffi/container/map_base.h>
#include <tvm/ffi/object.h>

#include <cstring>
#include <iterator>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace tvm {
namespace ffi {
namespace detail {

/*! \brief A key as the table wants it, without taking a reference of its own. */
template <typename K>
class MapKey {
 public:
  explicit MapKey(const K& key) {
    const AnyView view(key);
    std::memcpy(bytes_, &view, sizeof(bytes_));
  }
  MapKey(const MapKey&) = delete;
  MapKey& operator=(const MapKey&) = delete;
  const Any& get() const { return *reinterpret_cast<const Any*>(bytes_); }

 private:
  alignas(Any) unsigned char bytes_[sizeof(Any)];
};
template <>
class MapKey<Any> {
 public:
  explicit MapKey(const Any& key) : key_(key) {}
  const Any& get() const { return key_; }

 private:
  const Any& key_;
};

/*! \brief The table held by a value, or null when the value is neither Map nor Dict. */
inline const MapBaseObj* MapFromAnyView(const TVMFFIAny* src) {
  if (src->type_index != TypeIndex::kTVMFFIMap && src->type_index != TypeIndex::kTVMFFIDict) {
    return nullptr;
  }
  return ObjectUnsafe::RawObjectPtrFromUnowned<MapBaseObj>(src->v_obj);
}

inline bool ElementIsStrict(const ElementOps& ops, const Any& value) {
  return ops.check_strict == nullptr || ops.check_strict(RawAny(value));
}

/*! \brief Whether the value has the container index and only strict keys and values. */
inline bool MapCheckStrict(const TVMFFIAny* src, int32_t type_index, const ElementOps& key_ops,
                           const ElementOps& value_ops) {
  if (src->type_index != type_index) return false;
  if (key_ops.check_strict == nullptr && value_ops.check_strict == nullptr) return true;
  for (const MapBaseObj::KVType& pair : *MapFromAnyView(src)) {
    if (!ElementIsStrict(key_ops, pair.first) || !ElementIsStrict(value_ops, pair.second)) {
      return false;
    }
  }
  return true;
}

/*! \brief Describes `value` when it does not convert; empty when it does. */
TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline std::string ElementMismatch(const ElementOps& ops,
                                                                       const Any& value) {
  Any converted;
  if (ElementIsStrict(ops, value) || ops.convert(RawAny(value), &converted)) return std::string();
  return ops.mismatch(RawAny(value));
}

/*! \brief Says which key or value made the conversion to `kind` fail. */
TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline std::string MapMismatchText(
    const char* kind, const TVMFFIAny* src, const ElementOps& key_ops,
    const ElementOps& value_ops) {
  const MapBaseObj* map = MapFromAnyView(src);
  std::string bad_key;
  std::string bad_value;
  if (map != nullptr) {
    for (const MapBaseObj::KVType& pair : *map) {
      if (bad_key.empty()) bad_key = ElementMismatch(key_ops, pair.first);
      if (bad_value.empty()) bad_value = ElementMismatch(value_ops, pair.second);
    }
  }
  if (bad_key.empty() && bad_value.empty()) return TypeIndexToTypeKey(src->type_index);
  std::string text(kind);
  text += '[';
  text += bad_key.empty() ? key_ops.type_str() : "some key is " + bad_key;
  text += ", ";
  text += bad_value.empty() ? value_ops.type_str() : "some value is " + bad_value;
  text += ']';
  return text;
}

/*!
 * \brief Iterator of Map and Dict: yields copies of the pairs.
 * \tparam kShared Whether others may change the table, so that types are checked when read.
 */
template <typename K, typename V, bool kShared = false>
class MapIterAdapter {
 public:
  using iterator_category = std::bidirectional_iterator_tag;
  using difference_type = int64_t;
  using value_type = const std::pair<K, V>;
  using pointer = value_type*;
  using reference = value_type;

  MapIterAdapter() = default;
  explicit MapIterAdapter(MapBaseObj::iterator iter) : iter_(iter) {}

  bool operator==(const MapIterAdapter& other) const { return iter_ == other.iter_; }
  bool operator!=(const MapIterAdapter& other) const { return iter_ != other.iter_; }
  /*! \brief Copies of the key and the value. */
  reference operator*() const {
    const MapBaseObj::KVType& pair = *iter_;
    if constexpr (kShared) {
      return std::pair<K, V>(SharedElementFromAny<K>(pair.first),
                             SharedElementFromAny<V>(pair.second));
    } else {
      return std::pair<K, V>(ElementFromAny<K>(pair.first), ElementFromAny<V>(pair.second));
    }
  }
  MapIterAdapter& operator++() {
    ++iter_;
    return *this;
  }
  MapIterAdapter& operator--() {
    --iter_;
    return *this;
  }
  MapIterAdapter operator++(int) {
    MapIterAdapter copy = *this;
    ++iter_;
    return copy;
  }
  MapIterAdapter operator--(int) {
    MapIterAdapter copy = *this;
    --iter_;
    return copy;
  }

 private:
  MapBaseObj::iterator iter_;
};

/*! \brief True for a foreign map type (std::map and its like), recognised by its members. */
template <typename M, typename = void>
inline constexpr bool is_plain_map_v = false;
template <typename M>
inline constexpr bool is_plain_map_v<M, std::void_t<typename M::key_type, typename M::mapped_type,
                                                    decltype(std::declval<const M&>().begin()),
                                                    decltype(std::declval<const M&>().size())>> =
    !std::is_base_of_v<ObjectRef, M>;

/*!
 * \brief Converts a Map or a Dict pair by pair.
 * \return null when a key or a value does not convert.
 */
template <typename MapType>
TVM_FFI_NO_INLINE inline ObjectPtr<Object> MapTryConvert(const TVMFFIAny* src,
                                                         const ElementOps& key_ops,
                                                         const ElementOps& value_ops) {
  const MapBaseObj* map = MapFromAnyView(src);
  if (map == nullptr) return nullptr;
  if (MapCheckStrict(src, MapType::_type_index, key_ops, value_ops)) {
    return ObjectUnsafe::ObjectPtrFromUnowned<Object>(src->v_obj);
  }
  ObjectPtr<Object> result = MapType::Empty();
  for (const MapBaseObj::KVType& pair : *map) {
    Any key;
    Any value;
    if (!key_ops.convert(RawAny(pair.first), &key) ||
        !value_ops.convert(RawAny(pair.second), &value)) {
      return nullptr;
    }
    MapType::Set(&result, std::move(key), std::move(value));
  }
  return result;
}

/*! \brief Conversion protocol shared by Map and Dict. */
template <typename Ref, typename MapType, typename K, typename V>
struct MapTypeTraits : public ObjectRefTypeTraitsBase<Ref> {
  static constexpr int32_t field_static_type_index = TypeIndex::kTVMFFIObject;
  using ObjectRefTypeTraitsBase<Ref>::CopyFromAnyViewAfterCheck;

  static constexpr const char* kName =
      MapType::_type_index == TypeIndex::kTVMFFIMap ? "Map" : "Dict";

  static bool CheckAnyStrict(const TVMFFIAny* src) {
    return MapCheckStrict(src, MapType::_type_index, kElementOps<K>, kElementOps<V>);
  }
  static std::optional<Ref> TryCastFromAnyView(const TVMFFIAny* src) {
    ObjectPtr<Object> map = MapTryConvert<MapType>(src, kElementOps<K>, kElementOps<V>);
    if (map == nullptr) return std::nullopt;
    return Ref(std::move(map));
  }
  static std::string GetMismatchTypeInfo(const TVMFFIAny* src) {
    return MapMismatchText(kName, src, kElementOps<K>, kElementOps<V>);
  }
  static std::string TypeStr() {
    return ComposeTypeStr(kName, {kElementOps<K>.type_str, kElementOps<V>.type_str});
  }
  static std::string TypeSchema() {
    return ComposeTypeSchema(MapType::_type_key,
                             {kElementOps<K>.type_schema, kElementOps<V>.type_schema});
  }
};

}  // namespace detail
}  // namespace ffi
}  // namespace tvm
#endif  // TVM_FFI_CONTAINER_MAP_DETAIL_H_
