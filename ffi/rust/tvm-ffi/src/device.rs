// SPDX-License-Identifier: Apache-2.0
//! Devices and their current streams.

use crate::error::Result;
use crate::type_traits::{AnyCompatible, FieldKind};
use tvm_ffi_sys::{
    DLDevice, TVMFFIAny, TVMFFIAnyDataUnion, TVMFFIEnvGetStream, TVMFFIEnvSetStream, TVMFFIStreamHandle,
    TVMFFITypeIndex as TypeIndex,
};

// SAFETY: a plain value.
unsafe impl AnyCompatible for DLDevice {
    const FIELD_KIND: FieldKind = FieldKind::Plain(6);
    const MATCH_ANY_EXACT: bool = true;
    fn match_any_exact_type_index() -> i32 {
        TypeIndex::kTVMFFIDevice as i32
    }
    unsafe fn copy_to_any_view(this: &Self, out: &mut TVMFFIAny) {
        *out = TVMFFIAny::new();
        out.type_index = TypeIndex::kTVMFFIDevice as i32;
        out.data_union = TVMFFIAnyDataUnion { v_device: *this };
    }
    unsafe fn move_to_any(this: Self, out: &mut TVMFFIAny) {
        // SAFETY: plain values own nothing.
        unsafe { Self::copy_to_any_view(&this, out) }
    }
    unsafe fn check_any_strict(value: &TVMFFIAny) -> bool {
        value.type_index == TypeIndex::kTVMFFIDevice as i32
    }
    unsafe fn copy_from_any_view_after_check(value: &TVMFFIAny) -> Self {
        // SAFETY: the check says that the payload is a device.
        unsafe { value.data_union.v_device }
    }
    unsafe fn try_cast_from_any_view(value: &TVMFFIAny) -> Result<Self, ()> {
        // SAFETY: the copy follows a true check.
        unsafe {
            if Self::check_any_strict(value) {
                Ok(value.data_union.v_device)
            } else {
                Err(())
            }
        }
    }
    fn type_str() -> String {
        "Device".into()
    }
}

crate::impl_try_from_any!(DLDevice);
crate::impl_arg_into_ref!(DLDevice);
crate::impl_into_arg_holder_default!(DLDevice);

/// The calling thread's current stream of a device, null when none was set.
pub fn current_stream(device: &DLDevice) -> TVMFFIStreamHandle {
    // SAFETY: plain integers.
    unsafe { TVMFFIEnvGetStream(device.device_type as i32, device.device_id) }
}

/// Runs `f` with `stream` as the current one; the former one comes back on every way out, a panic too.
///
/// # Safety
/// `stream` must be a live stream of the device while `f` runs.
pub unsafe fn with_stream<T>(
    device: &DLDevice,
    stream: TVMFFIStreamHandle,
    f: impl FnOnce() -> Result<T>,
) -> Result<T> {
    struct Restore(DLDevice, TVMFFIStreamHandle);
    impl Drop for Restore {
        fn drop(&mut self) {
            // SAFETY: puts back what was there.
            unsafe {
                let kind = self.0.device_type as i32;
                TVMFFIEnvSetStream(kind, self.0.device_id, self.1, std::ptr::null_mut());
            }
        }
    }
    let mut former = std::ptr::null_mut();
    // SAFETY: the caller's promise.
    unsafe {
        let kind = device.device_type as i32;
        crate::check_safe_call!(TVMFFIEnvSetStream(kind, device.device_id, stream, &mut former))?;
    }
    let _restore = Restore(*device, former);
    f()
}
