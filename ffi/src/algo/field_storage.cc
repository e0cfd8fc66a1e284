// SPDX-License-Identifier: Apache-2.0
// ffi.MakeFieldGetter and ffi.MakeFieldSetter: access to fields of classes that a binding lays out
// (ffi-abi section 10).
#include <tvm/ffi/device.h>
#include <tvm/ffi/dtype.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/object.h>
#include <tvm/ffi/reflection/registry.h>

#include "field_storage.h"
#include "register.h"
#include "value_access.h"

namespace tvm {
namespace ffi {
namespace algo {
namespace {

template <typename T>
int GetPod(void* field, TVMFFIAny* out) {
  TVM_FFI_SAFE_CALL_BEGIN();
  *out = ffi::detail::AnyUnsafe::MoveAnyToTVMFFIAny(Any(*static_cast<const T*>(field)));
  TVM_FFI_SAFE_CALL_END();
}

int GetAny(void* field, TVMFFIAny* out) {
  TVM_FFI_SAFE_CALL_BEGIN();
  *out = ffi::detail::AnyUnsafe::MoveAnyToTVMFFIAny(Any(*static_cast<const Any*>(field)));
  TVM_FFI_SAFE_CALL_END();
}

int GetObject(void* field, TVMFFIAny* out) {
  TVM_FFI_SAFE_CALL_BEGIN();
  *out = ffi::detail::AnyUnsafe::MoveAnyToTVMFFIAny(Any(*static_cast<const ObjectRef*>(field)));
  TVM_FFI_SAFE_CALL_END();
}

TVMFFIFieldGetter GetterFor(int32_t static_type_index) {
  switch (static_type_index) {
    case kTVMFFIAny:
    case kTVMFFINone:
      return &GetAny;
    case kTVMFFIInt:
      return &GetPod<int64_t>;
    case kTVMFFIBool:
      return &GetPod<bool>;
    case kTVMFFIFloat:
      return &GetPod<double>;
    case kTVMFFIOpaquePtr:
      return &GetPod<void*>;
    case kTVMFFIDataType:
      return &GetPod<DLDataType>;
    case kTVMFFIDevice:
      return &GetPod<DLDevice>;
    default:
      if (static_type_index >= kTVMFFIStaticObjectBegin) return &GetObject;
      TVM_FFI_THROW(ValueError) << "Unsupported field type index for getter: " << static_type_index;
      return nullptr;
  }
}

void Store(int32_t static_type_index, void* field, Any value) {
  switch (static_type_index) {
    case kTVMFFIAny:
    case kTVMFFINone:
      *static_cast<Any*>(field) = std::move(value);
      return;
    case kTVMFFIInt:
      *static_cast<int64_t*>(field) = value.cast<int64_t>();
      return;
    case kTVMFFIBool:
      *static_cast<bool*>(field) = value.cast<bool>();
      return;
    case kTVMFFIFloat:
      *static_cast<double*>(field) = value.cast<double>();
      return;
    case kTVMFFIOpaquePtr:
      *static_cast<void**>(field) = value.cast<void*>();
      return;
    case kTVMFFIDataType:
      *static_cast<DLDataType*>(field) = value.cast<DLDataType>();
      return;
    case kTVMFFIDevice:
      *static_cast<DLDevice*>(field) = value.cast<DLDevice>();
      return;
    default:
      if (static_type_index < kTVMFFIStaticObjectBegin) {
        TVM_FFI_THROW(ValueError) << "Unsupported field type index for setter: "
                                  << static_type_index;
      }
      *static_cast<ObjectRef*>(field) = value.cast<ObjectRef>();
      return;
  }
}

using ConvertFn = int (*)(void* converter, const TVMFFIAny* in, TVMFFIAny* out);

/// A setter called as (field address, value). `converter` must outlive the function; `convert` is
/// called with it.
Function MakeFieldSetter(int32_t static_type_index, int64_t converter, int64_t convert) {
  void* const context = reinterpret_cast<void*>(static_cast<intptr_t>(converter));
  const ConvertFn function = reinterpret_cast<ConvertFn>(static_cast<intptr_t>(convert));
  return Function::FromPacked(
      [=](PackedArgs args, Any* result) {
        if (args.size() != 2) {
          TVM_FFI_THROW(TypeError)
              << "A field setter takes 2 arguments (field address, value), but got " << args.size();
        }
        void* const field = args[0].cast<void*>();
        const AnyView input = args[1];
        Any value;
        if (function == nullptr) {
          value = Any(input);
        } else {
          TVM_FFI_CHECK_SAFE_CALL(function(context, reinterpret_cast<const TVMFFIAny*>(&input),
                                           reinterpret_cast<TVMFFIAny*>(&value)));
        }
        Store(static_type_index, field, std::move(value));
        *result = Any();
      });
}

}  // namespace

bool StoreAsItIs(const TVMFFIFieldInfo* field, void* address, Any* value) {
  if (field->getter == &GetAny) {
    *static_cast<Any*>(address) = std::move(*value);
    return true;
  }
  if (field->getter == &GetObject && IsObject(Raw(*value))) {
    *static_cast<ObjectRef*>(address) = std::move(*value).cast<ObjectRef>();
    return true;
  }
  return false;
}

void RegisterFieldStorage() {
  reflection::GlobalDef()
      .def("ffi.MakeFieldGetter",
           [](int32_t static_type_index) -> int64_t {
             return static_cast<int64_t>(reinterpret_cast<intptr_t>(GetterFor(static_type_index)));
           })
      .def("ffi.MakeFieldSetter", &MakeFieldSetter);
}

}  // namespace algo
}  // namespace ffi
}  // namespace tvm
