// SPDX-License-Identifier: Apache-2.0
/*
 * The C functions that compiled kernels call. A library exported from a kernel does not link to
 * them: it holds a pointer variable `__<name>` for each, which the module loader fills in when
 * libtvm_runtime is loaded and which stays NULL otherwise.
 */
#ifndef TVM_RUNTIME_C_BACKEND_API_H_
#define TVM_RUNTIME_C_BACKEND_API_H_

#include <stddef.h>
#include <stdint.h>

#ifndef TVM_RUNTIME_DLL
#if defined(_WIN32)
#define TVM_RUNTIME_DLL __declspec(dllimport)
#else
#define TVM_RUNTIME_DLL __attribute__((visibility("default")))
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* What a task of a parallel launch knows about its team. Owned by the launcher. */
typedef struct {
  void* sync_handle; /* the barrier of the team; opaque to the task */
  int32_t num_task;  /* number of tasks that really run */
} TVMParallelGroupEnv;

/* One task: 0 on success, nonzero with the FFI error of this thread set. `cdata` is borrowed. */
typedef int (*FTVMParallelLambda)(int task_id, TVMParallelGroupEnv* penv, void* cdata);

/*
 * Runs `flambda` for every task id in [0, n) and returns when all are done. n is `num_task`, at
 * most the number of threads; 0 means one task per thread. A launch from inside a task runs one
 * task in place. Returns 0, or -1 with the error of the first task that failed set in the caller.
 */
TVM_RUNTIME_DLL int TVMBackendParallelLaunch(FTVMParallelLambda flambda, void* cdata, int num_task);

/* Waits until every task of the team got here or has ended. Always 0. */
TVM_RUNTIME_DLL int TVMBackendParallelBarrier(int task_id, TVMParallelGroupEnv* penv);

/*
 * Temporary memory of `nbytes` bytes, 64-byte aligned, kept for reuse by this thread after it is
 * freed. NULL when there is none, with the FFI error set. The dtype hints are informative.
 */
TVM_RUNTIME_DLL void* TVMBackendAllocWorkspace(int device_type, int device_id, uint64_t nbytes,
                                               int dtype_code_hint, int dtype_bits_hint);

/* Gives memory of TVMBackendAllocWorkspace back, from the thread that got it. Always 0. */
TVM_RUNTIME_DLL int TVMBackendFreeWorkspace(int device_type, int device_id, void* ptr);

/* Index of the current device of this thread for a device type, as set by TVMBackendSetDevice. */
TVM_RUNTIME_DLL int TVMBackendGetDeviceIndex(int device_type);

/* Makes a device current for this thread. 0, or -1 with the FFI error set. */
TVM_RUNTIME_DLL int TVMBackendSetDevice(int device_type, int device_id);

/* Registers `ptr` as symbol `name` of the system library. 0. */
TVM_RUNTIME_DLL int TVMBackendRegisterSystemLibSymbol(const char* name, void* ptr);

#ifdef __cplusplus
}
#endif

#endif  // TVM_RUNTIME_C_BACKEND_API_H_
