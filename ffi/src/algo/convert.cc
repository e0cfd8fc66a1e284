// SPDX-License-Identifier: Apache-2.0
// `__ffi_convert__` of the builtin types: the conversion of the C++ class of the same name
// (ffi-abi 5.12).
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/dict.h>
#include <tvm/ffi/container/list.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/container/shape.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/reflection/accessor.h>
#include <tvm/ffi/string.h>

#include "register.h"

namespace tvm {
namespace ffi {
namespace algo {
namespace {

template <typename T>
void RegisterConvert(int32_t type_index) {
  Function convert =
      Function::FromTyped(
          [](AnyView value) -> Any {
            if (std::optional<T> converted = value.try_cast<T>()) return Any(*std::move(converted));
            TVM_FFI_THROW(TypeError)
                << "Cannot cast from `"
                << TypeTraits<T>::GetMismatchTypeInfo(reinterpret_cast<const TVMFFIAny*>(&value))
                << "` to `" << TypeTraits<T>::TypeStr() << "`";
            return Any();
          },
          "__ffi_convert__");
  const TVMFFIByteArray name = reflection::AsByteArray("__ffi_convert__");
  const Any held(convert);
  TVM_FFI_CHECK_SAFE_CALL(
      TVMFFITypeRegisterAttr(type_index, &name, reinterpret_cast<const TVMFFIAny*>(&held)));
}

}  // namespace

void RegisterConversions() {
  RegisterConvert<ObjectRef>(kTVMFFIObject);
  RegisterConvert<String>(kTVMFFIStr);
  RegisterConvert<Bytes>(kTVMFFIBytes);
  RegisterConvert<Error>(kTVMFFIError);
  RegisterConvert<Function>(kTVMFFIFunction);
  RegisterConvert<Shape>(kTVMFFIShape);
  RegisterConvert<Tensor>(kTVMFFITensor);
  RegisterConvert<Array<Any>>(kTVMFFIArray);
  RegisterConvert<Map<Any, Any>>(kTVMFFIMap);
  RegisterConvert<List<Any>>(kTVMFFIList);
  RegisterConvert<Dict<Any, Any>>(kTVMFFIDict);
}

}  // namespace algo
}  // namespace ffi
}  // namespace tvm
