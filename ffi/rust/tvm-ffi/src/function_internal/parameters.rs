// SPDX-License-Identifier: Apache-2.0
//! Parameters of closures that are functions.

use super::callee::unnamed_prefix;
use crate::error::{Error, Result};
use crate::object::ObjectRefCore;
use crate::type_traits::AnyCompatible;
use crate::{Any, AnyView, Bytes, Optional, OptionalCompatible, RValueRef, String, TensorView};

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
    fn printed() -> std::string::String;
}

/// The step of a parameter that is passed by value.
#[doc(hidden)]
#[inline(always)]
pub fn hold_value<T: AnyCompatible>(view: &AnyView<'_>, position: usize) -> Result<Option<T>> {
    view.cast_with(move || unnamed_prefix(position)).map(Some)
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
            fn printed() -> ::std::string::String {
                <Self as $crate::type_traits::AnyCompatible>::type_str()
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
        view.cast_with(move || unnamed_prefix(position)).map(HeldRef::Owned)
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
    fn printed() -> std::string::String {
        R::type_str()
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
    fn printed() -> std::string::String {
        <Any as crate::type_traits::ContainerElement>::element_type_str()
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
    fn printed() -> std::string::String {
        <Any as PackedArg>::printed()
    }
}

impl PackedArg for &str {
    type Of<'a> = &'a str;
    type Held<'a> = &'a str;
    fn hold<'a>(view: &'a AnyView<'_>, position: usize) -> Result<&'a str> {
        match crate::string::borrow_bytes(view.raw(), true).map(std::str::from_utf8) {
            Some(Ok(text)) => Ok(text),
            // SAFETY: a live view.
            _ => Err(unsafe { String::cast_error(view.raw(), &unnamed_prefix(position)) }),
        }
    }
    fn give<'a>(held: &'a mut &str) -> &'a str {
        held
    }
    fn schema() -> std::string::String {
        String::type_schema()
    }
    fn printed() -> std::string::String {
        String::type_str()
    }
}

impl PackedArg for &[u8] {
    type Of<'a> = &'a [u8];
    type Held<'a> = &'a [u8];
    fn hold<'a>(view: &'a AnyView<'_>, position: usize) -> Result<&'a [u8]> {
        crate::string::borrow_bytes(view.raw(), false)
            // SAFETY: a live view.
            .ok_or_else(|| unsafe { Bytes::cast_error(view.raw(), &unnamed_prefix(position)) })
    }
    fn give<'a>(held: &'a mut &[u8]) -> &'a [u8] {
        held
    }
    fn schema() -> std::string::String {
        Bytes::type_schema()
    }
    fn printed() -> std::string::String {
        Bytes::type_str()
    }
}

impl PackedArg for TensorView<'_> {
    type Of<'a> = TensorView<'a>;
    type Held<'a> = TensorView<'a>;
    fn hold<'a>(view: &'a AnyView<'_>, position: usize) -> Result<TensorView<'a>> {
        TensorView::borrow(view).ok_or_else(|| {
            let key = crate::object::type_key_of(view.type_index());
            let text = format!("{}Cannot convert from type `{key}` to `DLTensor*`", unnamed_prefix(position));
            Error::new(crate::error::TYPE_ERROR, &text, "")
        })
    }
    fn give<'a>(held: &'a mut TensorView<'_>) -> TensorView<'a> {
        *held
    }
    fn schema() -> std::string::String {
        r#"{"type":"DLTensor*"}"#.into()
    }
    fn printed() -> std::string::String {
        "DLTensor*".into()
    }
}

impl<T: ObjectRefCore + AnyCompatible> PackedArg for RValueRef<T> {
    type Of<'a> = RValueRef<T>;
    type Held<'a> = Option<RValueRef<T>>;
    fn hold(view: &AnyView<'_>, position: usize) -> Result<Option<RValueRef<T>>> {
        RValueRef::from_view(view, move || unnamed_prefix(position)).map(Some)
    }
    fn give(held: &mut Option<RValueRef<T>>) -> RValueRef<T> {
        give_value(held)
    }
    fn schema() -> std::string::String {
        format!(r#"{{"type":"ObjectRValueRef","args":[{}]}}"#, T::type_schema())
    }
    fn printed() -> std::string::String {
        format!("RValueRef<{}>", T::type_str())
    }
}

impl<T: OptionalCompatible> PackedArg for Optional<T> {
    type Of<'a> = Optional<T>;
    type Held<'a> = Option<Optional<T>>;
    fn hold(view: &AnyView<'_>, position: usize) -> Result<Option<Optional<T>>> {
        let value = view.cast_with::<Option<T>>(move || unnamed_prefix(position))?;
        Ok(Some(Optional::from(value)))
    }
    fn give(held: &mut Option<Optional<T>>) -> Optional<T> {
        give_value(held)
    }
    fn schema() -> std::string::String {
        Option::<T>::type_schema()
    }
    fn printed() -> std::string::String {
        Option::<T>::type_str()
    }
}
