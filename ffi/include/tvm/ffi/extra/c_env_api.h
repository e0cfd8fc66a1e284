/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C functions about the environment a library runs in: streams, tensor allocation, signals, module
 * lookup. Words about ownership and results are those of tvm/ffi/c_api.h.
 */
#ifndef TVM_FFI_EXTRA_C_ENV_API_H_
#define TVM_FFI_EXTRA_C_ENV_API_H_

#include <tvm/ffi/c_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A device stream, such as a cudaStream_t. */
typedef void* TVMFFIStreamHandle;

/* Sets the calling thread's current stream of a device. The former one (NULL when never set) is
 * written to `opt_out_original_stream` unless that is NULL. */
TVM_FFI_DLL int TVMFFIEnvSetStream(int32_t device_type, int32_t device_id,
                                   TVMFFIStreamHandle stream,
                                   TVMFFIStreamHandle* opt_out_original_stream);

/* The calling thread's current stream of a device, NULL when none was set. */
TVM_FFI_DLL TVMFFIStreamHandle TVMFFIEnvGetStream(int32_t device_type, int32_t device_id);

/* Sets the tensor allocator of this thread and, with `write_to_global_context`, the default of all
 * threads. The thread's former one is written to `opt_out_original_allocator` unless that is NULL.
 */
TVM_FFI_DLL int TVMFFIEnvSetDLPackManagedTensorAllocator(
    DLPackManagedTensorAllocator allocator, int write_to_global_context,
    DLPackManagedTensorAllocator* opt_out_original_allocator);

/* The thread's allocator, else the default of all threads, else NULL. */
TVM_FFI_DLL DLPackManagedTensorAllocator TVMFFIEnvGetDLPackManagedTensorAllocator(void);

/* Allocates a tensor with shape, dtype and device of `prototype` (borrowed) through the allocator
 * in force. RuntimeError when none is set or it gives nothing. `*out` is owned. */
TVM_FFI_DLL int TVMFFIEnvTensorAlloc(DLTensor* prototype, TVMFFIObjectHandle* out);

/* 0, or -1 when the environment (such as Python) has a pending exception. Sets no error of its own:
 * return -1 after raising kind EnvErrorAlreadySet. */
TVM_FFI_DLL int TVMFFIEnvCheckSignals(void);

/* Registers a function of the environment. `name` is PyErr_CheckSignals, PyGILState_Ensure or
 * PyGILState_Release; anything else is ValueError. */
TVM_FFI_DLL int TVMFFIEnvRegisterCAPI(const char* name, void* symbol);

/* Finds a function in the imports of a module, then among the global functions. `library_ctx` is
 * the value of the library's __tvm_ffi__library_ctx. `*out` is borrowed from the module.
 * RuntimeError on a miss. */
TVM_FFI_DLL int TVMFFIEnvModLookupFromImports(TVMFFIObjectHandle library_ctx, const char* func_name,
                                              TVMFFIObjectHandle* out);

/* Registers a value to store into the symbol `name` of every library loaded from now on. */
TVM_FFI_DLL int TVMFFIEnvModRegisterContextSymbol(const char* name, void* symbol);

/* Registers a symbol of the system library. Another address for a known name prints a warning and
 * wins. Returns 0. */
TVM_FFI_DLL int TVMFFIEnvModRegisterSystemLibSymbol(const char* name, void* symbol);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* TVM_FFI_EXTRA_C_ENV_API_H_ */
