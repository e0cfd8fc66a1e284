// SPDX-License-Identifier: Apache-2.0
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/reflection/registry.h>
#include <tvm/runtime/c_backend_api.h>

#include <array>

#include "tirx/runtime/device_api.h"
#include "tirx/runtime/thread_pool.h"
#include "tirx/runtime/workspace_pool.h"

namespace {

using tvm::ffi::Error;

// Runs `body`; an exception becomes the FFI error of this thread.
template <typename Body>
bool Guard(Body body) {
  try {
    body();
    return true;
  } catch (const Error& error) {
    tvm::ffi::detail::SetSafeCallRaised(error);
  } catch (const std::exception& error) {
    TVMFFIErrorSetRaisedFromCStr("InternalError", error.what());
  }
  return false;
}

constexpr int kMaxDeviceType = 64;
thread_local std::array<int, kMaxDeviceType> current_device{};

}  // namespace

extern "C" {

int TVMBackendParallelLaunch(FTVMParallelLambda flambda, void* cdata, int num_task) {
  return tvm::runtime::ThreadPool::Global().Launch(flambda, cdata, num_task);
}

int TVMBackendParallelBarrier(int task_id, TVMParallelGroupEnv* penv) {
  tvm::runtime::ParallelBarrier(penv);
  return 0;
}

void* TVMBackendAllocWorkspace(int device_type, int device_id, uint64_t nbytes, int dtype_code_hint,
                               int dtype_bits_hint) {
  void* data = nullptr;
  Guard([&] {
    DLDevice device{static_cast<DLDeviceType>(device_type), device_id};
    data = tvm::runtime::AllocWorkspace(device, nbytes);
  });
  return data;
}

int TVMBackendFreeWorkspace(int device_type, int device_id, void* ptr) {
  Guard([&] {
    tvm::runtime::FreeWorkspace(DLDevice{static_cast<DLDeviceType>(device_type), device_id}, ptr);
  });
  return 0;
}

int TVMBackendGetDeviceIndex(int device_type) {
  return device_type >= 0 && device_type < kMaxDeviceType ? current_device[device_type] : 0;
}

int TVMBackendSetDevice(int device_type, int device_id) {
  bool done = Guard([&] {
    DLDevice device{static_cast<DLDeviceType>(device_type), device_id};
    tvm::runtime::DeviceAPI::Get(device_type)->SetDevice(device);
    current_device[device_type] = device_id;
  });
  return done ? 0 : -1;
}

int TVMBackendRegisterSystemLibSymbol(const char* name, void* ptr) {
  return TVMFFIEnvModRegisterSystemLibSymbol(name, ptr);
}

}  // extern "C"

namespace tvm {
namespace runtime {

TVM_FFI_STATIC_INIT_BLOCK() {
  // Libraries made by the compiler hold a pointer of each name; the module loader stores these.
  auto context_symbol = [](const char* name, auto* function) {
    TVMFFIEnvModRegisterContextSymbol(name, reinterpret_cast<void*>(function));
  };
  context_symbol("__TVMBackendParallelLaunch", TVMBackendParallelLaunch);
  context_symbol("__TVMBackendParallelBarrier", TVMBackendParallelBarrier);
  context_symbol("__TVMBackendAllocWorkspace", TVMBackendAllocWorkspace);
  context_symbol("__TVMBackendFreeWorkspace", TVMBackendFreeWorkspace);
  context_symbol("__TVMBackendGetDeviceIndex", TVMBackendGetDeviceIndex);
  context_symbol("__TVMBackendSetDevice", TVMBackendSetDevice);

  ffi::reflection::GlobalDef().def("runtime.NumThreads", NumThreads);
}

}  // namespace runtime
}  // namespace tvm
