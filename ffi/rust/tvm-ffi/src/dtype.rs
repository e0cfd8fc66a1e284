// SPDX-License-Identifier: Apache-2.0
//! Element types: their text form and the Rust types that have one.

use crate::error::Result;
use crate::type_traits::{AnyCompatible, FieldKind};
use crate::Any;
use tvm_ffi_sys::{
    DLDataType, DLDataTypeCode, TVMFFIAny, TVMFFIAnyDataUnion, TVMFFIByteArray, TVMFFIDataTypeFromString,
    TVMFFIDataTypeToString, TVMFFITypeIndex as TypeIndex,
};

/// Text of an element type, both ways.
pub trait DLDataTypeExt: Sized {
    /// Such as `float32` or `int8x4`.
    fn to_string(&self) -> crate::String;
    /// Parses such a text; `ValueError` when it is none.
    fn try_from_str(text: &str) -> Result<Self>;
}

impl DLDataTypeExt for DLDataType {
    fn to_string(&self) -> crate::String {
        let mut out = TVMFFIAny::new();
        // SAFETY: the call writes an owned string or fails.
        unsafe {
            if TVMFFIDataTypeToString(self, &mut out) == 0 {
                if let Ok(text) = crate::String::try_from(Any::from_raw_ffi_any(out)) {
                    return text;
                }
            } else {
                drop(crate::Error::from_raised());
            }
        }
        crate::String::from(format!("code {} bits {} lanes {}", self.code, self.bits, self.lanes))
    }

    fn try_from_str(text: &str) -> Result<Self> {
        let mut out = DLDataType { code: 0, bits: 0, lanes: 0 };
        // SAFETY: the text outlives the call.
        unsafe {
            let bytes = TVMFFIByteArray::from_str(text);
            crate::check_safe_call!(TVMFFIDataTypeFromString(&bytes, &mut out))?;
        }
        Ok(out)
    }
}

/// A Rust type that is the element type of tensors.
///
/// # Safety
/// Values of the type must have the size of `DL_DATA_TYPE` and every bit pattern must be valid.
pub unsafe trait AsDLDataType: Copy {
    /// The element type.
    const DL_DATA_TYPE: DLDataType;
}

macro_rules! elements {
    ($($ty:ty: $code:ident $bits:literal;)*) => { $(
        // SAFETY: the size is that of the bits, and any bits are a value.
        unsafe impl AsDLDataType for $ty {
            const DL_DATA_TYPE: DLDataType =
                DLDataType { code: DLDataTypeCode::$code as u8, bits: $bits, lanes: 1 };
        }
    )* };
}

elements! {
    i8: kDLInt 8;
    i16: kDLInt 16;
    i32: kDLInt 32;
    i64: kDLInt 64;
    u8: kDLUInt 8;
    u16: kDLUInt 16;
    u32: kDLUInt 32;
    u64: kDLUInt 64;
    f32: kDLFloat 32;
    f64: kDLFloat 64;
}

/// Bits of an element of 16 bits that Rust has no arithmetic for.
macro_rules! bits16 {
    ($(#[$doc:meta])* $name:ident, $code:ident) => {
        $(#[$doc])*
        #[repr(transparent)]
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
        pub struct $name(pub u16);

        // SAFETY: 16 bits, all of which are a value.
        unsafe impl AsDLDataType for $name {
            const DL_DATA_TYPE: DLDataType =
                DLDataType { code: DLDataTypeCode::$code as u8, bits: 16, lanes: 1 };
        }
    };
}

bits16! {
    /// The bits of a `float16` element; crates such as `half` compute with them.
    F16Bits, kDLFloat
}
bits16! {
    /// The bits of a `bfloat16` element, the upper half of a `float32`.
    BF16Bits, kDLBfloat
}

impl From<BF16Bits> for f32 {
    fn from(value: BF16Bits) -> f32 {
        f32::from_bits(u32::from(value.0) << 16)
    }
}

/// An element of type `bool`: a byte, true unless it is zero.
#[repr(transparent)]
#[derive(Debug, Clone, Copy, Default)]
pub struct BoolByte(pub u8);

// SAFETY: 8 bits, all of which are a value.
unsafe impl AsDLDataType for BoolByte {
    const DL_DATA_TYPE: DLDataType = DLDataType { code: DLDataTypeCode::kDLBool as u8, bits: 8, lanes: 1 };
}

impl From<bool> for BoolByte {
    fn from(value: bool) -> Self {
        Self(u8::from(value))
    }
}

impl From<BoolByte> for bool {
    fn from(value: BoolByte) -> bool {
        value.0 != 0
    }
}

// SAFETY: a plain value; the unused half of the payload is zero.
unsafe impl AnyCompatible for DLDataType {
    const FIELD_KIND: FieldKind = FieldKind::Plain(5);
    const MATCH_ANY_EXACT: bool = true;
    fn match_any_exact_type_index() -> i32 {
        TypeIndex::kTVMFFIDataType as i32
    }
    unsafe fn copy_to_any_view(this: &Self, out: &mut TVMFFIAny) {
        *out = TVMFFIAny::new();
        out.type_index = TypeIndex::kTVMFFIDataType as i32;
        let mut data = TVMFFIAnyDataUnion { v_uint64: 0 };
        data.v_dtype = *this;
        out.data_union = data;
    }
    unsafe fn move_to_any(this: Self, out: &mut TVMFFIAny) {
        // SAFETY: plain values own nothing.
        unsafe { Self::copy_to_any_view(&this, out) }
    }
    unsafe fn check_any_strict(value: &TVMFFIAny) -> bool {
        value.type_index == TypeIndex::kTVMFFIDataType as i32
    }
    unsafe fn copy_from_any_view_after_check(value: &TVMFFIAny) -> Self {
        // SAFETY: the check says that the payload is an element type.
        unsafe { value.data_union.v_dtype }
    }
    unsafe fn try_cast_from_any_view(value: &TVMFFIAny) -> Result<Self, ()> {
        // SAFETY: the copy follows a true check.
        unsafe {
            if Self::check_any_strict(value) {
                return Ok(value.data_union.v_dtype);
            }
            let text = crate::String::try_cast_from_any_view(value)?;
            Self::try_from_str(&text).map_err(|_| ())
        }
    }
    fn type_str() -> String {
        "DataType".into()
    }
}

crate::impl_try_from_any!(DLDataType);
crate::impl_arg_into_ref!(DLDataType);
crate::impl_into_arg_holder_default!(DLDataType);
