// SPDX-License-Identifier: Apache-2.0
//! Mutable maps.

use crate::cached_global_func;
use crate::error::Result;
use crate::type_traits::ContainerElement;
use crate::AnyView;

crate::collections::map_base::map_type! {
    /// A mutable map in insertion order: every holder, in any language, sees each change.
    /// ```
    /// use tvm_ffi::Dict;
    ///
    /// let dict: Dict<i64, f64> = Dict::new();
    /// dict.set(&1, &0.5).unwrap();
    /// dict.remove(&2).unwrap();
    /// assert_eq!(dict.get(&1).unwrap(), Some(0.5));
    /// ```
    Dict, DictObj, DictIter, "ffi.Dict", kTVMFFIDict, "ffi.Dict", "ffi.DictCount", "ffi.DictGetItem", kTVMFFIMap
}

impl<K: ContainerElement + Clone, V: ContainerElement + Clone> Dict<K, V> {
    /// Sets the value of a key.
    pub fn set(&self, key: &K, value: &V) -> Result<()> {
        let args = [AnyView::from(self), K::element_view(key), V::element_view(value)];
        cached_global_func!("ffi.DictSetItem").call_packed(&args).map(drop)
    }

    /// Removes a key; nothing happens when it is not there.
    pub fn remove(&self, key: &K) -> Result<()> {
        let args = [AnyView::from(self), K::element_view(key)];
        cached_global_func!("ffi.DictErase").call_packed(&args).map(drop)
    }

    /// Removes all entries.
    pub fn clear(&self) -> Result<()> {
        cached_global_func!("ffi.DictClear").call_packed(&[AnyView::from(self)]).map(drop)
    }
}
