// SPDX-License-Identifier: Apache-2.0
//! Fields and attributes of types, read through the type table.

use crate::error::{Error, Result, TYPE_ERROR};
use crate::object::{type_info_of, type_key_of, ObjectArc, ObjectCore, ObjectRefCore};
use crate::{Any, AnyView};
use tvm_ffi_sys::{
    TVMFFIAny, TVMFFIByteArray, TVMFFIFieldGetter, TVMFFIGetTypeAttrColumn, TVMFFIObject,
    TVMFFITypeAttrColumn, TVMFFITypeInfo,
};

/// Reads one field of objects of a type.
#[derive(Clone, Copy)]
pub struct FieldGetter {
    owner: i32,
    owner_depth: i32,
    offset: i64,
    getter: TVMFFIFieldGetter,
}

impl FieldGetter {
    /// The field `name` of a type, or of its nearest ancestor that has it; `TypeError` when there is none.
    pub fn new(type_index: i32, name: &str) -> Result<Self> {
        let Some(info) = type_info_of(type_index) else {
            crate::bail!(TYPE_ERROR, "Cannot find type info for type_index={type_index}");
        };
        let key = type_key_of(type_index);
        // SAFETY: the table's arrays are as long as their counts say and live as long as the process.
        unsafe {
            let ancestors = (0..info.type_depth as usize).rev().map(|d| &**info.type_acenstors.add(d));
            for owner in std::iter::once(info).chain(ancestors) {
                for i in 0..owner.num_fields as usize {
                    let field = &*owner.fields.add(i);
                    if field.name.as_bytes() != name.as_bytes() {
                        continue;
                    }
                    let Some(getter) = field.getter else {
                        crate::bail!(TYPE_ERROR, "Reflected field `{name}` has no getter");
                    };
                    return Ok(Self {
                        owner: owner.type_index,
                        owner_depth: owner.type_depth,
                        offset: field.offset,
                        getter,
                    });
                }
            }
        }
        crate::bail!(TYPE_ERROR, "Cannot find reflected field `{name}` in type `{key}`")
    }

    /// The field's value in an object, which must be of the type or a subtype.
    pub fn get_any<N: ObjectCore>(&self, object: &N) -> Result<Any> {
        let address = std::ptr::from_ref(object).cast_mut();
        let mut out = TVMFFIAny::new();
        // SAFETY: the object starts with its header; the type test makes the offset valid; the getter writes an owned value.
        unsafe {
            let index = (*address.cast::<TVMFFIObject>()).type_index;
            if !self.owns(index) {
                let owner = self.owner;
                crate::bail!(
                    TYPE_ERROR,
                    "Cannot read a field of type_index={owner} from object type_index={index}"
                );
            }
            let field = address.cast::<u8>().offset(self.offset as isize);
            crate::check_safe_call!((self.getter)(field.cast(), &mut out))?;
            Ok(Any::from_raw_ffi_any(out))
        }
    }

    /// As [`Self::get_any`], converted.
    pub fn get<N: ObjectCore, T: TryFrom<Any, Error = Error>>(&self, object: &N) -> Result<T> {
        self.get_any(object)?.try_into()
    }

    fn owns(&self, index: i32) -> bool {
        if index == self.owner {
            return true;
        }
        let ancestor = |info: &TVMFFITypeInfo| {
            // SAFETY: there are `type_depth` ancestors.
            info.type_depth > self.owner_depth
                && unsafe { (**info.type_acenstors.add(self.owner_depth as usize)).type_index == self.owner }
        };
        type_info_of(index).is_some_and(ancestor)
    }
}

/// The values of one attribute for all types.
#[derive(Clone, Copy)]
pub struct TypeAttrColumn {
    column: &'static TVMFFITypeAttrColumn,
}

// SAFETY: columns stay where they are; the data pointer is read anew on each access.
unsafe impl Send for TypeAttrColumn {}
// SAFETY: as above.
unsafe impl Sync for TypeAttrColumn {}

impl TypeAttrColumn {
    /// The column of a name, None when nothing registered it.
    pub fn new(name: &str) -> Option<Self> {
        // SAFETY: the name outlives the call; columns live as long as the process.
        unsafe {
            let column = TVMFFIGetTypeAttrColumn(&TVMFFIByteArray::from_str(name)).as_ref()?;
            Some(Self { column })
        }
    }

    /// The value of a type, None when it has none.
    pub fn get(&self, type_index: i32) -> Option<Any> {
        let at = type_index.checked_sub(self.column.begin_index)?;
        if at < 0 || at >= self.column.size {
            return None;
        }
        // SAFETY: within the column; its values live as long as the process.
        let value = unsafe { Any::from(AnyView::from_raw(*self.column.data.add(at as usize))) };
        (value.type_index() != 0).then_some(value)
    }
}

/// The attribute `name` of a type.
pub fn get_type_attr(type_index: i32, name: &str) -> Option<Any> {
    TypeAttrColumn::new(name)?.get(type_index)
}

/// Address of the object behind a reference, for calls of the C ABI.
#[doc(hidden)]
pub fn handle_of<R: ObjectRefCore>(reference: &R) -> *mut std::ffi::c_void {
    ObjectArc::as_raw(R::data(reference)).cast_mut().cast()
}
