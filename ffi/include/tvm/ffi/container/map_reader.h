// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/container/map_reader.h
 * \brief The reading half of the references to maps, one for Map and Dict.
 */
#ifndef TVM_FFI_CONTAINER_MAP_READER_H_
#define TVM_FFI_CONTAINER_MAP_READER_H_

#include <tvm/ffi/container/map_base.h>
#include <tvm/ffi/container/map_detail.h>

#include <iterator>
#include <optional>
#include <type_traits>
#include <utility>

namespace tvm {
namespace ffi {
namespace detail {
/*! \brief Whether every pair of a map of `K2` and `V2` is one of `K` and `V`, another map type. */
template <typename K, typename V, typename K2, typename V2>
inline constexpr bool map_widens_v = type_subsumes_v<K, K2> && type_subsumes_v<V, V2> &&
                                     !(std::is_same_v<K, K2> && std::is_same_v<V, V2>);
}  // namespace detail

/*!
 * \brief Read access to a map object; a null reference reads as empty.
 * \tparam Obj MapObj or DictObj.
 * \tparam kShared Whether other holders may change the object, so that elements are checked.
 */
template <typename Obj, typename K, typename V, bool kShared>
class MapReader : public ObjectRef {
 public:
  using key_type = K;
  using mapped_type = V;
  using iterator = detail::MapIterAdapter<K, V, kShared>;
  /// \cond Doxygen_Suppress
  using ContainerType = Obj;
  static constexpr bool _type_container_is_exact = false;
  static constexpr bool _type_is_nullable = false;
  /// \endcond

  /*! \brief The value of `key`; throws KeyError when there is none. */
  V at(const K& key) const {
    const Obj* self = Raw();
    if (self == nullptr) detail::ThrowMapMissingKey();
    return Read(self->at(detail::MapKey<K>(key).get()));
  }
  V operator[](const K& key) const { return at(key); }
  size_t size() const {
    const Obj* self = Raw();
    return self == nullptr ? 0 : self->size();
  }
  size_t count(const K& key) const {
    const Obj* self = Raw();
    return self == nullptr ? 0 : self->count(detail::MapKey<K>(key).get());
  }
  bool empty() const { return size() == 0; }

  iterator begin() const {
    const Obj* self = Raw();
    return self == nullptr ? iterator() : iterator(self->begin());
  }
  iterator end() const {
    const Obj* self = Raw();
    return self == nullptr ? iterator() : iterator(self->end());
  }
  iterator find(const K& key) const {
    const Obj* self = Raw();
    return self == nullptr ? iterator() : iterator(self->find(detail::MapKey<K>(key).get()));
  }
  /*! \brief The value of `key`, or nullopt. */
  std::optional<V> Get(const K& key) const {
    const Obj* self = Raw();
    if (self == nullptr) return std::nullopt;
    const MapBaseObj::iterator found = self->find(detail::MapKey<K>(key).get());
    if (found == self->end()) return std::nullopt;
    return Read(found->second);
  }

 protected:
  using ObjectRef::ObjectRef;
  explicit MapReader(const ObjectRef& other) : ObjectRef(other) {}
  explicit MapReader(ObjectRef&& other) : ObjectRef(std::move(other)) {}

  Obj* Raw() const { return static_cast<Obj*>(data_.get()); }

  /*! \brief A new object with the pairs of [first, last); a later duplicate overwrites the value.
   */
  template <typename Iter>
  static ObjectPtr<Object> FromRange(Iter first, Iter last) {
    ObjectPtr<Object> map =
        Obj::EmptyForRange(static_cast<uint64_t>(detail::CountRange(first, last)));
    for (; first != last; ++first) {
      const auto& pair = *first;
      Obj::Set(&map, Any(K(pair.first)), Any(V(pair.second)));
    }
    return map;
  }

 private:
  static V Read(const Any& value) {
    if constexpr (kShared) {
      return detail::SharedElementFromAny<V>(value);
    } else {
      return detail::ElementFromAny<V>(value);
    }
  }
};

}  // namespace ffi
}  // namespace tvm
#endif  // TVM_FFI_CONTAINER_MAP_READER_H_
