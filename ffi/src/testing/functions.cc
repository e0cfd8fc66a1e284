// SPDX-License-Identifier: Apache-2.0
// Small functions: errors, signals, reference counts, addresses of C symbols.
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/optional.h>
#include <tvm/ffi/reflection/registry.h>
#include <tvm/ffi/string.h>

#include <chrono>
#include <cstdio>
#include <string>
#include <thread>

namespace tvm {
namespace ffi {
namespace testing {
namespace {

/// `int64 -> int64` in the safe-call convention.
int AddOneSafeCall(void*, const TVMFFIAny* args, int32_t num_args, TVMFFIAny* result) {
  TVM_FFI_SAFE_CALL_BEGIN();
  TVM_FFI_CHECK_EQ(num_args, 1, TypeError) << "add_one takes one argument";
  const int64_t x = AnyView::CopyFromTVMFFIAny(args[0]).cast<int64_t>();
  *result = ffi::detail::AnyUnsafe::MoveAnyToTVMFFIAny(Any(x + 1));
  TVM_FFI_SAFE_CALL_END();
}

/// The same behind the interface of MLIR's packed entry points: pointers to each argument of the
/// safe call, then to the place of its return code.
void AddOnePacked(void** packed) {
  void* handle = *static_cast<void**>(packed[0]);
  auto* args = *static_cast<const TVMFFIAny**>(packed[1]);
  const int32_t num_args = *static_cast<int32_t*>(packed[2]);
  auto* result = *static_cast<TVMFFIAny**>(packed[3]);
  *static_cast<int*>(packed[4]) = AddOneSafeCall(handle, args, num_args, result);
}

void RunCheckSignal(int64_t seconds) {
  for (int64_t i = 0; i < seconds; ++i) {
    if (TVMFFIEnvCheckSignals() != 0) throw EnvErrorAlreadySet();
    std::this_thread::sleep_for(std::chrono::seconds(1));
  }
  std::printf("Function finished without catching signal\n");
  std::fflush(stdout);
}

void RegisterFunctions() {
  reflection::GlobalDef()
      .def("testing.add_one", [](int64_t x) -> int64_t { return x + 1; })
      .def_packed("testing.nop", [](PackedArgs, Any*) {})
      .def_packed("testing.echo",
                  [](PackedArgs args, Any* result) {
                    TVM_FFI_CHECK_GE(args.size(), 1, TypeError)
                        << "testing.echo takes at least one argument";
                    *result = args[0];
                  })
      .def_packed("testing.apply",
                  [](PackedArgs args, Any* result) {
                    TVM_FFI_CHECK_GE(args.size(), 1, TypeError)
                        << "testing.apply takes a function and its arguments";
                    const Function function = args[0].cast<Function>();
                    TVM_FFI_CHECK(function != nullptr, TypeError)
                        << "testing.apply can't call None";
                    function.CallPacked(args.Slice(1), result);
                  })
      .def("testing.test_raise_error",
           [](const String& kind, const String& message) -> void {
             throw Error(std::string(kind), std::string(message),
                         TVMFFIBacktrace(__FILE__, __LINE__, TVM_FFI_FUNC_SIG, 0));
           })
      .def("testing.run_check_signal", &RunCheckSignal)
      .def(
          "testing.object_use_count",
          [](const Object* object) -> int64_t { return static_cast<int64_t>(object->use_count()); })
      .def("testing.get_add_one_c_symbol",
           []() -> int64_t {
             return static_cast<int64_t>(reinterpret_cast<intptr_t>(&AddOneSafeCall));
           })
      .def("testing.get_mlir_add_one_c_symbol",
           []() -> int64_t {
             return static_cast<int64_t>(reinterpret_cast<intptr_t>(&AddOnePacked));
           })
      .def("testing.optional_tensor_view_has_value",
           [](const Optional<TensorView>& view) -> bool { return view.has_value(); });
}

}  // namespace

TVM_FFI_STATIC_INIT_BLOCK() {
  RegisterFunctions();
  TVM_FFI_CHECK_SAFE_CALL(TVMFFIEnvModRegisterSystemLibSymbol(
      "__tvm_ffi_testing.add_one", reinterpret_cast<void*>(&AddOneSafeCall)));
}

}  // namespace testing
}  // namespace ffi
}  // namespace tvm

extern "C" TVM_FFI_DLL_EXPORT int TVMFFITestingDummyTarget() { return 0; }
