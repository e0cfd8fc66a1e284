// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/container/map.h
 * \brief Map: an insertion-ordered map with value semantics (copy on write).
 */
#ifndef TVM_FFI_CONTAINER_MAP_H_
#define TVM_FFI_CONTAINER_MAP_H_

#include <tvm/ffi/container/map_reader.h>

#include <initializer_list>
#include <type_traits>
#include <utility>

namespace tvm {
namespace ffi {

/*! \brief Object behind Map. It changes only while it has a single owner. */
class MapObj : public MapBaseObj {
 public:
  /*! \brief A new map of no pairs. */
  static ObjectPtr<Object> Empty() { return NewSmall<MapObj>(kMinSmallSlots); }
  /*! \brief A new map with the pairs of `from` in the same order; keys and values are shared. */
  static ObjectPtr<Object> ShallowCopy(const MapBaseObj* from) {
    return CopyFrom(MakerOf<MapObj>(), from);
  }
  /*! \brief A new map of no pairs, sized for `count` insertions. */
  static ObjectPtr<Object> EmptyForRange(uint64_t count) {
    return NewForRange(MakerOf<MapObj>(), count);
  }
  /*!
   * \brief Adds or overwrites a pair.
   * \param ref Null or a map; replaced when it is null, shared or out of room.
   */
  TVM_FFI_NO_INLINE static void Set(ObjectPtr<Object>* ref, Any key, Any value) {
    ObjectPtr<Object> fresh =
        Writable(ref)->Insert(MakerOf<MapObj>(), std::move(key), std::move(value));
    if (fresh != nullptr) *ref = std::move(fresh);
  }
  /*! \brief Makes `*ref` the only owner of a map. */
  TVM_FFI_NO_INLINE static MapObj* Writable(ObjectPtr<Object>* ref) {
    if (*ref == nullptr) {
      *ref = Empty();
    } else if (!ref->unique()) {
      *ref = ShallowCopy(Cast(*ref));
    }
    return static_cast<MapObj*>(ref->get());
  }

  /// \cond Doxygen_Suppress
  static constexpr const int32_t _type_index = TypeIndex::kTVMFFIMap;
  static constexpr const bool _type_final = true;
  TVM_FFI_DECLARE_OBJECT_INFO_STATIC(StaticTypeKey::kTVMFFIMap, MapObj, Object);
  /// \endcond
};

/*!
 * \brief Reference to an insertion-ordered map with value semantics.
 *
 * Keys are compared by AnyEqual: strings and bytes by content, objects by identity unless their
 * type says otherwise, everything else by kind and bits (`1` and `1.0` are different keys).
 * A moved-from Map is null, which reads as empty. Set, erase and clear invalidate the iterators: a
 * loop that changes its map runs over a copy of the reference.
 * \tparam K, V Any, or types that can be stored in Any.
 */
template <typename K, typename V,
          typename = typename std::enable_if_t<detail::all_storage_enabled_v<K, V>>>
class Map : public MapReader<MapObj, K, V, false> {
  using Reader = MapReader<MapObj, K, V, false>;

 public:
  Map() : Reader(MapObj::Empty()) {}
  explicit Map(UnsafeInit tag) : Reader(tag) {}
  explicit Map(ObjectPtr<Object> data) : Reader(std::move(data)) {}
  Map(const Map&) = default;
  Map(Map&&) noexcept = default;
  Map& operator=(const Map&) = default;
  Map& operator=(Map&&) noexcept = default;

  template <typename K2, typename V2,
            typename = std::enable_if_t<detail::map_widens_v<K, V, K2, V2>>>
  Map(const Map<K2, V2>& other)  // NOLINT(google-explicit-constructor)
      : Reader(static_cast<const ObjectRef&>(other)) {}
  template <typename K2, typename V2,
            typename = std::enable_if_t<detail::map_widens_v<K, V, K2, V2>>>
  Map(Map<K2, V2>&& other)  // NOLINT(google-explicit-constructor)
      : Reader(static_cast<ObjectRef&&>(std::move(other))) {}

  /*! \brief The pairs of [first, last) in order; a later duplicate overwrites the value. */
  template <typename Iter>
  Map(Iter first, Iter last) : Reader(Reader::FromRange(first, last)) {}
  Map(std::initializer_list<std::pair<K, V>> init)  // NOLINT(google-explicit-constructor)
      : Reader(Reader::FromRange(init.begin(), init.end())) {}
  /*! \brief The pairs of a std::unordered_map, std::map or a type with their members. */
  template <typename M, typename = std::enable_if_t<detail::is_plain_map_v<M>>>
  Map(const M& init)  // NOLINT(google-explicit-constructor)
      : Reader(Reader::FromRange(init.begin(), init.end())) {}

  void clear() {
    if (data_ == nullptr) return;
    if (data_.unique()) {
      GetMapObj()->clear();
    } else {
      data_ = MapObj::Empty();
    }
  }
  /*! \brief Adds a pair at the end, or overwrites its value. */
  void Set(const K& key, const V& value) { MapObj::Set(&data_, Any(key), Any(value)); }
  /*! \brief Removes `key` if it is there. */
  void erase(const K& key) {
    if (data_ == nullptr) return;
    const detail::MapKey<K> lent(key);
    if (!data_.unique() && GetMapObj()->count(lent.get()) == 0) return;
    MapObj::Writable(&data_)->erase(lent.get());
  }

  /*! \brief Makes this reference the only owner of its object, and returns the object. */
  MapObj* CopyOnWrite() { return MapObj::Writable(&data_); }

  MapObj* GetMapObj() const { return this->Raw(); }

 protected:
  using ObjectRef::data_;
};

/*! \brief The pairs of `lhs`, overwritten and extended by those of `rhs`. */
template <typename K, typename V,
          typename = typename std::enable_if_t<detail::all_storage_enabled_v<K, V>>>
inline Map<K, V> Merge(Map<K, V> lhs, const Map<K, V>& rhs) {
  for (const std::pair<K, V>& pair : rhs) lhs.Set(pair.first, pair.second);
  return lhs;
}

/// \cond Doxygen_Suppress
template <typename K, typename V>
inline constexpr bool use_default_type_traits_v<Map<K, V>> = false;

template <typename K, typename V>
struct TypeTraits<Map<K, V>> : public detail::MapTypeTraits<Map<K, V>, MapObj, K, V> {};

template <typename K, typename V, typename K2, typename V2>
inline constexpr bool type_subsumes_v<Map<K, V>, Map<K2, V2>> =
    type_subsumes_v<K, K2> && type_subsumes_v<V, V2>;
/// \endcond

}  // namespace ffi
}  // namespace tvm
#endif  // TVM_FFI_CONTAINER_MAP_H_
