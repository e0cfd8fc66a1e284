// SPDX-License-Identifier: Apache-2.0
//! Immutable maps.

use crate::type_traits::ContainerElement;

crate::collections::map_base::map_type! {
    /// An immutable map in insertion order, shared between languages. Keys are compared as values: `1`, `1.0` and `true` differ.
    /// ```
    /// use tvm_ffi::{Map, String};
    ///
    /// let ages: Map<String, i64> = [("ann", 40), ("bob", 9)].map(|(k, v)| (String::from(k), v)).into_iter().collect();
    /// assert_eq!(ages.get(&String::from("bob")).unwrap(), Some(9));
    /// let names: Vec<_> = ages.keys().map(|name| name.unwrap().to_string()).collect();
    /// assert_eq!(names, ["ann", "bob"]);
    /// ```
    Map, MapObj, MapIter, "ffi.Map", kTVMFFIMap, "ffi.Map", "ffi.MapCount", "ffi.MapGetItem", kTVMFFIDict
}
