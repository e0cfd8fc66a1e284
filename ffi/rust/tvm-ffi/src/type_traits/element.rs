// SPDX-License-Identifier: Apache-2.0
//! Elements of containers.

use super::AnyCompatible;
use crate::error::{Error, TYPE_ERROR};
use crate::object::type_key_of;
use crate::{Any, AnyView};
use std::string::String as StdString;
use tvm_ffi_sys::TVMFFIAny;

/// Element types of containers: every [`AnyCompatible`] type, and [`Any`].
#[doc(hidden)]
pub trait ContainerElement: Sized {
    fn element_view(this: &Self) -> AnyView<'_>;
    fn into_element(this: Self) -> Any;
    /// # Safety
    /// `value` must be a live value.
    unsafe fn check_element(value: &TVMFFIAny) -> bool;
    /// # Safety
    /// `value` must be a live value.
    #[allow(clippy::result_unit_err)]
    unsafe fn cast_element(value: &TVMFFIAny) -> Result<Self, ()>;
    /// # Safety
    /// `value` must be a live value.
    unsafe fn element_error(value: &TVMFFIAny, prefix: &str) -> Error;
    fn element_type_str() -> StdString;
    fn element_schema() -> StdString;
}

impl<T: AnyCompatible> ContainerElement for T {
    fn element_view(this: &Self) -> AnyView<'_> {
        AnyView::from(this)
    }
    fn into_element(this: Self) -> Any {
        Any::from(this)
    }
    unsafe fn check_element(value: &TVMFFIAny) -> bool {
        // SAFETY: the caller's promise.
        unsafe { T::check_any_strict(value) }
    }
    unsafe fn cast_element(value: &TVMFFIAny) -> Result<Self, ()> {
        // SAFETY: the caller's promise.
        unsafe { T::try_cast_from_any_view(value) }
    }
    unsafe fn element_error(value: &TVMFFIAny, prefix: &str) -> Error {
        // SAFETY: the caller's promise.
        unsafe { T::cast_error(value, prefix) }
    }
    fn element_type_str() -> StdString {
        T::type_str()
    }
    fn element_schema() -> StdString {
        T::type_schema()
    }
}

impl ContainerElement for Any {
    fn element_view(this: &Self) -> AnyView<'_> {
        AnyView::from(this)
    }
    fn into_element(this: Self) -> Any {
        this
    }
    unsafe fn check_element(_: &TVMFFIAny) -> bool {
        true
    }
    unsafe fn cast_element(value: &TVMFFIAny) -> Result<Self, ()> {
        // SAFETY: a live value, viewed for the length of the call.
        Ok(Any::from(unsafe { AnyView::from_raw(*value) }))
    }
    unsafe fn element_error(value: &TVMFFIAny, prefix: &str) -> Error {
        let text = format!("{prefix}Cannot convert from type `{}` to `Any`", type_key_of(value.type_index));
        Error::new(TYPE_ERROR, &text, "")
    }
    fn element_type_str() -> StdString {
        "Any".into()
    }
    fn element_schema() -> StdString {
        r#"{"type":"Any"}"#.into()
    }
}
