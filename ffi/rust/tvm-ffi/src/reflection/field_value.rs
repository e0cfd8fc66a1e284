// SPDX-License-Identifier: Apache-2.0
//! Types of reflected fields: how other languages read and write them in place.

use crate::error::{Error, Result};
use crate::type_traits::{AnyCompatible, ContainerElement, FieldKind};
use crate::{Any, AnyView, Optional, OptionalCompatible};
use std::cell::UnsafeCell;

/// A type of a reflected field.
///
/// # Safety
/// `KIND` must describe the storage of the type, and the all-zero state must be one that `read` takes.
#[diagnostic::on_unimplemented(
    message = "a field of type `{Self}` cannot be shown to other languages",
    note = "text is `tvm_ffi::String`, bytes are `tvm_ffi::Bytes`, sequences `tvm_ffi::Array` or `List`, tables `tvm_ffi::Map` or `Dict`"
)]
pub unsafe trait FieldValue: Sized {
    /// The storage.
    #[doc(hidden)]
    const KIND: FieldKind;
    /// True when others may write the field of a shared object.
    #[doc(hidden)]
    const WRITABLE: bool = false;
    /// True when a null pointer is a value of the type.
    #[doc(hidden)]
    const NULLABLE: bool = false;
    /// The type as JSON.
    #[doc(hidden)]
    fn schema() -> String;
    /// The value, for defaults.
    #[doc(hidden)]
    fn into_any(self) -> Any;
    /// The value of a field; None while the field is undefined.
    ///
    /// # Safety
    /// `field` must be a field of a live object, defined or all zero.
    #[doc(hidden)]
    unsafe fn read(field: *const Self) -> Any;
    /// Converts a value and puts it in place of the field's former one.
    ///
    /// # Safety
    /// As [`Self::read`], and no Rust reference to the field may exist.
    #[doc(hidden)]
    unsafe fn write(field: *mut Self, value: &AnyView<'_>) -> Result<()>;
}

/// True while a field of an object made by reflection has no value yet: a field that owns something and is all zero.
///
/// # Safety
/// `field` must be readable.
#[doc(hidden)]
pub unsafe fn is_undefined<T>(field: *const T) -> bool {
    if !std::mem::needs_drop::<T>() {
        return false;
    }
    // SAFETY: types that own something are pointers and value cells here, which have no padding.
    let bytes = unsafe { std::slice::from_raw_parts(field.cast::<u8>(), size_of::<T>()) };
    bytes.iter().all(|byte| *byte == 0)
}

/// True for an undefined field whose type has no such value: an object pointer that may not be null.
///
/// # Safety
/// As [`is_undefined`].
#[doc(hidden)]
pub unsafe fn is_missing<T: FieldValue>(field: *const T) -> bool {
    // SAFETY: the caller's promise.
    matches!(T::KIND, FieldKind::Object(_)) && !T::NULLABLE && unsafe { is_undefined(field) }
}

/// Drops a field in place, unless it is undefined (all zero).
///
/// # Safety
/// `field` must be a valid value that nobody uses any more, or all zero.
pub unsafe fn drop_if_defined<T>(field: *mut T) {
    // SAFETY: the caller's promise.
    unsafe {
        if !is_undefined(field) {
            std::ptr::drop_in_place(field);
        }
    }
}

/// # Safety
/// As [`FieldValue::write`].
unsafe fn replace<T>(field: *mut T, value: T) {
    // SAFETY: the caller's promise. The new value is in place before the old one's destructor runs other code.
    unsafe {
        if is_undefined(field) {
            field.write(value);
        } else {
            drop(field.replace(value));
        }
    }
}

// SAFETY: `FIELD_KIND` is the storage; zero pointers and cells count as undefined, zero numbers are numbers.
unsafe impl<T: AnyCompatible + Clone> FieldValue for T {
    const KIND: FieldKind = T::FIELD_KIND;
    const NULLABLE: bool = T::FIELD_NULLABLE;
    fn into_any(self) -> Any {
        Any::from(self)
    }
    fn schema() -> String {
        T::type_schema()
    }
    unsafe fn read(field: *const Self) -> Any {
        // SAFETY: the caller's promise.
        unsafe {
            if is_undefined(field) {
                Any::new()
            } else {
                Any::from((*field).clone())
            }
        }
    }
    unsafe fn write(field: *mut Self, value: &AnyView<'_>) -> Result<()> {
        let value = value.cast_with::<T>(String::new)?;
        // SAFETY: the caller's promise.
        unsafe { replace(field, value) };
        Ok(())
    }
}

// SAFETY: a value cell; all zero is None.
unsafe impl FieldValue for Any {
    const KIND: FieldKind = FieldKind::Cell;
    fn into_any(self) -> Any {
        self
    }
    fn schema() -> String {
        Any::element_schema()
    }
    unsafe fn read(field: *const Self) -> Any {
        // SAFETY: the caller's promise.
        unsafe { (*field).clone() }
    }
    unsafe fn write(field: *mut Self, value: &AnyView<'_>) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe { replace(field, Any::from(*value)) };
        Ok(())
    }
}

// SAFETY: a value cell; all zero is none.
unsafe impl<T: OptionalCompatible> FieldValue for Optional<T> {
    const KIND: FieldKind = FieldKind::Cell;
    fn into_any(self) -> Any {
        Any::from(self)
    }
    fn schema() -> String {
        Option::<T>::type_schema()
    }
    unsafe fn read(field: *const Self) -> Any {
        // SAFETY: the caller's promise.
        unsafe { (*field).cell().clone() }
    }
    unsafe fn write(field: *mut Self, value: &AnyView<'_>) -> Result<()> {
        let value = value.cast_with::<Option<T>>(String::new)?;
        // SAFETY: the caller's promise.
        unsafe { replace(field, Self::from(value)) };
        Ok(())
    }
}

/// A field that every holder of the object may change, in any language: `#[field(writable)]` asks for one.
///
/// Values are copied in and out, so no reference into the object can outlive a change. The cell is not `Sync`: threads that share
/// the object have to agree on who writes.
/// ```
/// use tvm_ffi::{rs_class, FieldCell, String};
///
/// #[rs_class("doc.Node")]
/// pub struct Node {
///     name: String,
/// }
///
/// #[rs_class("doc.Leaf", parent = Node)]
/// pub struct Leaf {
///     #[field(writable)]
///     weight: FieldCell<f64>,
/// }
///
/// let leaf = Leaf::new(NodeObj::new("stem".into()), 0.5);
/// leaf.weight.set(leaf.weight.get() * 2.0);
/// assert_eq!((leaf.name.as_str(), leaf.weight.get()), ("stem", 1.0));
/// ```
#[repr(transparent)]
pub struct FieldCell<T>(UnsafeCell<T>);

impl<T: Clone> FieldCell<T> {
    /// A cell with a value.
    pub fn new(value: T) -> Self {
        Self(UnsafeCell::new(value))
    }

