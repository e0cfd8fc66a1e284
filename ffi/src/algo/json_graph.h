// SPDX-License-Identifier: Apache-2.0
/// \file json_graph.h
/// \brief Names and texts that the JSON graph writer and reader share (ffi-abi 11.4).
#ifndef TVM_FFI_SRC_ALGO_JSON_GRAPH_H_
#define TVM_FFI_SRC_ALGO_JSON_GRAPH_H_

#include <tvm/ffi/c_api.h>
#include <tvm/ffi/enum.h>

#include <string>
#include <string_view>

#include "value_access.h"

namespace tvm {
namespace ffi {
namespace algo {

/// Field values of these static types stand in the node itself; all others are node indices.
inline bool IsInlinedField(const TVMFFIFieldInfo* field) {
  switch (field->field_static_type_index) {
    case kTVMFFINone:
    case kTVMFFIInt:
    case kTVMFFIBool:
    case kTVMFFIFloat:
    case kTVMFFIDataType:
      return true;
    default:
      return false;
  }
}

inline bool IsEnumType(int32_t type_index) {
  return type_index >= kTVMFFIDynObjectBegin && IsSubtype(type_index, EnumObj::RuntimeTypeIndex());
}

}  // namespace algo
}  // namespace ffi
}  // namespace tvm
#endif  // TVM_FFI_SRC_ALGO_JSON_GRAPH_H_
