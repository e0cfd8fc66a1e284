// SPDX-License-Identifier: Apache-2.0
//! What turns Rust arguments into values and Rust closures into C entries.

use crate::error::{Error, Result, INTERNAL_ERROR, VALUE_ERROR};
use crate::type_traits::AnyCompatible;
use crate::{Any, AnyView, Bytes, String};
use std::any::Any as Payload;
use std::panic::{catch_unwind, AssertUnwindSafe};
use tvm_ffi_sys::{TVMFFIAny, TVMFFITypeIndex};

/// An argument as the call holds it while it lasts: `&str` becomes a [`String`], `&[u8]` becomes [`Bytes`].
pub trait IntoArgHolder {
    /// What is held.
    type Target: ArgIntoRef;
    /// Makes it.
    fn into_arg_holder(self) -> Self::Target;
}

/// A held argument that can be viewed as a value.
pub trait ArgIntoRef {
    /// The view.
    fn as_view(&self) -> AnyView<'_>;
}

crate::impl_arg_into_ref!((), bool, i8, i16, i32, i64, isize, u8, u16, u32, f32, f64);
crate::impl_into_arg_holder_default!((), bool, i8, i16, i32, i64, isize, u8, u16, u32, f32, f64);

macro_rules! owned_integers {
    ($($ty:ty),*) => { $(
        // A number beyond int64 becomes a big integer, which the call has to own.
        impl IntoArgHolder for $ty {
            type Target = Any;
            fn into_arg_holder(self) -> Any { Any::from(self) }
        }
        impl IntoArgHolder for &$ty {
            type Target = Any;
            fn into_arg_holder(self) -> Any { Any::from(*self) }
        }
    )* };
}

owned_integers!(u64, usize);

impl IntoArgHolder for &str {
    type Target = String;
    fn into_arg_holder(self) -> String {
        String::from(self)
    }
}

impl IntoArgHolder for &[u8] {
    type Target = Bytes;
    fn into_arg_holder(self) -> Bytes {
        Bytes::from(self)
    }
}

impl ArgIntoRef for Any {
    fn as_view(&self) -> AnyView<'_> {
        AnyView::from(self)
    }
}
impl ArgIntoRef for &Any {
    fn as_view(&self) -> AnyView<'_> {
        AnyView::from(*self)
    }
}
impl IntoArgHolder for Any {
    type Target = Any;
    fn into_arg_holder(self) -> Any {
        self
    }
}
impl<'a> IntoArgHolder for &'a Any {
    type Target = &'a Any;
    fn into_arg_holder(self) -> &'a Any {
        self
    }
}
impl ArgIntoRef for AnyView<'_> {
    fn as_view(&self) -> AnyView<'_> {
        *self
    }
}
impl<'a> IntoArgHolder for AnyView<'a> {
    type Target = AnyView<'a>;
    fn into_arg_holder(self) -> AnyView<'a> {
        self
    }
}
impl<T: AnyCompatible> ArgIntoRef for Option<T> {
    fn as_view(&self) -> AnyView<'_> {
        AnyView::from(self)
    }
}
impl<T: AnyCompatible> ArgIntoRef for &Option<T> {
    fn as_view(&self) -> AnyView<'_> {
        AnyView::from(*self)
    }
}
impl<T: AnyCompatible> IntoArgHolder for Option<T> {
    type Target = Self;
    fn into_arg_holder(self) -> Self {
        self
    }
}
impl<T: AnyCompatible> IntoArgHolder for &Option<T> {
    type Target = Self;
    fn into_arg_holder(self) -> Self {
        self
    }
}

