// SPDX-License-Identifier: Apache-2.0
//! The marker for "keep the value" in structural mutation.

use crate::error::{Error, Result, TYPE_ERROR};
use crate::type_traits::{AnyCompatible, ContainerElement};
use crate::{Any, AnyView, ObjectArc, ObjectRefCore};
use std::ffi::c_void;
use std::marker::PhantomData;
use tvm_ffi_sys::{TVMFFIAny, TVMFFITypeIndex as TypeIndex};

const UNCHANGED: i32 = TypeIndex::kTVMFFIUnchanged as i32;

/// Says that a value stays as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unchanged;

// SAFETY: a plain value without payload.
unsafe impl AnyCompatible for Unchanged {
    const MATCH_ANY_EXACT: bool = true;
    fn match_any_exact_type_index() -> i32 {
        UNCHANGED
    }
    unsafe fn copy_to_any_view(_: &Self, out: &mut TVMFFIAny) {
        *out = TVMFFIAny { type_index: UNCHANGED, ..TVMFFIAny::new() };
    }
    unsafe fn move_to_any(_: Self, out: &mut TVMFFIAny) {
        *out = TVMFFIAny { type_index: UNCHANGED, ..TVMFFIAny::new() };
    }
    unsafe fn check_any_strict(value: &TVMFFIAny) -> bool {
        value.type_index == UNCHANGED
    }
    unsafe fn copy_from_any_view_after_check(_: &TVMFFIAny) -> Self {
        Self
    }
    unsafe fn try_cast_from_any_view(value: &TVMFFIAny) -> Result<Self, ()> {
        if value.type_index == UNCHANGED {
            Ok(Self)
        } else {
            Err(())
        }
    }
    fn type_str() -> String {
        "Unchanged".into()
    }
}

crate::impl_try_from_any!(Unchanged);

/// A new value of type `T`, or [`Unchanged`]. As a value it is one or the other, 16 bytes wide.
///
/// Strict means [`Unchanged`] or strictly a `T`; for `T` = [`Any`], everything but an error.
/// ```
/// use tvm_ffi::{Any, Unchanged, UnchangedOr};
///
/// let kept = UnchangedOr::<i64>::try_from(Any::from(Unchanged)).unwrap();
/// assert!(kept.is_unchanged());
/// assert_eq!(UnchangedOr::<i64>::try_from(Any::from(4_i64)).unwrap().value_or(3), 4);
/// assert!(UnchangedOr::<i64>::try_from(Any::from(())).is_err());
/// ```
#[repr(transparent)]
pub struct UnchangedOr<T = Any> {
    /// Unchanged, or strictly a `T`.
    cell: Any,
    marker: PhantomData<T>,
}

impl<T: ContainerElement> UnchangedOr<T> {
    fn of(cell: Any) -> Self {
        Self { cell, marker: PhantomData }
    }

    /// The value stays.
    pub fn unchanged() -> Self {
        Self::of(Any::from(Unchanged))
    }

    /// A new value.
    pub fn changed(value: T) -> Self {
        Self::of(T::into_element(value))
    }

    /// True when the value stays.
    pub fn is_unchanged(&self) -> bool {
        self.cell.type_index() == UNCHANGED
    }

    /// The new value.
    pub fn into_option(self) -> Option<T> {
        if self.is_unchanged() {
            return None;
        }
        // SAFETY: a live value that is a `T`.
        unsafe { T::cast_element(self.cell.raw()).ok() }
    }

    /// The new value, or the original one.
    pub fn value_or(self, original: T) -> T {
        self.into_option().unwrap_or(original)
    }

    /// The new value, or what `original` gives.
    pub fn value_or_else(self, original: impl FnOnce() -> T) -> T {
        self.into_option().unwrap_or_else(original)
    }

    /// Converts the new value.
    pub fn map<U: ContainerElement>(self, f: impl FnOnce(T) -> U) -> UnchangedOr<U> {
        self.into_option().map_or_else(UnchangedOr::unchanged, |value| UnchangedOr::changed(f(value)))
    }

    /// Converts the new value, which may fail.
    pub fn try_map<U: ContainerElement>(self, f: impl FnOnce(T) -> Result<U>) -> Result<UnchangedOr<U>> {
        match self.into_option() {
            Some(value) => f(value).map(UnchangedOr::changed),
            None => Ok(UnchangedOr::unchanged()),
        }
    }
}

