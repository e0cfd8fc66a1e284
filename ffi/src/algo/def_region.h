// SPDX-License-Identifier: Apache-2.0
/// \file def_region.h
/// \brief How definition regions nest, and which types take part in structural walks
/// (ffi-abi 11.3, 11.8).
#ifndef TVM_FFI_SRC_ALGO_DEF_REGION_H_
#define TVM_FFI_SRC_ALGO_DEF_REGION_H_

#include <tvm/ffi/c_api.h>

#include <cstdint>

#include "value_access.h"

namespace tvm {
namespace ffi {
namespace algo {

/// A TVMFFIDefRegionKind.
using Region = int32_t;

/// Region of a child that asks for `requested`: a Pattern region stays one whatever is asked below
/// it, and asking for None keeps what holds.
inline Region EnterRegion(Region current, Region requested) {
  if (current == kTVMFFIDefRegionKindPattern || requested == kTVMFFIDefRegionKindNone)
    return current;
  return requested;
}

/// Region of a field (Simple wins when both flags are set).
inline Region FieldRegion(Region current, int64_t flags) {
  if ((flags & kTVMFFIFieldFlagBitMaskSEqHashDefSimple) != 0) {
    return EnterRegion(current, kTVMFFIDefRegionKindSimple);
  }
  if ((flags & kTVMFFIFieldFlagBitMaskSEqHashDefPattern) != 0) {
    return EnterRegion(current, kTVMFFIDefRegionKindPattern);
  }
  return current;
}

/// Region of the fields of a free variable: a Simple region binds the variable alone.
inline Region InsideFreeVar(Region current) {
  return current == kTVMFFIDefRegionKindSimple ? static_cast<Region>(kTVMFFIDefRegionKindNone)
                                               : current;
}

/// Structural kind of a type; TypeError when the type has no metadata or is marked Unsupported.
inline int32_t StructuralKindOf(const TVMFFITypeInfo* info) {
  if (info->metadata == nullptr) {
    TVM_FFI_THROW(TypeError) << "Type metadata is not set for type `" << ViewOfBytes(info->type_key)
                             << "`, so StructuralHash is not supported for this type";
  }
  const int32_t kind = info->metadata->structural_eq_hash_kind;
  if (kind == kTVMFFISEqHashKindUnsupported) {
    TVM_FFI_THROW(TypeError) << "_type_s_eq_hash_kind is not set for type `"
                             << ViewOfBytes(info->type_key)
                             << "`, so StructuralHash is not supported for this type";
  }
  return kind;
}

}  // namespace algo
}  // namespace ffi
}  // namespace tvm
#endif  // TVM_FFI_SRC_ALGO_DEF_REGION_H_
