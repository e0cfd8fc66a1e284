// SPDX-License-Identifier: Apache-2.0
//! Values of one of several types.

use crate::error::{Error, Result};
use crate::type_traits::{AnyCompatible, FieldKind};
use crate::{Any, AnyView};
use std::marker::PhantomData;
use tvm_ffi_sys::TVMFFIAny;

/// The types that a [`Variant`] may hold: a tuple of one to twelve [`AnyCompatible`] types.
///
/// # Safety
/// `check` must be true for values that are strictly of one of the types alone.
pub unsafe trait VariantTypes: 'static {
    /// # Safety
    /// `value` must be live.
    #[doc(hidden)]
    unsafe fn check(value: &TVMFFIAny) -> bool;
    /// # Safety
    /// `value` must be live.
    #[doc(hidden)]
    unsafe fn cast(value: &TVMFFIAny) -> Option<Any>;
    #[doc(hidden)]
    fn type_strs() -> Vec<String>;
    #[doc(hidden)]
    fn schemas() -> Vec<String>;
}

/// A position in a list of types.
#[doc(hidden)]
pub struct At<const POSITION: usize>;

/// One of the types of a [`Variant`]; `Position` is inferred.
#[diagnostic::on_unimplemented(message = "`{Self}` is none of the types `{Types}` of the variant")]
pub trait VariantMember<Types, Position>: AnyCompatible {}

macro_rules! variant_types {
    ($count:literal; $($ty:ident $form:ident $position:tt),+) => {
        // SAFETY: each check is strict for its type.
        unsafe impl<$($ty: AnyCompatible + 'static),+> VariantTypes for ($($ty,)+) {
            unsafe fn check(value: &TVMFFIAny) -> bool {
                // SAFETY: the caller's promise.
                unsafe { $($ty::check_any_strict(value))||+ }
            }
            unsafe fn cast(value: &TVMFFIAny) -> Option<Any> {
                // SAFETY: the caller's promise.
                unsafe {
                    $( if let Ok(value) = $ty::try_cast_from_any_view(value) {
                        return Some(Any::from(value));
                    } )+
                }
                None
            }
            fn type_strs() -> Vec<String> {
                vec![$($ty::type_str()),+]
            }
            fn schemas() -> Vec<String> {
                vec![$($ty::type_schema()),+]
            }
        }
        variant_members!([$($ty)+] $($ty $position)+);
    };
}

/// One implementation for each type of a tuple.
macro_rules! variant_members {
    ([$($all:ident)+]) => {};
    ([$($all:ident)+] $ty:ident $position:tt $($rest:tt)*) => {
        impl<$($all: AnyCompatible),+> VariantMember<($($all,)+), At<$position>> for $ty {}
        variant_members!([$($all)+] $($rest)*);
    };
}

crate::arity::for_each_arity!(variant_types);

/// A value of one of several types, 16 bytes wide, as a C++ `Variant` is: `Variant<(i64, String)>`.
///
/// Strict means strictly one of the types. A cast takes what converts to one of them; the first in order wins.
/// ```
/// use tvm_ffi::{Any, Function, String, Variant};
///
/// let length = Function::from_typed(|value: Variant<(i64, String)>| -> i64 {
///     match value.get::<String, _>() {
///         Some(text) => text.len() as i64,
///         None => value.get::<i64, _>().unwrap_or(0),
///     }
/// });
/// assert_eq!(i64::try_from(length.call_tuple(("four",)).unwrap()).unwrap(), 4);
/// assert_eq!(i64::try_from(length.call_tuple((5_i64,)).unwrap()).unwrap(), 5);
/// let error = length.call_tuple((0.5,)).unwrap_err();
/// assert_eq!(error.message(), "Argument #0: Cannot convert from type `float` to `Variant<int, ffi.String>`");
/// ```
#[repr(transparent)]
pub struct Variant<Types> {
    cell: Any,
    marker: PhantomData<fn() -> Types>,
}

impl<Types: VariantTypes> Variant<Types> {
    fn of(cell: Any) -> Self {
        Self { cell, marker: PhantomData }
    }