    /// A copy of the value.
    pub fn get(&self) -> T {
        // SAFETY: the cell is used by one thread at a time, and no reference is given out.
        unsafe { (*self.0.get()).clone() }
    }

    /// Replaces the value.
    pub fn set(&self, value: T) {
        // SAFETY: as in `get`; the old value is dropped after the new one is in place.
        drop(unsafe { self.0.get().replace(value) });
    }
}

impl<T: Clone> Clone for FieldCell<T> {
    fn clone(&self) -> Self {
        Self::new(self.get())
    }
}

impl<T: Clone> From<T> for FieldCell<T> {
    fn from(value: T) -> Self {
        Self::new(value)
    }
}

impl<T: Clone + std::fmt::Debug> std::fmt::Debug for FieldCell<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.get().fmt(f)
    }
}

// SAFETY: `repr(transparent)`: the storage is that of `T`.
unsafe impl<T: FieldValue> FieldValue for FieldCell<T> {
    const KIND: FieldKind = T::KIND;
    const NULLABLE: bool = T::NULLABLE;
    const WRITABLE: bool = true;
    fn into_any(self) -> Any {
        self.0.into_inner().into_any()
    }
    fn schema() -> String {
        T::schema()
    }
    unsafe fn read(field: *const Self) -> Any {
        // SAFETY: the caller's promise.
        unsafe { T::read(field.cast()) }
    }
    unsafe fn write(field: *mut Self, value: &AnyView<'_>) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe { T::write(field.cast(), value) }
    }
}

/// Copies an object's own fields into a new struct. Generated code and `derive(Object)` implement it.
pub trait ShallowCopy {
    /// The copy; what fields refer to is shared.
    fn shallow_copy(&self) -> Self;
}

/// An object that may exist with fields which are still undefined (all zero).
///
/// # Safety
/// `drop_defined_fields` must drop each field that is defined, and touch no other.
pub unsafe trait UnsafeInit {
    /// Drops the fields that are defined.
    ///
    /// # Safety
    /// `this` must be an object that nobody uses any more, each field of which is valid or all zero.
    unsafe fn drop_defined_fields(this: *mut Self);

    /// The first field without a value.
    ///
    /// # Safety
    /// `this` must be a live object, each field of which is valid or all zero.
    #[doc(hidden)]
    unsafe fn undefined_field(_this: *const Self) -> Option<&'static str> {
        None
    }
}

impl ShallowCopy for crate::Object {
    fn shallow_copy(&self) -> Self {
        Self::new()
    }
}

// SAFETY: a header owns nothing.
unsafe impl UnsafeInit for crate::Object {
    unsafe fn drop_defined_fields(_: *mut Self) {}
}

pub(super) fn none_for_error(error: Error) -> i32 {
    Error::set_raised(&error);
    -1
}
