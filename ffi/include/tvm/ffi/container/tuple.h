// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/container/tuple.h
 * \brief Tuple: an array object of a fixed number of elements, each with a type of its own.
 */
#ifndef TVM_FFI_CONTAINER_TUPLE_H_
#define TVM_FFI_CONTAINER_TUPLE_H_

#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/container_detail.h>

#include <cstddef>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace tvm {
namespace ffi {

template <typename... Types>
class Tuple;

namespace detail {

template <typename>
inline constexpr bool is_tuple_v = false;
template <typename... Types>
inline constexpr bool is_tuple_v<Tuple<Types...>> = true;

/*!
 * \brief Whether `Args` may initialise a tuple of `Types`: the counts agree, each element can be
 *        made from its argument, and a lone tuple argument is left to the copy constructors.
 */
template <typename Types, typename Args, typename = void>
inline constexpr bool tuple_args_fit_v = false;
template <typename... Types, typename... Args>
inline constexpr bool tuple_args_fit_v<
    std::tuple<Types...>, std::tuple<Args...>,
    std::enable_if_t<sizeof...(Types) == sizeof...(Args) && sizeof...(Types) != 0>> =
    (std::is_constructible_v<Types, Args&&> && ...) &&
    !(sizeof...(Types) == 1 && (is_tuple_v<std::decay_t<Args>> && ...));

}  // namespace detail

/*!
 * \brief Reference to exactly `sizeof...(Types)` elements of the given types (copy on write).
 * \tparam Types Any, or types that can be stored in Any.
 */
template <typename... Types>
class Tuple : public ObjectRef {
  static_assert(detail::all_storage_enabled_v<Types...>,
                "the elements of a Tuple are Any or types that can be stored in Any");

 public:
  /*! \brief Default-constructs each element. */
  Tuple() : ObjectRef(ObjectPtr<Object>(Make(Types()...))) {}
  explicit Tuple(UnsafeInit tag) : ObjectRef(tag) {}
  /*! \brief Wraps an array object that is known to hold the right elements. */
  explicit Tuple(ObjectPtr<Object> data) : ObjectRef(std::move(data)) {}
  Tuple(const Tuple&) = default;
  Tuple(Tuple&&) noexcept = default;
  Tuple& operator=(const Tuple&) = default;
  Tuple& operator=(Tuple&&) noexcept = default;

  template <typename... U, typename = std::enable_if_t<type_subsumes_v<Tuple, Tuple<U...>> &&
                                                       !std::is_same_v<Tuple, Tuple<U...>>>>
  Tuple(const Tuple<U...>& other)  // NOLINT(google-explicit-constructor)
      : ObjectRef(static_cast<const ObjectRef&>(other)) {}
  template <typename... U, typename = std::enable_if_t<type_subsumes_v<Tuple, Tuple<U...>> &&
                                                       !std::is_same_v<Tuple, Tuple<U...>>>>
  Tuple(Tuple<U...>&& other)  // NOLINT(google-explicit-constructor)
      : ObjectRef(static_cast<ObjectRef&&>(std::move(other))) {}
  template <typename... U, typename = std::enable_if_t<type_subsumes_v<Tuple, Tuple<U...>> &&
                                                       !std::is_same_v<Tuple, Tuple<U...>>>>
  Tuple& operator=(const Tuple<U...>& other) {
    ObjectRef::operator=(static_cast<const ObjectRef&>(other));
    return *this;
  }
  template <typename... U, typename = std::enable_if_t<type_subsumes_v<Tuple, Tuple<U...>> &&
                                                       !std::is_same_v<Tuple, Tuple<U...>>>>
  Tuple& operator=(Tuple<U...>&& other) {
    ObjectRef::operator=(static_cast<ObjectRef&&>(std::move(other)));
    return *this;
  }

