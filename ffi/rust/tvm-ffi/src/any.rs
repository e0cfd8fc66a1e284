// SPDX-License-Identifier: Apache-2.0
//! Owned and borrowed values.

use crate::error::Error;
use crate::object::unsafe_;
use crate::type_traits::AnyCompatible;
use std::marker::PhantomData;
use tvm_ffi_sys::{
    TVMFFIAny, TVMFFIAnyViewToOwnedAny, TVMFFITypeIndex as TypeIndex, COMBINED_REF_COUNT_MASK_U32,
};

const FIRST_OBJECT: i32 = TypeIndex::kTVMFFIStaticObjectBegin as i32;

/// A value that borrows: it neither owns nor releases. Two registers wide, free to copy.
/// ```
/// use tvm_ffi::{AnyView, Array};
///
/// let array = Array::new(vec![1_i64]);
/// let view = AnyView::from(&array); // no reference is added
/// assert_eq!(view.debug_strong_count(), Some(1));
/// ```
#[repr(C)]
#[derive(Clone, Copy)]
pub struct AnyView<'a> {
    data: TVMFFIAny,
    marker: PhantomData<&'a ()>,
}

/// A value that owns what it holds.
/// Ownership: it holds one reference of an object and gives it up when it is dropped; a clone holds another.
///
/// ```
/// use tvm_ffi::{Any, String};
///
/// let any = Any::from(3_i64);
/// assert_eq!(any.try_as::<i64>(), Some(3)); // nothing is converted
/// assert_eq!(any.try_as::<f64>(), None);
/// assert_eq!(f64::try_from(any).unwrap(), 3.0); // converted
/// let text = Any::from(String::from("not a number"));
/// assert_eq!(i64::try_from(text).unwrap_err().kind().as_str(), "TypeError");
/// ```
#[repr(C)]
pub struct Any {
    data: TVMFFIAny,
    marker: PhantomData<*mut ()>,
}

impl<'a> AnyView<'a> {
    /// None.
    pub fn new() -> Self {
        // SAFETY: None borrows nothing.
        unsafe { Self::from_raw(TVMFFIAny::new()) }
    }

    /// Wraps a raw view.
    ///
    /// # Safety
    /// What `data` refers to must outlive `'a`.
    #[doc(hidden)]
    #[inline]
    pub unsafe fn from_raw(data: TVMFFIAny) -> Self {
        Self { data, marker: PhantomData }
    }

    /// The raw value.
    #[doc(hidden)]
    #[inline]
    pub fn raw(&self) -> &TVMFFIAny {
        &self.data
    }

    /// Type index of the value.
    pub fn type_index(&self) -> i32 {
        self.data.type_index
    }

    /// The value when it is a `T`; nothing is converted.
    pub fn try_as<T: AnyCompatible>(&self) -> Option<T> {
        // SAFETY: the view is live; the copy follows a true check.
        unsafe { T::check_any_strict(&self.data).then(|| T::copy_from_any_view_after_check(&self.data)) }
    }

    /// The value converted to a `T`, or the error of [`AnyCompatible`] with `prefix` before its text.
    #[doc(hidden)]
    #[inline]
    pub fn cast_with<T: AnyCompatible>(&self, prefix: impl FnOnce() -> String) -> Result<T, Error> {
        // SAFETY: the view is live.
        unsafe { T::try_cast_from_any_view(&self.data).map_err(|()| T::cast_error(&self.data, &prefix())) }
    }

    /// Strong count of the object in it, None for other values.
    pub fn debug_strong_count(&self) -> Option<usize> {
        strong_count(&self.data)
    }
}

impl Default for AnyView<'_> {
    fn default() -> Self {
        Self::new()
    }
}

fn strong_count(data: &TVMFFIAny) -> Option<usize> {
    (data.type_index >= FIRST_OBJECT).then(|| {
        // SAFETY: an index of 64 and above says that the payload is a live object.
        let counts = unsafe { &(*data.data_union.v_obj).combined_ref_count };
        (counts.load(std::sync::atomic::Ordering::Relaxed) & COMBINED_REF_COUNT_MASK_U32) as usize
    })
}

impl Any {
    /// None.
    pub fn new() -> Self {
        // SAFETY: None owns nothing.
        unsafe { Self::from_raw_ffi_any(TVMFFIAny::new()) }
    }

    /// Takes over a raw owned value.
    ///
    /// # Safety
    /// The reference that `data` holds, if any, passes to the result.
    #[inline]
    pub unsafe fn from_raw_ffi_any(data: TVMFFIAny) -> Self {
        Self { data, marker: PhantomData }
    }

    /// Gives the value up; the caller owns what it holds.
    ///
    /// # Safety
    /// The caller must release it.
    #[inline]
    pub unsafe fn into_raw_ffi_any(this: Self) -> TVMFFIAny {
        let data = this.data;
        std::mem::forget(this);
        data
    }

