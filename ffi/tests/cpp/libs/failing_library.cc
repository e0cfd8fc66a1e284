// SPDX-License-Identifier: Apache-2.0
// Its load-time blocks fail; static_init.cc loads it.
#include <tvm/ffi/function.h>
#include <tvm/ffi/reflection/registry.h>

#include <stdexcept>

namespace {

namespace refl = tvm::ffi::reflection;

TVM_FFI_STATIC_INIT_BLOCK() {
  refl::GlobalDef().def("ctest.failing.first", [](int64_t x) { return x + 1; });
  TVM_FFI_THROW(ValueError) << "no device " << 3;
}

TVM_FFI_STATIC_INIT_BLOCK() {
  refl::GlobalDef().def("ctest.failing.second", [](int64_t x) { return x + 2; });
  throw std::runtime_error("a later failure");
}

int64_t Twice(int64_t x) { return 2 * x; }

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(twice, Twice)
