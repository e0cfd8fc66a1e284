// SPDX-License-Identifier: Apache-2.0
//! What turns Rust arguments into values and Rust closures into C entries.

mod arguments;
mod callee;
mod entry;
mod outcome;
mod parameters;

pub use arguments::{ArgIntoRef, IntoArgHolder};
#[doc(hidden)]
pub use callee::Callee;
pub(crate) use callee::{forget_global, name_global};
#[doc(hidden)]
pub(crate) use entry::discard_payload;
pub use entry::{export_symbol, panic_to_error, run_on_load, safe_call};
#[doc(hidden)]
pub use outcome::{PackedOutcome, PackedReturn};
#[doc(hidden)]
pub use parameters::{give_value, hold_value, HeldRef, PackedArg};

use crate::error::Result;
use crate::{Any, AnyView, String};
use callee::{about_argument, wrong_count, Signature};

/// As [`AsPackedCallable`], for a closure that changes what it captures.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an FFI function",
    note = "it must take and return what a closure of `Function::from_typed` does"
)]
pub trait AsPackedCallableMut<I, O> {
    /// Converts the arguments, calls, converts the result.
    fn call_packed_mut(&mut self, args: &[AnyView<'_>]) -> Result<Any>;
    /// As [`Self::call_packed_mut`], with the function that messages on arguments tell.
    #[doc(hidden)]
    fn call_named_mut(&mut self, _callee: Callee<'_>, args: &[AnyView<'_>]) -> Result<Any> {
        self.call_packed_mut(args)
    }
}

/// A tuple of arguments.
pub trait IntoArgHolderTuple {
    /// Calls `with` with the arguments as views.
    fn with_views<R>(self, with: impl FnOnce(&[AnyView<'_>]) -> R) -> R;
}

/// A closure of typed arguments that returns a value, or a [`Result`] of one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an FFI function",
    note = "it must take up to 12 parameters, each a value type, `&R` of an object reference, `Any`, `AnyView<'_>`, \
            `TensorView<'_>`, `&str`, `&[u8]` or `RValueRef<T>`, and return a value type or `Any`, or a `tvm_ffi::Result` of one"
)]
pub trait AsPackedCallable<I, O> {
    /// Converts the arguments, calls, converts the result: `ValueError` for a wrong count, `TypeError` or `OverflowError` for an
    /// argument that does not convert.
    fn call_packed(&self, args: &[AnyView<'_>]) -> Result<Any>;
    /// As [`Self::call_packed`], with the function that messages on arguments tell.
    #[doc(hidden)]
    fn call_named(&self, _callee: Callee<'_>, args: &[AnyView<'_>]) -> Result<Any> {
        self.call_packed(args)
    }
    /// The signature as JSON, for metadata.
    #[doc(hidden)]
    fn type_schema() -> std::string::String;
}

macro_rules! tuples {
    // The body of a call: checks the count, holds each argument, then gives them to the closure.
    (@call $closure:ident, $callee:ident, $args:ident, $result:ident; $count:literal; $($ty:ident $position:tt),*) => {{
        let signature = || Signature { parameters: vec![$($ty::printed),*], result: $result::printed };
        if $args.len() != $count {
            return Err(wrong_count($callee, signature, $args.len()));
        }
        let mut _held = ($(
            match <$ty>::hold(&$args[$position], $position) {
                Ok(held) => held,
                Err(error) => return Err(about_argument($callee, signature, $position, error)),
            },
        )*);
        $closure($(<$ty>::give(&mut _held.$position)),*).into_outcome()
    }};
    ($count:literal; $($ty:ident $form:ident $position:tt),*) => {
        impl<$($ty: IntoArgHolder),*> IntoArgHolderTuple for ($($ty,)*) {
            #[inline]
            fn with_views<Output>(self, with: impl FnOnce(&[AnyView<'_>]) -> Output) -> Output {
                let _held = ($(self.$position.into_arg_holder(),)*);
                with(&[$(_held.$position.as_view(),)*])
            }
        }

        // The first bound tells the compiler the parameter types of a closure; the second is what calls it with views that
        // live as long as one call.
        impl<Closure, Output, $($ty: PackedArg),*> AsPackedCallable<($($ty,)*), Output> for Closure
        where
            Closure: Fn($($ty),*) -> Output,
            for<'a> Closure: Fn($($ty::Of<'a>),*) -> Output,
            Output: PackedOutcome,
        {
            fn type_schema() -> std::string::String {
                let parameters: &[std::string::String] = &[$($ty::schema()),*];
                let (result, parameters) = (Output::schema(), parameters.join(","));
                format!(
                    r#"{{"type":"ffi.Function","named_args":{{"return":[{result}],"params":[{parameters}]}}}}"#
                )
            }

            #[inline(always)]
            fn call_packed(&self, args: &[AnyView<'_>]) -> Result<Any> {
                self.call_named(Callee::Unnamed, args)
            }

            #[inline(always)]
            fn call_named(&self, callee: Callee<'_>, args: &[AnyView<'_>]) -> Result<Any> {
                tuples!(@call self, callee, args, Output; $count; $($ty $position),*)
            }
        }

        impl<Closure, Output, $($ty: PackedArg),*> AsPackedCallableMut<($($ty,)*), Output> for Closure
        where
            Closure: FnMut($($ty),*) -> Output,
            for<'a> Closure: FnMut($($ty::Of<'a>),*) -> Output,
            Output: PackedOutcome,
        {
            #[inline(always)]
            fn call_packed_mut(&mut self, args: &[AnyView<'_>]) -> Result<Any> {
                self.call_named_mut(Callee::Unnamed, args)
            }

            #[inline(always)]
            fn call_named_mut(&mut self, callee: Callee<'_>, args: &[AnyView<'_>]) -> Result<Any> {
                tuples!(@call self, callee, args, Output; $count; $($ty $position),*)
            }
        }
    };
}

tuples!(0;);
crate::arity::for_each_arity!(tuples);

/// Calls a typed closure with views, with the types spelled once.
#[doc(hidden)]
#[inline]
pub fn call_packed_callable<I, O, C: AsPackedCallable<I, O>>(
    callable: &C,
    name: &str,
    args: &[AnyView<'_>],
) -> Result<Any> {
    callable.call_named(Callee::Named(name), args)
}

/// The signature of a function as metadata text.
#[doc(hidden)]
pub fn metadata_of<I, O, C: AsPackedCallable<I, O>>(_: &C) -> String {
    String::from(crate::reflection::schema_metadata(&C::type_schema()))
}
