// SPDX-License-Identifier: Apache-2.0
//! The type table: tests, keys, registration, and the check that a Rust struct is what the library has.

use super::ObjectCore;
use crate::error::{Error, Result};
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::Mutex;
use tvm_ffi_sys::{
    TVMFFIByteArray, TVMFFIGetTypeInfo, TVMFFITypeGetOrAllocIndex, TVMFFITypeIndex, TVMFFITypeInfo,
    TVMFFITypeKeyToIndex,
};

/// True when an object of type `index` is a `T`.
#[doc(hidden)]
pub fn is_instance_of<T: ObjectCore>(index: i32) -> bool {
    if index < TVMFFITypeIndex::kTVMFFIObject as i32 {
        return false;
    }
    if T::TYPE_DEPTH == 0 {
        return true;
    }
    let target = T::type_index();
    if index == target {
        return true;
    }
    if T::TYPE_FINAL || index < target {
        return false;
    }
    // SAFETY: `index` comes from a live object, so the table has it; ancestors are valid up to its depth.
    unsafe {
        let info = &*TVMFFIGetTypeInfo(index);
        info.type_depth > T::TYPE_DEPTH
            && (**info.type_acenstors.add(T::TYPE_DEPTH as usize)).type_index == target
    }
}

/// Key of a type index that a live value carries.
pub(crate) fn type_key_of(index: i32) -> std::string::String {
    match type_info_of(index) {
        // SAFETY: the table's strings live as long as the process; keys are checked on use.
        Some(info) => std::string::String::from_utf8_lossy(unsafe { info.type_key.as_bytes() }).into_owned(),
        None => format!("type_index={index}"),
    }
}

/// The table's entry of a type index; None when the index is not in the table.
pub(crate) fn type_info_of(index: i32) -> Option<&'static TVMFFITypeInfo> {
    if !is_registered(index) {
        return None;
    }
    // SAFETY: entries stay where they are for the life of the process.
    unsafe { TVMFFIGetTypeInfo(index).as_ref() }
}

/// `TVMFFIGetTypeInfo` ends the process on an unknown index, so unknown ones are looked for first.
fn is_registered(index: i32) -> bool {
    use std::sync::atomic::AtomicI32;
    static KNOWN_BELOW: AtomicI32 = AtomicI32::new(0);
    if (0..=TVMFFITypeIndex::kTVMFFIUnchanged as i32).contains(&index)
        || (64..TVMFFITypeIndex::kTVMFFIStaticObjectEnd as i32).contains(&index)
    {
        return true;
    }
    if index < TVMFFITypeIndex::kTVMFFIDynObjectBegin as i32 {
        return false;
    }
    if index < KNOWN_BELOW.load(Ordering::Relaxed) {
        return true;
    }
    let Ok(keys) = registered_type_indices() else { return true };
    let Some(largest) = keys.iter().max() else { return false };
    KNOWN_BELOW.store(largest + 1, Ordering::Relaxed);
    keys.contains(&index)
}

fn registered_type_indices() -> Result<Vec<i32>> {
    let list = crate::Function::get_global("ffi.GetRegisteredTypeKeys")?;
    let keys: crate::Array<crate::String> = list.call_packed(&[])?.try_into()?;
    keys.iter().map(|key| Ok(type_index_of_key(key?.as_str()))).collect()
}

/// Held while a type is registered.
#[doc(hidden)]
pub static TYPE_REGISTRATION: Mutex<()> = Mutex::new(());

/// Registers a type that is defined in Rust, or finds it.
#[doc(hidden)]
pub fn register_type(key: &str, depth: i32, slots: i32, overflow: bool, parent: i32) -> i32 {
    let guard = TYPE_REGISTRATION.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    // SAFETY: `key` outlives the call, which copies it.
    let index = unsafe {
        let key = TVMFFIByteArray::from_str(key);
        TVMFFITypeGetOrAllocIndex(&key, -1, depth, slots, i32::from(overflow), parent)
    };
    drop(guard);
    assert!(index >= 0, "Failed to get or allocate type index for type key: {key}");
    index
}

/// Index of a registered key.
///
/// # Panics
/// When no library registered the key.
#[doc(hidden)]
pub fn type_index_of_key(key: &str) -> i32 {
    let mut index = 0;
    // SAFETY: `key` outlives the call.
    let code = unsafe { TVMFFITypeKeyToIndex(&TVMFFIByteArray::from_str(key), &mut index) };
    if code != 0 {
        drop(Error::from_raised());
        panic!(
            "Type key {key} is not registered: load the library that defines it first, or add #[type_register] if \
             this crate defines it"
        );
    }
    index
}

/// A type index that is found once. Failing to find it is not remembered.
#[doc(hidden)]
pub struct CachedTypeIndex(AtomicI32);

impl CachedTypeIndex {
    #[allow(clippy::new_without_default)]
    #[doc(hidden)]
    pub const fn new() -> Self {
        Self(AtomicI32::new(-1))
    }

    /// Remembers the index only when `find` says that the type's description is whole: a thread that sees the index uses the type.
    #[doc(hidden)]
    #[inline]
    pub fn get_or_find(&self, find: impl FnOnce() -> (i32, bool)) -> i32 {
        let known = self.0.load(Ordering::Acquire);
        if known >= 0 {
            return known;
        }
        let (found, whole) = find();
        if whole {
            self.0.store(found, Ordering::Release);
        }
        found
    }
}
