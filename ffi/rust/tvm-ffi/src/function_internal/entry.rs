// SPDX-License-Identifier: Apache-2.0
//! The C side of functions: nothing unwinds out of them.

use crate::error::{Error, Result, INTERNAL_ERROR};
use crate::{Any, AnyView};
use std::any::Any as Payload;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::ptr::NonNull;
use tvm_ffi_sys::{TVMFFIAny, TVMFFITypeIndex};

/// The error that a panic becomes.
#[doc(hidden)]
#[cold]
pub fn panic_to_error(payload: Box<dyn Payload + Send>) -> Error {
    let text = match payload.downcast_ref::<&str>() {
        Some(text) => text,
        None => payload.downcast_ref::<std::string::String>().map_or("unknown payload", |t| t),
    };
    let error = Error::new(INTERNAL_ERROR, &format!("panicked: {text}"), "");
    discard_payload(payload);
    error
}

/// Drops what a panic carried. Its destructor may panic as well, which must not unwind into C either; what that panic carried leaks,
/// for its destructor could go on in the same way.
#[cold]
pub(crate) fn discard_payload(payload: Box<dyn Payload + Send>) {
    if let Err(another) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
        std::mem::forget(another);
    }
}

/// Body of every C entry: nothing unwinds, the error is raised, the result is written once.
///
/// # Safety
/// `args` must be `count` live values (or anything when there are none), `result` must be writable.
#[doc(hidden)]
#[inline]
pub unsafe fn safe_call(
    args: *const TVMFFIAny,
    count: i32,
    result: *mut TVMFFIAny,
    call: impl FnOnce(&[AnyView<'_>]) -> Result<Any>,
) -> i32 {
    // SAFETY: writable, so readable too; a slot that holds an object would lose it.
    let occupied = unsafe { (*result).type_index } >= TVMFFITypeIndex::kTVMFFIStaticObjectBegin as i32;
    if occupied || count < 0 {
        return refuse_call(count);
    }
    // Without arguments the pointer may be null.
    let args = if count == 0 { NonNull::dangling().as_ptr() } else { args.cast_mut() };
    // SAFETY: the caller's promise; a view has the layout of a raw value.
    let views: &[AnyView<'_>] = unsafe { std::slice::from_raw_parts(args.cast(), count as usize) };
    match catch_unwind(AssertUnwindSafe(|| call(views))) {
        Ok(Ok(value)) => {
            // SAFETY: the slot holds no object.
            unsafe { *result = Any::into_raw_ffi_any(value) };
            0
        }
        Ok(Err(error)) => raise(error),
        Err(payload) => raise(panic_to_error(payload)),
    }
}

/// Raises an error and gives the code that says so. Out of line, so that a call which succeeds saves no registers for it.
#[cold]
#[inline(never)]
fn raise(error: Error) -> i32 {
    Error::set_raised(&error);
    -1
}

#[cold]
#[inline(never)]
fn refuse_call(count: i32) -> i32 {
    let text = match count {
        ..0 => format!("a call cannot have {count} arguments"),
        _ => "the result slot of a call holds an object".into(),
    };
    raise(Error::new(INTERNAL_ERROR, &text, ""))
}

/// Body of [`register_on_load!`](crate::register_on_load).
#[doc(hidden)]
pub fn run_on_load(register: impl FnOnce() -> Result<()>) {
    let error = match catch_unwind(AssertUnwindSafe(register)) {
        Ok(Ok(())) => return,
        Ok(Err(error)) => error,
        Err(payload) => panic_to_error(payload),
    };
    eprintln!("a registration at load failed: {}: {}", error.kind(), error.message());
}

/// Body of [`tvm_ffi_dll_export_typed_func!`](crate::tvm_ffi_dll_export_typed_func).
#[doc(hidden)]
#[macro_export]
macro_rules! export_symbol {
    ($symbol:expr, |$views:ident| $body:expr) => {
        const _: () = {
            #[export_name = $symbol]
            unsafe extern "C" fn exported(
                _handle: *mut ::core::ffi::c_void,
                args: *const $crate::TVMFFIAny,
                num_args: i32,
                result: *mut $crate::TVMFFIAny,
            ) -> i32 {
                // SAFETY: the caller follows the safe-call convention.
                unsafe { $crate::function_internal::safe_call(args, num_args, result, |$views| $body) }
            }
        };
    };
}

#[doc(hidden)]
pub use crate::export_symbol;
