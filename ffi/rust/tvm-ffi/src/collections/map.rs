// SPDX-License-Identifier: Apache-2.0
//! Immutable maps.

use crate::type_traits::ContainerElement;

crate::collections::map_base::map_type! {
    /// An immutable map in insertion order, shared between languages. Keys are compared as values: `1`, `1.0` and `true` differ.
    Map, MapObj, "ffi.Map", kTVMFFIMap, "ffi.Map", "ffi.MapCount", "ffi.MapGetItem", kTVMFFIDict
}