    /// Address of the raw value, for C functions that overwrite it.
    ///
    /// # Safety
    /// What is written must be an owned value; the old one is not released.
    pub unsafe fn as_data_ptr(&mut self) -> *mut TVMFFIAny {
        &mut self.data
    }

    /// The raw value.
    #[doc(hidden)]
    #[inline]
    pub fn raw(&self) -> &TVMFFIAny {
        &self.data
    }

    /// Type index of the value.
    pub fn type_index(&self) -> i32 {
        self.data.type_index
    }

    /// The value when it is a `T`; nothing is converted.
    pub fn try_as<T: AnyCompatible>(&self) -> Option<T> {
        AnyView::from(self).try_as()
    }

    /// Strong count of the object in it, None for other values.
    pub fn debug_strong_count(&self) -> Option<usize> {
        strong_count(&self.data)
    }
}

impl Default for Any {
    fn default() -> Self {
        Self::new()
    }
}

impl Clone for Any {
    fn clone(&self) -> Self {
        if self.data.type_index >= FIRST_OBJECT {
            // SAFETY: the payload is a live object.
            unsafe { unsafe_::inc_ref(self.data.data_union.v_obj) }
        }
        Self { data: self.data, marker: PhantomData }
    }
}

impl Drop for Any {
    #[inline]
    fn drop(&mut self) {
        if self.data.type_index >= FIRST_OBJECT {
            // SAFETY: the value owns one strong reference.
            unsafe { unsafe_::dec_ref(self.data.data_union.v_obj) }
        }
    }
}

impl std::fmt::Debug for Any {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        AnyView::from(self).fmt(f)
    }
}

impl std::fmt::Debug for AnyView<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Any({})", crate::object::type_key_of(self.data.type_index))
    }
}

impl<'a, T: AnyCompatible> From<&'a T> for AnyView<'a> {
    #[inline]
    fn from(value: &'a T) -> Self {
        let mut data = TVMFFIAny::new();
        // SAFETY: the view borrows `value` for `'a`.
        unsafe {
            T::copy_to_any_view(value, &mut data);
            Self::from_raw(data)
        }
    }
}

impl<'a> From<&'a Any> for AnyView<'a> {
    #[inline]
    fn from(value: &'a Any) -> Self {
        // SAFETY: the view borrows `value` for `'a`.
        unsafe { Self::from_raw(value.data) }
    }
}

impl<'a> From<&AnyView<'a>> for AnyView<'a> {
    fn from(value: &AnyView<'a>) -> Self {
        *value
    }
}

impl<T: AnyCompatible> From<T> for Any {
    #[inline]
    fn from(value: T) -> Self {
        let mut data = TVMFFIAny::new();
        // SAFETY: `move_to_any` writes an owned value.
        unsafe {
            T::move_to_any(value, &mut data);
            Self::from_raw_ffi_any(data)
        }
    }
}

impl From<AnyView<'_>> for Any {
    fn from(view: AnyView<'_>) -> Self {
        let mut data = view.data;
        let index = data.type_index;
        if index >= FIRST_OBJECT {
            // SAFETY: the payload is a live object.
            unsafe { unsafe_::inc_ref(data.data_union.v_obj) }
        } else if (TypeIndex::kTVMFFIRawStr as i32..=TypeIndex::kTVMFFIObjectRValueRef as i32)
            .contains(&index)
        {
            // SAFETY: the view is live; `data` is overwritten with an owned value.
            let code = unsafe { TVMFFIAnyViewToOwnedAny(&view.data, &mut data) };
            if code != 0 {
                panic!("{}", Error::from_raised().message());
            }
        }
        // SAFETY: owned now.
        unsafe { Self::from_raw_ffi_any(data) }
    }
}

/// Carries the conversions from values: `T::try_from(any)` goes through it.
pub struct TryFromTemp<T> {
    value: T,
}

impl<T> TryFromTemp<T> {
    /// Wraps a value.
    pub fn new(value: T) -> Self {
        Self { value }
    }

    /// The value.
    pub fn into_value(this: Self) -> T {
        this.value
    }
}

impl<T: AnyCompatible> TryFrom<AnyView<'_>> for TryFromTemp<T> {
    type Error = Error;
    #[inline]
    fn try_from(view: AnyView<'_>) -> Result<Self, Error> {
        view.cast_with(String::new).map(Self::new)
    }
}

impl<T: AnyCompatible> TryFrom<Any> for TryFromTemp<T> {
    type Error = Error;
    #[inline]
    fn try_from(mut value: Any) -> Result<Self, Error> {
        // SAFETY: the move follows a true check and leaves None behind.
        unsafe {
            if T::check_any_strict(&value.data) {
                return Ok(Self::new(T::move_from_any_after_check(&mut value.data)));
            }
        }
        AnyView::from(&value).cast_with(String::new).map(Self::new)
    }
}
