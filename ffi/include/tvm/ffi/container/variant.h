// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/container/variant.h
 * \brief Variant: a value of one of several types.
 */
#ifndef TVM_FFI_CONTAINER_VARIANT_H_
#define TVM_FFI_CONTAINER_VARIANT_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/container/container_detail.h>

#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace tvm {
namespace ffi {

template <typename... V>
class Variant;

/// \cond Doxygen_Suppress
template <typename... V, typename T>
inline constexpr bool type_subsumes_v<Variant<V...>, T> =
    std::is_same_v<Variant<V...>, T> || (type_subsumes_v<V, T> || ...);
/// \endcond

/*!
 * \brief A value of one of the types `V`, kept in one Any.
 *
 * It is not an object reference, even when all alternatives are.
 * \tparam V Types that can be stored in Any.
 */
template <typename... V>
class Variant {
  static_assert(detail::all_storage_enabled_v<V...>,
                "the alternatives of a Variant are types that can be stored in Any");

 public:
  /// \cond Doxygen_Suppress
  static constexpr bool _type_container_is_exact = false;
  static constexpr bool all_alternatives_are_object_ref_v = detail::all_object_ref_v<V...>;
  /// \endcond

  /*! \brief Whether a value of type `T` is also a value of some alternative. */
  template <typename T>
  static constexpr bool variant_contains_v = (type_subsumes_v<V, T> || ...);
  template <typename T>
  using enable_if_variant_contains_t = std::enable_if_t<variant_contains_v<T>>;

  Variant(const Variant&) = default;
  Variant(Variant&&) noexcept = default;
  Variant& operator=(const Variant&) = default;
  Variant& operator=(Variant&&) noexcept = default;

  template <typename T, typename = enable_if_variant_contains_t<T>>
  Variant(T value) : data_(std::move(value)) {}  // NOLINT(google-explicit-constructor)
  template <typename T, typename = enable_if_variant_contains_t<T>>
  Variant& operator=(T value) {
    data_ = Any(std::move(value));
    return *this;
  }

  /*! \brief The value when it is strictly a `T`. */
  template <typename T, typename = enable_if_variant_contains_t<T>,
            typename = std::enable_if_t<!is_object_subclass_v<T>>>
  std::optional<T> as() const {
    return data_.template as<T>();
  }
  /*! \brief Pointer to the held object of class `T`, or null; valid while this Variant is. */
  template <typename T, typename = std::enable_if_t<is_object_subclass_v<T>>>
  const T* as() const {
    return data_.template as<T>();
  }
  /*! \brief The value as a `T`; throws TypeError when it is not one. */
  template <typename T, typename = enable_if_variant_contains_t<T>>
  T get() const& {
    return data_.template cast<T>();
  }
  template <typename T, typename = enable_if_variant_contains_t<T>>
  T get() && {
    return std::move(data_).template cast<T>();
  }

  /*! \brief Type key of the held value. */
  std::string GetTypeKey() const { return data_.GetTypeKey(); }
  /*! \brief Whether both hold the same bits; for objects, the same object. */
  bool same_as(const Variant& other) const { return data_.same_as(other.data_); }

  /// \cond Doxygen_Suppress
  // What ObjectPtrHash and ObjectPtrEqual compare.
  const void* data_for_identity() const {
    static_assert(all_alternatives_are_object_ref_v,
                  "only a Variant of object references can be a key by identity");
    const TVMFFIAny* raw = detail::RawAny(data_);
    return raw->type_index < TypeIndex::kTVMFFIStaticObjectBegin ? nullptr : raw->v_ptr;
  }
  /// \endcond

 private:
  friend struct TypeTraits<Variant<V...>>;

  struct Unchecked {};
  Variant(Unchecked, Any data) : data_(std::move(data)) {}

  const Any& ToAny() const& { return data_; }
  Any ToAny() && { return std::move(data_); }

  Any data_;
};

/// \cond Doxygen_Suppress
namespace detail {

inline bool VariantCheckStrict(const TVMFFIAny* src, const ElementOps* const* ops, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (ops[i]->check_strict == nullptr || ops[i]->check_strict(src)) return true;
  }
  return false;
}

/*! \brief First alternative that converts wins; a strict match of any alternative is kept. */
TVM_FFI_NO_INLINE inline bool VariantTryConvert(const TVMFFIAny* src, const ElementOps* const* ops,
                                                size_t count, Any* out) {
  if (src->type_index != TypeIndex::kTVMFFIRawStr &&
      src->type_index != TypeIndex::kTVMFFIByteArrayPtr &&
      src->type_index != TypeIndex::kTVMFFIObjectRValueRef && VariantCheckStrict(src, ops, count)) {
    *out = AnyView::CopyFromTVMFFIAny(*src);
    return true;
  }
  for (size_t i = 0; i < count; ++i) {
    if (ops[i]->convert(src, out)) return true;
  }
  return false;
}

}  // namespace detail

template <typename... V>
inline constexpr bool use_default_type_traits_v<Variant<V...>> = false;

template <typename... V>
struct TypeTraits<Variant<V...>> : public TypeTraitsBase {
  static void CopyToAnyView(const Variant<V...>& src, TVMFFIAny* result) {
    *result = AnyView(src.ToAny()).CopyToTVMFFIAny();
  }
  static void MoveToAny(Variant<V...> src, TVMFFIAny* result) {
    *result = detail::AnyUnsafe::MoveAnyToTVMFFIAny(std::move(src).ToAny());
  }
  static bool CheckAnyStrict(const TVMFFIAny* src) {
    return detail::VariantCheckStrict(src, kOps, sizeof...(V));
  }
  static Variant<V...> CopyFromAnyViewAfterCheck(const TVMFFIAny* src) {
    return Variant<V...>(typename Variant<V...>::Unchecked{},
                         Any(AnyView::CopyFromTVMFFIAny(*src)));
  }
  static Variant<V...> MoveFromAnyAfterCheck(TVMFFIAny* src) {
    return Variant<V...>(typename Variant<V...>::Unchecked{},
                         detail::AnyUnsafe::MoveTVMFFIAnyToAny(src));
  }
  static std::optional<Variant<V...>> TryCastFromAnyView(const TVMFFIAny* src) {
    Any value;
    if (!detail::VariantTryConvert(src, kOps, sizeof...(V), &value)) return std::nullopt;
    return Variant<V...>(typename Variant<V...>::Unchecked{}, std::move(value));
  }
  static std::string TypeStr() {
    return detail::ComposeTypeStr("Variant", {detail::kElementOps<V>.type_str...});
  }
  static std::string TypeSchema() {
    return detail::ComposeTypeSchema("Variant", {detail::kElementOps<V>.type_schema...});
  }

 private:
  static constexpr const detail::ElementOps* kOps[] = {&detail::kElementOps<V>...};
};
/// \endcond

}  // namespace ffi
}  // namespace tvm
#endif  // TVM_FFI_CONTAINER_VARIANT_H_
