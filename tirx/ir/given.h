// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tirx/ir/node.h"

namespace tvm {
namespace tirx {

// A reference as parameter of an FFI function that must not be None: passing None is a TypeError.
template <typename Ref>
struct Given : Ref {
  Given() = default;
  Given(Ref ref) : Ref(std::move(ref)) {}  // NOLINT(google-explicit-constructor)
  explicit Given(ffi::UnsafeInit tag) : Ref(tag) {}
  using ContainerType = typename Ref::ContainerType;
};

}  // namespace tirx

namespace ffi {

template <typename Ref>
inline constexpr bool use_default_type_traits_v<tirx::Given<Ref>> = false;

template <typename Ref>
struct TypeTraits<tirx::Given<Ref>> : ObjectRefTypeTraitsBase<tirx::Given<Ref>> {
  using Base = TypeTraits<Ref>;
  static bool CheckAnyStrict(const TVMFFIAny* src) {
    return src->type_index != kTVMFFINone && Base::CheckAnyStrict(src);
  }
  static std::optional<tirx::Given<Ref>> TryCastFromAnyView(const TVMFFIAny* src) {
    if (src->type_index == kTVMFFINone) return std::nullopt;
    auto ref = Base::TryCastFromAnyView(src);
    if (!ref) return std::nullopt;
    return tirx::Given<Ref>(*std::move(ref));
  }
  static std::string GetMismatchTypeInfo(const TVMFFIAny* src) {
    return Base::GetMismatchTypeInfo(src);
  }
  static std::string TypeStr() { return Base::TypeStr(); }
  static std::string TypeSchema() { return Base::TypeSchema(); }
};

}  // namespace ffi
}  // namespace tvm