  /*! \brief One argument per element; each element is constructed from its argument. */
  template <typename... Args, typename = std::enable_if_t<detail::tuple_args_fit_v<
                                  std::tuple<Types...>, std::tuple<Args...>>>>
  explicit Tuple(Args&&... args)
      : ObjectRef(ObjectPtr<Object>(Make(Types(std::forward<Args>(args))...))) {}

  /*! \brief A copy of element `I`. */
  template <size_t I>
  auto get() const& {
    static_assert(I < sizeof...(Types), "Tuple index out of bounds");
    return detail::ElementFromAny<Element<I>>(*Slot(I));
  }
  /*! \brief Element `I`, moved out when this is the only owner; the tuple stays defined. */
  template <size_t I>
  auto get() && {
    static_assert(I < sizeof...(Types), "Tuple index out of bounds");
    if (data_.unique()) return detail::ElementMoveFromAny<Element<I>>(std::move(*Slot(I)));
    return detail::ElementFromAny<Element<I>>(*Slot(I));
  }
  /*! \brief Replaces element `I`, in a private copy when the tuple is shared. */
  template <size_t I, typename U>
  void Set(U&& item) {
    static_assert(I < sizeof...(Types), "Tuple index out of bounds");
    Element<I> value(std::forward<U>(item));
    (void)Slot(I);  // a null tuple has no elements to keep
    ArrayObj::Writable(&data_, 0)->SetItem(static_cast<int64_t>(I), Any(std::move(value)));
  }

  ArrayObj* GetArrayObj() const { return static_cast<ArrayObj*>(data_.get()); }

  /// \cond Doxygen_Suppress
  using ContainerType = ArrayObj;
  static constexpr bool _type_container_is_exact = false;
  static constexpr bool _type_is_nullable = false;
  /// \endcond

 private:
  template <size_t I>
  using Element = std::tuple_element_t<I, std::tuple<Types...>>;

  Any* Slot(size_t i) const {
    ArrayObj* self = GetArrayObj();
    if (TVM_FFI_PREDICT_FALSE(self == nullptr)) detail::ThrowSeqNullIndex("a null tuple");
    return self->MutableBegin() + i;
  }
  static ObjectPtr<ArrayObj> Make(Types... items) {
    ObjectPtr<ArrayObj> p = ArrayObj::Empty(static_cast<int64_t>(sizeof...(Types)));
    (p->EmplaceBackUnchecked(Any(std::move(items))), ...);
    return p;
  }
};

template <typename... Args>
Tuple(Args&&...) -> Tuple<std::remove_cv_t<std::remove_reference_t<Args>>...>;

/*! \brief Element `I` of a tuple; what structured bindings use. */
template <size_t I, typename... Types>
inline auto get(const Tuple<Types...>& t) {
  return t.template get<I>();
}
template <size_t I, typename... Types>
inline auto get(Tuple<Types...>&& t) {
  return std::move(t).template get<I>();
}

/// \cond Doxygen_Suppress
namespace detail {

inline bool TupleCheckStrict(const TVMFFIAny* src, const ElementOps* const* ops, size_t count) {
  if (src->type_index != TypeIndex::kTVMFFIArray) return false;
  const SeqBaseObj* seq = SeqFromAnyView(src);
  if (seq->size() != count) return false;
  for (size_t i = 0; i < count; ++i) {
    if (ops[i]->check_strict != nullptr && !ops[i]->check_strict(RawAny(seq->begin()[i]))) {
      return false;
    }
  }
  return true;
}

TVM_FFI_NO_INLINE inline ObjectPtr<Object> TupleTryConvert(const TVMFFIAny* src,
                                                           const ElementOps* const* ops,
                                                           size_t count) {
  if (TupleCheckStrict(src, ops, count)) {
    return ObjectUnsafe::ObjectPtrFromUnowned<Object>(src->v_obj);
  }
  if (src->type_index != TypeIndex::kTVMFFIArray) return nullptr;
  const SeqBaseObj* seq = SeqFromAnyView(src);
  if (seq->size() != count) return nullptr;
  ObjectPtr<ArrayObj> result = ArrayObj::Empty(static_cast<int64_t>(count));
  for (size_t i = 0; i < count; ++i) {
    Any converted;
    if (!ops[i]->convert(RawAny(seq->begin()[i]), &converted)) return nullptr;
    result->insert(static_cast<int64_t>(i), std::move(converted));
  }
  return result;
}

TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline std::string TupleMismatchText(
    const TVMFFIAny* src, const ElementOps* const* ops, size_t count) {
  if (src->type_index != TypeIndex::kTVMFFIArray) return TypeIndexToTypeKey(src->type_index);
  const SeqBaseObj* seq = SeqFromAnyView(src);
  if (seq->size() != count) return "Array[size=" + std::to_string(seq->size()) + "]";
  for (size_t i = 0; i < count; ++i) {
    const TVMFFIAny* element = RawAny(seq->begin()[i]);
    Any converted;
    if (ops[i]->check_strict == nullptr || ops[i]->check_strict(element) ||
        ops[i]->convert(element, &converted)) {
      continue;
    }
    return ElementMismatchText("Array", static_cast<int64_t>(i), ops[i]->mismatch(element));
  }
  return TypeIndexToTypeKey(src->type_index);
}

}  // namespace detail

template <typename... Types>
inline constexpr bool use_default_type_traits_v<Tuple<Types...>> = false;

template <typename... Types>
struct TypeTraits<Tuple<Types...>> : public ObjectRefTypeTraitsBase<Tuple<Types...>> {
  static constexpr int32_t field_static_type_index = TypeIndex::kTVMFFIObject;
  using ObjectRefTypeTraitsBase<Tuple<Types...>>::CopyFromAnyViewAfterCheck;

