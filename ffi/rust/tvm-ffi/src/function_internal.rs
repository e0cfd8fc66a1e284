// SPDX-License-Identifier: Apache-2.0
//! What turns Rust arguments into values and Rust closures into C entries.

use crate::error::{Error, Result, INTERNAL_ERROR, VALUE_ERROR};
use crate::object::ObjectRefCore;
use crate::type_traits::AnyCompatible;
use crate::{Any, AnyView, Bytes, Optional, OptionalCompatible, RValueRef, String, TensorView};
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
    /// The signature as JSON, for metadata.
    #[doc(hidden)]
    fn type_schema() -> std::string::String;
}

/// A parameter of a typed closure, in two steps: what the call holds, then the parameter, which may borrow from that.
#[doc(hidden)]
pub trait PackedArg: Sized {
    /// The parameter with the lifetime of one call.
    type Of<'a>;
    /// What the call holds for it.
    type Held<'a>;
    fn hold<'a>(view: &'a AnyView<'_>, position: usize) -> Result<Self::Held<'a>>;
    /// Called once.
    fn give<'a>(held: &'a mut Self::Held<'_>) -> Self::Of<'a>;
    fn schema() -> std::string::String;
}

/// The step of a parameter that is passed by value.
#[doc(hidden)]
#[inline(always)]
pub fn hold_value<T: AnyCompatible>(view: &AnyView<'_>, position: usize) -> Result<Option<T>> {
    view.cast_with(|| format!("Argument #{position}: ")).map(Some)
}

/// The second step.
#[doc(hidden)]
#[inline(always)]
pub fn give_value<T>(held: &mut Option<T>) -> T {
    match held.take() {
        Some(value) => value,
        None => unreachable!("an argument is given once"),
    }
}

/// A closure may take these types by value; [`impl_try_from_any!`](crate::impl_try_from_any) includes it.
#[doc(hidden)]
#[macro_export]
macro_rules! impl_packed_arg {
    ([$($generics:tt)*] $ty:ty) => {
        impl<$($generics)*> $crate::function_internal::PackedArg for $ty {
            type Of<'a> = Self;
            type Held<'a> = ::core::option::Option<Self>;
            #[inline(always)]
            fn hold<'a>(view: &'a $crate::AnyView<'_>, position: usize) -> $crate::error::Result<Self::Held<'a>> {
                $crate::function_internal::hold_value(view, position)
            }
            #[inline(always)]
            fn give<'a>(held: &'a mut Self::Held<'_>) -> Self::Of<'a> {
                $crate::function_internal::give_value(held)
            }
            fn schema() -> ::std::string::String {
                <Self as $crate::type_traits::AnyCompatible>::type_schema()
            }
        }
    };
}

crate::impl_packed_arg!([T: AnyCompatible] Option<T>);

/// An object reference for `&R`: the argument's own, or what it converts to.
#[doc(hidden)]
pub enum HeldRef<'a, R: 'static> {
    Borrowed(&'a R),
    Owned(R),
}

impl<R: ObjectRefCore + AnyCompatible + 'static> PackedArg for &R {
    type Of<'a> = &'a R;
    type Held<'a> = HeldRef<'a, R>;
    #[inline]
    fn hold<'a>(view: &'a AnyView<'_>, position: usize) -> Result<HeldRef<'a, R>> {
        const { assert!(size_of::<R>() == size_of::<usize>() && align_of::<R>() == align_of::<usize>()) };
        // SAFETY: a live view. An `R` is one pointer to an object (contract of `ObjectRefCore`, checked above), which is what the
        // payload of a value that is strictly an `R` holds; it stays there for `'a`.
        unsafe {
            if R::check_any_strict(view.raw()) {
                return Ok(HeldRef::Borrowed(&*(&raw const view.raw().data_union.v_ptr).cast::<R>()));
            }
        }
        view.cast_with(|| format!("Argument #{position}: ")).map(HeldRef::Owned)
    }
    #[inline]
    fn give<'a>(held: &'a mut HeldRef<'_, R>) -> &'a R {
        match held {
            HeldRef::Borrowed(reference) => reference,
            HeldRef::Owned(value) => value,
        }
    }
    fn schema() -> std::string::String {
        R::type_schema()
    }
}

impl PackedArg for Any {
    type Of<'a> = Any;
    type Held<'a> = Option<Any>;
    fn hold(view: &AnyView<'_>, _: usize) -> Result<Option<Any>> {
        Ok(Some(Any::from(*view)))
    }
    fn give(held: &mut Option<Any>) -> Any {
        give_value(held)
    }
    fn schema() -> std::string::String {
        <Any as crate::type_traits::ContainerElement>::element_schema()
    }
}

impl PackedArg for AnyView<'_> {
    type Of<'a> = AnyView<'a>;
    type Held<'a> = AnyView<'a>;
    fn hold<'a>(view: &'a AnyView<'_>, _: usize) -> Result<AnyView<'a>> {
        Ok(*view)
    }
    fn give<'a>(held: &'a mut AnyView<'_>) -> AnyView<'a> {
        *held
    }
    fn schema() -> std::string::String {
        <Any as PackedArg>::schema()
    }
}

