// SPDX-License-Identifier: Apache-2.0
//! Structs of Rust that stand for types of other libraries: whether they fit, which is found out when the type index is.

use super::{type_index_of_key, type_info_of, type_key_of, ObjectCore};
use crate::error::{Error, TYPE_ERROR};
use crate::reflection::own_fields;
use tvm_ffi_sys::{TVMFFIAny, TVMFFITypeIndex as TypeIndex, TVMFFITypeInfo};

/// What the bytes of a field are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Storage {
    /// An integer with a sign.
    Int,
    /// An integer without a sign.
    Unsigned,
    /// A number of floating point.
    Float,
    /// One byte, 0 or 1.
    Bool,
    /// A field of the struct itself, whose type says it.
    Typed,
}

/// Where a field lies that the library's type must have.
#[derive(Debug, Clone, Copy)]
pub struct FieldPlace {
    /// The reflected name.
    pub name: &'static str,
    /// Bytes from the start of the object.
    pub offset: usize,
    /// Bytes.
    pub size: usize,
    /// What is there.
    pub storage: Storage,
}

/// The index of a struct that does not fit the library's type: no object has it, so that no cast to the struct succeeds.
pub const NO_TYPE: i32 = i32::MAX;

/// The first difference between a struct and the type of that key, as the text of an error; None when there is none. `size` is that
/// of a struct with all fields of the type.
pub fn find_mismatch<T: ObjectCore, Parent: ObjectCore>(size: Option<usize>) -> Option<String> {
    if let Some(inherited) = Parent::layout_mismatch() {
        return Some(inherited);
    }
    let info = type_info_of(type_index_of_key(T::TYPE_KEY))?;
    let native_size = native_size(info);
    let difference = match size {
        Some(size) if native_size.is_some_and(|native| native != size) => {
            Some(format!("its objects have {} bytes, the Rust struct has {size}", native_size.unwrap_or(0)))
        }
        _ => T::PLACES.iter().find_map(|place| difference_of(info, place)),
    };
    difference.map(|text| {
        format!(
            "`{}` of the loaded library is not the type that this program was built for: {text}; generate its Rust module \
             again (tvm-ffi-stubgen --target rust)",
            T::TYPE_KEY
        )
    })
}

fn native_size(info: &TVMFFITypeInfo) -> Option<usize> {
    // SAFETY: null or the table's metadata.
    unsafe { info.metadata.as_ref() }.map(|metadata| metadata.total_size as usize)
}

/// How a field of the library's type differs from its place in the struct.
fn difference_of(info: &TVMFFITypeInfo, place: &FieldPlace) -> Option<String> {
    let FieldPlace { name, offset, size, storage } = *place;
    // SAFETY: the table's strings live as long as the process.
    let found = own_fields(info).iter().find(|field| unsafe { field.name.as_bytes() } == name.as_bytes());
    let Some(field) = found else { return Some(format!("it has no field `{name}`")) };
    if (field.offset, field.size) != (offset as i64, size as i64) {
        let (native, end) = (field.offset, field.offset + field.size);
        let expected = offset + size;
        return Some(format!(
            "field `{name}` lies in bytes [{native}, {end}), expected [{offset}, {expected})"
        ));
    }
    let index = match storage {
        Storage::Int | Storage::Unsigned => TypeIndex::kTVMFFIInt,
        Storage::Float => TypeIndex::kTVMFFIFloat,
        Storage::Bool => TypeIndex::kTVMFFIBool,
        Storage::Typed => return None,
    } as i32;
    (field.field_static_type_index != index).then(|| {
        let expected = type_key_of(index);
        format!("field `{name}` is of another type than `{expected}`")
    })
}

/// The index of a struct's type, and whether it is good for ever: a type whose fields are still being registered is looked at again.
pub fn checked_index<T: ObjectCore>() -> (i32, bool) {
    let index = type_index_of_key(T::TYPE_KEY);
    match T::layout_mismatch() {
        None => (index, true),
        Some(_) => (NO_TYPE, false),
    }
}

/// The index of the parent of a type that is about to be registered.
///
/// # Panics
/// When the parent's struct does not fit its type.
pub fn require_parent<Parent: ObjectCore>(key: &str) -> i32 {
    let index = Parent::type_index();
    if index == NO_TYPE {
        let why = Parent::layout_mismatch().unwrap_or_default();
        panic!("cannot register `{key}`: {why}");
    }
    index
}

/// Panics unless objects of another library's type can be made of its struct.
pub fn check_native_size<T: ObjectCore>() {
    let index = T::type_index();
    if index == NO_TYPE {
        panic!("{}", T::layout_mismatch().unwrap_or_default());
    }
    let Some(native) = type_info_of(index).and_then(native_size) else { return };
    let (key, size) = (T::TYPE_KEY, size_of::<T>());
    assert!(
        native == size,
        "objects of `{key}` have {native} bytes and this Rust struct has {size}: it can read them, not make them"
    );
}

/// The error of a failed cast to a reference to `T`.
///
/// # Safety
/// `value` must be live.
#[cold]
pub unsafe fn cast_error<T: ObjectCore>(value: &TVMFFIAny, prefix: &str) -> Error {
    let index = value.type_index;
    if index >= TypeIndex::kTVMFFIStaticObjectBegin as i32 {
        if let Some(why) = T::layout_mismatch() {
            return Error::new(TYPE_ERROR, &format!("{prefix}{why}"), "");
        }
    }
    let text = format!("{prefix}Cannot convert from type `{}` to `{}`", type_key_of(index), T::TYPE_KEY);
    Error::new(TYPE_ERROR, &text, "")
}