impl<T: ContainerElement + ObjectRefCore> UnchangedOr<T> {
    /// True when nothing changed or the new value is the original object.
    pub fn unchanged_or_same_as(&self, original: &T) -> bool {
        let original = ObjectArc::as_raw(T::data(original)).cast::<c_void>();
        // SAFETY: what is not unchanged is a `T`, whose payload is the object.
        self.is_unchanged() || unsafe { self.cell.raw().data_union.v_ptr.cast_const() } == original
    }
}

impl UnchangedOr<Any> {
    /// The new value as a `U`; `TypeError` when it is none.
    pub fn try_cast<U: AnyCompatible>(self) -> Result<UnchangedOr<U>> {
        self.try_map(|value| match value.try_as::<U>() {
            Some(value) => Ok(value),
            None => crate::bail!(TYPE_ERROR, "structural mutation result does not match {}", U::type_str()),
        })
    }

    /// What a native engine returned.
    pub(crate) fn from_result(value: Any) -> Self {
        Self::of(value)
    }
}

impl<T> Clone for UnchangedOr<T> {
    fn clone(&self) -> Self {
        Self { cell: self.cell.clone(), marker: PhantomData }
    }
}

impl<T> std::fmt::Debug for UnchangedOr<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.cell.type_index() {
            UNCHANGED => f.write_str("Unchanged"),
            _ => write!(f, "Changed({:?})", self.cell),
        }
    }
}

impl<T: AnyCompatible> From<T> for UnchangedOr<T> {
    fn from(value: T) -> Self {
        Self::changed(value)
    }
}

// SAFETY: the cell itself is the value.
unsafe impl<T: ContainerElement> AnyCompatible for UnchangedOr<T> {
    fn type_schema() -> String {
        format!(r#"{{"type":"UnchangedOr","args":[{}]}}"#, T::element_schema())
    }
    unsafe fn copy_to_any_view(this: &Self, out: &mut TVMFFIAny) {
        *out = *this.cell.raw();
    }
    unsafe fn move_to_any(this: Self, out: &mut TVMFFIAny) {
        // SAFETY: the value goes to `out`.
        *out = unsafe { Any::into_raw_ffi_any(this.cell) };
    }
    unsafe fn check_any_strict(value: &TVMFFIAny) -> bool {
        let index = value.type_index;
        // SAFETY: the caller's promise.
        index == UNCHANGED || (index != TypeIndex::kTVMFFIError as i32 && unsafe { T::check_element(value) })
    }
    unsafe fn copy_from_any_view_after_check(value: &TVMFFIAny) -> Self {
        // SAFETY: a live value.
        Self::of(Any::from(unsafe { AnyView::from_raw(*value) }))
    }
    unsafe fn try_cast_from_any_view(value: &TVMFFIAny) -> Result<Self, ()> {
        // SAFETY: the caller's promise.
        unsafe {
            if Self::check_any_strict(value) {
                return Ok(Self::copy_from_any_view_after_check(value));
            }
            if value.type_index == TypeIndex::kTVMFFIError as i32 {
                return Err(());
            }
            T::cast_element(value).map(Self::changed)
        }
    }
    unsafe fn cast_error(value: &TVMFFIAny, prefix: &str) -> Error {
        // SAFETY: the caller's promise.
        let source = unsafe { Self::get_mismatch_type_info(value) };
        let text = format!("{prefix}Cannot convert from type `{source}` to `{}`", Self::type_str());
        Error::new(TYPE_ERROR, &text, "")
    }
    fn type_str() -> String {
        format!("UnchangedOr<{}>", T::element_type_str())
    }
}

impl<T: ContainerElement> TryFrom<Any> for UnchangedOr<T> {
    type Error = Error;
    fn try_from(value: Any) -> Result<Self> {
        crate::any::TryFromTemp::<Self>::try_from(value).map(crate::any::TryFromTemp::into_value)
    }
}
impl<T: ContainerElement> TryFrom<AnyView<'_>> for UnchangedOr<T> {
    type Error = Error;
    fn try_from(value: AnyView<'_>) -> Result<Self> {
        crate::any::TryFromTemp::<Self>::try_from(value).map(crate::any::TryFromTemp::into_value)
    }
}
crate::impl_packed_arg!([T: ContainerElement] UnchangedOr<T>);
impl<T: ContainerElement> crate::function_internal::ArgIntoRef for UnchangedOr<T> {
    fn as_view(&self) -> AnyView<'_> {
        AnyView::from(&self.cell)
    }
}
impl<T: ContainerElement> crate::function_internal::IntoArgHolder for UnchangedOr<T> {
    type Target = Self;
    fn into_arg_holder(self) -> Self {
        self
    }
}
