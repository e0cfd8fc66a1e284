// SPDX-License-Identifier: Apache-2.0
//! What arrays and lists share: reading the cell of the object in place.

use crate::error::{Error, Result};
use crate::object::ObjectArc;
use crate::type_traits::ContainerElement;
use crate::AnyView;
use tvm_ffi_sys::{TVMFFIAny, TVMFFIObject, TVMFFISeqCell};

/// An object whose cell is a sequence cell.
///
/// # Safety
/// The object must be laid out as `TVMFFIObject` followed by `TVMFFISeqCell`.
pub(crate) unsafe trait SequenceObject: crate::object::ObjectCore {}

#[repr(C)]
struct Layout {
    header: TVMFFIObject,
    cell: TVMFFISeqCell,
}

/// Number of elements now.
#[inline]
pub(crate) fn len<O: SequenceObject>(object: &ObjectArc<O>) -> usize {
    // SAFETY: layout of the trait; a list's size may change between calls, so it is read anew.
    unsafe { (&raw const (*ObjectArc::as_raw(object).cast::<Layout>()).cell.size).read() as usize }
}

/// The raw element at `index`, None at and beyond the end.
#[inline]
pub(crate) fn raw_at<O: SequenceObject>(object: &ObjectArc<O>, index: usize) -> Option<TVMFFIAny> {
    if index >= len(object) {
        return None;
    }
    // SAFETY: `data` holds `size` live values.
    unsafe { Some(*(*ObjectArc::as_raw(object).cast::<Layout>()).cell.data.add(index)) }
}

/// The elements as they lie in memory, for a sequence that does not change while they are looked at.
#[inline]
pub(crate) fn raw_range<O: SequenceObject>(object: &ObjectArc<O>) -> std::ops::Range<*const TVMFFIAny> {
    // SAFETY: `data` holds `size` live values; an empty sequence may have none, and then nothing is added to null.
    unsafe {
        let cell = (&raw const (*ObjectArc::as_raw(object).cast::<Layout>()).cell).read();
        let first = cell.data.cast_const();
        first..first.add(cell.size as usize)
    }
}

/// True when every element is strictly a `T`.
///
/// # Safety
/// `value` must hold a live sequence object.
pub(crate) unsafe fn all_strict<T: ContainerElement>(value: &TVMFFIAny) -> bool {
    // SAFETY: the caller's promise.
    unsafe {
        let cell = &(*value.data_union.v_obj.cast::<Layout>()).cell;
        (0..cell.size as usize).all(|i| T::check_element(&*cell.data.add(i)))
    }
}

/// Every element converted to a `T`.
///
/// # Safety
/// `value` must hold a live sequence object.
pub(crate) unsafe fn cast_all<T: ContainerElement>(value: &TVMFFIAny) -> Result<Vec<T>, ()> {
    // SAFETY: the caller's promise.
    unsafe {
        let cell = &(*value.data_union.v_obj.cast::<Layout>()).cell;
        (0..cell.size as usize).map(|i| T::cast_element(&*cell.data.add(i))).collect()
    }
}

/// The error that names the first element which does not convert.
///
/// # Safety
/// `value` must hold a live sequence object.
#[cold]
pub(crate) unsafe fn element_error<T: ContainerElement>(value: &TVMFFIAny, prefix: &str) -> Error {
    // SAFETY: the caller's promise.
    unsafe {
        let cell = &(*value.data_union.v_obj.cast::<Layout>()).cell;
        for i in 0..cell.size as usize {
            let element = &*cell.data.add(i);
            if T::cast_element(element).is_err() {
                return T::element_error(element, &format!("{prefix}element {i}: "));
            }
        }
    }
    Error::new(crate::error::INTERNAL_ERROR, "a container changed while it was converted", "")
}

/// One element, converted; the error names it.
#[inline]
pub(crate) fn cast_at<T: ContainerElement>(raw: &TVMFFIAny, index: usize) -> Result<T> {
    // SAFETY: a live element of a container that the caller holds.
    unsafe { T::cast_element(raw).map_err(|()| T::element_error(raw, &format!("element {index}: "))) }
}

/// Views of elements for a packed constructor.
pub(crate) fn views<T: ContainerElement>(elements: &[T]) -> Vec<AnyView<'_>> {
    elements.iter().map(T::element_view).collect()
}

