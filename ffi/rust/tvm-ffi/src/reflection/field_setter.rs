// SPDX-License-Identifier: Apache-2.0
//! Writing fields, and the list of a type's fields.

use super::{find_field, is_or_below, own_and_ancestors, own_fields};
use crate::error::{Result, TYPE_ERROR};
use crate::object::{ObjectArc, ObjectRefCore};
use crate::{Any, AnyView, Function};
use std::ffi::c_void;
use tvm_ffi_sys::{TVMFFIFieldFlagBitMask as Flag, TVMFFIFieldSetter, TVMFFIObject};

/// Writes one field of objects of a type.
#[derive(Clone)]
pub struct FieldSetter {
    owner: i32,
    owner_depth: i32,
    offset: i64,
    setter: Setter,
}

#[derive(Clone)]
enum Setter {
    Native(TVMFFIFieldSetter),
    Function(Function),
}

impl FieldSetter {
    /// The writable field `name` of a type or of its nearest ancestor that has it; `TypeError` when there is none or it is
    /// read-only.
    pub fn new(type_index: i32, name: &str) -> Result<Self> {
        let (owner, field) = find_field(type_index, name)?;
        if field.flags & Flag::kTVMFFIFieldFlagBitMaskWritable as i64 == 0 {
            crate::bail!(TYPE_ERROR, "Reflected field `{name}` is read-only");
        }
        if field.setter.is_null() {
            crate::bail!(TYPE_ERROR, "Reflected field `{name}` has no setter");
        }
        // SAFETY: the flag says what the pointer is; a function is retained by the table, here by a reference more.
        let setter = unsafe {
            if field.flags & Flag::kTVMFFIFieldFlagBitSetterIsFunctionObj as i64 != 0 {
                crate::object::unsafe_::inc_ref(field.setter.cast());
                Setter::Function(Function::from_data(ObjectArc::from_raw(field.setter.cast())))
            } else {
                Setter::Native(std::mem::transmute::<*mut c_void, TVMFFIFieldSetter>(field.setter))
            }
        };
        Ok(Self { owner: owner.type_index, owner_depth: owner.type_depth, offset: field.offset, setter })
    }

    /// Converts `value` and stores it: `TypeError` for a value that the field does not take or an object of another type.
    ///
    /// # Safety
    /// No Rust reference to the field may exist: only C++ or Python may have defined it, or it must be a
    /// [`FieldCell`](super::FieldCell).
    pub unsafe fn set<R: ObjectRefCore>(&self, object: &R, value: impl Into<Any>) -> Result<()> {
        let address = ObjectArc::as_raw(R::data(object)).cast_mut();
        let value = value.into();
        // SAFETY: the object starts with its header; the type test makes the offset valid.
        unsafe {
            let index = (*address.cast::<TVMFFIObject>()).type_index;
            if !is_or_below(index, self.owner, self.owner_depth) {
                let owner = self.owner;
                crate::bail!(
                    TYPE_ERROR,
                    "Cannot write a field of type_index={owner} to object type_index={index}"
                );
            }
            let field = address.cast::<u8>().offset(self.offset as isize).cast::<c_void>();
            match &self.setter {
                Setter::Native(set) => crate::check_safe_call!(set(field, value.raw())),
                Setter::Function(set) => {
                    set.call_packed(&[AnyView::from(&field), AnyView::from(&value)]).map(drop)
                }
            }
        }
    }
}

/// A field as the type table lists it.
#[derive(Debug, Clone)]
pub struct ReflectedField {
    /// Name.
    pub name: String,
    /// Documentation, empty when there is none.
    pub doc: String,
    /// JSON text with the type.
    pub metadata: String,
    /// True when [`FieldSetter`] takes it.
    pub writable: bool,
}

/// The fields of a type in the order of its constructor: ancestors' first.
pub fn fields_of(type_index: i32) -> Result<Vec<ReflectedField>> {
    let Some(info) = crate::object::type_info_of(type_index) else {
        crate::bail!(TYPE_ERROR, "Cannot find type info for type_index={type_index}");
    };
    let mut owners: Vec<_> = own_and_ancestors(info).collect();
    owners.reverse();
    // SAFETY: the table's strings live as long as the process.
    let text = |bytes: &tvm_ffi_sys::TVMFFIByteArray| unsafe {
        String::from_utf8_lossy(bytes.as_bytes()).into_owned()
    };
    Ok(owners
        .into_iter()
        .flat_map(own_fields)
        .map(|field| ReflectedField {
            name: text(&field.name),
            doc: text(&field.doc),
            metadata: text(&field.metadata),
            writable: field.flags & Flag::kTVMFFIFieldFlagBitMaskWritable as i64 != 0,
        })
        .collect())
}
