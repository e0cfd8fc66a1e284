// SPDX-License-Identifier: Apache-2.0
/*! \file tvm/ffi/extra/stl.h
 *  Standard containers as arguments and results. Every crossing copies: they become Array, Map and
 * Function.
 *
 *  The view of a container owns the copy that was made for it. Calls through Function release it;
 * whoever makes an AnyView from a container by hand must do so too, or use Any.
 */
#ifndef TVM_FFI_EXTRA_STL_H_
#define TVM_FFI_EXTRA_STL_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/function.h>

#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

namespace tvm {
namespace ffi {
namespace detail {

template <typename T>
struct IntRangeOf<std::optional<T>, void> : IntRangeOf<T> {};

template <typename T>
inline constexpr bool stl_element_v = std::is_same_v<T, Any> || TypeTraits<T>::convert_enabled;

/*! Joins the texts of several types. */
TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline std::string JoinTypeTexts(const FTypeText* texts,
                                                                     size_t count,
                                                                     const char* before,
                                                                     const char* separator,
                                                                     const char* after) {
  std::string result = before;
  for (size_t i = 0; i < count; ++i) {
    if (i != 0) result += separator;
    result += texts[i]();
  }
  return result + after;
}

template <typename... Ts>
struct STLTypeTexts {
  static constexpr FTypeText names[] = {&Type2Str<Ts>::v...};
  static constexpr FTypeText schemas[] = {&ffi::detail::TypeSchema<Ts>::v...};
  TVM_FFI_COLD_CODE static std::string Name(const char* name) {
    return JoinTypeTexts(names, sizeof...(Ts), (std::string(name) + "<").c_str(), ", ", ">");
  }
  TVM_FFI_COLD_CODE static std::string Schema(const char* name, const char* separator = ",") {
    return JoinTypeTexts(schemas, sizeof...(Ts),
                         (R"({"type":")" + std::string(name) + R"(","args":[)").c_str(), separator,
                         "]}");
  }
};

/*! Elements of an Array or List value; nothing for anything else. */
struct SeqElements {
  const TVMFFIAny* data = nullptr;
  int64_t size = -1;

  static SeqElements Of(const TVMFFIAny* src, bool accept_list) {
    SeqElements result;
    if (src->type_index == TypeIndex::kTVMFFIArray ||
        (accept_list && src->type_index == TypeIndex::kTVMFFIList)) {
      const auto* cell = reinterpret_cast<const TVMFFISeqCell*>(src->v_obj + 1);
      result.data = static_cast<const TVMFFIAny*>(cell->data);
      result.size = cell->size;
    }
    return result;
  }
};

template <typename T>
TVM_FFI_INLINE std::optional<T> CastElement(const TVMFFIAny* src) {
  return AnyView::CopyFromTVMFFIAny(*src).template try_cast<T>();
}

/*! What is wrong with an element, in the words of type texts; empty when it converts. */
template <typename T>
TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE std::string DescribeElement(const TVMFFIAny* src) {
  if constexpr (std::is_same_v<T, Any>) {
    return std::string();
  } else {
    if (CastElement<T>(src).has_value()) return std::string();
    if (src->type_index == TypeIndex::kTVMFFISmallStr || src->type_index == TypeIndex::kTVMFFIStr) {
      // Devices and the like tell what is wrong with the text; for others it is just a str.
      std::string info = TypeTraits<T>::GetMismatchTypeInfo(src);
      return info == TypeIndexToTypeKey(src->type_index) ? Type2Str<String>::v() : info;
    }
    if (src->type_index == TypeIndex::kTVMFFISmallBytes ||
        src->type_index == TypeIndex::kTVMFFIBytes) {
      return Type2Str<Bytes>::v();
    }
    return TypeTraits<T>::GetMismatchTypeInfo(src);
  }
}

using FDescribeElement = std::string (*)(const TVMFFIAny*);

/*! Says which element of an Array or List does not convert. `size` is the one that is wanted, -1
 * for any; `num_describe` is 1 when all elements are of one type. */
TVM_FFI_COLD_CODE TVM_FFI_NO_INLINE inline std::string DescribeElements(
    const TVMFFIAny* src, bool accept_list, int64_t size, const FDescribeElement* describe,
    size_t num_describe) {
  const SeqElements elems = SeqElements::Of(src, accept_list);
  if (elems.size < 0) return TypeIndexToTypeKey(src->type_index);
  const char* kind = src->type_index == TypeIndex::kTVMFFIArray ? "Array" : "List";
  if (size >= 0 && elems.size != size) {
    return std::string(kind) + "[size=" + std::to_string(elems.size) + "]";
  }
  for (int64_t i = 0; i < elems.size; ++i) {
    std::string info = describe[num_describe == 1 ? 0 : i](elems.data + i);
    if (!info.empty()) return ElementMismatchText(kind, i, std::move(info));
  }
  return TypeIndexToTypeKey(src->type_index);
}

/*! What all copying conversions share. `Derived` brings MoveToAny and TryCastFromAnyView. */
template <typename T>
struct STLTraitsBase : public TypeTraitsBase {
  static constexpr bool storage_enabled = false;
  /*! \brief Function calls hold such an argument as an owned value. */
  static constexpr bool view_needs_owner = true;

