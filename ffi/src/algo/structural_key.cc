// SPDX-License-Identifier: Apache-2.0
// Reflection of StructuralKey: a value that is hashed and compared by structure when it is a map
// key.
#include <tvm/ffi/extra/structural_equal.h>
#include <tvm/ffi/extra/structural_hash.h>
#include <tvm/ffi/extra/structural_key.h>
#include <tvm/ffi/reflection/native_function.h>
#include <tvm/ffi/reflection/registry.h>

#include "register.h"

namespace tvm {
namespace ffi {
namespace algo {
namespace {

const StructuralKeyObj* KeyOf(const Any& value) { return value.cast<const StructuralKeyObj*>(); }

int64_t HashKey(const Any& value) { return KeyOf(value)->hash_i64; }

bool EqualKeys(const Any& lhs, const Any& rhs) {
  const StructuralKeyObj* a = KeyOf(lhs);
  const StructuralKeyObj* b = KeyOf(rhs);
  return a == b || (a->hash_i64 == b->hash_i64 && StructuralEqual::Equal(a->key, b->key));
}

}  // namespace

void RegisterStructuralKey() {
  namespace refl = tvm::ffi::reflection;
  refl::ObjectDef<StructuralKeyObj>()
      .def(refl::init<Any>(), "Makes the key of a value and computes its structural hash.")
      .def_ro("key", &StructuralKeyObj::key)
      .def_ro("hash_i64", &StructuralKeyObj::hash_i64);
  refl::TypeAttrDef<StructuralKeyObj>()
      .native_fn_attr<&HashKey>(type_attr::kAnyHash)
      .native_fn_attr<&EqualKeys>(type_attr::kAnyEqual);
  refl::GlobalDef()
      .def("ffi.StructuralKey",
           [](const Any& value) -> StructuralKey { return StructuralKey(value); })
      .def("ffi.StructuralKeyEqual", [](const Any& lhs, const Any& rhs) -> bool {
        return EqualKeys(Any(lhs.cast<StructuralKey>()), Any(rhs.cast<StructuralKey>()));
      });
}

}  // namespace algo
}  // namespace ffi
}  // namespace tvm
