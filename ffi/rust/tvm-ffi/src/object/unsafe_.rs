// SPDX-License-Identifier: Apache-2.0
//! Counting by hand, for code that holds raw handles.
#![doc(hidden)]

use super::{DELETE_STRONG, DELETE_WEAK};
use std::sync::atomic::{fence, Ordering};
use tvm_ffi_sys::{
    TVMFFIObject, COMBINED_REF_COUNT_BOTH_ONE, COMBINED_REF_COUNT_MASK_U32, COMBINED_REF_COUNT_STRONG_ONE,
    COMBINED_REF_COUNT_WEAK_ONE,
};

/// # Safety
/// `handle` must be a live object.
pub unsafe fn inc_ref(handle: *mut TVMFFIObject) {
    // SAFETY: the caller's promise.
    unsafe { &(*handle).combined_ref_count }.fetch_add(COMBINED_REF_COUNT_STRONG_ONE, Ordering::Relaxed);
}

/// # Safety
/// `handle` must be a live object of which the caller gives up one strong reference.
pub unsafe fn dec_ref(handle: *mut TVMFFIObject) {
    // SAFETY: the caller's promise; the order of the count protocol is that of the C ABI.
    unsafe {
        let counts = &(*handle).combined_ref_count;
        let old = counts.fetch_sub(COMBINED_REF_COUNT_STRONG_ONE, Ordering::Release);
        if old == COMBINED_REF_COUNT_BOTH_ONE {
            fence(Ordering::Acquire);
            if let Some(delete) = (*handle).deleter {
                delete(handle.cast(), DELETE_STRONG | DELETE_WEAK);
            }
        } else if old & COMBINED_REF_COUNT_MASK_U32 == COMBINED_REF_COUNT_STRONG_ONE {
            fence(Ordering::Acquire);
            if let Some(delete) = (*handle).deleter {
                delete(handle.cast(), DELETE_STRONG);
                if counts.fetch_sub(COMBINED_REF_COUNT_WEAK_ONE, Ordering::Release)
                    == COMBINED_REF_COUNT_WEAK_ONE
                {
                    fence(Ordering::Acquire);
                    delete(handle.cast(), DELETE_WEAK);
                }
            }
        }
    }
}
