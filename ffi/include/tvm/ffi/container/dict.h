// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/container/dict.h
 * \brief Dict: an insertion-ordered, mutable map. All holders see every change.
 */
#ifndef TVM_FFI_CONTAINER_DICT_H_
#define TVM_FFI_CONTAINER_DICT_H_

#include <tvm/ffi/container/map_reader.h>

#include <initializer_list>
#include <type_traits>
#include <utility>

namespace tvm {
namespace ffi {

/*! \brief Object behind Dict. It changes in place and keeps its identity when it grows. */
class DictObj : public MapBaseObj {
 public:
  /*! \brief A new dict of no pairs. */
  static ObjectPtr<Object> Empty() { return NewSmall<DictObj>(kMinSmallSlots); }
  /*! \brief A new dict with the pairs of `from` in the same order; keys and values are shared. */
  static ObjectPtr<Object> ShallowCopy(const MapBaseObj* from) {
    return CopyFrom(MakerOf<DictObj>(), from);
  }
  /*! \brief A new dict of no pairs, sized for `count` insertions. */
  static ObjectPtr<Object> EmptyForRange(uint64_t count) {
    return NewForRange(MakerOf<DictObj>(), count);
  }
  /*! \brief Adds or overwrites a pair. */
  TVM_FFI_NO_INLINE void SetItem(Any key, Any value) {
    ObjectPtr<Object> fresh = Insert(MakerOf<DictObj>(), std::move(key), std::move(value));
    if (fresh != nullptr) TakeOver(std::move(fresh));
  }
  /*! \brief As SetItem on `*ref`; a null reference becomes a new dict. */
  TVM_FFI_NO_INLINE static void Set(ObjectPtr<Object>* ref, Any key, Any value) {
    if (*ref == nullptr) *ref = Empty();
    static_cast<DictObj*>(ref->get())->SetItem(std::move(key), std::move(value));
  }

  /// \cond Doxygen_Suppress
  static constexpr const int32_t _type_index = TypeIndex::kTVMFFIDict;
  static constexpr const bool _type_final = true;
  static constexpr const bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO_STATIC(StaticTypeKey::kTVMFFIDict, DictObj, Object);
  /// \endcond
};

/*!
 * \brief Reference to a shared, mutable, insertion-ordered map.
 *
 * Copies of a Dict refer to the same object. Keys are compared as in Map. A moved-from Dict is
 * null, which reads as empty and becomes a new dict when a pair is set.
 * \tparam K, V Any, or types that can be stored in Any.
 */
template <typename K, typename V,
          typename = typename std::enable_if_t<detail::all_storage_enabled_v<K, V>>>
class Dict : public MapReader<DictObj, K, V, true> {
  using Reader = MapReader<DictObj, K, V, true>;

 public:
  Dict() : Reader(DictObj::Empty()) {}
  explicit Dict(UnsafeInit tag) : Reader(tag) {}
  explicit Dict(ObjectPtr<Object> data) : Reader(std::move(data)) {}
  Dict(const Dict&) = default;
  Dict(Dict&&) noexcept = default;
  Dict& operator=(const Dict&) = default;
  Dict& operator=(Dict&&) noexcept = default;

  template <typename K2, typename V2,
            typename = std::enable_if_t<detail::map_widens_v<K, V, K2, V2>>>
  Dict(const Dict<K2, V2>& other)  // NOLINT(google-explicit-constructor)
      : Reader(static_cast<const ObjectRef&>(other)) {}
  template <typename K2, typename V2,
            typename = std::enable_if_t<detail::map_widens_v<K, V, K2, V2>>>
  Dict(Dict<K2, V2>&& other)  // NOLINT(google-explicit-constructor)
      : Reader(static_cast<ObjectRef&&>(std::move(other))) {}

  /*! \brief The pairs of [first, last) in order; a later duplicate overwrites the value. */
  template <typename Iter>
  Dict(Iter first, Iter last) : Reader(Reader::FromRange(first, last)) {}
  Dict(std::initializer_list<std::pair<K, V>> init)  // NOLINT(google-explicit-constructor)
      : Reader(Reader::FromRange(init.begin(), init.end())) {}
  /*! \brief The pairs of a std::unordered_map, std::map or a type with their members. */
  template <typename M, typename = std::enable_if_t<detail::is_plain_map_v<M>>>
  Dict(const M& init)  // NOLINT(google-explicit-constructor)
      : Reader(Reader::FromRange(init.begin(), init.end())) {}

  void clear() {
    if (DictObj* self = GetDictObj()) self->clear();
  }
  /*! \brief Adds a pair at the end, or overwrites its value. */
  void Set(const K& key, const V& value) { DictObj::Set(&data_, Any(key), Any(value)); }
  /*! \brief Removes `key` if it is there. */
  void erase(const K& key) {
    if (DictObj* self = GetDictObj()) self->erase(detail::MapKey<K>(key).get());
  }

  DictObj* GetDictObj() const { return this->Raw(); }

 protected:
  using ObjectRef::data_;
};

/// \cond Doxygen_Suppress
template <typename K, typename V>
inline constexpr bool use_default_type_traits_v<Dict<K, V>> = false;

template <typename K, typename V>
struct TypeTraits<Dict<K, V>> : public detail::MapTypeTraits<Dict<K, V>, DictObj, K, V> {};

template <typename K, typename V, typename K2, typename V2>
inline constexpr bool type_subsumes_v<Dict<K, V>, Dict<K2, V2>> =
    type_subsumes_v<K, K2> && type_subsumes_v<V, V2>;
/// \endcond

}  // namespace ffi
}  // namespace tvm
#endif  // TVM_FFI_CONTAINER_DICT_H_
