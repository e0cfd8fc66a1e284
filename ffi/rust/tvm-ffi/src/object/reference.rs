// SPDX-License-Identifier: Apache-2.0
//! References to objects: what they share, the reference to any object, checked casts.

use super::{header_of, is_instance_of, type_key_of, Object, ObjectArc, ObjectCore};
use crate::error::{Error, Result, TYPE_ERROR};
use crate::type_traits::AnyCompatible;
use std::ffi::c_void;
use tvm_ffi_sys::TVMFFIObjectHandle;

/// A reference to an object of a certain type. Use `derive(ObjectRef)`.
///
/// # Safety
/// The type must hold exactly one [`ObjectArc`] of `ContainerType` (or an `Option` of it, for `Option<R>`).
pub unsafe trait ObjectRefCore: Sized + Clone {
    /// Type of the object.
    type ContainerType: ObjectCore;
    /// The pointer.
    fn data(this: &Self) -> &ObjectArc<Self::ContainerType>;
    /// The pointer, moved out.
    fn into_data(this: Self) -> ObjectArc<Self::ContainerType>;
    /// Wraps a pointer.
    ///
    /// # Safety
    /// The object must satisfy what the reference type promises beyond its container (element types, say).
    unsafe fn from_data(data: ObjectArc<Self::ContainerType>) -> Self;

    /// True when both refer to the same object.
    fn same_as<Other: ObjectRefCore>(&self, other: &Other) -> bool {
        ObjectArc::as_raw(Self::data(self)).cast::<c_void>()
            == ObjectArc::as_raw(Other::data(other)).cast::<c_void>()
    }

    /// The object as an `N`, None when it is not one.
    fn as_node<N: ObjectCore>(&self) -> Option<&N> {
        let header = header_of(Self::data(self));
        // SAFETY: the type test says that the object is an `N`; it lives while `self` does.
        is_instance_of::<N>(header.type_index)
            .then(|| unsafe { &*ObjectArc::as_raw(Self::data(self)).cast::<N>() })
    }
}

/// A reference to an object of any type.
#[repr(C)]
#[derive(Clone)]
pub struct ObjectRef {
    data: ObjectArc<Object>,
}

// SAFETY: one object pointer.
unsafe impl ObjectRefCore for ObjectRef {
    type ContainerType = Object;
    fn data(this: &Self) -> &ObjectArc<Object> {
        &this.data
    }
    fn into_data(this: Self) -> ObjectArc<Object> {
        this.data
    }
    unsafe fn from_data(data: ObjectArc<Object>) -> Self {
        Self { data }
    }
}

crate::impl_object_ref_any!(ObjectRef);

impl std::fmt::Debug for ObjectRef {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}@{:p}", type_key_of(header_of(&self.data).type_index), ObjectArc::as_raw(&self.data))
    }
}

impl ObjectRef {
    /// Wraps a handle that the caller owns; None for null.
    ///
    /// # Safety
    /// `handle` must be null or a live object of which one strong reference passes to the result.
    pub unsafe fn from_handle(handle: TVMFFIObjectHandle) -> Option<Self> {
        // SAFETY: the caller's promise.
        (!handle.is_null()).then(|| unsafe { Self { data: ObjectArc::from_raw(handle.cast::<Object>()) } })
    }
}

/// Checked casts between reference types.
/// ```
/// use tvm_ffi::object::{ObjectRef, ObjectRefCast};
/// use tvm_ffi::{Any, Array, Map};
///
/// let object = ObjectRef::try_from(Any::from(Array::new(vec![1_i64]))).unwrap();
/// assert_eq!(object.clone().try_cast::<Array<i64>>().unwrap().len(), 1);
/// assert!(object.try_cast::<Map<i64, i64>>().is_err());
/// ```
pub trait ObjectRefCast: ObjectRefCore + AnyCompatible {
    /// The same object as a `B`, or `TypeError` when it is not one. Containers are checked with their elements.
    fn try_cast<B: ObjectRefCore + AnyCompatible>(self) -> Result<B> {
        let mut raw = tvm_ffi_sys::TVMFFIAny::new();
        // SAFETY: `raw` views `self`, which lives to the end; the check precedes the copy.
        unsafe {
            Self::copy_to_any_view(&self, &mut raw);
            if B::check_any_strict(&raw) {
                return Ok(B::copy_from_any_view_after_check(&raw));
            }
            if let Some(why) = <B::ContainerType as ObjectCore>::layout_mismatch() {
                crate::bail!(TYPE_ERROR, "{why}");
            }
            let source = B::get_mismatch_type_info(&raw);
            let text = format!("Cannot convert from type `{source}` to `{}`", B::type_str());
            Err(Error::new(TYPE_ERROR, &text, ""))
        }
    }
}

impl<T: ObjectRefCore + AnyCompatible> ObjectRefCast for T {}

/// Body of [`impl_object_upcast!`](crate::impl_object_upcast).
#[doc(hidden)]
pub fn upcast<S: ObjectRefCore, T: ObjectRefCore>(value: S) -> T {
    let index = header_of(S::data(&value)).type_index;
    assert!(
        is_instance_of::<T::ContainerType>(index),
        "an object of `{}` is no `{}`",
        type_key_of(index),
        T::ContainerType::TYPE_KEY
    );
    let raw = ObjectArc::into_raw(S::into_data(value));
    // SAFETY: the object is of the target's type; the reference moves.
    unsafe { T::from_data(ObjectArc::from_raw(raw.cast())) }
}
