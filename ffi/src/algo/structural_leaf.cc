// SPDX-License-Identifier: Apache-2.0
#include "structural_leaf.h"

#include <cstring>

#include "structural_abi.h"

namespace tvm {
namespace ffi {
namespace algo {
namespace {

TVMFFIAny KeepLeaf(MutatorCell*, AnyView) noexcept {
  TVMFFIAny unchanged{};
  unchanged.type_index = kTVMFFIUnchanged;
  return unchanged;
}

}  // namespace

void RegisterNativeHook(const char* name, void* function,
                        std::initializer_list<int32_t> type_indices) {
  const TVMFFIByteArray bytes{name, std::strlen(name)};
  TVMFFIAny entry{};
  entry.type_index = kTVMFFIOpaquePtr;
  entry.v_ptr = function;
  for (int32_t type_index : type_indices) {
    TVM_FFI_CHECK_SAFE_CALL(TVMFFITypeRegisterAttr(type_index, &bytes, &entry));
  }
}

void RegisterStructuralLeaf(int32_t type_index) {
  RegisterNativeHook("__s_mutate__", reinterpret_cast<void*>(&KeepLeaf), {type_index});
  RegisterNativeHook("__s_maybe_inplace_mutate__", reinterpret_cast<void*>(&KeepLeaf),
                     {type_index});
}

}  // namespace algo
}  // namespace ffi
}  // namespace tvm
