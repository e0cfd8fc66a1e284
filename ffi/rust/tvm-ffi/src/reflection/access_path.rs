// SPDX-License-Identifier: Apache-2.0
//! Where in a value a part lies: the paths of structural errors and mismatches.

use super::FieldGetter;
use crate::error::Result;
use crate::object::{Object, ObjectArc, ObjectCore};
use crate::{Any, Function, List, String};

/// The object behind [`AccessStep`].
#[repr(C)]
#[derive(tvm_ffi_macros::Object)]
#[type_key = "ffi.reflection.AccessStep"]
#[type_final]
pub struct AccessStepObj {
    base: Object,
    kind: i32,
    key: Any,
}

/// One step: into a field, an element or the value of a key.
#[repr(C)]
#[derive(tvm_ffi_macros::ObjectRef, Clone)]
pub struct AccessStep {
    data: ObjectArc<AccessStepObj>,
}

/// Kind of a step; the `Missing` ones lead to what only the other side of a comparison has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum AccessKind {
    /// A field, by name.
    Attr = 0,
    /// An element, by index.
    ArrayItem = 1,
    /// A value, by key.
    MapItem = 2,
    /// A field that is not there.
    AttrMissing = 3,
    /// An element beyond the end.
    ArrayItemMissing = 4,
    /// A key that is not there.
    MapItemMissing = 5,
}

impl AccessStep {
    /// The kind, None for one that this crate does not know.
    pub fn kind(&self) -> Option<AccessKind> {
        use AccessKind::*;
        [Attr, ArrayItem, MapItem, AttrMissing, ArrayItemMissing, MapItemMissing]
            .into_iter()
            .find(|kind| *kind as i32 == self.data.kind)
    }

    /// Name, index or key.
    pub fn key(&self) -> Any {
        self.data.key.clone()
    }
}

/// The object behind [`AccessPath`].
#[repr(C)]
#[derive(tvm_ffi_macros::Object)]
#[type_key = "ffi.reflection.AccessPath"]
#[type_final]
pub struct AccessPathObj {
    base: Object,
    parent: Option<AccessPath>,
    step: Option<AccessStep>,
    depth: i32,
}

/// Steps from a root; paths share their beginnings.
#[repr(C)]
#[derive(tvm_ffi_macros::ObjectRef, Clone)]
pub struct AccessPath {
    data: ObjectArc<AccessPathObj>,
}

macro_rules! extend {
    ($($(#[$doc:meta])* $name:ident($argument:ident: $ty:ty) = $method:literal;)*) => { $(
        $(#[$doc])*
        pub fn $name(&self, $argument: $ty) -> Result<Self> {
            Function::from_type_method(AccessPathObj::type_index(), $method)?
                .call_tuple((self, $argument))?
                .try_into()
        }
    )* };
}

impl AccessPath {
    /// The empty path.
    pub fn root() -> Result<Self> {
        Function::from_type_method(AccessPathObj::type_index(), "_root")?.call_tuple(())?.try_into()
    }

    extend! {
        /// The path with a step more.
        extend(step: &AccessStep) = "_extend";
        /// The path into a field.
        attr(name: &str) = "_attr";
        /// The path into an element.
        array_item(index: i64) = "_array_item";
        /// The path to the value of a key.
        map_item(key: &Any) = "_map_item";
        /// The path into a field that is not there.
        attr_missing(name: &str) = "_attr_missing";
        /// The path into an element beyond the end.
        array_item_missing(index: i64) = "_array_item_missing";
        /// The path to a key that is not there.
        map_item_missing(key: &Any) = "_map_item_missing";
    }

    /// The path without its last step; None at the root.
    pub fn parent(&self) -> Option<AccessPath> {
        self.data.parent.clone()
    }

    /// The last step; None at the root.
    pub fn step(&self) -> Option<AccessStep> {
        self.data.step.clone()
    }

    /// Number of steps.
    pub fn depth(&self) -> usize {
        self.data.depth.max(0) as usize
    }

    /// The steps, outermost first.
    pub fn to_steps(&self) -> Result<Vec<AccessStep>> {
        let steps =
            Function::from_type_method(AccessPathObj::type_index(), "_to_steps")?.call_tuple((self,))?;
        match List::<AccessStep>::try_from(steps.clone()) {
            Ok(steps) => steps.iter().collect(),
            Err(_) => crate::Array::<AccessStep>::try_from(steps)?.iter().collect(),
        }
    }

    /// True when this path begins `other`.
    pub fn is_prefix_of(&self, other: &AccessPath) -> Result<bool> {
        Function::from_type_method(AccessPathObj::type_index(), "_is_prefix_of")?
            .call_tuple((self, other))?
            .try_into()
    }
}

impl PartialEq for AccessPath {
    fn eq(&self, other: &Self) -> bool {
        let equal = || -> Result<bool> {
            Function::from_type_method(AccessPathObj::type_index(), "_path_equal")?
                .call_tuple((self, other))?
                .try_into()
        };
        equal().unwrap_or(false)
    }
}

impl std::fmt::Display for AccessPath {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&crate::extra::structural::repr(self).unwrap_or_else(|_| String::from("<path>")))
    }
}

impl std::fmt::Debug for AccessPath {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

// The structs above are read in place, so their layout must stay that of the ABI.
const _: () = assert!(size_of::<AccessStepObj>() == 48 && std::mem::offset_of!(AccessStepObj, key) == 32);
const _: () = assert!(size_of::<AccessPathObj>() == 48 && std::mem::offset_of!(AccessPathObj, depth) == 40);

/// The value of a field by name, wherever it is defined: for objects whose Rust type does not list their fields.
pub fn field_of<N: ObjectCore>(object: &N, name: &str) -> Result<Any> {
    // SAFETY: every object starts with its header.
    let index = unsafe { (*std::ptr::from_ref(object).cast::<tvm_ffi_sys::TVMFFIObject>()).type_index };
    FieldGetter::new(index, name)?.get_any(object)
}
