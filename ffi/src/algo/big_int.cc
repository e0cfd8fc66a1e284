// SPDX-License-Identifier: Apache-2.0
// Reflection of BigInt: hash, equality, order and JSON form. All see values in canonical form (an Int when it fits).
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

int64_t HashWords(const Any& value) { return static_cast<int64_t>(HashBytes(BigIntWords(Raw(value)))); }

bool EqualWords(const Any& lhs, const Any& rhs) { return BigIntWords(Raw(lhs)) == BigIntWords(Raw(rhs)); }

}  // namespace

void RegisterBigInt() {
  namespace refl = tvm::ffi::reflection;
  const int32_t type_index = kTVMFFIBigInt;
  refl::ObjectDef<ffi::detail::BigIntObj>(refl::init(false))
      .def_type_attr("__ffi_hash__",
                     [](const Any& value, const Function& hash) -> int64_t {
                       static_cast<void>(hash);
                       return HashWords(value);
                     })
      .def_type_attr("__ffi_eq__",
                     [](const Any& lhs, const Any& rhs, const Function& eq) -> bool {
                       static_cast<void>(eq);
                       return EqualWords(lhs, rhs);
                     })
      .def_type_attr("__ffi_compare__",
                     [](const Any& lhs, const Any& rhs, const Function& compare) -> int32_t {
                       static_cast<void>(compare);
                       return CompareBigIntWords(BigIntWords(Raw(lhs)), BigIntWords(Raw(rhs)));
                     })
      .def_type_attr("__data_to_json__",
                     [](const Any& value) -> String { return String(BigIntText(BigIntWords(Raw(value)))); })
      .def_type_attr("__data_from_json__", [](const String& text) -> Any {
        return BigIntFromText(std::string_view(text.data(), text.size()));
      });
  refl::TypeAttrDef<ffi::detail::BigIntObj>()
      .native_fn_attr<&HashWords>(type_attr::kAnyHash)
      .native_fn_attr<&EqualWords>(type_attr::kAnyEqual);
  RegisterStructuralLeaf(type_index);
}

}  // namespace algo
}  // namespace ffi
}  // namespace tvm
