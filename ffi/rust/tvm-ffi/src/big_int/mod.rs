// SPDX-License-Identifier: Apache-2.0
//! Integers of any size, as Python has them.

mod arithmetic;
mod magnitude;
mod text;

use crate::error::{Error, Result, OVERFLOW_ERROR, VALUE_ERROR};
use crate::object::unsafe_;
use crate::type_traits::{AnyCompatible, FieldKind};
use crate::Any;
use magnitude::Signed;
use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::string::String as StdString;
use tvm_ffi_sys::{
    TVMFFIAny, TVMFFIAnyDataUnion, TVMFFIBigIntFromByteArray, TVMFFIByteArray, TVMFFITypeIndex as TypeIndex,
};

/// An integer of any size. 16 bytes wide: numbers of 64 bits lie in the value, larger ones in a shared object.
///
/// `/` and `%` truncate as Rust's do; [`BigInt::floor_div`] and [`BigInt::floor_mod`] round as Python's do.
#[repr(C)]
pub struct BigInt {
    data: TVMFFIAny,
}

// SAFETY: the words never change and the counts are atomic.
unsafe impl Send for BigInt {}
// SAFETY: as above.
unsafe impl Sync for BigInt {}

const INT: i32 = TypeIndex::kTVMFFIInt as i32;
const BIG: i32 = TypeIndex::kTVMFFIBigInt as i32;

fn small(value: i64) -> TVMFFIAny {
    TVMFFIAny { type_index: INT, small_str_len: 0, data_union: TVMFFIAnyDataUnion { v_int64: value } }
}

/// The words of a big-integer object: a count, then the words.
///
/// # Safety
/// `value` must hold a live `ffi.BigInt` object; the words live as long as it does.
unsafe fn object_words<'a>(value: &TVMFFIAny) -> &'a [i64] {
    // SAFETY: the caller's promise; the layout is that of the ABI.
    unsafe {
        let count = value.data_union.v_obj.add(1).cast::<usize>();
        std::slice::from_raw_parts(count.add(1).cast::<i64>(), *count)
    }
}

impl BigInt {
    /// Zero.
    pub const fn new() -> Self {
        let data =
            TVMFFIAny { type_index: INT, small_str_len: 0, data_union: TVMFFIAnyDataUnion { v_int64: 0 } };
        Self { data }
    }

    /// The number of two's-complement words, least significant first; no words are zero.
    ///
    /// # Panics
    /// When there is no memory.
    pub fn from_words(words: &[i64]) -> Self {
        let mut count = words.len();
        while count > 1 && words[count - 1] == words[count - 2] >> 63 {
            count -= 1;
        }
        match &words[..count] {
            [] => Self::new(),
            [word] => Self { data: small(*word) },
            words => {
                let bytes = TVMFFIByteArray::new(words.as_ptr().cast(), 8 * words.len());
                let mut data = TVMFFIAny::new();
                // SAFETY: whole words, copied by the call.
                let code = unsafe { TVMFFIBigIntFromByteArray(&bytes, &mut data) };
                assert_eq!(code, 0, "no memory for a big integer");
                Self { data }
            }
        }
    }

    /// Two's-complement words, least significant first, as few as possible, at least one.
    pub fn words(&self) -> &[i64] {
        if self.data.type_index == BIG {
            // SAFETY: a live object that `self` holds.
            return unsafe { object_words(&self.data) };
        }
        // SAFETY: the payload of an inline number is one word.
        std::slice::from_ref(unsafe { &self.data.data_union.v_int64 })
    }

    /// True below zero.
    pub fn is_negative(&self) -> bool {
        self.words().last().is_some_and(|word| *word < 0)
    }

    /// True for zero.
    pub fn is_zero(&self) -> bool {
        self.words() == [0]
    }

    /// The number, when it fits.
    pub fn to_i64(&self) -> Option<i64> {
        match self.words() {
            [word] => Some(*word),
            _ => None,
        }
    }

    /// The number, when it fits.
    pub fn to_u64(&self) -> Option<u64> {
        self.to_i128().and_then(|value| value.try_into().ok())
    }

    /// The number, when it fits.
    pub fn to_i128(&self) -> Option<i128> {
        match *self.words() {
            [low] => Some(i128::from(low)),
            [low, high] => Some((i128::from(high) << 64) | i128::from(low as u64)),
            _ => None,
        }
    }

    /// The number, when it fits.
    pub fn to_u128(&self) -> Option<u128> {
        match *self.words() {
            [low, high, 0] => Some((u128::from(high as u64) << 64) | u128::from(low as u64)),
            _ => self.to_i128().and_then(|value| value.try_into().ok()),
        }
    }

    /// The nearest double, ties to even; `OverflowError` beyond the finite ones.
    pub fn to_f64(&self) -> Result<f64> {
        let value = self.signed().to_f64();
        if value.is_infinite() {
            crate::bail!(OVERFLOW_ERROR, "BigInt does not fit finite double");
        }
        Ok(value)
    }

    fn signed(&self) -> Signed {
        Signed::from_words(self.words())
    }
}

