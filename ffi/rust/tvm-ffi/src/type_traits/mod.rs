// SPDX-License-Identifier: Apache-2.0
//! The conversions between Rust types and values.

mod element;
mod numbers;

#[doc(hidden)]
pub use element::ContainerElement;

use crate::error::{Error, TYPE_ERROR};
use crate::object::{type_key_of, unsafe_};
use crate::{Any, AnyView};
use std::ffi::c_void;
use std::string::String as StdString;
use tvm_ffi_sys::{TVMFFIAny, TVMFFIAnyDataUnion, TVMFFITypeIndex as TypeIndex};

/// How a field of a type is stored in objects that other languages read.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldKind {
    /// No layout that other languages know.
    Unsupported,
    /// A number or the like, with the index that reflection tells.
    Plain(i32),
    /// A value cell of 16 bytes.
    Cell,
    /// An object pointer, with the index that reflection tells.
    Object(i32),
}

/// A type that values can hold.
///
/// *Strict* means that the value is of this type; *cast* also accepts what converts to it.
///
/// # Safety
/// The functions must keep the layout rules of `TVMFFIAny`: unused bytes are zero, `move_to_any` passes one reference of an
/// object on, `copy_to_any_view` passes none, and a true `check_any_strict` makes the two `..._after_check` functions sound.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no FFI value",
    note = "text is `tvm_ffi::String`, bytes are `tvm_ffi::Bytes`, sequences `tvm_ffi::Array` or `List`, tables `tvm_ffi::Map` or `Dict`"
)]
pub unsafe trait AnyCompatible: Sized {
    /// True when one type index decides the strict check.
    #[doc(hidden)]
    const MATCH_ANY_EXACT: bool = false;

    /// Storage of fields of this type.
    #[doc(hidden)]
    const FIELD_KIND: FieldKind = FieldKind::Unsupported;

    /// True when all zero is a value of this type in a field.
    #[doc(hidden)]
    const FIELD_NULLABLE: bool = false;

