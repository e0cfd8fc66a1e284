// SPDX-License-Identifier: Apache-2.0
//! Optional values as C++ stores them in objects: one value cell that may be None.

use crate::string::String as FfiString;
use crate::type_traits::AnyCompatible;
use crate::{Any, AnyView, BigInt, Bytes};
use std::ffi::c_void;
use std::fmt;
use std::marker::PhantomData;
use tvm_ffi_sys::{DLDataType, DLDevice};

/// A payload of [`Optional`]: what is stored in a value cell, not as an object pointer.
///
/// # Safety
/// No value of the type may read as None.
#[diagnostic::on_unimplemented(
    message = "Optional<{Self}> only mirrors non-object-pointer `ffi::Optional` values",
    note = "use `Option<{Self}>`, which is one nullable pointer"
)]
pub unsafe trait OptionalCompatible: AnyCompatible {}

macro_rules! payloads {
    ($($ty:ty),* $(,)?) => { $(
        // SAFETY: values of the type have a type index of their own, never that of None.
        unsafe impl OptionalCompatible for $ty {}
    )* };
}
payloads!(bool, i8, i16, i32, i64, isize, u8, u16, u32, u64, usize, f32, f64, *mut c_void);
payloads!(DLDataType, DLDevice, FfiString, Bytes, BigInt);

// SAFETY: a nested None is the outer None, as in C++, where both are the same cell.
unsafe impl<T: OptionalCompatible> OptionalCompatible for Option<T> {}

/// A `T` or none, 16 bytes wide: the image of the C++ optional of numbers, text, element types and devices.
///
/// It is for fields of objects that other languages read; elsewhere `Option<T>` does the same.
/// ```
/// use tvm_ffi::Optional;
///
/// let mut limit = Optional::some(3_i64);
/// assert_eq!(limit.get(), Some(3));
/// limit.set(None);
/// assert!(limit.is_none());
/// ```
#[repr(transparent)]
pub struct Optional<T: OptionalCompatible> {
    cell: Any,
    marker: PhantomData<T>,
}

impl<T: OptionalCompatible> Optional<T> {
    /// A value.
    pub fn some(value: T) -> Self {
        Self { cell: Any::from(value), marker: PhantomData }
    }

    /// No value.
    pub fn none() -> Self {
        Self { cell: Any::new(), marker: PhantomData }
    }

    /// True when there is a value.
    pub fn has_value(&self) -> bool {
        self.cell.type_index() != 0
    }

    /// True when there is none.
    pub fn is_none(&self) -> bool {
        !self.has_value()
    }

    /// A copy of the value.
    pub fn get(&self) -> Option<T> {
        let view = AnyView::from(&self.cell);
        // SAFETY: a live cell. One that foreign code filled with another type converts or reads as none.
        self.has_value().then(|| unsafe { T::try_cast_from_any_view(view.raw()).ok() }).flatten()
    }

    /// The value.
    pub fn into_option(self) -> Option<T> {
        self.get()
    }

    /// Replaces the value.
    pub fn set(&mut self, value: Option<T>) {
        *self = Self::from(value);
    }

    pub(crate) fn cell(&self) -> &Any {
        &self.cell
    }
}

impl Optional<FfiString> {
    /// The text, borrowed.
    pub fn as_str(&self) -> Option<&str> {
        crate::string::borrow_bytes(self.cell.raw(), true).and_then(|text| std::str::from_utf8(text).ok())
    }
}

impl<T: OptionalCompatible> Default for Optional<T> {
    fn default() -> Self {
        Self::none()
    }
}

impl<T: OptionalCompatible> Clone for Optional<T> {
    fn clone(&self) -> Self {
        Self { cell: self.cell.clone(), marker: PhantomData }
    }
}

impl<T: OptionalCompatible + PartialEq> PartialEq for Optional<T> {
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}
impl<T: OptionalCompatible + Eq> Eq for Optional<T> {}

impl<T: OptionalCompatible> From<Option<T>> for Optional<T> {
    fn from(value: Option<T>) -> Self {
        value.map_or_else(Self::none, Self::some)
    }
}

impl<T: OptionalCompatible> From<Optional<T>> for Option<T> {
    fn from(value: Optional<T>) -> Self {
        value.get()
    }
}

impl<T: OptionalCompatible> From<&Optional<T>> for Optional<T> {
    fn from(value: &Optional<T>) -> Self {
        value.clone()
    }
}

impl<T: OptionalCompatible + fmt::Debug> fmt::Debug for Optional<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.get() {
            Some(value) => write!(f, "Optional::Some({value:?})"),
            None => f.write_str("Optional::None"),
        }
    }
}

impl<T: OptionalCompatible> TryFrom<Any> for Optional<T> {
    type Error = crate::Error;
    fn try_from(value: Any) -> Result<Self, crate::Error> {
        Option::<T>::try_from(value).map(Self::from)
    }
}

impl<T: OptionalCompatible> TryFrom<AnyView<'_>> for Optional<T> {
    type Error = crate::Error;
    fn try_from(value: AnyView<'_>) -> Result<Self, crate::Error> {
        Option::<T>::try_from(value).map(Self::from)
    }
}

impl<T: OptionalCompatible> From<Optional<T>> for Any {
    fn from(value: Optional<T>) -> Any {
        value.cell
    }
}

impl<T: OptionalCompatible> crate::function_internal::ArgIntoRef for Optional<T> {
    fn as_view(&self) -> AnyView<'_> {
        AnyView::from(&self.cell)
    }
}
impl<T: OptionalCompatible> crate::function_internal::ArgIntoRef for &Optional<T> {
    fn as_view(&self) -> AnyView<'_> {
        AnyView::from(&self.cell)
    }
}
impl<T: OptionalCompatible> crate::function_internal::IntoArgHolder for Optional<T> {
    type Target = Self;
    fn into_arg_holder(self) -> Self {
        self
    }
}
impl<T: OptionalCompatible> crate::function_internal::IntoArgHolder for &Optional<T> {
    type Target = Self;
    fn into_arg_holder(self) -> Self {
        self
    }
}

const _: () = assert!(size_of::<Optional<i64>>() == 16);
