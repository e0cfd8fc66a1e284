// SPDX-License-Identifier: Apache-2.0
//! Fields of opaque types: looked up once, and numbers read in place. What generated getters use.

use super::{field_address, FieldGetter};
use crate::error::{Error, Result};
use crate::object::{FieldPlace, ObjectCore, Storage};
use crate::Any;
use std::marker::PhantomData;
use std::sync::OnceLock;

/// The part of a struct that Rust does not know. A struct with this field stands for objects that other libraries make: it has no
/// values of its own, so a reference to one always is a reference to a whole object.
/// ```compile_fail
/// let _ = tvm_ffi::reflection::Opaque(());
/// ```
#[derive(Debug)]
pub struct Opaque(());

/// One field of objects of type `N`, for a `static`.
///
/// `read_int`, `read_float` and `read_bool` read in place, at an offset that `#[type_fields]` tells; it was compared with the type
/// table before the first object could be had as an `N`, so a read has nothing to check.
/// ```
/// use tvm_ffi::reflection::{CachedField, Opaque};
/// use tvm_ffi::{rs_class, Any, Object, ObjectArc, Result};
///
/// #[rs_class("doc.Point")]
/// struct Point {
///     x: i64,
/// }
///
/// // What another library, which knows the name and place of the field alone, writes.
/// #[repr(C)]
/// #[derive(tvm_ffi::derive::Object)]
/// #[type_key = "doc.Point"]
/// #[type_fields("x": i64 = 24)]
/// struct SeenObj {
///     base: Object,
///     opaque: Opaque,
/// }
///
/// #[repr(C)]
/// #[derive(tvm_ffi::derive::ObjectRef, Clone)]
/// struct Seen {
///     base: ObjectArc<SeenObj>,
/// }
///
/// impl SeenObj {
///     fn x(&self) -> Result<i64> {
///         static X: CachedField<SeenObj> = CachedField::new("x");
///         X.read_int::<24>(self)
///     }
/// }
/// let seen = Seen::try_from(Any::from(Point::new(3))).unwrap();
/// assert_eq!(seen.base.x().unwrap(), 3);
/// ```
///
/// A read at another offset, or as another type, does not compile:
/// ```compile_fail
/// # use tvm_ffi::reflection::{CachedField, Opaque};
/// # #[repr(C)]
/// # #[derive(tvm_ffi::derive::Object)]
/// # #[type_key = "doc.Point"]
/// # #[type_fields("x": i64 = 24)]
/// # struct SeenObj {
/// #     base: tvm_ffi::Object,
/// #     opaque: Opaque,
/// # }
/// fn y(object: &SeenObj, field: &CachedField<SeenObj>) -> f64 {
///     field.read_float::<24>(object).unwrap()
/// }
/// # let _ = y as fn(&SeenObj, &CachedField<SeenObj>) -> f64;
/// ```
///
/// Errors of all reads: `TypeError` when the type has no such field or its value does not convert.
pub struct CachedField<N> {
    name: &'static str,
    getter: OnceLock<FieldGetter>,
    object: PhantomData<fn(&N)>,
}

/// The field that a type has declared at an offset.
const fn declared(places: &[FieldPlace], offset: usize) -> &FieldPlace {
    let mut i = 0;
    while i < places.len() {
        if places[i].offset == offset {
            assert!(offset % places[i].size == 0, "a field that is read in place must be aligned");
            return &places[i];
        }
        i += 1;
    }
    panic!("#[type_fields] tells of no field at this offset")
}

/// Its storage and size.
const fn number(places: &[FieldPlace], offset: usize) -> (Storage, usize) {
    let place = declared(places, offset);
    (place.storage, place.size)
}

/// Reads what lies `OFFSET` bytes behind the start of an object.
///
/// # Safety
/// There must be a valid, aligned `T`.
#[inline(always)]
unsafe fn read<T: Copy, N>(object: &N, offset: usize) -> T {
    // SAFETY: the caller's promise.
    unsafe { field_address(object, offset as i64).cast::<T>().read() }
}

impl<N: ObjectCore> CachedField<N> {
    /// The field of a name, not looked up yet.
    pub const fn new(name: &'static str) -> Self {
        Self { name, getter: OnceLock::new(), object: PhantomData }
    }

    /// The getter; `TypeError` when the type has no such field or it has no getter.
    fn getter(&self) -> Result<&FieldGetter> {
        if let Some(getter) = self.getter.get() {
            return Ok(getter);
        }
        let found = FieldGetter::new(N::type_index(), self.name)?;
        Ok(self.getter.get_or_init(|| found))
    }

    /// An integer field; `OverflowError` for an unsigned number beyond `i64`.
    #[inline]
    pub fn read_int<const OFFSET: usize>(&self, object: &N) -> Result<i64> {
        const {
            assert!(
                matches!(number(N::PLACES, OFFSET).0, Storage::Int | Storage::Unsigned),
                "#[type_fields] tells of another type at this offset"
            )
        };
        // SAFETY: the type declares an integer of this size there, which the type table confirmed; `object` is whole, since a type
        // with declared fields has no values but those of the library.
        unsafe {
            match const { number(N::PLACES, OFFSET) } {
                (Storage::Int, 8) => Ok(read::<i64, N>(object, OFFSET)),
                (Storage::Int, 4) => Ok(i64::from(read::<i32, N>(object, OFFSET))),
                (Storage::Int, 2) => Ok(i64::from(read::<i16, N>(object, OFFSET))),
                (Storage::Int, _) => Ok(i64::from(read::<i8, N>(object, OFFSET))),
                (_, 4) => Ok(i64::from(read::<u32, N>(object, OFFSET))),
                (_, 2) => Ok(i64::from(read::<u16, N>(object, OFFSET))),
                (_, 1) => Ok(i64::from(read::<u8, N>(object, OFFSET))),
                _ => i64::try_from(read::<u64, N>(object, OFFSET)).or_else(|_| self.get(object)),
            }
        }
    }

    /// A field of floating point.
    #[inline]
    pub fn read_float<const OFFSET: usize>(&self, object: &N) -> Result<f64> {
        const {
            assert!(
                matches!(number(N::PLACES, OFFSET).0, Storage::Float),
                "#[type_fields] tells of another type at this offset"
            )
        };
        // SAFETY: as in `read_int`.
        Ok(unsafe {
            match const { number(N::PLACES, OFFSET).1 } {
                8 => read::<f64, N>(object, OFFSET),
                _ => f64::from(read::<f32, N>(object, OFFSET)),
            }
        })
    }

    /// A field of true or false.
    #[inline]
    pub fn read_bool<const OFFSET: usize>(&self, object: &N) -> Result<bool> {
        const {
            assert!(
                matches!(number(N::PLACES, OFFSET), (Storage::Bool, 1)),
                "#[type_fields] tells of another type at this offset"
            )
        };
        // SAFETY: as in `read_int`; the byte is looked at as a number.
        Ok(unsafe { read::<u8, N>(object, OFFSET) } != 0)
    }

    /// A field of any type, through the getter: `TypeError` when it does not convert.
    pub fn get<T: TryFrom<Any, Error = Error>>(&self, object: &N) -> Result<T> {
        self.getter()?.get(object)
    }

    /// A field as it is, through the getter.
    pub fn get_any(&self, object: &N) -> Result<Any> {
        self.getter()?.get_any(object)
    }
}