    /// A variant that holds `value`.
    pub fn new<T: VariantMember<Types, Position>, Position>(value: T) -> Self {
        Self::of(Any::from(value))
    }

    /// A copy of the value when it is strictly a `T`.
    pub fn get<T: VariantMember<Types, Position>, Position>(&self) -> Option<T> {
        self.cell.try_as()
    }

    /// True when it holds a `T`.
    pub fn is<T: VariantMember<Types, Position>, Position>(&self) -> bool {
        // SAFETY: a live value.
        unsafe { T::check_any_strict(self.cell.raw()) }
    }

    /// The value, whatever it is.
    pub fn as_any(&self) -> &Any {
        &self.cell
    }

    /// Type index of the value.
    pub fn type_index(&self) -> i32 {
        self.cell.type_index()
    }
}

impl<Types> Clone for Variant<Types> {
    fn clone(&self) -> Self {
        Self { cell: self.cell.clone(), marker: PhantomData }
    }
}

impl<Types> std::fmt::Debug for Variant<Types> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.cell.fmt(f)
    }
}

// SAFETY: the cell itself is the value.
unsafe impl<Types: VariantTypes> AnyCompatible for Variant<Types> {
    const FIELD_KIND: FieldKind = FieldKind::Cell;
    fn type_schema() -> String {
        format!(r#"{{"type":"Variant","args":[{}]}}"#, Types::schemas().join(","))
    }
    unsafe fn copy_to_any_view(this: &Self, out: &mut TVMFFIAny) {
        *out = *this.cell.raw();
    }
    unsafe fn move_to_any(this: Self, out: &mut TVMFFIAny) {
        // SAFETY: the value goes to `out`.
        *out = unsafe { Any::into_raw_ffi_any(this.cell) };
    }
    unsafe fn check_any_strict(value: &TVMFFIAny) -> bool {
        // SAFETY: the caller's promise.
        unsafe { Types::check(value) }
    }
    unsafe fn copy_from_any_view_after_check(value: &TVMFFIAny) -> Self {
        // SAFETY: a live value.
        Self::of(Any::from(unsafe { AnyView::from_raw(*value) }))
    }
    unsafe fn try_cast_from_any_view(value: &TVMFFIAny) -> Result<Self, ()> {
        // SAFETY: the caller's promise.
        unsafe {
            if Types::check(value) {
                return Ok(Self::copy_from_any_view_after_check(value));
            }
            Types::cast(value).map(Self::of).ok_or(())
        }
    }
    fn type_str() -> String {
        format!("Variant<{}>", Types::type_strs().join(", "))
    }
}

impl<Types: VariantTypes> TryFrom<Any> for Variant<Types> {
    type Error = Error;
    fn try_from(value: Any) -> Result<Self> {
        crate::any::TryFromTemp::<Self>::try_from(value).map(crate::any::TryFromTemp::into_value)
    }
}
impl<Types: VariantTypes> TryFrom<AnyView<'_>> for Variant<Types> {
    type Error = Error;
    fn try_from(value: AnyView<'_>) -> Result<Self> {
        crate::any::TryFromTemp::<Self>::try_from(value).map(crate::any::TryFromTemp::into_value)
    }
}
crate::impl_packed_arg!([Types: VariantTypes] Variant<Types>);
impl<Types: VariantTypes> crate::function_internal::ArgIntoRef for Variant<Types> {
    fn as_view(&self) -> AnyView<'_> {
        AnyView::from(&self.cell)
    }
}
impl<Types: VariantTypes> crate::function_internal::ArgIntoRef for &Variant<Types> {
    fn as_view(&self) -> AnyView<'_> {
        AnyView::from(&self.cell)
    }
}
impl<Types: VariantTypes> crate::function_internal::IntoArgHolder for Variant<Types> {
    type Target = Self;
    fn into_arg_holder(self) -> Self {
        self
    }
}
impl<'a, Types: VariantTypes> crate::function_internal::IntoArgHolder for &'a Variant<Types> {
    type Target = &'a Variant<Types>;
    fn into_arg_holder(self) -> Self {
        self
    }
}
