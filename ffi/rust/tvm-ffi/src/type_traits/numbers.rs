// SPDX-License-Identifier: Apache-2.0
//! Numbers as values. Integers never wrap: one beyond 64 bits is a big integer, and one that does not fit a type is an error.

use super::{plain, AnyCompatible, FieldKind};
use crate::error::{Error, OVERFLOW_ERROR, TYPE_ERROR};
use crate::object::type_key_of;
use std::string::String as StdString;
use tvm_ffi_sys::{TVMFFIAny, TVMFFIAnyDataUnion, TVMFFITypeIndex as TypeIndex};

// SAFETY: a plain value, 0 or 1.
unsafe impl AnyCompatible for bool {
    const FIELD_KIND: FieldKind = FieldKind::Plain(2);
    const MATCH_ANY_EXACT: bool = true;
    fn match_any_exact_type_index() -> i32 {
        TypeIndex::kTVMFFIBool as i32
    }
    unsafe fn copy_to_any_view(this: &Self, out: &mut TVMFFIAny) {
        *out = plain(TypeIndex::kTVMFFIBool, TVMFFIAnyDataUnion { v_int64: i64::from(*this) });
    }
    unsafe fn move_to_any(this: Self, out: &mut TVMFFIAny) {
        // SAFETY: plain values own nothing.
        unsafe { Self::copy_to_any_view(&this, out) }
    }
    unsafe fn check_any_strict(value: &TVMFFIAny) -> bool {
        value.type_index == TypeIndex::kTVMFFIBool as i32
    }
    unsafe fn copy_from_any_view_after_check(value: &TVMFFIAny) -> Self {
        // SAFETY: every payload is 8 readable bytes.
        unsafe { value.data_union.v_int64 != 0 }
    }
    unsafe fn try_cast_from_any_view(value: &TVMFFIAny) -> Result<Self, ()> {
        let index = value.type_index;
        let fits = index == TypeIndex::kTVMFFIBool as i32 || index == TypeIndex::kTVMFFIInt as i32;
        // SAFETY: every payload is 8 readable bytes.
        if fits {
            Ok(unsafe { value.data_union.v_int64 != 0 })
        } else {
            Err(())
        }
    }
    fn type_str() -> StdString {
        "bool".into()
    }
}

macro_rules! impl_integer {
    ($($ty:ty),*) => { $(
        // SAFETY: a plain value when it fits int64, else a big integer that the value owns.
        unsafe impl AnyCompatible for $ty {
    const FIELD_KIND: FieldKind = FieldKind::Plain(1);
            unsafe fn copy_to_any_view(this: &Self, out: &mut TVMFFIAny) {
                // A number beyond int64 is an object and has no borrowed form; call arguments of u64 are owned for that reason.
                let value = i64::try_from(*this).unwrap_or_else(|_| {
                    panic!("{} does not fit int64; pass it as an owned value or a BigInt", this)
                });
                *out = plain(TypeIndex::kTVMFFIInt, TVMFFIAnyDataUnion { v_int64: value });
            }
            unsafe fn move_to_any(this: Self, out: &mut TVMFFIAny) {
                match i64::try_from(this) {
                    Ok(value) => {
                        *out = plain(TypeIndex::kTVMFFIInt, TVMFFIAnyDataUnion { v_int64: value });
                    }
                    Err(_) => *out = big_integer(this as u64),
                }
            }
            unsafe fn check_any_strict(value: &TVMFFIAny) -> bool {
                value.type_index == TypeIndex::kTVMFFIInt as i32
                    // SAFETY: every payload is 8 readable bytes.
                    && Self::try_from(unsafe { value.data_union.v_int64 }).is_ok()
            }
            unsafe fn copy_from_any_view_after_check(value: &TVMFFIAny) -> Self {
                // SAFETY: every payload is 8 readable bytes. The check says that it fits.
                unsafe { value.data_union.v_int64 as Self }
            }
            unsafe fn try_cast_from_any_view(value: &TVMFFIAny) -> Result<Self, ()> {
                let index = value.type_index;
                if index == TypeIndex::kTVMFFIInt as i32 || index == TypeIndex::kTVMFFIBool as i32 {
                    // SAFETY: every payload is 8 readable bytes.
                    return Self::try_from(unsafe { value.data_union.v_int64 }).map_err(|_| ());
                }
                // SAFETY: a live big integer.
                unsafe { small_big_integer(value) }.and_then(|n| Self::try_from(n).ok()).ok_or(())
            }
            unsafe fn cast_error(value: &TVMFFIAny, prefix: &str) -> Error {
                let index = value.type_index;
                if index == TypeIndex::kTVMFFIInt as i32 || index == TypeIndex::kTVMFFIBigInt as i32 {
                    // SAFETY: every payload is 8 readable bytes.
                    let text = if index == TypeIndex::kTVMFFIInt as i32 {
                        format!("{}", unsafe { value.data_union.v_int64 })
                    } else {
                        "beyond int64".into()
                    };
                    let message = format!(
                        "{prefix}Integer value {text} is out of range for `{}` [{}, {}]",
                        stringify!($ty), <$ty>::MIN, <$ty>::MAX
                    );
                    return Error::new(OVERFLOW_ERROR, &message, "");
                }
                let text = format!("{prefix}Cannot convert from type `{}` to `int`", type_key_of(index));
                Error::new(TYPE_ERROR, &text, "")
            }
            fn type_str() -> StdString {
                "int".into()
            }
        }
    )* };
}

