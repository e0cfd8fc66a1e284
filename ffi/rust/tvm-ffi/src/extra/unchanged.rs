// SPDX-License-Identifier: Apache-2.0
//! The marker for "keep the value" in structural mutation.

use crate::error::{Result, TYPE_ERROR};
use crate::type_traits::AnyCompatible;
use crate::{Any, ObjectRefCore};
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

/// A new value, or [`Unchanged`].
#[derive(Debug, Clone)]
pub struct UnchangedOr<T = Any>(Option<T>);

impl<T> UnchangedOr<T> {
    /// The value stays.
    pub fn unchanged() -> Self {
        Self(None)
    }

    /// A new value.
    pub fn changed(value: T) -> Self {
        Self(Some(value))
    }

    /// True when the value stays.
    pub fn is_unchanged(&self) -> bool {
        self.0.is_none()
    }

    /// The new value.
    pub fn into_option(self) -> Option<T> {
        self.0
    }

    /// The new value, or the original one.
    pub fn value_or(self, original: T) -> T {
        self.0.unwrap_or(original)
    }

    /// The new value, or what `original` gives.
    pub fn value_or_else(self, original: impl FnOnce() -> T) -> T {
        self.0.unwrap_or_else(original)
    }

    /// Converts the new value.
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> UnchangedOr<U> {
        UnchangedOr(self.0.map(f))
    }

    /// Converts the new value, which may fail.
    pub fn try_map<U>(self, f: impl FnOnce(T) -> Result<U>) -> Result<UnchangedOr<U>> {
        self.0.map(f).transpose().map(UnchangedOr)
    }
}

impl<T: ObjectRefCore> UnchangedOr<T> {
    /// True when nothing changed or the new value is the original object.
    pub fn unchanged_or_same_as(&self, original: &T) -> bool {
        self.0.as_ref().is_none_or(|value| value.same_as(original))
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
        Self((value.type_index() != UNCHANGED).then_some(value))
    }
}

impl<T: Into<Any>> From<UnchangedOr<T>> for Any {
    fn from(value: UnchangedOr<T>) -> Any {
        value.0.map_or_else(|| Any::from(Unchanged), Into::into)
    }
}

impl<T> From<T> for UnchangedOr<T> {
    fn from(value: T) -> Self {
        Self(Some(value))
    }
}