impl Default for BigInt {
    fn default() -> Self {
        Self::new()
    }
}

impl Clone for BigInt {
    fn clone(&self) -> Self {
        if self.data.type_index == BIG {
            // SAFETY: a live object.
            unsafe { unsafe_::inc_ref(self.data.data_union.v_obj) }
        }
        Self { data: self.data }
    }
}

impl Drop for BigInt {
    fn drop(&mut self) {
        if self.data.type_index == BIG {
            // SAFETY: the value owns one reference.
            unsafe { unsafe_::dec_ref(self.data.data_union.v_obj) }
        }
    }
}

macro_rules! from_small {
    ($($ty:ty),*) => { $(
        impl From<$ty> for BigInt {
            fn from(value: $ty) -> Self {
                Self { data: small(value as i64) }
            }
        }
    )* };
}
from_small!(bool, i8, i16, i32, i64, isize, u8, u16, u32);

macro_rules! from_unsigned {
    ($($ty:ty),*) => { $(
        impl From<$ty> for BigInt {
            fn from(value: $ty) -> Self {
                Self::from(value as u128)
            }
        }
    )* };
}
from_unsigned!(u64, usize);

impl From<i128> for BigInt {
    fn from(value: i128) -> Self {
        Self::from_words(&[value as i64, (value >> 64) as i64])
    }
}

impl From<u128> for BigInt {
    fn from(value: u128) -> Self {
        Self::from_words(&[value as i64, (value >> 64) as i64, 0])
    }
}

impl From<&BigInt> for BigInt {
    fn from(value: &BigInt) -> Self {
        value.clone()
    }
}

impl TryFrom<f64> for BigInt {
    type Error = Error;
    /// Cuts the fraction off.
    fn try_from(value: f64) -> Result<Self> {
        if value.is_nan() {
            crate::bail!(VALUE_ERROR, "Cannot convert NaN to BigInt");
        }
        if value.is_infinite() {
            crate::bail!(OVERFLOW_ERROR, "Cannot convert infinity to BigInt");
        }
        Ok(Signed::from_f64(value).into_big_int())
    }
}

impl PartialEq for BigInt {
    fn eq(&self, other: &Self) -> bool {
        self.words() == other.words()
    }
}
impl Eq for BigInt {}

impl PartialEq<i64> for BigInt {
    fn eq(&self, other: &i64) -> bool {
        self.words() == [*other]
    }
}

impl PartialOrd for BigInt {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for BigInt {
    fn cmp(&self, other: &Self) -> Ordering {
        let (a, b) = (self.words(), other.words());
        match (self.is_negative(), other.is_negative()) {
            (true, false) => return Ordering::Less,
            (false, true) => return Ordering::Greater,
            _ => {}
        }
        let by_length = a.len().cmp(&b.len());
        if by_length.is_ne() {
            return if self.is_negative() { by_length.reverse() } else { by_length };
        }
        // Of one sign and length: the words compare as unsigned numbers from the top.
        a.iter().rev().map(|w| *w as u64).cmp(b.iter().rev().map(|w| *w as u64))
    }
}

impl Hash for BigInt {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.words().hash(state);
    }
}

// SAFETY: the value is the number itself, inline or as an object that it owns.
unsafe impl AnyCompatible for BigInt {
    const FIELD_KIND: FieldKind = FieldKind::Cell;
    unsafe fn copy_to_any_view(this: &Self, out: &mut TVMFFIAny) {
        *out = this.data;
    }
    unsafe fn move_to_any(this: Self, out: &mut TVMFFIAny) {
        *out = this.data;
        std::mem::forget(this);
    }
    unsafe fn check_any_strict(value: &TVMFFIAny) -> bool {
        value.type_index == INT || value.type_index == BIG
    }
    unsafe fn copy_from_any_view_after_check(value: &TVMFFIAny) -> Self {
        // The temporary stands for the view; its clone has a reference of its own.
        let borrowed = std::mem::ManuallyDrop::new(Self { data: *value });
        Self::clone(&borrowed)
    }
    unsafe fn move_from_any_after_check(value: &mut TVMFFIAny) -> Self {
        Self { data: std::mem::take(value) }
    }
    unsafe fn try_cast_from_any_view(value: &TVMFFIAny) -> Result<Self, ()> {
        // SAFETY: the copy follows a true check; a bool's payload is 0 or 1.
        unsafe {
            if Self::check_any_strict(value) {
                return Ok(Self::copy_from_any_view_after_check(value));
            }
            if value.type_index == TypeIndex::kTVMFFIBool as i32 {
                return Ok(Self::from(value.data_union.v_int64));
            }
        }
        Err(())
    }
    fn type_str() -> StdString {
        "BigInt".into()
    }
    fn type_schema() -> StdString {
        r#"{"type":"ffi.BigInt"}"#.into()
    }
}

crate::impl_try_from_any!(BigInt);
crate::impl_arg_into_ref!(BigInt);
crate::impl_into_arg_holder_default!(BigInt);

const _: () = assert!(size_of::<BigInt>() == size_of::<Any>());
