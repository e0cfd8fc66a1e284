// SPDX-License-Identifier: Apache-2.0
//! Fields that are looked up once and read in place where their storage is known; what generated getters use.

use super::{find_field, FieldGetter};
use crate::error::{Error, Result};
use crate::object::ObjectCore;
use crate::Any;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::OnceLock;
use tvm_ffi_sys::TVMFFITypeIndex as TypeIndex;

/// One field of objects of type `N`, for a `static`. The first read looks it up in the type table.
pub struct CachedField<N> {
    name: &'static str,
    /// The storage in the low byte and the offset above it; 0 until it is known.
    place: AtomicU64,
    getter: OnceLock<FieldGetter>,
    object: PhantomData<fn(&N)>,
}

const BY_GETTER: u64 = 1;
const INT64: u64 = 2;
const INT32: u64 = 3;
const INT16: u64 = 4;
const INT8: u64 = 5;
const FLOAT64: u64 = 6;
const FLOAT32: u64 = 7;
const BOOL: u64 = 8;

impl<N: ObjectCore> CachedField<N> {
    /// The field of a name, not looked up yet.
    pub const fn new(name: &'static str) -> Self {
        Self { name, place: AtomicU64::new(0), getter: OnceLock::new(), object: PhantomData }
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
    fn find(&self) -> Result<u64> {
        let (_, field) = find_field(N::type_index(), self.name)?;
        self.getter()?;
        let storage = match (field.field_static_type_index, field.size) {
            (index, 8) if index == TypeIndex::kTVMFFIInt as i32 => INT64,
            (index, 4) if index == TypeIndex::kTVMFFIInt as i32 => INT32,
            (index, 2) if index == TypeIndex::kTVMFFIInt as i32 => INT16,
            (index, 1) if index == TypeIndex::kTVMFFIInt as i32 => INT8,
            (index, 8) if index == TypeIndex::kTVMFFIFloat as i32 => FLOAT64,
            (index, 4) if index == TypeIndex::kTVMFFIFloat as i32 => FLOAT32,
            (index, 1) if index == TypeIndex::kTVMFFIBool as i32 => BOOL,
            _ => BY_GETTER,
        };
        let place = storage | (field.offset as u64) << 8;
        self.place.store(place, Ordering::Relaxed);
        Ok(place)
    }

    /// The storage and the field's address in an object.
    #[inline(always)]
    fn place_in(&self, object: &N) -> Result<(u64, *const u8)> {
        let mut place = self.place.load(Ordering::Relaxed);
        if place == 0 {
            place = self.find()?;
        }
        let address = std::ptr::from_ref(object).cast::<u8>();
        Ok((place & 0xff, address.wrapping_add((place >> 8) as usize)))
    }

    /// An integer field. A negative one may be an unsigned one of that width, so the getter decides.
    #[inline]
    pub fn read_int(&self, object: &N) -> Result<i64> {
        let (storage, field) = self.place_in(object)?;
        // SAFETY: the type table says that a number of this width is there, in an object of the type that is alive.
        let value = unsafe {
            match storage {
                INT64 => field.cast::<i64>().read(),
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
        let (storage, field) = self.place_in(object)?;
        // SAFETY: as in `read_int`.
        unsafe {
            match storage {
                FLOAT64 => Ok(field.cast::<f64>().read()),
                FLOAT32 => Ok(f64::from(field.cast::<f32>().read())),
                _ => self.get(object),
            }
        }
    }

    /// A field of true or false.
    #[inline]
    pub fn read_bool(&self, object: &N) -> Result<bool> {
        let (storage, field) = self.place_in(object)?;
        match storage {
            // SAFETY: as in `read_int`; the byte is looked at as a number.
            BOOL => Ok(unsafe { field.read() } != 0),
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
