// SPDX-License-Identifier: Apache-2.0
//! Objects that a call may take over instead of sharing.

use crate::error::{Error, Result, TYPE_ERROR};
use crate::function_internal::{ArgIntoRef, IntoArgHolder};
use crate::object::{type_key_of, ObjectArc, ObjectRefCore};
use crate::type_traits::AnyCompatible;
use crate::AnyView;
use std::cell::Cell;
use std::marker::PhantomData;
use tvm_ffi_sys::{TVMFFIAny, TVMFFIAnyDataUnion, TVMFFIObject, TVMFFITypeIndex as TypeIndex};

/// An object in a slot that a callee may empty. As a call argument it lets the callee take the object without raising its
/// count, so that a container with one owner can be changed in place; as a closure parameter it takes such an object over.
/// ```
/// use tvm_ffi::{Any, Array, Function, RValueRef};
///
/// let owners = Function::from_typed(|array: RValueRef<Array<i64>>| {
///     Any::from(array.into_inner()).debug_strong_count().unwrap_or(0) as i64
/// });
/// let array = Array::new(vec![1_i64, 2]);
/// let moved = owners.call_tuple((RValueRef::new(array),)).unwrap();
/// assert_eq!(moved.try_as::<i64>(), Some(1));
/// ```
pub struct RValueRef<T: ObjectRefCore + AnyCompatible> {
    slot: Cell<*mut TVMFFIObject>,
    marker: PhantomData<T>,
}

impl<T: ObjectRefCore + AnyCompatible> RValueRef<T> {
    /// Puts the object in a slot.
    pub fn new(value: T) -> Self {
        let raw = ObjectArc::into_raw(T::into_data(value)).cast_mut().cast();
        Self { slot: Cell::new(raw), marker: PhantomData }
    }

    /// Takes the object out.
    ///
    /// # Panics
    /// When a callee has taken it.
    pub fn into_inner(self) -> T {
        self.take().unwrap_or_else(|| panic!("RValueRef has already been moved"))
    }

    fn take(&self) -> Option<T> {
        let raw = self.slot.replace(std::ptr::null_mut());
        // SAFETY: a slot that is not null owns one reference of an object of the type.
        (!raw.is_null()).then(|| unsafe { T::from_data(ObjectArc::from_raw(raw.cast())) })
    }
}

impl<T: ObjectRefCore + AnyCompatible> Drop for RValueRef<T> {
    fn drop(&mut self) {
        drop(self.take());
    }
}

impl<T: ObjectRefCore + AnyCompatible> From<T> for RValueRef<T> {
    fn from(value: T) -> Self {
        Self::new(value)
    }
}

impl<'a, T: ObjectRefCore + AnyCompatible> From<&'a RValueRef<T>> for AnyView<'a> {
    fn from(value: &'a RValueRef<T>) -> Self {
        let raw = TVMFFIAny {
            type_index: TypeIndex::kTVMFFIObjectRValueRef as i32,
            small_str_len: 0,
            data_union: TVMFFIAnyDataUnion { v_ptr: value.slot.as_ptr().cast() },
        };
        // SAFETY: the slot lives for `'a`; a `Cell` allows the callee to empty it.
        unsafe { AnyView::from_raw(raw) }
    }
}

impl<T: ObjectRefCore + AnyCompatible> ArgIntoRef for RValueRef<T> {
    fn as_view(&self) -> AnyView<'_> {
        AnyView::from(self)
    }
}

impl<T: ObjectRefCore + AnyCompatible> IntoArgHolder for RValueRef<T> {
    type Target = Self;
    fn into_arg_holder(self) -> Self {
        self
    }
}

impl<T: ObjectRefCore + AnyCompatible> RValueRef<T> {
    /// Takes a moved object over, or converts any other value.
    pub(crate) fn from_view(view: &AnyView<'_>, prefix: impl FnOnce() -> String) -> Result<Self> {
        let value = view.raw();
        let fail = |source: &str, prefix: String| {
            let target = T::type_str();
            let text = format!("{prefix}Cannot convert from `{source}` to `RValueRef<{target}>`");
            Err(Error::new(TYPE_ERROR, &text, ""))
        };
        if value.type_index != TypeIndex::kTVMFFIObjectRValueRef as i32 {
            // SAFETY: a live view.
            return match unsafe { T::try_cast_from_any_view(value) } {
                Ok(value) => Ok(Self::new(value)),
                Err(()) => fail(&type_key_of(value.type_index), prefix()),
            };
        }
        // SAFETY: such a view points to a slot that is null or owns an object, and that the callee may empty.
        unsafe {
            let slot = value.data_union.v_ptr.cast::<*mut TVMFFIObject>();
            let object = *slot;
            if object.is_null() {
                return fail("an already-moved RValueRef", prefix());
            }
            let mut inner = TVMFFIAny::new();
            crate::type_traits::object_view(object.cast(), (*object).type_index, &mut inner);
            if T::check_any_strict(&inner) {
                *slot = std::ptr::null_mut();
                return Ok(Self::new(T::move_from_any_after_check(&mut inner)));
            }
            match T::try_cast_from_any_view(&inner) {
                Ok(value) => Ok(Self::new(value)),
                Err(()) => fail("RValueRef with an incompatible object type", prefix()),
            }
        }
    }
}

impl<T: ObjectRefCore + AnyCompatible> TryFrom<AnyView<'_>> for RValueRef<T> {
    type Error = Error;
    fn try_from(view: AnyView<'_>) -> Result<Self> {
        Self::from_view(&view, String::new)
    }
}
