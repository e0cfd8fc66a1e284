// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/container/dict.h
 * \brief Dict: an insertion-ordered, mutable map. All holders see every change.
 */
#ifndef TVM_FFI_CONTAINER_DICT_H_
#define TVM_FFI_CONTAINER_DICT_H_

#include <tvm/ffi/container/map_base.h>
#include <tvm/ffi/container/map_detail.h>

#include <initializer_list>
#include <iterator>
#include <optional>
#include <string>
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
class Dict : public ObjectRef {
 public:
  using key_type = K;
  using mapped_type = V;
  using iterator = detail::MapIterAdapter<K, V, true>;

  Dict() : ObjectRef(DictObj::Empty()) {}
  explicit Dict(UnsafeInit tag) : ObjectRef(tag) {}
  explicit Dict(ObjectPtr<Object> data) : ObjectRef(std::move(data)) {}
  Dict(const Dict&) = default;
  Dict(Dict&&) noexcept = default;
  Dict& operator=(const Dict&) = default;
  Dict& operator=(Dict&&) noexcept = default;

  template <typename K2, typename V2,
            typename = std::enable_if_t<type_subsumes_v<K, K2> && type_subsumes_v<V, V2> &&
                                        !(std::is_same_v<K, K2> && std::is_same_v<V, V2>)>>
  Dict(const Dict<K2, V2>& other)  // NOLINT(google-explicit-constructor)
      : ObjectRef(static_cast<const ObjectRef&>(other)) {}
  template <typename K2, typename V2,
            typename = std::enable_if_t<type_subsumes_v<K, K2> && type_subsumes_v<V, V2> &&
                                        !(std::is_same_v<K, K2> && std::is_same_v<V, V2>)>>
  Dict(Dict<K2, V2>&& other)  // NOLINT(google-explicit-constructor)
      : ObjectRef(static_cast<ObjectRef&&>(std::move(other))) {}
  template <typename K2, typename V2,
            typename = std::enable_if_t<type_subsumes_v<K, K2> && type_subsumes_v<V, V2> &&
                                        !(std::is_same_v<K, K2> && std::is_same_v<V, V2>)>>
  Dict& operator=(const Dict<K2, V2>& other) {
    ObjectRef::operator=(static_cast<const ObjectRef&>(other));
    return *this;
  }
  template <typename K2, typename V2,
            typename = std::enable_if_t<type_subsumes_v<K, K2> && type_subsumes_v<V, V2> &&
                                        !(std::is_same_v<K, K2> && std::is_same_v<V, V2>)>>
  Dict& operator=(Dict<K2, V2>&& other) {
    ObjectRef::operator=(static_cast<ObjectRef&&>(std::move(other)));
    return *this;
  }

  /*! \brief The pairs of [first, last) in order; a later duplicate overwrites the value. */
  template <typename Iter>
  Dict(Iter first, Iter last) : ObjectRef(FromRange(first, last)) {}
  Dict(std::initializer_list<std::pair<K, V>> init)  // NOLINT(google-explicit-constructor)
      : ObjectRef(FromRange(init.begin(), init.end())) {}
  /*! \brief The pairs of a std::unordered_map, std::map or a type with their members. */
  template <typename M, typename = std::enable_if_t<detail::is_plain_map_v<M>>>
  Dict(const M& init)  // NOLINT(google-explicit-constructor)
      : ObjectRef(FromRange(init.begin(), init.end())) {}

  /*! \brief The value of `key`; throws KeyError when there is none. */
  V at(const K& key) const {
    const DictObj* self = GetDictObj();
    if (self == nullptr) detail::ThrowMapMissingKey();
    return detail::SharedElementFromAny<V>(self->at(detail::MapKey<K>(key).get()));
  }
  V operator[](const K& key) const { return at(key); }
  size_t size() const {
    const DictObj* self = GetDictObj();
    return self == nullptr ? 0 : self->size();
  }
  size_t count(const K& key) const {
    const DictObj* self = GetDictObj();
    return self == nullptr ? 0 : self->count(detail::MapKey<K>(key).get());
  }
  bool empty() const { return size() == 0; }
  void clear() {
    if (DictObj* self = GetDictObj()) self->clear();
  }
  /*! \brief Adds a pair at the end, or overwrites its value. */
  void Set(const K& key, const V& value) { DictObj::Set(&data_, Any(key), Any(value)); }
  /*! \brief Removes `key` if it is there. */
  void erase(const K& key) {
    if (DictObj* self = GetDictObj()) self->erase(detail::MapKey<K>(key).get());
  }

  iterator begin() const {
    const DictObj* self = GetDictObj();
    return self == nullptr ? iterator() : iterator(self->begin());
  }
  iterator end() const {
    const DictObj* self = GetDictObj();
    return self == nullptr ? iterator() : iterator(self->end());
  }
  iterator find(const K& key) const {
    const DictObj* self = GetDictObj();
    return self == nullptr ? iterator() : iterator(self->find(detail::MapKey<K>(key).get()));
  }
  /*! \brief The value of `key`, or nullopt. */
  std::optional<V> Get(const K& key) const {
    const DictObj* self = GetDictObj();
    if (self == nullptr) return std::nullopt;
    const DictObj::iterator found = self->find(detail::MapKey<K>(key).get());
    if (found == self->end()) return std::nullopt;
    return detail::SharedElementFromAny<V>(found->second);
  }

  DictObj* GetDictObj() const { return static_cast<DictObj*>(data_.get()); }

  /// \cond Doxygen_Suppress
  using ContainerType = DictObj;
  static constexpr bool _type_container_is_exact = false;
  static constexpr bool _type_is_nullable = false;
  /// \endcond

 private:
  template <typename Iter>
  static ObjectPtr<Object> FromRange(Iter first, Iter last) {
    const auto count = std::distance(first, last);
    ObjectPtr<Object> dict = DictObj::EmptyForRange(count > 0 ? static_cast<uint64_t>(count) : 0);
    for (; first != last; ++first) {
      DictObj::Set(&dict, Any(K(first->first)), Any(V(first->second)));
    }
    return dict;
  }
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
