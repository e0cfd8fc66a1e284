// SPDX-License-Identifier: Apache-2.0
/*! \file tvm/ffi/rvalue_ref.h
 *  RValueRef<R>: an argument whose only reference the callee may take over.
 */
#ifndef TVM_FFI_RVALUE_REF_H_
#define TVM_FFI_RVALUE_REF_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/object.h>

#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace tvm {
namespace ffi {

/*!
 * \brief A reference on its way into a call. The callee that asks for an RValueRef takes the object
 * out of it; with a count of one it may then change the object in place.
 */
template <typename TObjRef, typename = std::enable_if_t<std::is_base_of_v<ObjectRef, TObjRef>>>
class RValueRef {
 public:
  using ContainerType = typename TObjRef::ContainerType;

  explicit RValueRef(TObjRef&& data) : data_(std::move(data)) {}
  TObjRef operator*() && { return std::move(data_); }

 private:
  TObjRef data_;

  template <typename, typename>
  friend struct TypeTraits;
};

template <typename TObjRef>
struct TypeTraits<RValueRef<TObjRef>, std::enable_if_t<TypeTraits<TObjRef>::convert_enabled>>
    : public TypeTraitsBase {
  static constexpr bool storage_enabled = false;

  TVM_FFI_INLINE static void CopyToAnyView(const RValueRef<TObjRef>& src, TVMFFIAny* result) {
    result->type_index = TypeIndex::kTVMFFIObjectRValueRef;
    result->zero_padding = 0;
    TVM_FFI_CLEAR_PTR_PADDING_IN_FFI_ANY(result);
    // The view names the slot, so that the callee can empty it.
    result->v_ptr = detail::ObjectUnsafe::ObjectSlotOf(src.data_);
  }
  TVM_FFI_INLINE static void MoveToAny(RValueRef<TObjRef> src, TVMFFIAny* result) {
    TypeTraits<TObjRef>::MoveToAny(*std::move(src), result);
  }
  TVM_FFI_INLINE static std::optional<RValueRef<TObjRef>> TryCastFromAnyView(const TVMFFIAny* src) {
    if (src->type_index != TypeIndex::kTVMFFIObjectRValueRef) return Convert(src);
    TVMFFIObject** slot = static_cast<TVMFFIObject**>(src->v_ptr);
    TVMFFIAny held;
    detail::SetObjectAny(&held, *slot);
    if (TypeTraits<TObjRef>::CheckAnyStrict(&held)) {
      *slot = nullptr;
      return RValueRef<TObjRef>(TypeTraits<TObjRef>::MoveFromAnyAfterCheck(&held));
    }
    std::optional<RValueRef<TObjRef>> converted = Convert(&held);
    if (converted.has_value() && *slot != nullptr) {
      TVMFFIObject* old = *slot;
      *slot = nullptr;
      detail::DecRef(old);
    }
    return converted;
  }
  TVM_FFI_COLD_CODE static std::string GetMismatchTypeInfo(const TVMFFIAny* src) {
    if (src->type_index != TypeIndex::kTVMFFIObjectRValueRef) {
      return TypeTraits<TObjRef>::GetMismatchTypeInfo(src);
    }
    TVMFFIAny held;
    detail::SetObjectAny(&held, *static_cast<TVMFFIObject**>(src->v_ptr));
    return detail::JoinText({"RValueRef<", TypeTraits<TObjRef>::GetMismatchTypeInfo(&held), ">"});
  }
  TVM_FFI_COLD_CODE static std::string TypeStr() {
    return detail::JoinText({"RValueRef<", detail::Type2Str<TObjRef>::v(), ">"});
  }
  TVM_FFI_COLD_CODE static std::string TypeSchema() {
    return detail::JoinText(
        {R"({"type":"ObjectRValueRef","args":[)", detail::TypeSchema<TObjRef>::v(), "]}"});
  }

 private:
  TVM_FFI_INLINE static std::optional<RValueRef<TObjRef>> Convert(const TVMFFIAny* src) {
    if (std::optional<TObjRef> value = TypeTraits<TObjRef>::TryCastFromAnyView(src)) {
      return RValueRef<TObjRef>(*std::move(value));
    }
    return std::nullopt;
  }
};

}  // namespace ffi
}  // namespace tvm
#endif  // TVM_FFI_RVALUE_REF_H_
