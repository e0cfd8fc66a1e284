// SPDX-License-Identifier: Apache-2.0
//! `tvm/ffi/extra/c_env_api.h`: streams, tensor allocation, signals, modules' context.

use crate::{DLTensor, TVMFFIObjectHandle};
use std::ffi::{c_char, c_void};

/// A stream of a device, such as a `cudaStream_t`.
pub type TVMFFIStreamHandle = *mut c_void;

/// Allocates a tensor like the prototype; on failure calls the last argument with (context, kind, message).
pub type DLPackManagedTensorAllocator = unsafe extern "C" fn(
    *mut DLTensor,
    *mut *mut c_void,
    *mut c_void,
    unsafe extern "C" fn(*mut c_void, *const c_char, *const c_char),
) -> i32;

#[allow(missing_docs)]
unsafe extern "C" {
    pub fn TVMFFIEnvSetStream(
        device_type: i32,
        device_id: i32,
        stream: TVMFFIStreamHandle,
        opt_out_original_stream: *mut TVMFFIStreamHandle,
    ) -> i32;
    pub fn TVMFFIEnvGetStream(device_type: i32, device_id: i32) -> TVMFFIStreamHandle;
    pub fn TVMFFIEnvSetDLPackManagedTensorAllocator(
        allocator: Option<DLPackManagedTensorAllocator>,
        write_to_global_context: i32,
        opt_out_original_allocator: *mut Option<DLPackManagedTensorAllocator>,
    ) -> i32;
    pub fn TVMFFIEnvGetDLPackManagedTensorAllocator() -> Option<DLPackManagedTensorAllocator>;
    pub fn TVMFFIEnvTensorAlloc(prototype: *mut DLTensor, out: *mut TVMFFIObjectHandle) -> i32;
    pub fn TVMFFIEnvCheckSignals() -> i32;
    pub fn TVMFFIEnvRegisterCAPI(name: *const c_char, symbol: *mut c_void) -> i32;
    pub fn TVMFFIEnvModLookupFromImports(
        library_ctx: TVMFFIObjectHandle,
        func_name: *const c_char,
        out: *mut TVMFFIObjectHandle,
    ) -> i32;
    pub fn TVMFFIEnvModRegisterContextSymbol(name: *const c_char, symbol: *mut c_void) -> i32;
    pub fn TVMFFIEnvModRegisterSystemLibSymbol(name: *const c_char, symbol: *mut c_void) -> i32;
}
