// SPDX-License-Identifier: Apache-2.0
//! Objects with shared ownership: the counted pointers, the type tests and the traits behind `derive(Object)`.

mod arc;
mod deletion;
mod identity;
mod layout;
mod reference;
mod type_table;
pub mod unsafe_;
mod weak;

pub use arc::ObjectArc;
pub(crate) use deletion::delete;
pub use identity::ObjectIdentity;
#[doc(hidden)]
pub use layout::{
    cast_error, check_native_size, checked_index, find_mismatch, require_parent, FieldPlace, Storage, NO_TYPE,
};
#[doc(hidden)]
pub use reference::upcast;
pub use reference::{ObjectRef, ObjectRefCast, ObjectRefCore};
#[doc(hidden)]
pub use type_table::{is_instance_of, register_type, type_index_of_key, CachedTypeIndex, TYPE_REGISTRATION};
pub(crate) use type_table::{type_info_of, type_key_of};
pub use weak::ObjectWeak;

use std::marker::{PhantomData, PhantomPinned};
use tvm_ffi_sys::{TVMFFIObject, TVMFFITypeIndex};

const DELETE_STRONG: i32 = 1;
const DELETE_WEAK: i32 = 2;

/// The root of all object types: a header and nothing else.
///
/// It is neither `Send` nor `Sync`, and so are the types that start with it, since a reference may hold an object of any subtype. A
/// type whose objects, those of subtypes too, may go to other threads says so with `unsafe impl`.
#[repr(C)]
pub struct Object {
    header: TVMFFIObject,
    thread_bound: PhantomData<*mut ()>,
    /// Weak references look at the counts while a destructor has the object, so that `&mut` of one must not claim its header: for
    /// types that are not `Unpin` it does not.
    shared_header: PhantomPinned,
}

impl Object {
    /// A header of zeros; [`ObjectArc::new`] fills it in.
    pub fn new() -> Self {
        Self { header: TVMFFIObject::new(), thread_bound: PhantomData, shared_header: PhantomPinned }
    }
}

impl Default for Object {
    fn default() -> Self {
        Self::new()
    }
}

/// A struct that is an object: `repr(C)`, starting with its parent. Use `derive(Object)`.
///
/// # Safety
/// The struct must start with the header of an object, its layout must be that of the type that `type_index` names, and
/// `TYPE_DEPTH` must count its ancestors.
pub unsafe trait ObjectCore: Sized + 'static {
    /// Key in the type table.
    const TYPE_KEY: &'static str;
    /// Number of ancestors.
    const TYPE_DEPTH: i32;
    /// True when nothing derives from it.
    #[doc(hidden)]
    const TYPE_FINAL: bool = false;
    /// Fields whose places were compared with the type table before [`Self::type_index`] gave an index.
    #[doc(hidden)]
    const PLACES: &'static [FieldPlace] = &[];
    /// Index in the type table. A struct that does not fit the library's type gets one that no object has.
    fn type_index() -> i32;
    /// How the struct differs from the library's type; None when it does not.
    #[doc(hidden)]
    fn layout_mismatch() -> Option<String> {
        None
    }
    /// Panics when objects of the type must not be made of this struct.
    #[doc(hidden)]
    fn check_allocation() {}
    /// The header.
    ///
    /// # Safety
    /// The caller must not break the counts of a shared object through it.
    unsafe fn object_header_mut(this: &mut Self) -> &mut TVMFFIObject;
}

// SAFETY: `Object` is the header alone; index 64 is reserved for it.
unsafe impl ObjectCore for Object {
    const TYPE_KEY: &'static str = "ffi.Object";
    const TYPE_DEPTH: i32 = 0;
    fn type_index() -> i32 {
        TVMFFITypeIndex::kTVMFFIObject as i32
    }
    unsafe fn object_header_mut(this: &mut Self) -> &mut TVMFFIObject {
        &mut this.header
    }
}

/// An object followed in memory by items of one type.
///
/// # Safety
/// `extra_items_count` must give the number of items that were allocated with the object.
pub unsafe trait ObjectCoreWithExtraItems: ObjectCore {
    /// Type of an item.
    type ExtraItem;
    /// Number of items behind the object.
    fn extra_items_count(this: &Self) -> usize;
    /// The items.
    ///
    /// # Safety
    /// They must have been initialised.
    unsafe fn extra_items(this: &Self) -> &[Self::ExtraItem] {
        // The items lie behind what `this` borrows, in the same block, whose address was exposed when it was made.
        let end = std::ptr::from_ref(this).wrapping_add(1).addr();
        // SAFETY: the items follow the struct (contract of the trait).
        unsafe {
            std::slice::from_raw_parts(std::ptr::with_exposed_provenance(end), Self::extra_items_count(this))
        }
    }
    /// The items, for writing.
    ///
    /// # Safety
    /// They must have been initialised, and nothing else may refer to them.
    unsafe fn extra_items_mut(this: &mut Self) -> &mut [Self::ExtraItem] {
        let end = std::ptr::from_mut(this).wrapping_add(1).addr();
        // SAFETY: as above, and exclusive by the caller's promise.
        unsafe {
            let count = Self::extra_items_count(this);
            std::slice::from_raw_parts_mut(std::ptr::with_exposed_provenance_mut(end), count)
        }
    }
}

/// Every object starts with its header.
fn header_of<T: ObjectCore>(arc: &ObjectArc<T>) -> &TVMFFIObject {
    // SAFETY: contract of `ObjectCore`; the object is alive while the arc is.
    unsafe { arc.ptr.cast::<TVMFFIObject>().as_ref() }
}