  static bool CheckAnyStrict(const TVMFFIAny* src) {
    return detail::TupleCheckStrict(src, kOps, sizeof...(Types));
  }
  static std::optional<Tuple<Types...>> TryCastFromAnyView(const TVMFFIAny* src) {
    ObjectPtr<Object> array = detail::TupleTryConvert(src, kOps, sizeof...(Types));
    if (array == nullptr) return std::nullopt;
    return Tuple<Types...>(std::move(array));
  }
  static std::string GetMismatchTypeInfo(const TVMFFIAny* src) {
    return detail::TupleMismatchText(src, kOps, sizeof...(Types));
  }
  static std::string TypeStr() {
    return detail::ComposeTypeStr("Tuple", {detail::kElementOps<Types>.type_str...});
  }
  static std::string TypeSchema() {
    return detail::ComposeTypeSchema("Tuple", {detail::kElementOps<Types>.type_schema...});
  }

 private:
  // One more than needed, since an array can't be empty.
  static constexpr const detail::ElementOps* kOps[sizeof...(Types) + 1] = {
      &detail::kElementOps<Types>..., nullptr};
};

namespace detail {
template <typename Target, typename Source>
inline constexpr bool tuple_elements_subsume_v = false;
template <typename... T, typename... U>
inline constexpr bool tuple_elements_subsume_v<std::tuple<T...>, std::tuple<U...>> =
    (type_subsumes_v<T, U> && ...);
}  // namespace detail

template <typename... T, typename... U>
inline constexpr bool
    type_subsumes_v<Tuple<T...>, Tuple<U...>, std::enable_if_t<sizeof...(T) == sizeof...(U)>> =
        detail::tuple_elements_subsume_v<std::tuple<T...>, std::tuple<U...>>;
/// \endcond

}  // namespace ffi
}  // namespace tvm

namespace std {
template <typename... Types>
struct tuple_size<::tvm::ffi::Tuple<Types...>>
    : public std::integral_constant<size_t, sizeof...(Types)> {};

template <size_t I, typename... Types>
struct tuple_element<I, ::tvm::ffi::Tuple<Types...>> {
  using type = std::tuple_element_t<I, std::tuple<Types...>>;
};
}  // namespace std
#endif  // TVM_FFI_CONTAINER_TUPLE_H_