impl_integer!(i8, i16, i32, i64, isize, u8, u16, u32, u64, usize);

/// An unsigned number beyond int64 as an owned value.
fn big_integer(value: u64) -> TVMFFIAny {
    let words = [value as i64, 0_i64];
    let mut out = TVMFFIAny::new();
    let bytes = tvm_ffi_sys::TVMFFIByteArray::new(words.as_ptr().cast(), 16);
    // SAFETY: two whole words, copied by the call.
    let code = unsafe { tvm_ffi_sys::TVMFFIBigIntFromByteArray(&bytes, &mut out) };
    assert_eq!(code, 0, "no memory for a big integer");
    out
}

/// A big integer that fits 128 bits.
///
/// # Safety
/// `value` must be live.
unsafe fn small_big_integer(value: &TVMFFIAny) -> Option<i128> {
    if value.type_index != TypeIndex::kTVMFFIBigInt as i32 {
        return None;
    }
    // SAFETY: the bytes are whole words that live as long as the value.
    let bytes = unsafe { tvm_ffi_sys::TVMFFIBigIntGetContentByteArray(value).as_bytes() };
    if bytes.len() > 16 {
        return None;
    }
    let mut words = [if bytes.last().is_some_and(|b| b & 0x80 != 0) { 0xff } else { 0 }; 16];
    words[..bytes.len()].copy_from_slice(bytes);
    Some(i128::from_ne_bytes(words))
}

macro_rules! impl_float {
    ($($ty:ty),*) => { $(
        // SAFETY: a plain value.
        unsafe impl AnyCompatible for $ty {
            const FIELD_KIND: FieldKind = FieldKind::Plain(3);
            const MATCH_ANY_EXACT: bool = true;
            fn match_any_exact_type_index() -> i32 {
                TypeIndex::kTVMFFIFloat as i32
            }
            unsafe fn copy_to_any_view(this: &Self, out: &mut TVMFFIAny) {
                *out = plain(TypeIndex::kTVMFFIFloat, TVMFFIAnyDataUnion { v_float64: f64::from(*this) });
            }
            unsafe fn move_to_any(this: Self, out: &mut TVMFFIAny) {
                // SAFETY: plain values own nothing.
                unsafe { Self::copy_to_any_view(&this, out) }
            }
            unsafe fn check_any_strict(value: &TVMFFIAny) -> bool {
                value.type_index == TypeIndex::kTVMFFIFloat as i32
            }
            unsafe fn copy_from_any_view_after_check(value: &TVMFFIAny) -> Self {
                // SAFETY: every payload is 8 readable bytes.
                unsafe { value.data_union.v_float64 as Self }
            }
            unsafe fn try_cast_from_any_view(value: &TVMFFIAny) -> Result<Self, ()> {
                let index = value.type_index;
                // SAFETY: every payload is 8 readable bytes.
                unsafe {
                    if index == TypeIndex::kTVMFFIFloat as i32 {
                        Ok(value.data_union.v_float64 as Self)
                    } else if index == TypeIndex::kTVMFFIInt as i32
                        || index == TypeIndex::kTVMFFIBool as i32
                    {
                        Ok(value.data_union.v_int64 as Self)
                    } else {
                        small_big_integer(value).map(|n| n as Self).ok_or(())
                    }
                }
            }
            fn type_str() -> StdString {
                "float".into()
            }
        }
    )* };
}

impl_float!(f32, f64);
