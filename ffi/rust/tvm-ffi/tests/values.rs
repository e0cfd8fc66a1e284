// SPDX-License-Identifier: Apache-2.0
//! Values: sizes, exact and converting reads, ranges, text.

use tvm_ffi::{
    Any, AnyView, Bytes, DLDataType, DLDataTypeCode, DLDataTypeExt, DLDevice, DLDeviceType, Function, String,
};

#[test]
fn sizes_are_those_of_the_abi() {
    assert_eq!(size_of::<Any>(), 16);
    assert_eq!(size_of::<AnyView>(), 16);
    assert_eq!(size_of::<String>(), 16);
    assert_eq!(size_of::<Bytes>(), 16);
    assert_eq!(size_of::<Function>(), 8);
    assert_eq!(size_of::<Option<Function>>(), 8);
    assert_eq!(size_of::<tvm_ffi::Error>(), 8);
}

#[test]
fn strict_reads_do_not_convert_and_casts_do() {
    let yes = Any::from(true);
    assert_eq!(yes.try_as::<i64>(), None);
    assert_eq!(i64::try_from(yes).unwrap(), 1);
    assert_eq!(f64::try_from(Any::from(3_i64)).unwrap(), 3.0);
    let error = i64::try_from(Any::from(1.5)).unwrap_err();
    assert_eq!(error.kind().as_str(), "TypeError");
    assert_eq!(error.message(), "Cannot convert from type `float` to `int`");
}

#[test]
fn integers_are_never_cut() {
    let error = u8::try_from(Any::from(300_i64)).unwrap_err();
    assert_eq!(error.kind().as_str(), "OverflowError");
    assert_eq!(error.message(), "Integer value 300 is out of range for `u8` [0, 255]");
    assert!(u32::try_from(Any::from(-1_i64)).is_err());
    assert!(i8::try_from(Any::from(-129_i64)).is_err());
    assert_eq!(i8::try_from(Any::from(-128_i64)).unwrap(), -128);
    assert_eq!(Any::from(300_i64).try_as::<u8>(), None);
}

#[test]
fn unsigned_numbers_beyond_int64_are_big_integers() {
    let large = Any::from(u64::MAX);
    assert_eq!(large.type_index(), tvm_ffi::TypeIndex::kTVMFFIBigInt as i32);
    assert_eq!(u64::try_from(large.clone()).unwrap(), u64::MAX);
    assert_eq!(f64::try_from(large.clone()).unwrap(), u64::MAX as f64);
    assert!(i64::try_from(large).is_err());
    assert_eq!(Any::from(7_u64).type_index(), tvm_ffi::TypeIndex::kTVMFFIInt as i32);
}

#[test]
fn text_of_seven_bytes_lies_in_the_value() {
    assert_eq!(Any::from(String::from("1234567")).type_index(), 11);
    assert_eq!(Any::from(String::from("12345678")).type_index(), 65);
    assert_eq!(Any::from(Bytes::from([0_u8; 7])).type_index(), 12);
    assert_eq!(Any::from(Bytes::from([0_u8; 8])).type_index(), 66);
    let text = String::from("a text with ümlauts");
    assert_eq!(String::try_from(Any::from(text.clone())).unwrap(), text);
    assert_eq!(format!("{text}"), "a text with ümlauts");
    let (small, large) = (String::from("abc"), String::from("abd"));
    assert!(small < large);
}

#[test]
fn text_that_is_not_utf8_is_refused() {
    let bytes = Any::from(Bytes::from([0xff_u8, 0xfe, 0, 1, 2, 3, 4, 5, 6]));
    // Make a string value of the bytes, as another language could.
    // SAFETY: an owned bytes object with its type index changed to that of strings, which have the same layout.
    let text = unsafe {
        let mut raw = Any::into_raw_ffi_any(bytes);
        raw.type_index = 65;
        (*raw.data_union.v_obj).type_index = 65;
        Any::from_raw_ffi_any(raw)
    };
    assert_eq!(text.try_as::<String>(), None);
    assert_eq!(String::try_from(text).unwrap_err().kind().as_str(), "ValueError");
}

#[test]
fn optional_values_are_none_or_the_type() {
    assert_eq!(Option::<i64>::try_from(Any::new()).unwrap(), None);
    assert_eq!(Option::<i64>::try_from(Any::from(5_i64)).unwrap(), Some(5));
    assert!(Option::<i64>::try_from(Any::from(String::from("x"))).is_err());
}

#[test]
fn element_types_have_a_text_form() {
    let float = DLDataType::new(DLDataTypeCode::kDLFloat, 32, 4);
    assert_eq!(DLDataTypeExt::to_string(&float), "float32x4");
    assert_eq!(DLDataType::try_from_str("float32x4").unwrap(), float);
    let error = DLDataType::try_from_str("flot32").unwrap_err();
    assert_eq!(error.kind().as_str(), "ValueError");
    assert!(error.message().contains("unknown dtype `flot32`"), "{}", error.message());
    assert_eq!(DLDataType::try_from(Any::from(String::from("float32x4"))).unwrap(), float);
}

#[test]
fn devices_pass_as_they_are() {
    let device = DLDevice::new(DLDeviceType::kDLCUDA, 3);
    assert_eq!(DLDevice::try_from(Any::from(device)).unwrap(), device);
}

#[test]
fn counts_follow_clones() {
    let text = Any::from(String::from("long enough for an object"));
    assert_eq!(text.debug_strong_count(), Some(1));
    let other = text.clone();
    assert_eq!(text.debug_strong_count(), Some(2));
    drop(other);
    assert_eq!(text.debug_strong_count(), Some(1));
    assert_eq!(Any::from(1_i64).debug_strong_count(), None);
}
