// SPDX-License-Identifier: Apache-2.0
//! How deleters of objects run: nothing unwinds out of them, and a long chain of objects does not exhaust the stack.

use super::{DELETE_STRONG, DELETE_WEAK};
use crate::function_internal::discard_payload;
use std::cell::{Cell, RefCell};
use std::ffi::c_void;
use std::mem::ManuallyDrop;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{fence, Ordering};
use tvm_ffi_sys::{TVMFFIObject, COMBINED_REF_COUNT_WEAK_ONE};

/// Destructors within destructors beyond which objects wait for the outermost one to end.
const MAX_LEVELS: u32 = 100;

/// An object that waits, and the flags its deleter was called with.
type Waiting = (*mut TVMFFIObject, i32);

thread_local! {
    static LEVELS: Cell<u32> = const { Cell::new(0) };
    /// Empty and without memory whenever no destructor runs, so that it needs no destructor itself and works while a thread ends.
    static WAITING: RefCell<ManuallyDrop<Vec<Waiting>>> = const { RefCell::new(ManuallyDrop::new(Vec::new())) };
}

/// Body of every deleter: `destroy` ends the contents, `free` gives the memory back.
///
/// # Safety
/// `handle` must be an object whose deleter got `flags`; `destroy` and `free` must be right for it when the flags ask for them.
pub(crate) unsafe fn delete(
    handle: *mut c_void,
    flags: i32,
    type_key: &str,
    destroy: impl FnOnce(),
    free: impl FnOnce(),
) {
    if flags & DELETE_STRONG == 0 {
        return free();
    }
    let levels = LEVELS.get();
    if levels == MAX_LEVELS {
        // SAFETY: passed on.
        return unsafe { postpone(handle.cast(), flags) };
    }
    LEVELS.set(levels + 1);
    if let Err(payload) = catch_unwind(AssertUnwindSafe(destroy)) {
        discard_payload(payload);
        eprintln!("a destructor of `{type_key}` panicked; the object's fields may leak");
    }
    if flags & DELETE_WEAK != 0 {
        free();
    }
    if levels == 0 {
        end_waiting();
    }
    LEVELS.set(levels);
}

/// # Safety
/// As for [`delete`].
#[cold]
unsafe fn postpone(object: *mut TVMFFIObject, flags: i32) {
    if flags & DELETE_WEAK == 0 {
        // The caller gives up the weak reference of the strong ones next, so the memory needs one more until the contents have ended.
        // SAFETY: the caller holds that weak reference now.
        unsafe { &(*object).combined_ref_count }.fetch_add(COMBINED_REF_COUNT_WEAK_ONE, Ordering::Relaxed);
    }
    WAITING.with_borrow_mut(|waiting| waiting.push((object, flags)));
}

/// Ends the objects that wait, and those that begin to wait meanwhile.
fn end_waiting() {
    // The list is not borrowed while a deleter runs.
    while let Some((object, flags)) = WAITING.with_borrow_mut(|waiting| waiting.pop()) {
        // SAFETY: `postpone` got an object with a deleter, and the flags; the memory is there until the deleter got the weak flag.
        unsafe {
            let Some(delete) = (*object).deleter else { continue };
            delete(object.cast(), flags);
            if flags & DELETE_WEAK == 0 {
                let counts = &(*object).combined_ref_count;
                if counts.fetch_sub(COMBINED_REF_COUNT_WEAK_ONE, Ordering::Release)
                    == COMBINED_REF_COUNT_WEAK_ONE
                {
                    fence(Ordering::Acquire);
                    delete(object.cast(), DELETE_WEAK);
                }
            }
        }
    }
    let emptied = WAITING.replace(ManuallyDrop::new(Vec::new()));
    drop(ManuallyDrop::into_inner(emptied));
}