    /// The type as JSON, for metadata of fields and functions.
    #[doc(hidden)]
    fn type_schema() -> StdString {
        format!(r#"{{"type":"{}"}}"#, Self::type_str())
    }

    /// That index.
    #[doc(hidden)]
    fn match_any_exact_type_index() -> i32 {
        unreachable!("the type has no single index")
    }

    /// Writes a view of `this`.
    ///
    /// # Safety
    /// The view must not outlive `this`.
    unsafe fn copy_to_any_view(this: &Self, out: &mut TVMFFIAny);

    /// Writes `this` as an owned value.
    ///
    /// # Safety
    /// `out` is overwritten without being released.
    unsafe fn move_to_any(this: Self, out: &mut TVMFFIAny);

    /// True when the value is of this type.
    ///
    /// # Safety
    /// `value` must be a live value.
    unsafe fn check_any_strict(value: &TVMFFIAny) -> bool;

    /// A copy of the value.
    ///
    /// # Safety
    /// The strict check must have been true.
    unsafe fn copy_from_any_view_after_check(value: &TVMFFIAny) -> Self;

    /// The value, moved out; None remains.
    ///
    /// # Safety
    /// The strict check must have been true, and `value` must be owned.
    unsafe fn move_from_any_after_check(value: &mut TVMFFIAny) -> Self {
        // SAFETY: the caller's promise. The copy has a reference of its own; the old one is released.
        unsafe {
            let out = Self::copy_from_any_view_after_check(value);
            drop(Any::from_raw_ffi_any(std::mem::take(value)));
            out
        }
    }

    /// The value, converted when need be.
    ///
    /// # Safety
    /// `value` must be a live value.
    #[allow(clippy::result_unit_err)]
    unsafe fn try_cast_from_any_view(value: &TVMFFIAny) -> Result<Self, ()>;

    /// What a failed conversion names as the value's type.
    ///
    /// # Safety
    /// `value` must be a live value.
    unsafe fn get_mismatch_type_info(value: &TVMFFIAny) -> StdString {
        type_key_of(value.type_index)
    }

    /// Name of this type in messages.
    fn type_str() -> StdString;

    /// The error of a failed cast.
    ///
    /// # Safety
    /// `value` must be a live value.
    #[doc(hidden)]
    #[cold]
    unsafe fn cast_error(value: &TVMFFIAny, prefix: &str) -> Error {
        // SAFETY: the caller's promise.
        let source = unsafe { Self::get_mismatch_type_info(value) };
        let text = format!("{prefix}Cannot convert from type `{source}` to `{}`", Self::type_str());
        Error::new(TYPE_ERROR, &text, "")
    }

    /// An owned value; `self` stays.
    fn to_any(&self) -> Any {
        Any::from(AnyView::from(self))
    }
}

/// A plain value: no count, no conversion but those named.
fn plain(index: TypeIndex, data: TVMFFIAnyDataUnion) -> TVMFFIAny {
    TVMFFIAny { type_index: index as i32, small_str_len: 0, data_union: data }
}

// SAFETY: a plain value.
unsafe impl AnyCompatible for () {
    const MATCH_ANY_EXACT: bool = true;
    fn match_any_exact_type_index() -> i32 {
        TypeIndex::kTVMFFINone as i32
    }
    unsafe fn copy_to_any_view(_: &Self, out: &mut TVMFFIAny) {
        *out = TVMFFIAny::new();
    }
    unsafe fn move_to_any(_: Self, out: &mut TVMFFIAny) {
        *out = TVMFFIAny::new();
    }
    unsafe fn check_any_strict(value: &TVMFFIAny) -> bool {
        value.type_index == TypeIndex::kTVMFFINone as i32
    }
    unsafe fn copy_from_any_view_after_check(_: &TVMFFIAny) -> Self {}
    unsafe fn move_from_any_after_check(_: &mut TVMFFIAny) -> Self {}
    unsafe fn try_cast_from_any_view(value: &TVMFFIAny) -> Result<Self, ()> {
        // SAFETY: the caller's promise.
        if unsafe { Self::check_any_strict(value) } {
            Ok(())
        } else {
            Err(())
        }
    }
    fn type_str() -> StdString {
        "None".into()
    }
}

// SAFETY: a plain value.
unsafe impl AnyCompatible for *mut c_void {
    const FIELD_KIND: FieldKind = FieldKind::Plain(4);
    unsafe fn copy_to_any_view(this: &Self, out: &mut TVMFFIAny) {
        *out = plain(TypeIndex::kTVMFFIOpaquePtr, TVMFFIAnyDataUnion { v_ptr: *this });
    }
    unsafe fn move_to_any(this: Self, out: &mut TVMFFIAny) {
        // SAFETY: plain values own nothing.
        unsafe { Self::copy_to_any_view(&this, out) }
    }
    unsafe fn check_any_strict(value: &TVMFFIAny) -> bool {
        value.type_index == TypeIndex::kTVMFFIOpaquePtr as i32
    }
    unsafe fn copy_from_any_view_after_check(value: &TVMFFIAny) -> Self {
        // SAFETY: every payload is 8 readable bytes.
        unsafe { value.data_union.v_ptr }
    }
    unsafe fn try_cast_from_any_view(value: &TVMFFIAny) -> Result<Self, ()> {
        if value.type_index == TypeIndex::kTVMFFINone as i32 {
            return Ok(std::ptr::null_mut());
        }
        // SAFETY: the caller's promise.
        unsafe {
            if Self::check_any_strict(value) {
                Ok(value.data_union.v_ptr)
            } else {
                Err(())
            }
        }
    }
    fn type_str() -> StdString {
        "void*".into()
    }
}

// SAFETY: None is a plain value, all else is up to `T`.
unsafe impl<T: AnyCompatible> AnyCompatible for Option<T> {
    // An optional object is one nullable pointer; an optional number has no layout that C++ shares.
    const FIELD_KIND: FieldKind = match T::FIELD_KIND {
        FieldKind::Object(index) if size_of::<Self>() == size_of::<usize>() => FieldKind::Object(index),
        _ => FieldKind::Unsupported,
    };
    const FIELD_NULLABLE: bool = true;
    fn type_schema() -> StdString {
        format!(r#"{{"type":"Optional","args":[{}]}}"#, T::type_schema())
    }
    unsafe fn copy_to_any_view(this: &Self, out: &mut TVMFFIAny) {
        match this {
            // SAFETY: the caller's promise.
            Some(value) => unsafe { T::copy_to_any_view(value, out) },
            None => *out = TVMFFIAny::new(),
        }
    }
    unsafe fn move_to_any(this: Self, out: &mut TVMFFIAny) {
        match this {
            // SAFETY: the caller's promise.
            Some(value) => unsafe { T::move_to_any(value, out) },
            None => *out = TVMFFIAny::new(),
        }
    }
    unsafe fn check_any_strict(value: &TVMFFIAny) -> bool {
        // SAFETY: the caller's promise.
        value.type_index == TypeIndex::kTVMFFINone as i32 || unsafe { T::check_any_strict(value) }
    }
    unsafe fn copy_from_any_view_after_check(value: &TVMFFIAny) -> Self {
        // SAFETY: not None, so the check was that of `T`.
        (value.type_index != TypeIndex::kTVMFFINone as i32)
            .then(|| unsafe { T::copy_from_any_view_after_check(value) })
    }
    unsafe fn move_from_any_after_check(value: &mut TVMFFIAny) -> Self {
        // SAFETY: as above.
        (value.type_index != TypeIndex::kTVMFFINone as i32)
            .then(|| unsafe { T::move_from_any_after_check(value) })
    }
    unsafe fn try_cast_from_any_view(value: &TVMFFIAny) -> Result<Self, ()> {
        if value.type_index == TypeIndex::kTVMFFINone as i32 {
            return Ok(None);
        }
        // SAFETY: the caller's promise.
        unsafe { T::try_cast_from_any_view(value) }.map(Some)
    }
    unsafe fn cast_error(value: &TVMFFIAny, prefix: &str) -> Error {
        // SAFETY: the caller's promise.
        unsafe { T::cast_error(value, prefix) }
    }
    fn type_str() -> StdString {
        format!("Optional<{}>", T::type_str())
    }
}

/// The index that reflection tells for fields of an object type.
#[doc(hidden)]
pub const fn object_field_index(key: &str) -> i32 {
    const fn same(a: &[u8], b: &[u8]) -> bool {
        let mut i = 0;
        while i < a.len() && i < b.len() && a[i] == b[i] {
            i += 1;
        }
        i == a.len() && i == b.len()
    }
    let key = key.as_bytes();
    if same(key, b"ffi.Function") {
        TypeIndex::kTVMFFIFunction as i32
    } else if same(key, b"ffi.Shape") {
        TypeIndex::kTVMFFIShape as i32
    } else {
        TypeIndex::kTVMFFIStaticObjectBegin as i32
    }
}

/// Writes an object handle as a view.
#[doc(hidden)]
pub fn object_view(handle: *mut c_void, index: i32, out: &mut TVMFFIAny) {
    *out = TVMFFIAny {
        type_index: index,
        small_str_len: 0,
        data_union: TVMFFIAnyDataUnion { v_obj: handle.cast() },
    };
}

/// A new reference of the object in a value.
///
/// # Safety
/// `value` must hold a live object.
#[doc(hidden)]
pub unsafe fn retained_object(value: &TVMFFIAny) -> *mut c_void {
    // SAFETY: the caller's promise.
    unsafe {
        let object = value.data_union.v_obj;
        unsafe_::inc_ref(object);
        object.cast()
    }
}

crate::impl_try_from_any!((), bool, i8, i16, i32, i64, isize, u8, u16, u32, u64, usize, f32, f64);
crate::impl_try_from_any!(*mut c_void);

impl<T: AnyCompatible> TryFrom<Any> for Option<T> {
    type Error = Error;
    fn try_from(value: Any) -> Result<Self, Error> {
        crate::any::TryFromTemp::<Self>::try_from(value).map(crate::any::TryFromTemp::into_value)
    }
}

impl<T: AnyCompatible> TryFrom<AnyView<'_>> for Option<T> {
    type Error = Error;
    fn try_from(value: AnyView<'_>) -> Result<Self, Error> {
        crate::any::TryFromTemp::<Self>::try_from(value).map(crate::any::TryFromTemp::into_value)
    }
}