/// A tuple of arguments.
pub trait IntoArgHolderTuple {
    /// Calls `with` with the arguments as views.
    fn with_views<R>(self, with: impl FnOnce(&[AnyView<'_>]) -> R) -> R;
}

/// A closure of typed arguments that returns a [`Result`].
pub trait AsPackedCallable<I, O> {
    /// Converts the arguments, calls, converts the result.
    fn call_packed(&self, args: &[AnyView<'_>]) -> Result<Any>;
}

/// A parameter of a typed closure.
#[doc(hidden)]
pub trait PackedArg: Sized {
    fn from_view(view: &AnyView<'_>, position: usize) -> Result<Self>;
}

impl<T: AnyCompatible> PackedArg for T {
    #[inline(always)]
    fn from_view(view: &AnyView<'_>, position: usize) -> Result<Self> {
        view.cast_with(|| format!("Argument #{position}: "))
    }
}

impl PackedArg for Any {
    fn from_view(view: &AnyView<'_>, _: usize) -> Result<Self> {
        Ok(Any::from(*view))
    }
}

#[cold]
fn wrong_count(expected: usize, got: usize) -> Error {
    Error::new(VALUE_ERROR, &format!("Expected {expected} arguments, got {got}"), "")
}

macro_rules! tuples {
    ($count:literal; $($ty:ident $position:tt),*) => {
        impl<$($ty: IntoArgHolder),*> IntoArgHolderTuple for ($($ty,)*) {
            #[inline]
            fn with_views<Output>(self, with: impl FnOnce(&[AnyView<'_>]) -> Output) -> Output {
                let _held = ($(self.$position.into_arg_holder(),)*);
                with(&[$(_held.$position.as_view(),)*])
            }
        }

        impl<Closure, Output, $($ty: PackedArg),*> AsPackedCallable<($($ty,)*), Output> for Closure
        where
            Closure: Fn($($ty),*) -> Result<Output>,
            Any: From<Output>,
        {
            #[inline]
            fn call_packed(&self, args: &[AnyView<'_>]) -> Result<Any> {
                if args.len() != $count {
                    return Err(wrong_count($count, args.len()));
                }
                Ok(Any::from(self($(<$ty>::from_view(&args[$position], $position)?),*)?))
            }
        }
    };
}

tuples!(0;);
tuples!(1; A 0);
tuples!(2; A 0, B 1);
tuples!(3; A 0, B 1, C 2);
tuples!(4; A 0, B 1, C 2, D 3);
tuples!(5; A 0, B 1, C 2, D 3, E 4);
tuples!(6; A 0, B 1, C 2, D 3, E 4, F 5);
tuples!(7; A 0, B 1, C 2, D 3, E 4, F 5, G 6);
tuples!(8; A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);
tuples!(9; A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8);
tuples!(10; A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9);
tuples!(11; A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10);
tuples!(12; A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11);

/// Calls a typed closure with views, with the types spelled once.
#[doc(hidden)]
#[inline]
pub fn call_packed_callable<I, O, C: AsPackedCallable<I, O>>(
    callable: &C,
    args: &[AnyView<'_>],
) -> Result<Any> {
    callable.call_packed(args)
}

/// The error that a panic becomes.
#[doc(hidden)]
#[cold]
pub fn panic_to_error(payload: Box<dyn Payload + Send>) -> Error {
    let text = match payload.downcast_ref::<&str>() {
        Some(text) => text,
        None => payload.downcast_ref::<std::string::String>().map_or("unknown payload", |t| t),
    };
    Error::new(INTERNAL_ERROR, &format!("panicked: {text}"), "")
}

/// Body of every C entry: nothing unwinds, the error is raised, the result is written once.
///
/// # Safety
/// `args` must be `count` live values (or anything when `count` is 0), `result` must be writable.
#[doc(hidden)]
#[inline]
pub unsafe fn safe_call(
    args: *const TVMFFIAny,
    count: i32,
    result: *mut TVMFFIAny,
    call: impl FnOnce(&[AnyView<'_>]) -> Result<Any>,
) -> i32 {
    let views: &[AnyView<'_>] = if count <= 0 {
        &[]
    } else {
        // SAFETY: the caller's promise; a view has the layout of a raw value.
        unsafe { std::slice::from_raw_parts(args.cast(), count as usize) }
    };
    let error = match catch_unwind(AssertUnwindSafe(|| call(views))) {
        Ok(Ok(value)) => {
            // SAFETY: the slot holds no object on entry (rule of the safe call), so nothing is lost.
            unsafe {
                if (*result).type_index >= TVMFFITypeIndex::kTVMFFIStaticObjectBegin as i32 {
                    Error::new(INTERNAL_ERROR, "the result slot of a call holds an object", "")
                } else {
                    *result = Any::into_raw_ffi_any(value);
                    return 0;
                }
            }
        }
        Ok(Err(error)) => error,
        Err(payload) => panic_to_error(payload),
    };
    Error::set_raised(&error);
    -1
}

/// Body of [`tvm_ffi_dll_export_typed_func!`](crate::tvm_ffi_dll_export_typed_func).
#[doc(hidden)]
#[macro_export]
macro_rules! export_symbol {
    ($name:ident, $function:expr) => {
        const _: () = {
            #[export_name = concat!("__tvm_ffi_", stringify!($name))]
            unsafe extern "C" fn exported(
                _handle: *mut ::core::ffi::c_void,
                args: *const $crate::TVMFFIAny,
                num_args: i32,
                result: *mut $crate::TVMFFIAny,
            ) -> i32 {
                // SAFETY: the caller follows the safe-call convention.
                unsafe {
                    $crate::function_internal::safe_call(args, num_args, result, |views| {
                        $crate::function_internal::call_packed_callable(&$function, views)
                    })
                }
            }
        };
    };
}

#[doc(hidden)]
pub use crate::export_symbol;
