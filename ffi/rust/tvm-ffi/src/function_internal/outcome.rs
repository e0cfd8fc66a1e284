// SPDX-License-Identifier: Apache-2.0
//! What closures that are functions return.

use super::PackedArg;
use crate::error::Result;
use crate::type_traits::AnyCompatible;
use crate::{Any, Optional, OptionalCompatible};

/// A result of a typed closure.
#[doc(hidden)]
#[diagnostic::on_unimplemented(message = "`{Self}` is no FFI value, so a function cannot return it")]
pub trait PackedReturn {
    fn into_any(self) -> Any;
    fn schema() -> std::string::String;
    fn printed() -> std::string::String;
}

impl<T: AnyCompatible> PackedReturn for T {
    #[inline(always)]
    fn into_any(self) -> Any {
        Any::from(self)
    }
    fn schema() -> std::string::String {
        T::type_schema()
    }
    fn printed() -> std::string::String {
        T::type_str()
    }
}

impl PackedReturn for Any {
    fn into_any(self) -> Any {
        self
    }
    fn schema() -> std::string::String {
        <Any as PackedArg>::schema()
    }
    fn printed() -> std::string::String {
        <Any as PackedArg>::printed()
    }
}

impl<T: OptionalCompatible> PackedReturn for Optional<T> {
    fn into_any(self) -> Any {
        Any::from(self)
    }
    fn schema() -> std::string::String {
        Option::<T>::type_schema()
    }
    fn printed() -> std::string::String {
        Option::<T>::type_str()
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
    fn printed() -> std::string::String;
}

impl<T: PackedReturn> PackedOutcome for T {
    #[inline(always)]
    fn into_outcome(self) -> Result<Any> {
        Ok(self.into_any())
    }
    fn schema() -> std::string::String {
        T::schema()
    }
    fn printed() -> std::string::String {
        T::printed()
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
    fn printed() -> std::string::String {
        T::printed()
    }
}
