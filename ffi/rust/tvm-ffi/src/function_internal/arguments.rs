// SPDX-License-Identifier: Apache-2.0
//! Arguments of calls that Rust makes.

use crate::type_traits::AnyCompatible;
use crate::{Any, AnyView, Bytes, String};

/// An argument as the call holds it while it lasts: `&str` becomes a [`String`], `&[u8]` becomes [`Bytes`].
pub trait IntoArgHolder {
    /// What is held.
    type Target: ArgIntoRef;
    /// Makes it.
    fn into_arg_holder(self) -> Self::Target;
}

/// A held argument that can be viewed as a value.
pub trait ArgIntoRef {
    /// The view.
    fn as_view(&self) -> AnyView<'_>;
}

crate::impl_arg_into_ref!((), bool, i8, i16, i32, i64, isize, u8, u16, u32, f32, f64);
crate::impl_into_arg_holder_default!((), bool, i8, i16, i32, i64, isize, u8, u16, u32, f32, f64);

macro_rules! owned_integers {
    ($($ty:ty),*) => { $(
        // A number beyond int64 becomes a big integer, which the call has to own.
        impl IntoArgHolder for $ty {
            type Target = Any;
            fn into_arg_holder(self) -> Any { Any::from(self) }
        }
        impl IntoArgHolder for &$ty {
            type Target = Any;
            fn into_arg_holder(self) -> Any { Any::from(*self) }
        }
    )* };
}

owned_integers!(u64, usize);

impl IntoArgHolder for &str {
    type Target = String;
    fn into_arg_holder(self) -> String {
        String::from(self)
    }
}

impl IntoArgHolder for &[u8] {
    type Target = Bytes;
    fn into_arg_holder(self) -> Bytes {
        Bytes::from(self)
    }
}

impl ArgIntoRef for Any {
    fn as_view(&self) -> AnyView<'_> {
        AnyView::from(self)
    }
}
impl ArgIntoRef for &Any {
    fn as_view(&self) -> AnyView<'_> {
        AnyView::from(*self)
    }
}
impl IntoArgHolder for Any {
    type Target = Any;
    fn into_arg_holder(self) -> Any {
        self
    }
}
impl<'a> IntoArgHolder for &'a Any {
    type Target = &'a Any;
    fn into_arg_holder(self) -> &'a Any {
        self
    }
}
impl ArgIntoRef for AnyView<'_> {
    fn as_view(&self) -> AnyView<'_> {
        *self
    }
}
impl<'a> IntoArgHolder for AnyView<'a> {
    type Target = AnyView<'a>;
    fn into_arg_holder(self) -> AnyView<'a> {
        self
    }
}
impl<T: AnyCompatible> ArgIntoRef for Option<T> {
    fn as_view(&self) -> AnyView<'_> {
        AnyView::from(self)
    }
}
impl<T: AnyCompatible> ArgIntoRef for &Option<T> {
    fn as_view(&self) -> AnyView<'_> {
        AnyView::from(*self)
    }
}
impl<T: AnyCompatible> IntoArgHolder for Option<T> {
    type Target = Self;
    fn into_arg_holder(self) -> Self {
        self
    }
}
impl<T: AnyCompatible> IntoArgHolder for &Option<T> {
    type Target = Self;
    fn into_arg_holder(self) -> Self {
        self
    }
}