impl PackedArg for &str {
    type Of<'a> = &'a str;
    type Held<'a> = &'a str;
    fn hold<'a>(view: &'a AnyView<'_>, position: usize) -> Result<&'a str> {
        match crate::string::borrow_bytes(view.raw(), true).map(std::str::from_utf8) {
            Some(Ok(text)) => Ok(text),
            // SAFETY: a live view.
            _ => Err(unsafe { String::cast_error(view.raw(), &format!("Argument #{position}: ")) }),
        }
    }
    fn give<'a>(held: &'a mut &str) -> &'a str {
        held
    }
    fn schema() -> std::string::String {
        String::type_schema()
    }
}

impl PackedArg for &[u8] {
    type Of<'a> = &'a [u8];
    type Held<'a> = &'a [u8];
    fn hold<'a>(view: &'a AnyView<'_>, position: usize) -> Result<&'a [u8]> {
        crate::string::borrow_bytes(view.raw(), false)
            // SAFETY: a live view.
            .ok_or_else(|| unsafe { Bytes::cast_error(view.raw(), &format!("Argument #{position}: ")) })
    }
    fn give<'a>(held: &'a mut &[u8]) -> &'a [u8] {
        held
    }
    fn schema() -> std::string::String {
        Bytes::type_schema()
    }
}

impl PackedArg for TensorView<'_> {
    type Of<'a> = TensorView<'a>;
    type Held<'a> = TensorView<'a>;
    fn hold<'a>(view: &'a AnyView<'_>, position: usize) -> Result<TensorView<'a>> {
        TensorView::borrow(view).ok_or_else(|| {
            let key = crate::object::type_key_of(view.type_index());
            let text = format!("Argument #{position}: Cannot convert from type `{key}` to `DLTensor*`");
            Error::new(crate::error::TYPE_ERROR, &text, "")
        })
    }
    fn give<'a>(held: &'a mut TensorView<'_>) -> TensorView<'a> {
        *held
    }
    fn schema() -> std::string::String {
        r#"{"type":"DLTensor*"}"#.into()
    }
}

impl<T: ObjectRefCore + AnyCompatible> PackedArg for RValueRef<T> {
    type Of<'a> = RValueRef<T>;
    type Held<'a> = Option<RValueRef<T>>;
    fn hold(view: &AnyView<'_>, position: usize) -> Result<Option<RValueRef<T>>> {
        RValueRef::from_view(view, || format!("Argument #{position}: ")).map(Some)
    }
    fn give(held: &mut Option<RValueRef<T>>) -> RValueRef<T> {
        give_value(held)
    }
    fn schema() -> std::string::String {
        format!(r#"{{"type":"ObjectRValueRef","args":[{}]}}"#, T::type_schema())
    }
}

impl<T: OptionalCompatible> PackedArg for Optional<T> {
    type Of<'a> = Optional<T>;
    type Held<'a> = Option<Optional<T>>;
    fn hold(view: &AnyView<'_>, position: usize) -> Result<Option<Optional<T>>> {
        let value = view.cast_with::<Option<T>>(|| format!("Argument #{position}: "))?;
        Ok(Some(Optional::from(value)))
    }
    fn give(held: &mut Option<Optional<T>>) -> Optional<T> {
        give_value(held)
    }
    fn schema() -> std::string::String {
        Option::<T>::type_schema()
    }
}

/// A result of a typed closure.
#[doc(hidden)]
#[diagnostic::on_unimplemented(message = "`{Self}` is no FFI value, so a function cannot return it")]
pub trait PackedReturn {
    fn into_any(self) -> Any;
    fn schema() -> std::string::String;
}

impl<T: AnyCompatible> PackedReturn for T {
    #[inline(always)]
    fn into_any(self) -> Any {
        Any::from(self)
    }
    fn schema() -> std::string::String {
        T::type_schema()
    }
}

impl PackedReturn for Any {
    fn into_any(self) -> Any {
        self
    }
    fn schema() -> std::string::String {
        <Any as PackedArg>::schema()
    }
}

impl<T: OptionalCompatible> PackedReturn for Optional<T> {
    fn into_any(self) -> Any {
        Any::from(self)
    }
    fn schema() -> std::string::String {
        Option::<T>::type_schema()
    }
}

/// What a typed closure returns: a value, or a [`Result`] of one.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no FFI value, so a function cannot return it",
    note = "a function returns a value type, `Any`, or a `tvm_ffi::Result` of one"
)]
pub trait PackedOutcome {
    fn into_outcome(self) -> Result<Any>;
    fn schema() -> std::string::String;
}

impl<T: PackedReturn> PackedOutcome for T {
    #[inline(always)]
    fn into_outcome(self) -> Result<Any> {
        Ok(self.into_any())
    }
    fn schema() -> std::string::String {
        T::schema()
    }
}

impl<T: PackedReturn> PackedOutcome for Result<T> {
    #[inline(always)]
    fn into_outcome(self) -> Result<Any> {
        self.map(PackedReturn::into_any)
    }
    fn schema() -> std::string::String {
        T::schema()
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
                if args.len() != $count {
                    return Err(wrong_count($count, args.len()));
                }
                let mut _held = ($(<$ty>::hold(&args[$position], $position)?,)*);
                self($(<$ty>::give(&mut _held.$position)),*).into_outcome()
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

/// The signature of a function as metadata text.
#[doc(hidden)]
pub fn metadata_of<I, O, C: AsPackedCallable<I, O>>(_: &C) -> String {
    String::from(crate::reflection::schema_metadata(&C::type_schema()))
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
