// SPDX-License-Identifier: Apache-2.0
// Reflection of BigInt: hash, equality, order and JSON form. All see values in canonical form (an
// Int when it fits).
#include <tvm/ffi/big_int.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/reflection/native_function.h>
#include <tvm/ffi/reflection/registry.h>

#include "big_int_text.h"
#include "hash_fold.h"
#include "register.h"
#include "structural_leaf.h"
#include "value_access.h"

namespace tvm {
namespace ffi {
namespace algo {
namespace {

// Header and word count; the words follow.
constexpr int32_t kEmptyBytes = 32;

int64_t HashWords(const Any& value) {
  return static_cast<int64_t>(HashBytes(BigIntWords(Raw(value))));
}

bool EqualWords(const Any& lhs, const Any& rhs) {
  return BigIntWords(Raw(lhs)) == BigIntWords(Raw(rhs));
}

}  // namespace

void RegisterBigInt() {
  namespace refl = tvm::ffi::reflection;
  using ffi::detail::BigIntObj;
  // By hand: the size of the object depends on its value, so it has neither a creator nor a copy by
  // constructor.
  TVMFFITypeMetadata metadata{};
  metadata.total_size = kEmptyBytes;
  metadata.structural_eq_hash_kind = kTVMFFISEqHashKindUnsupported;
  TVM_FFI_CHECK_SAFE_CALL(TVMFFITypeRegisterMetadata(BigIntObj::RuntimeTypeIndex(), &metadata));
  refl::TypeAttrDef<BigIntObj>()
      .def("__ffi_type_final__", true)
      .native_fn_attr<&HashWords>(type_attr::kAnyHash)
      .native_fn_attr<&EqualWords>(type_attr::kAnyEqual)
      .def("__ffi_hash__",
           [](const Any& value, const Function&) -> int64_t { return HashWords(value); })
      .def("__ffi_eq__",
           [](const Any& lhs, const Any& rhs, const Function&) -> bool {
             return EqualWords(lhs, rhs);
           })
      .def("__ffi_compare__",
           [](const Any& lhs, const Any& rhs, const Function&) -> int32_t {
             return CompareBigIntWords(BigIntWords(Raw(lhs)), BigIntWords(Raw(rhs)));
           })
      .def("__data_to_json__",
           [](const Any& value) -> String { return String(BigIntText(BigIntWords(Raw(value)))); })
      .def("__data_from_json__", [](const String& text) -> Any {
        return BigIntFromText(std::string_view(text.data(), text.size()));
      });
  RegisterStructuralLeaf(kTVMFFIBigInt);
}

}  // namespace algo
}  // namespace ffi
}  // namespace tvm