  static void CopyToAnyView(const T& src, TVMFFIAny* result) {
    TypeTraits<T>::MoveToAny(src, result);
  }
};

TVM_FFI_INLINE void MoveArrayToAny(Array<Any> array, TVMFFIAny* result) {
  TypeTraits<Array<Any>>::MoveToAny(std::move(array), result);
}

}  // namespace detail

/*! A new Array; accepts an Array or List whose elements all convert. */
template <typename T>
struct TypeTraits<std::vector<T>, std::enable_if_t<detail::stl_element_v<T>>>
    : public detail::STLTraitsBase<std::vector<T>> {
  static void MoveToAny(std::vector<T> src, TVMFFIAny* result) {
    Array<Any> array;
    array.reserve(static_cast<int64_t>(src.size()));
    for (auto&& elem : src) array.push_back(Any(T(std::move(elem))));
    detail::MoveArrayToAny(std::move(array), result);
  }
  static std::optional<std::vector<T>> TryCastFromAnyView(const TVMFFIAny* src) {
    const detail::SeqElements elems = detail::SeqElements::Of(src, true);
    if (elems.size < 0) return std::nullopt;
    std::vector<T> result;
    result.reserve(static_cast<size_t>(elems.size));
    for (int64_t i = 0; i < elems.size; ++i) {
      std::optional<T> elem = detail::CastElement<T>(elems.data + i);
      if (!elem.has_value()) return std::nullopt;
      result.push_back(*std::move(elem));
    }
    return result;
  }
  TVM_FFI_COLD_CODE static std::string GetMismatchTypeInfo(const TVMFFIAny* src) {
    constexpr detail::FDescribeElement kDescribe = &detail::DescribeElement<T>;
    return detail::DescribeElements(src, true, -1, &kDescribe, 1);
  }
  static std::string TypeStr() { return detail::STLTypeTexts<T>::Name("std::vector"); }
  static std::string TypeSchema() { return detail::STLTypeTexts<T>::Schema("std::vector"); }
};

/*! A new Array; accepts an Array of exactly that size. */
template <typename T, size_t N>
struct TypeTraits<std::array<T, N>, std::enable_if_t<detail::stl_element_v<T> && (N > 0)>>
    : public detail::STLTraitsBase<std::array<T, N>> {
  static void MoveToAny(std::array<T, N> src, TVMFFIAny* result) {
    Array<Any> array;
    array.reserve(static_cast<int64_t>(N));
    for (T& elem : src) array.push_back(Any(std::move(elem)));
    detail::MoveArrayToAny(std::move(array), result);
  }
  static std::optional<std::array<T, N>> TryCastFromAnyView(const TVMFFIAny* src) {
    const detail::SeqElements elems = detail::SeqElements::Of(src, false);
    if (elems.size != static_cast<int64_t>(N)) return std::nullopt;
    return Cast(elems.data, std::make_index_sequence<N>());
  }
  TVM_FFI_COLD_CODE static std::string GetMismatchTypeInfo(const TVMFFIAny* src) {
    constexpr detail::FDescribeElement kDescribe = &detail::DescribeElement<T>;
    return detail::DescribeElements(src, false, static_cast<int64_t>(N), &kDescribe, 1);
  }
  static std::string TypeStr() {
    return "std::array<" + detail::Type2Str<T>::v() + ", " + std::to_string(N) + ">";
  }
  static std::string TypeSchema() {
    return R"({"type":"std::array","args":[)" + detail::TypeSchema<T>::v() + "," +
           std::to_string(N) + "]}";
  }

 private:
  template <size_t... Is>
  static std::optional<std::array<T, N>> Cast(const TVMFFIAny* data, std::index_sequence<Is...>) {
    // Elements need no default constructor.
    std::array<std::optional<T>, N> parts = {detail::CastElement<T>(data + Is)...};
    if (!(parts[Is].has_value() && ...)) return std::nullopt;
    return std::array<T, N>{*std::move(parts[Is])...};
  }
};

/*! A new Array; accepts an Array of exactly that size. */
template <typename... Ts>
struct TypeTraits<std::tuple<Ts...>,
                  std::enable_if_t<(sizeof...(Ts) > 0) && (detail::stl_element_v<Ts> && ...)>>
    : public detail::STLTraitsBase<std::tuple<Ts...>> {
  static void MoveToAny(std::tuple<Ts...> src, TVMFFIAny* result) {
    Array<Any> array;
    array.reserve(static_cast<int64_t>(sizeof...(Ts)));
    std::apply([&array](Ts&... elems) { (array.push_back(Any(std::move(elems))), ...); }, src);
    detail::MoveArrayToAny(std::move(array), result);
  }
  static std::optional<std::tuple<Ts...>> TryCastFromAnyView(const TVMFFIAny* src) {
    const detail::SeqElements elems = detail::SeqElements::Of(src, false);
    if (elems.size != static_cast<int64_t>(sizeof...(Ts))) return std::nullopt;
    return Cast(elems.data, std::index_sequence_for<Ts...>());
  }
  TVM_FFI_COLD_CODE static std::string GetMismatchTypeInfo(const TVMFFIAny* src) {
    static constexpr detail::FDescribeElement kDescribe[] = {&detail::DescribeElement<Ts>...};
    return detail::DescribeElements(src, false, static_cast<int64_t>(sizeof...(Ts)), kDescribe,
                                    sizeof...(Ts));
  }
  static std::string TypeStr() { return detail::STLTypeTexts<Ts...>::Name("std::tuple"); }
  static std::string TypeSchema() {
    return detail::STLTypeTexts<Ts...>::Schema("std::tuple", ", ");
  }

 private:
  template <size_t... Is>
  static std::optional<std::tuple<Ts...>> Cast(const TVMFFIAny* data, std::index_sequence<Is...>) {
    std::tuple<std::optional<Ts>...> parts(detail::CastElement<Ts>(data + Is)...);
    if (!(std::get<Is>(parts).has_value() && ...)) return std::nullopt;
    return std::tuple<Ts...>(*std::move(std::get<Is>(parts))...);
  }
};

namespace detail {

/*! Rules of both standard maps: a new Map; accepts a Map whose entries all convert. */
template <typename MapType>
struct STLMapTraits : public STLTraitsBase<MapType> {
  using K = typename MapType::key_type;
  using V = typename MapType::mapped_type;

