// SPDX-License-Identifier: Apache-2.0
//! Fields that are looked up once and read in place where their storage is known; what generated getters use.

use super::{field_address, find_field, FieldGetter};
use crate::error::{Error, Result};
use crate::object::ObjectCore;
use crate::Any;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::OnceLock;
use tvm_ffi_sys::TVMFFITypeIndex as TypeIndex;

/// One field of objects of type `N`, for a `static`. The first read looks it up in the type table; numbers are then read in place.
///
/// ```
/// use tvm_ffi::reflection::CachedField;
/// use tvm_ffi::{rs_class, Result};
///
/// #[rs_class("doc.Point")]
/// struct Point {
///     x: i64,
/// }
///
/// fn x_of(point: &Point) -> Result<i64> {
///     static X: CachedField<PointObj> = CachedField::new("x");
///     X.read_int(point)
/// }
/// assert_eq!(x_of(&Point::new(3)).unwrap(), 3);
/// ```
///
/// Errors of all reads: `TypeError` when the type has no such field or its value does not convert.
pub struct CachedField<N> {
    name: &'static str,
    /// The storage in the low three bits and the offset; those of eight bytes are aligned, so their offset needs no shift.
    place: AtomicUsize,
    getter: OnceLock<FieldGetter>,
    object: PhantomData<fn(&N)>,
}

const STORAGE: usize = 7;
const INT64: usize = 0;
const FLOAT64: usize = 1;
// For these the offset is above the low eight bits, and more of the storage in the other five.
const INT32: usize = 2;
const SMALL_INT: usize = 3;
const FLOAT32: usize = 4;
const BOOL: usize = 5;
const BY_GETTER: usize = 6;
const UNKNOWN: usize = 7;
const INT16: usize = SMALL_INT | 1 << 3;
const INT8: usize = SMALL_INT | 2 << 3;

impl<N: ObjectCore> CachedField<N> {
    /// The field of a name, not looked up yet.
    pub const fn new(name: &'static str) -> Self {
        Self { name, place: AtomicUsize::new(UNKNOWN), getter: OnceLock::new(), object: PhantomData }
    }

    /// The getter; `TypeError` when the type has no such field or it has no getter.
    fn getter(&self) -> Result<&FieldGetter> {
        if let Some(getter) = self.getter.get() {
            return Ok(getter);
        }
        let found = FieldGetter::new(N::type_index(), self.name)?;
        Ok(self.getter.get_or_init(|| found))
    }

    #[cold]
    fn find(&self) -> Result<usize> {
        let (_, field) = find_field(N::type_index(), self.name)?;
        self.getter()?;
        const INT: i32 = TypeIndex::kTVMFFIInt as i32;
        const FLOAT: i32 = TypeIndex::kTVMFFIFloat as i32;
        let storage = match (field.field_static_type_index, field.size) {
            (INT, 8) if field.offset % 8 == 0 => INT64,
            (FLOAT, 8) if field.offset % 8 == 0 => FLOAT64,
            (INT, 4) => INT32,
            (INT, 2) => INT16,
            (INT, 1) => INT8,
            (FLOAT, 4) => FLOAT32,
            (index, 1) if index == TypeIndex::kTVMFFIBool as i32 => BOOL,
            _ => BY_GETTER,
        };
        let offset = field.offset as usize;
        let place = if matches!(storage, INT64 | FLOAT64) { offset | storage } else { offset << 8 | storage };
        self.place.store(place, Ordering::Relaxed);
        Ok(place)
    }

    /// The place, looked up when it is not known.
    #[cold]
    fn found(&self, place: usize) -> Result<usize> {
        if place == UNKNOWN {
            self.find()
        } else {
            Ok(place)
        }
    }

    /// An integer field. A negative one may be an unsigned one of that width, so the getter decides.
    #[inline]
    pub fn read_int(&self, object: &N) -> Result<i64> {
        let place = self.place.load(Ordering::Relaxed);
        if place & STORAGE == INT64 {
            // SAFETY: the type table says that a number of this width is there, in an object of the type that is alive.
            let value = unsafe { field_address(object, place as i64).cast::<i64>().read() };
            if value >= 0 {
                return Ok(value);
            }
        }
        self.read_other_int(object, place)
    }

    #[inline(never)]
    fn read_other_int(&self, object: &N, place: usize) -> Result<i64> {
        let place = self.found(place)?;
        let field = field_address(object, (place >> 8) as i64);
        // SAFETY: as in `read_int`.
        let value = unsafe {
            match place & 0xff {
                INT32 => i64::from(field.cast::<i32>().read()),
                INT16 => i64::from(field.cast::<i16>().read()),
                INT8 => i64::from(field.cast::<i8>().read()),
                _ => -1,
            }
        };
        if value >= 0 {
            Ok(value)
        } else {
            self.get(object)
        }
    }

    /// A field of floating point.
    #[inline]
    pub fn read_float(&self, object: &N) -> Result<f64> {
        let place = self.place.load(Ordering::Relaxed);
        if place & STORAGE == FLOAT64 {
            // SAFETY: as in `read_int`.
            return Ok(unsafe { field_address(object, (place - FLOAT64) as i64).cast::<f64>().read() });
        }
        let place = self.found(place)?;
        match place & 0xff {
            // SAFETY: as in `read_int`.
            FLOAT32 => {
                Ok(f64::from(unsafe { field_address(object, (place >> 8) as i64).cast::<f32>().read() }))
            }
            _ => self.get(object),
        }
    }

    /// A field of true or false.
    #[inline]
    pub fn read_bool(&self, object: &N) -> Result<bool> {
        let mut place = self.place.load(Ordering::Relaxed);
        if place & STORAGE != BOOL {
            place = self.found(place)?;
        }
        match place & 0xff {
            // SAFETY: as in `read_int`; the byte is looked at as a number.
            BOOL => Ok(unsafe { field_address(object, (place >> 8) as i64).read() } != 0),
            _ => self.get(object),
        }
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
