// SPDX-License-Identifier: Apache-2.0
//! Tuples: arrays whose length and element types are fixed.

use super::array::{Array, ArrayObj};
use crate::error::{Error, Result, TYPE_ERROR};
use crate::object::{ObjectArc, ObjectRefCore};
use crate::type_traits::{AnyCompatible, ContainerElement, FieldKind};
use crate::Any;
use std::marker::PhantomData;
use tvm_ffi_sys::{TVMFFIAny, TVMFFISeqCell, TVMFFITypeIndex as TypeIndex};

/// Element types of a tuple; Rust tuples of one to twelve [`AnyCompatible`] types or [`Any`].
///
/// # Safety
/// The functions must look at `LEN` elements and no more.
pub unsafe trait TupleElements: Sized {
    /// Number of elements.
    #[doc(hidden)]
    const LEN: usize;
    #[doc(hidden)]
    fn into_elements(self) -> Vec<Any>;
    /// # Safety
    /// There must be `LEN` live elements.
    #[doc(hidden)]
    unsafe fn check(elements: *const TVMFFIAny) -> bool;
    /// # Safety
    /// There must be `LEN` live elements.
    #[doc(hidden)]
    unsafe fn cast(elements: *const TVMFFIAny, prefix: &str) -> Result<Self>;
    #[doc(hidden)]
    fn type_strs() -> Vec<String>;
    #[doc(hidden)]
    fn schemas() -> Vec<String>;
}

macro_rules! tuple_elements {
    ($count:literal; $($ty:ident $form:ident $position:tt),+) => {
        // SAFETY: the positions are below the count.
        unsafe impl<$($ty: ContainerElement),+> TupleElements for ($($ty,)+) {
            const LEN: usize = $count;
            fn into_elements(self) -> Vec<Any> {
                vec![$($ty::into_element(self.$position)),+]
            }
            unsafe fn check(elements: *const TVMFFIAny) -> bool {
                // SAFETY: the caller's promise.
                unsafe { $($ty::check_element(&*elements.add($position)))&&+ }
            }
            unsafe fn cast(elements: *const TVMFFIAny, prefix: &str) -> Result<Self> {
                // SAFETY: the caller's promise.
                unsafe {
                    Ok(($({
                        let element = &*elements.add($position);
                        $ty::cast_element(element).map_err(|()| {
                            $ty::element_error(element, &format!("{prefix}element {}: ", $position))
                        })?
                    },)+))
                }
            }
            fn type_strs() -> Vec<String> {
                vec![$($ty::element_type_str()),+]
            }
            fn schemas() -> Vec<String> {
                vec![$($ty::element_schema()),+]
            }
        }
    };
}

crate::arity::for_each_arity!(tuple_elements);

/// An immutable tuple, shared between languages: an array object of a fixed length, with a type for each position. Clones share.
///
/// ```
/// use tvm_ffi::{Any, Function, Result, String, Tuple};
///
/// # fn main() -> Result<()> {
/// let swap = Function::from_typed(|pair: Tuple<(i64, String)>| -> Result<Tuple<(String, i64)>> {
///     let (number, text) = pair.get()?;
///     Ok(Tuple::new((text, number)))
/// });
/// let pair = Tuple::new((1_i64, String::from("one")));
/// let swapped: Tuple<(String, i64)> = swap.call_tuple((&pair,))?.try_into()?;
/// assert_eq!(swapped.get()?, (String::from("one"), 1));
/// # Ok(())
/// # }
/// ```
#[repr(C)]
pub struct Tuple<T: TupleElements> {
    data: ObjectArc<ArrayObj>,
    marker: PhantomData<T>,
}

impl<T: TupleElements> Tuple<T> {
    /// A tuple of the values, which it owns.
    ///
    /// # Panics
    /// When there is no memory.
    pub fn new(values: T) -> Self {
        let array = Array::<Any>::new(values.into_elements());
        Self { data: <Array<Any> as ObjectRefCore>::into_data(array), marker: PhantomData }
    }

    /// The values; `TypeError` or `OverflowError` with the position of one that does not convert.
    pub fn get(&self) -> Result<T> {
        // SAFETY: a tuple object has as many elements as its type says.
        unsafe { T::cast(cell_of(ObjectArc::as_raw(&self.data).cast_mut().cast()).data, "") }
    }

    /// Number of elements.
    pub const LEN: usize = T::LEN;
}

/// # Safety
/// `object` must be a live sequence.
unsafe fn cell_of<'a>(object: *mut tvm_ffi_sys::TVMFFIObject) -> &'a TVMFFISeqCell {
    // SAFETY: the cell follows the header.
    unsafe { &*object.add(1).cast() }
}

/// The elements of an array, or a list when `lists`, of the right length.
///
/// # Safety
/// `value` must be live.
unsafe fn elements_of(value: &TVMFFIAny, length: usize, lists: bool) -> Option<*const TVMFFIAny> {
    let is_list = value.type_index == TypeIndex::kTVMFFIList as i32;
    if value.type_index != TypeIndex::kTVMFFIArray as i32 && !(lists && is_list) {
        return None;
    }
    // SAFETY: the type index says that it is a live sequence.
    let cell = unsafe { cell_of(value.data_union.v_obj) };
    (cell.size as usize == length).then_some(cell.data.cast_const())
}

