// SPDX-License-Identifier: Apache-2.0
/*!
 * \file object.cc
 * \brief Reference counting through C, and objects that carry a foreign handle.
 */
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/memory.h>
#include <tvm/ffi/object.h>

#include "c_arguments.h"

namespace tvm {
namespace ffi {
namespace {

// Layout: the handle comes right after the header (TVMFFIOpaqueObjectCell).
class OpaqueObject : public Object, public TVMFFIOpaqueObjectCell {
 public:
  OpaqueObject(void* handle, void (*deleter)(void*)) : deleter_(deleter) { this->handle = handle; }
  ~OpaqueObject() {
    if (deleter_ != nullptr) deleter_(handle);
  }

  static int32_t RuntimeTypeIndex() { return kTVMFFIOpaquePyObject; }

 private:
  void (*deleter_)(void*);
};

}  // namespace
}  // namespace ffi
}  // namespace tvm

using tvm::ffi::detail::ObjectUnsafe;

int TVMFFIObjectIncRef(TVMFFIObjectHandle obj) {
  TVM_FFI_SAFE_CALL_BEGIN();
  TVM_FFI_REQUIRE_ARGUMENT(obj);
  ObjectUnsafe::IncRefObjectHandle(obj);
  TVM_FFI_SAFE_CALL_END();
}

int TVMFFIObjectDecRef(TVMFFIObjectHandle obj) {
  ObjectUnsafe::DecRefObjectHandle(obj);
  return 0;
}

int TVMFFIObjectCreateOpaque(void* handle, int32_t type_index, void (*deleter)(void* handle),
                             TVMFFIObjectHandle* out) {
  TVM_FFI_SAFE_CALL_BEGIN();
  TVM_FFI_REQUIRE_ARGUMENT(out);
  if (type_index != kTVMFFIOpaquePyObject) {
    TVM_FFI_THROW(RuntimeError) << "An opaque object must have the type index "
                                << kTVMFFIOpaquePyObject << ", but got " << type_index;
  }
  *out = ObjectUnsafe::MoveObjectPtrToTVMFFIObjectPtr(
      tvm::ffi::make_object<tvm::ffi::OpaqueObject>(handle, deleter));
  TVM_FFI_SAFE_CALL_END();
}