macro_rules! sequence_type {
    ($(#[$doc:meta])* $name:ident, $object:ident, $iterator:ident, $key:literal, $index:ident, $make:literal,
     $other:ident) => {
        /// The object behind the reference type.
        #[repr(C)]
        pub struct $object {
            object: $crate::object::Object,
            cell: ::tvm_ffi_sys::TVMFFISeqCell,
        }

        // SAFETY: header, then a sequence cell.
        unsafe impl $crate::object::ObjectCore for $object {
            const TYPE_KEY: &'static str = $key;
            const TYPE_DEPTH: i32 = 1;
            const TYPE_FINAL: bool = true;
            fn type_index() -> i32 {
                ::tvm_ffi_sys::TVMFFITypeIndex::$index as i32
            }
            unsafe fn object_header_mut(this: &mut Self) -> &mut ::tvm_ffi_sys::TVMFFIObject {
                // SAFETY: passed on.
                unsafe { $crate::object::Object::object_header_mut(&mut this.object) }
            }
        }
        // SAFETY: as above.
        unsafe impl $crate::collections::sequence::SequenceObject for $object {}

        $(#[$doc])*
        #[repr(C)]
        pub struct $name<T: $crate::type_traits::ContainerElement + Clone> {
            data: $crate::object::ObjectArc<$object>,
            marker: ::std::marker::PhantomData<T>,
        }

        impl<T: $crate::type_traits::ContainerElement + Clone> Clone for $name<T> {
            fn clone(&self) -> Self {
                Self { data: self.data.clone(), marker: ::std::marker::PhantomData }
            }
        }

        // SAFETY: one object pointer.
        unsafe impl<T: $crate::type_traits::ContainerElement + Clone> $crate::object::ObjectRefCore for $name<T> {
            type ContainerType = $object;
            fn data(this: &Self) -> &$crate::object::ObjectArc<$object> {
                &this.data
            }
            fn into_data(this: Self) -> $crate::object::ObjectArc<$object> {
                this.data
            }
            unsafe fn from_data(data: $crate::object::ObjectArc<$object>) -> Self {
                Self { data, marker: ::std::marker::PhantomData }
            }
        }

        impl<T: $crate::type_traits::ContainerElement + Clone> $name<T> {
            /// A container of the elements.
            ///
            /// # Panics
            /// When there is no memory.
            pub fn new(elements: Vec<T>) -> Self {
                let views = $crate::collections::sequence::views(&elements);
                let made = $crate::cached_global_func!($make).call_packed(&views);
                let made = made.unwrap_or_else(|error| panic!("{error}"));
                // SAFETY: the constructor returns a container of exactly these elements.
                unsafe {
                    let raw = $crate::Any::into_raw_ffi_any(made);
                    assert_eq!(raw.type_index, ::tvm_ffi_sys::TVMFFITypeIndex::$index as i32);
                    let object = raw.data_union.v_obj.cast::<$object>();
                    <Self as $crate::object::ObjectRefCore>::from_data($crate::object::ObjectArc::from_raw(object))
                }
            }

            /// Number of elements.
            pub fn len(&self) -> usize {
                $crate::collections::sequence::len(&self.data)
            }

            /// True when there are none.
            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }

            /// The element at `index`: `IndexError` beyond the end, `TypeError` when it is no `T`.
            pub fn get(&self, index: usize) -> $crate::Result<T> {
                match $crate::collections::sequence::raw_at(&self.data, index) {
                    Some(raw) => $crate::collections::sequence::cast_at(&raw, index),
                    None => $crate::bail!(
                        $crate::INDEX_ERROR,
                        "Index {index} out of bounds {}",
                        self.len()
                    ),
                }
            }
        }

        impl<'a, T: $crate::type_traits::ContainerElement + Clone> IntoIterator for &'a $name<T> {
            type Item = $crate::Result<T>;
            type IntoIter = $iterator<'a, T>;
            fn into_iter(self) -> $iterator<'a, T> {
                self.iter()
            }
        }

        impl<T: $crate::type_traits::ContainerElement + Clone> Default for $name<T> {
            fn default() -> Self {
                Self::new(Vec::new())
            }
        }

        impl<T: $crate::type_traits::ContainerElement + Clone> FromIterator<T> for $name<T> {
            fn from_iter<I: IntoIterator<Item = T>>(elements: I) -> Self {
                Self::new(elements.into_iter().collect())
            }
        }

        impl<T: $crate::type_traits::ContainerElement + Clone> ::std::fmt::Debug for $name<T> {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                write!(f, "{}<{}>[{}]", stringify!($name), T::element_type_str(), self.len())
            }
        }

        // SAFETY: the payload is the object; strict means that every element is strict.
        unsafe impl<T: $crate::type_traits::ContainerElement + Clone> $crate::AnyCompatible for $name<T> {
            const FIELD_KIND: $crate::type_traits::FieldKind =
                $crate::type_traits::FieldKind::Object(::tvm_ffi_sys::TVMFFITypeIndex::$index as i32);
            fn type_schema() -> String {
                format!(r#"{{"type":"{}","args":[{}]}}"#, $key, T::element_schema())
            }
            unsafe fn copy_to_any_view(this: &Self, out: &mut $crate::TVMFFIAny) {
                let handle = $crate::object::ObjectArc::as_raw(&this.data).cast_mut().cast();
                $crate::type_traits::object_view(handle, ::tvm_ffi_sys::TVMFFITypeIndex::$index as i32, out);
            }
            unsafe fn move_to_any(this: Self, out: &mut $crate::TVMFFIAny) {
                // SAFETY: the view takes over the reference that is forgotten here.
                unsafe { Self::copy_to_any_view(&this, out) };
                ::std::mem::forget(this);
            }
            unsafe fn check_any_strict(value: &$crate::TVMFFIAny) -> bool {
                value.type_index == ::tvm_ffi_sys::TVMFFITypeIndex::$index as i32
                    // SAFETY: a live sequence.
                    && unsafe { $crate::collections::sequence::all_strict::<T>(value) }
            }
            unsafe fn copy_from_any_view_after_check(value: &$crate::TVMFFIAny) -> Self {
                // SAFETY: a live object of the type; the result owns the new reference.
                unsafe {
                    let object = $crate::type_traits::retained_object(value);
                    <Self as $crate::object::ObjectRefCore>::from_data($crate::object::ObjectArc::from_raw(
                        object.cast(),
                    ))
                }
            }
            unsafe fn try_cast_from_any_view(value: &$crate::TVMFFIAny) -> ::std::result::Result<Self, ()> {
                // SAFETY: the type index says that it is a live sequence.
                unsafe {
                    if Self::check_any_strict(value) {
                        return Ok(Self::copy_from_any_view_after_check(value));
                    }
                    if value.type_index == ::tvm_ffi_sys::TVMFFITypeIndex::$index as i32
                        || value.type_index == ::tvm_ffi_sys::TVMFFITypeIndex::$other as i32
                    {
                        return $crate::collections::sequence::cast_all::<T>(value).map(Self::new);
                    }
                }
                Err(())
            }
            unsafe fn cast_error(value: &$crate::TVMFFIAny, prefix: &str) -> $crate::Error {
                let index = value.type_index;
                if index == ::tvm_ffi_sys::TVMFFITypeIndex::$index as i32
                    || index == ::tvm_ffi_sys::TVMFFITypeIndex::$other as i32
                {
                    // SAFETY: a live sequence.
                    return unsafe { $crate::collections::sequence::element_error::<T>(value, prefix) };
                }
                let key = $crate::object::type_key_of(index);
                let text = format!("{prefix}Cannot convert from type `{key}` to `{}`", Self::type_str());
                $crate::Error::new($crate::TYPE_ERROR, &text, "")
            }
            fn type_str() -> String {
                format!("{}<{}>", stringify!($name), T::element_type_str())
            }
        }

        $crate::impl_try_from_any_for_parametric!($name<T>);

        impl<T: $crate::type_traits::ContainerElement + Clone> $crate::function_internal::ArgIntoRef for $name<T> {
            fn as_view(&self) -> $crate::AnyView<'_> {
                $crate::AnyView::from(self)
            }
        }
        impl<T: $crate::type_traits::ContainerElement + Clone> $crate::function_internal::ArgIntoRef for &$name<T> {
            fn as_view(&self) -> $crate::AnyView<'_> {
                $crate::AnyView::from(*self)
            }
        }
        impl<T: $crate::type_traits::ContainerElement + Clone> $crate::function_internal::IntoArgHolder for $name<T> {
            type Target = Self;
            fn into_arg_holder(self) -> Self {
                self
            }
        }
        impl<'a, T: $crate::type_traits::ContainerElement + Clone> $crate::function_internal::IntoArgHolder
            for &'a $name<T>
        {
            type Target = &'a $name<T>;
            fn into_arg_holder(self) -> Self {
                self
            }
        }
    };
}

pub(crate) use sequence_type;