impl<T: TupleElements> From<T> for Tuple<T> {
    fn from(values: T) -> Self {
        Self::new(values)
    }
}

impl<T: TupleElements> Clone for Tuple<T> {
    fn clone(&self) -> Self {
        Self { data: self.data.clone(), marker: PhantomData }
    }
}

impl<T: TupleElements> std::fmt::Debug for Tuple<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&Self::type_str())
    }
}

// SAFETY: one object pointer.
unsafe impl<T: TupleElements> ObjectRefCore for Tuple<T> {
    type ContainerType = ArrayObj;
    fn data(this: &Self) -> &ObjectArc<ArrayObj> {
        &this.data
    }
    fn into_data(this: Self) -> ObjectArc<ArrayObj> {
        this.data
    }
    unsafe fn from_data(data: ObjectArc<ArrayObj>) -> Self {
        Self { data, marker: PhantomData }
    }
}

// SAFETY: the payload is the object; strict means the length and every element.
unsafe impl<T: TupleElements> AnyCompatible for Tuple<T> {
    const FIELD_KIND: FieldKind = FieldKind::Object(TypeIndex::kTVMFFIArray as i32);
    fn type_schema() -> String {
        format!(r#"{{"type":"Tuple","args":[{}]}}"#, T::schemas().join(","))
    }
    unsafe fn copy_to_any_view(this: &Self, out: &mut TVMFFIAny) {
        let handle = ObjectArc::as_raw(&this.data).cast_mut().cast();
        crate::type_traits::object_view(handle, TypeIndex::kTVMFFIArray as i32, out);
    }
    unsafe fn move_to_any(this: Self, out: &mut TVMFFIAny) {
        // SAFETY: the view takes over the reference that is forgotten here.
        unsafe { Self::copy_to_any_view(&this, out) };
        std::mem::forget(this);
    }
    unsafe fn check_any_strict(value: &TVMFFIAny) -> bool {
        // SAFETY: the caller's promise.
        unsafe { elements_of(value, T::LEN, false).is_some_and(|elements| T::check(elements)) }
    }
    unsafe fn copy_from_any_view_after_check(value: &TVMFFIAny) -> Self {
        // SAFETY: a live array of the right length; the result owns the new reference.
        unsafe {
            let object = crate::type_traits::retained_object(value);
            <Self as ObjectRefCore>::from_data(ObjectArc::from_raw(object.cast()))
        }
    }
    unsafe fn try_cast_from_any_view(value: &TVMFFIAny) -> Result<Self, ()> {
        // SAFETY: the caller's promise.
        unsafe {
            if Self::check_any_strict(value) {
                return Ok(Self::copy_from_any_view_after_check(value));
            }
            let elements = elements_of(value, T::LEN, true).ok_or(())?;
            T::cast(elements, "").map(Self::new).map_err(drop)
        }
    }
    unsafe fn cast_error(value: &TVMFFIAny, prefix: &str) -> Error {
        // SAFETY: the caller's promise.
        unsafe {
            if let Some(elements) = elements_of(value, T::LEN, true) {
                if let Err(error) = T::cast(elements, prefix) {
                    return error;
                }
            }
        }
        let key = crate::object::type_key_of(value.type_index);
        let target = Self::type_str();
        let sequence = [TypeIndex::kTVMFFIArray, TypeIndex::kTVMFFIList].map(|index| index as i32);
        let text = if sequence.contains(&value.type_index) {
            // SAFETY: the type index says that it is a live sequence.
            let length = unsafe { cell_of(value.data_union.v_obj).size };
            format!("{prefix}Cannot convert from type `{key}` of {length} elements to `{target}`")
        } else {
            format!("{prefix}Cannot convert from type `{key}` to `{target}`")
        };
        Error::new(TYPE_ERROR, &text, "")
    }
    fn type_str() -> String {
        format!("Tuple<{}>", T::type_strs().join(", "))
    }
}

impl<T: TupleElements> TryFrom<Any> for Tuple<T> {
    type Error = Error;
    fn try_from(value: Any) -> Result<Self> {
        crate::any::TryFromTemp::<Self>::try_from(value).map(crate::any::TryFromTemp::into_value)
    }
}
impl<T: TupleElements> TryFrom<crate::AnyView<'_>> for Tuple<T> {
    type Error = Error;
    fn try_from(value: crate::AnyView<'_>) -> Result<Self> {
        crate::any::TryFromTemp::<Self>::try_from(value).map(crate::any::TryFromTemp::into_value)
    }
}
crate::impl_packed_arg!([T: TupleElements] Tuple<T>);
impl<T: TupleElements> crate::function_internal::ArgIntoRef for Tuple<T> {
    fn as_view(&self) -> crate::AnyView<'_> {
        crate::AnyView::from(self)
    }
}
impl<T: TupleElements> crate::function_internal::ArgIntoRef for &Tuple<T> {
    fn as_view(&self) -> crate::AnyView<'_> {
        crate::AnyView::from(*self)
    }
}
impl<T: TupleElements> crate::function_internal::IntoArgHolder for Tuple<T> {
    type Target = Self;
    fn into_arg_holder(self) -> Self {
        self
    }
}
impl<'a, T: TupleElements> crate::function_internal::IntoArgHolder for &'a Tuple<T> {
    type Target = &'a Tuple<T>;
    fn into_arg_holder(self) -> Self {
        self
    }
}
