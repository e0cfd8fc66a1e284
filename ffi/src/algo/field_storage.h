// SPDX-License-Identifier: Apache-2.0
/// \file field_storage.h
/// \brief Fields whose storage is described by a type index (ffi.MakeFieldGetter, MakeFieldSetter).
#ifndef TVM_FFI_SRC_ALGO_FIELD_STORAGE_H_
#define TVM_FFI_SRC_ALGO_FIELD_STORAGE_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/c_api.h>

namespace tvm {
namespace ffi {
namespace algo {

/// Stores a value of the type that the field already holds, without its setter. False, and nothing
/// is done, when the storage of the field is not one of this library's or holds no reference.
bool StoreAsItIs(const TVMFFIFieldInfo* field, void* address, Any* value);

}  // namespace algo
}  // namespace ffi
}  // namespace tvm
#endif  // TVM_FFI_SRC_ALGO_FIELD_STORAGE_H_
