// SPDX-License-Identifier: Apache-2.0
// Names of version 0.1.14 that 0.1.16 spells otherwise.
#include <gtest/gtest.h>
#include <tvm/ffi/base_details.h>
#include <tvm/ffi/container/container_details.h>
#include <tvm/ffi/extra/dataclass.h>
#include <tvm/ffi/function_details.h>
#include <tvm/ffi/memory.h>
#include <tvm/ffi/reflection/registry.h>

#include <string>
#include <type_traits>

namespace {

namespace ffi = tvm::ffi;
namespace refl = tvm::ffi::reflection;

class OldNodeObj : public ffi::Object {
 public:
  int64_t value = 0;
  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("ctest.OldNode", OldNodeObj, ffi::Object);
};

TVM_FFI_STATIC_INIT_BLOCK() {
  refl::ObjectDef<OldNodeObj>().def_rw("value", &OldNodeObj::value,
                                       refl::AttachFieldFlag::SEqHashDefRecursive());
  refl::TypeAttrDef<OldNodeObj>().def(
      refl::type_attr::kRepr,
      [](const ffi::Object*, const ffi::Function&) { return ffi::String("an old node"); });
}

TEST(OldNames, MeanTheNewOnes) {
  static_assert(kTVMFFIFieldFlagBitMaskSEqHashDefRecursive == 16);
  static_assert(kTVMFFIFieldFlagBitMaskSEqHashDefNonRecursive == 4096);
  static_assert(kTVMFFIDefRegionKindRecursive == kTVMFFIDefRegionKindPattern);
  static_assert(kTVMFFIDefRegionKindNonRecursive == kTVMFFIDefRegionKindSimple);
  static_assert(std::is_same_v<ffi::details::FunctionInfo<int(int)>::RetType, int>);
  EXPECT_STREQ(refl::type_attr::kRepr, "__ffi_repr__");
  EXPECT_EQ(std::string(ffi::ReprPrint(ffi::ObjectRef(ffi::make_object<OldNodeObj>()))),
            "an old node");
  EXPECT_EQ(refl::GetFieldInfo("ctest.OldNode", "value")->flags & 16, 16);
}

}  // namespace
