// SPDX-License-Identifier: Apache-2.0
#include "sentinel.h"

#include <tvm/ffi/function.h>
#include <tvm/ffi/memory.h>
#include <tvm/ffi/object.h>
#include <tvm/ffi/reflection/registry.h>

#include "register.h"

namespace tvm {
namespace ffi {
namespace algo {
namespace {

// Never destroyed: values that hold a marker may outlive every static destructor.
const ObjectRef& Missing() {
  static const ObjectRef* const object = new ObjectRef(make_object<Object>());
  return *object;
}

const ObjectRef& Kwargs() {
  static const ObjectRef* const object = new ObjectRef(make_object<Object>());
  return *object;
}

}  // namespace

const TVMFFIObject* MissingSentinel() {
  return reinterpret_cast<const TVMFFIObject*>(Missing().get());
}
const TVMFFIObject* KwargsSentinel() {
  return reinterpret_cast<const TVMFFIObject*>(Kwargs().get());
}

void RegisterSentinels() {
  reflection::GlobalDef()
      .def("ffi.GetInvalidObject", []() -> ObjectRef { return Missing(); })
      .def("ffi.GetKwargsObject", []() -> ObjectRef { return Kwargs(); });
}

}  // namespace algo
}  // namespace ffi
}  // namespace tvm