  static void MoveToAny(MapType src, TVMFFIAny* result) {
    Map<Any, Any> map;
    for (auto& entry : src) map.Set(Any(entry.first), Any(std::move(entry.second)));
    TypeTraits<Map<Any, Any>>::MoveToAny(std::move(map), result);
  }
  static std::optional<MapType> TryCastFromAnyView(const TVMFFIAny* src) {
    if (src->type_index != TypeIndex::kTVMFFIMap) return std::nullopt;
    const MapObj* map = ObjectUnsafe::RawObjectPtrFromUnowned<MapObj>(src->v_obj);
    MapType result;
    for (const auto& entry : *map) {
      std::optional<K> key = entry.first.template try_cast<K>();
      if (!key.has_value()) return std::nullopt;
      std::optional<V> value = entry.second.template try_cast<V>();
      if (!value.has_value()) return std::nullopt;
      result.insert_or_assign(*std::move(key), *std::move(value));
    }
    return result;
  }
  TVM_FFI_COLD_CODE static std::string GetMismatchTypeInfo(const TVMFFIAny* src) {
    if (src->type_index != TypeIndex::kTVMFFIMap) return TypeIndexToTypeKey(src->type_index);
    const MapObj* map = ObjectUnsafe::RawObjectPtrFromUnowned<MapObj>(src->v_obj);
    for (const auto& entry : *map) {
      std::string key = DescribeElement<K>(RawAny(entry.first));
      if (!key.empty()) return "Map[some key is " + key + "]";
      std::string value = DescribeElement<V>(RawAny(entry.second));
      if (!value.empty()) return "Map[some value is " + value + "]";
    }
    return TypeIndexToTypeKey(src->type_index);
  }
};

}  // namespace detail

template <typename K, typename V>
struct TypeTraits<std::map<K, V>,
                  std::enable_if_t<detail::stl_element_v<K> && detail::stl_element_v<V>>>
    : public detail::STLMapTraits<std::map<K, V>> {
  static std::string TypeStr() { return detail::STLTypeTexts<K, V>::Name("std::map"); }
  static std::string TypeSchema() { return detail::STLTypeTexts<K, V>::Schema("std::map"); }
};

template <typename K, typename V>
struct TypeTraits<std::unordered_map<K, V>,
                  std::enable_if_t<detail::stl_element_v<K> && detail::stl_element_v<V>>>
    : public detail::STLMapTraits<std::unordered_map<K, V>> {
  static std::string TypeStr() { return detail::STLTypeTexts<K, V>::Name("std::unordered_map"); }
  static std::string TypeSchema() {
    return detail::STLTypeTexts<K, V>::Schema("std::unordered_map");
  }
};

/*! Nothing is None. */
template <typename T>
struct TypeTraits<std::optional<T>, std::enable_if_t<TypeTraits<T>::convert_enabled>>
    : public TypeTraitsBase {
  static constexpr bool storage_enabled = TypeTraits<T>::storage_enabled;
  static constexpr bool view_needs_owner = detail::argument_needs_owner_v<T>;

  TVM_FFI_INLINE static void CopyToAnyView(const std::optional<T>& src, TVMFFIAny* result) {
    if (src.has_value()) {
      TypeTraits<T>::CopyToAnyView(*src, result);
    } else {
      detail::SetNoneAny(result);
    }
  }
  TVM_FFI_INLINE static void MoveToAny(std::optional<T> src, TVMFFIAny* result) {
    if (src.has_value()) {
      TypeTraits<T>::MoveToAny(*std::move(src), result);
    } else {
      detail::SetNoneAny(result);
    }
  }
  TVM_FFI_INLINE static bool CheckAnyStrict(const TVMFFIAny* src) {
    return src->type_index == TypeIndex::kTVMFFINone || TypeTraits<T>::CheckAnyStrict(src);
  }
  TVM_FFI_INLINE static std::optional<T> CopyFromAnyViewAfterCheck(const TVMFFIAny* src) {
    if (src->type_index == TypeIndex::kTVMFFINone) return std::nullopt;
    return TypeTraits<T>::CopyFromAnyViewAfterCheck(src);
  }
  TVM_FFI_INLINE static std::optional<T> MoveFromAnyAfterCheck(TVMFFIAny* src) {
    if (src->type_index == TypeIndex::kTVMFFINone) return std::nullopt;
    return TypeTraits<T>::MoveFromAnyAfterCheck(src);
  }
  TVM_FFI_INLINE static std::optional<std::optional<T>> TryCastFromAnyView(const TVMFFIAny* src) {
    if (src->type_index == TypeIndex::kTVMFFINone) return std::optional<T>(std::nullopt);
    std::optional<T> value = TypeTraits<T>::TryCastFromAnyView(src);
    if (!value.has_value()) return std::nullopt;
    return value;
  }
  TVM_FFI_COLD_CODE static std::string GetMismatchTypeInfo(const TVMFFIAny* src) {
    return TypeTraits<T>::GetMismatchTypeInfo(src);
  }
  static std::string TypeStr() { return detail::STLTypeTexts<T>::Name("std::optional"); }
  static std::string TypeSchema() { return detail::STLTypeTexts<T>::Schema("std::optional"); }
};

/*! The held alternative; the first alternative that converts is taken. */
template <typename... Ts>
struct TypeTraits<std::variant<Ts...>, std::enable_if_t<(TypeTraits<Ts>::convert_enabled && ...)>>
    : public TypeTraitsBase {
  using Self = std::variant<Ts...>;
  static constexpr bool storage_enabled = (TypeTraits<Ts>::storage_enabled && ...);
  static constexpr bool view_needs_owner = (detail::argument_needs_owner_v<Ts> || ...);

  static void CopyToAnyView(const Self& src, TVMFFIAny* result) {
    std::visit(
        [result](const auto& value) {
          TypeTraitsNoCR<decltype(value)>::CopyToAnyView(value, result);
        },
        src);
  }
  static void MoveToAny(Self src, TVMFFIAny* result) {
    std::visit(
        [result](auto& value) {
          TypeTraitsNoCR<decltype(value)>::MoveToAny(std::move(value), result);
        },
        src);
  }
  static bool CheckAnyStrict(const TVMFFIAny* src) {
    return (TypeTraits<Ts>::CheckAnyStrict(src) || ...);
  }
  static Self CopyFromAnyViewAfterCheck(const TVMFFIAny* src) {
    std::optional<Self> result;
    (void)((TypeTraits<Ts>::CheckAnyStrict(src) &&
            (result.emplace(TypeTraits<Ts>::CopyFromAnyViewAfterCheck(src)), true)) ||
           ...);
    return *std::move(result);
  }
  static Self MoveFromAnyAfterCheck(TVMFFIAny* src) {
    std::optional<Self> result;
    (void)((TypeTraits<Ts>::CheckAnyStrict(src) &&
            (result.emplace(TypeTraits<Ts>::MoveFromAnyAfterCheck(src)), true)) ||
           ...);
    return *std::move(result);
  }
  static std::optional<Self> TryCastFromAnyView(const TVMFFIAny* src) {
    std::optional<Self> result;
    (void)(TryAlternative<Ts>(src, &result) || ...);
    return result;
  }
  static std::string TypeStr() { return detail::STLTypeTexts<Ts...>::Name("std::variant"); }
  static std::string TypeSchema() {
    return detail::STLTypeTexts<Ts...>::Schema("std::variant", ", ");
  }

 private:
  template <typename T>
  static bool TryAlternative(const TVMFFIAny* src, std::optional<Self>* result) {
    std::optional<T> value = TypeTraits<T>::TryCastFromAnyView(src);
    if (value.has_value()) result->emplace(std::in_place_type<T>, *std::move(value));
    return value.has_value();
  }
};

/*! A Function with that signature. */
template <typename R, typename... Args>
struct TypeTraits<std::function<R(Args...)>,
                  std::enable_if_t<detail::FuncFunctorImpl<R, Args...>::unpacked_supported>>
    : public detail::STLTraitsBase<std::function<R(Args...)>> {
  using Self = std::function<R(Args...)>;
  static constexpr int32_t field_static_type_index = TypeIndex::kTVMFFIFunction;

  static void MoveToAny(Self src, TVMFFIAny* result) {
    TypeTraits<Function>::MoveToAny(src ? Function::FromTyped(std::move(src)) : Function(), result);
  }
  static std::optional<Self> TryCastFromAnyView(const TVMFFIAny* src) {
    if (src->type_index != TypeIndex::kTVMFFIFunction) return std::nullopt;
    return Self(TypedFunction<R(Args...)>(TypeTraits<Function>::CopyFromAnyViewAfterCheck(src)));
  }
  TVM_FFI_COLD_CODE static std::string TypeStr() {
    return "std::function<" + detail::Type2Str<R>::v() +
           detail::JoinTypeTexts(kNames, sizeof...(Args), "(", ", ", ")>");
  }
  TVM_FFI_COLD_CODE static std::string TypeSchema() {
    return R"({"type":"std::function","named_args":{"return":[)" + detail::TypeSchema<R>::v() +
           detail::JoinTypeTexts(kSchemas, sizeof...(Args), R"(],"params":[)", ", ", "]}}");
  }

 private:
  // One more than needed: an array can't be empty.
  static constexpr detail::FTypeText kNames[] = {&detail::Type2Str<detail::RemoveCVRef<Args>>::v...,
                                                 nullptr};
  static constexpr detail::FTypeText kSchemas[] = {
      &detail::TypeSchema<detail::RemoveCVRef<Args>>::v..., nullptr};
};

}  // namespace ffi
}  // namespace tvm
#endif  // TVM_FFI_EXTRA_STL_H_
