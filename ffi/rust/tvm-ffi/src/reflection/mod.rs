// SPDX-License-Identifier: Apache-2.0
//! Fields and attributes of types, read through the type table, and the registration of types that Rust defines.

mod access_path;
mod cached_field;
mod constructor;
mod field_setter;
mod field_value;
mod object_def;

pub use access_path::{field_of, AccessKind, AccessPath, AccessPathObj, AccessStep, AccessStepObj};
pub use cached_field::{CachedField, Opaque};
pub use constructor::Constructor;
pub use field_setter::{fields_of, FieldSetter, ReflectedField};
pub use field_value::{drop_if_defined, FieldCell, FieldValue, ShallowCopy, UnsafeInit};
#[doc(hidden)]
pub use field_value::{is_missing, is_undefined};
#[doc(hidden)]
pub use object_def::{default_of, factory_of, flags, schema_metadata, FieldOptions};
pub use object_def::{register_type_attr, ObjectDef, StructuralKind};

use crate::error::{Error, Result, TYPE_ERROR};
use crate::object::{type_info_of, type_key_of, ObjectArc, ObjectCore, ObjectRefCore};
use crate::{Any, AnyView};
use tvm_ffi_sys::{
    TVMFFIAny, TVMFFIByteArray, TVMFFIFieldGetter, TVMFFIFieldInfo, TVMFFIGetTypeAttrColumn, TVMFFIObject,
    TVMFFITypeAttrColumn, TVMFFITypeInfo,
};

/// Reads one field of objects of a type.
/// ```
/// use tvm_ffi::{rs_class, FieldGetter, ObjectCore, Result};
///
/// #[rs_class("doc.Named")]
/// struct Named {
///     name: tvm_ffi::String,
/// }
///
/// # fn main() -> Result<()> {
/// let named = Named::new("ann");
/// let name = FieldGetter::new(NamedObj::type_index(), "name")?;
/// assert_eq!(name.get::<_, tvm_ffi::String>(&*named)?, "ann");
/// # Ok(())
/// # }
/// ```
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
        let (owner, field) = find_field(type_index, name)?;
        let Some(getter) = field.getter else {
            crate::bail!(TYPE_ERROR, "Reflected field `{name}` has no getter");
        };
        Ok(Self { owner: owner.type_index, owner_depth: owner.type_depth, offset: field.offset, getter })
    }

    /// The field's value in an object, which must be of the type or a subtype.
    pub fn get_any<N: ObjectCore>(&self, object: &N) -> Result<Any> {
        let address = std::ptr::from_ref(object).cast_mut();
        let mut out = TVMFFIAny::new();
        // SAFETY: the object starts with its header; the type test makes the offset valid; the getter writes an owned value.
        unsafe {
            let index = (*address.cast::<TVMFFIObject>()).type_index;
            if !is_or_below(index, self.owner, self.owner_depth) {
                let owner = self.owner;
                crate::bail!(
                    TYPE_ERROR,
                    "Cannot read a field of type_index={owner} from object type_index={index}"
                );
            }
            let field = field_address(object, self.offset);
            crate::check_safe_call!((self.getter)(field.cast_mut().cast(), &mut out))?;
            Ok(Any::from_raw_ffi_any(out))
        }
    }

    /// As [`Self::get_any`], converted.
    pub fn get<N: ObjectCore, T: TryFrom<Any, Error = Error>>(&self, object: &N) -> Result<T> {
        self.get_any(object)?.try_into()
    }
}

/// Where a field of an object lies. A mirror may be shorter than the object, so the address is not bounded by what `object` borrows:
/// objects come from other languages, whose memory counts as exposed.
#[inline(always)]
fn field_address<N>(object: &N, offset: i64) -> *const u8 {
    let address = std::ptr::from_ref(object).expose_provenance();
    std::ptr::with_exposed_provenance(address.wrapping_add(offset as usize))
}

/// True when a type is the owner of a field or derives from it.
fn is_or_below(index: i32, owner: i32, owner_depth: i32) -> bool {
    if index == owner {
        return true;
    }
    let ancestor = |info: &TVMFFITypeInfo| {
        // SAFETY: there are `type_depth` ancestors.
        info.type_depth > owner_depth
            && unsafe { (**info.type_acenstors.add(owner_depth as usize)).type_index == owner }
    };
    type_info_of(index).is_some_and(ancestor)
}

/// The types whose fields an object has: its own first, then its ancestors from the nearest one on.
fn own_and_ancestors(info: &'static TVMFFITypeInfo) -> impl Iterator<Item = &'static TVMFFITypeInfo> {
    // SAFETY: there are `type_depth` ancestors, which live as long as the process.
    let ancestors = (0..info.type_depth as usize).rev().map(|d| unsafe { &**info.type_acenstors.add(d) });
    std::iter::once(info).chain(ancestors)
}

/// The own fields of a type.
pub(crate) fn own_fields(info: &TVMFFITypeInfo) -> &'static [TVMFFIFieldInfo] {
    match info.num_fields {
        ..=0 => &[],
        // SAFETY: the table's array is as long as its count says; it is read at once, since registration may move it.
        count => unsafe { std::slice::from_raw_parts(info.fields, count as usize) },
    }
}

/// A field by name with the type that defines it; `TypeError` when there is none.
fn find_field(type_index: i32, name: &str) -> Result<(&'static TVMFFITypeInfo, &'static TVMFFIFieldInfo)> {
    let Some(info) = type_info_of(type_index) else {
        crate::bail!(TYPE_ERROR, "Cannot find type info for type_index={type_index}");
    };
    for owner in own_and_ancestors(info) {
        // SAFETY: the table's strings live as long as the process.
        if let Some(field) =
            own_fields(owner).iter().find(|f| unsafe { f.name.as_bytes() } == name.as_bytes())
        {
            return Ok((owner, field));
        }
    }
    let key = type_key_of(type_index);
    crate::bail!(TYPE_ERROR, "Cannot find reflected field `{name}` in type `{key}`")
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
