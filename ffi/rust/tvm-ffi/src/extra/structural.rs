// SPDX-License-Identifier: Apache-2.0
//! What the library does with any value by its reflected fields: compare, hash, copy, print, serialise.

use crate::error::Result;
use crate::function_internal::IntoArgHolder;
use crate::object::{Object, ObjectArc};
use crate::reflection::AccessPath;
use crate::{cached_global_func, Any, Array, String};
use std::hash::{Hash, Hasher};

/// True when two values have the same structure. Bound variables match by position; with `map_free_vars` free ones too.
///
/// `TypeError` for types that do not take part.
/// ```
/// use tvm_ffi::{structural_equal, structural_hash, Any, Array};
///
/// let (a, b) = (Any::from(Array::new(vec![1_i64, 2])), Any::from(Array::new(vec![1_i64, 2])));
/// assert!(structural_equal(&a, &b, false, false).unwrap());
/// assert_eq!(structural_hash(&a, false, false).unwrap(), structural_hash(&b, false, false).unwrap());
/// ```
pub fn structural_equal(a: &Any, b: &Any, map_free_vars: bool, skip_tensor_content: bool) -> Result<bool> {
    cached_global_func!("ffi.StructuralEqual")
        .call_tuple((a, b, map_free_vars, skip_tensor_content))?
        .try_into()
}

/// A hash that structurally equal values share.
pub fn structural_hash(value: &Any, map_free_vars: bool, skip_tensor_content: bool) -> Result<i64> {
    cached_global_func!("ffi.StructuralHash")
        .call_tuple((value, map_free_vars, skip_tensor_content))?
        .try_into()
}

/// Where two values differ first: the path in each, or None when they are structurally equal.
pub fn first_structural_mismatch(
    a: &Any,
    b: &Any,
    map_free_vars: bool,
    skip_tensor_content: bool,
) -> Result<Option<(AccessPath, AccessPath)>> {
    let paths: Option<Array<AccessPath>> = cached_global_func!("ffi.GetFirstStructuralMismatch")
        .call_tuple((a, b, map_free_vars, skip_tensor_content))?
        .try_into()?;
    paths.map(|paths| Ok((paths.get(0)?, paths.get(1)?))).transpose()
}

/// The object behind [`StructuralKey`].
#[repr(C)]
#[derive(tvm_ffi_macros::Object)]
#[type_key = "ffi.StructuralKey"]
#[type_final]
pub struct StructuralKeyObj {
    base: Object,
    key: Any,
    hash: i64,
}

/// A value that compares and hashes by structure, as a key of maps here and in other languages.
#[repr(C)]
#[derive(tvm_ffi_macros::ObjectRef, Clone)]
pub struct StructuralKey {
    data: ObjectArc<StructuralKeyObj>,
}

impl StructuralKey {
    /// Hashes the value once; `TypeError` when it has no structural hash.
    pub fn new(value: &Any) -> Result<Self> {
        cached_global_func!("ffi.StructuralKey").call_tuple((value,))?.try_into()
    }

    /// The value.
    pub fn key(&self) -> Any {
        self.data.key.clone()
    }
}

impl PartialEq for StructuralKey {
    fn eq(&self, other: &Self) -> bool {
        if self.data.hash != other.data.hash {
            return false;
        }
        let equal = cached_global_func!("ffi.StructuralKeyEqual").call_tuple((self, other));
        equal.and_then(bool::try_from).unwrap_or(false)
    }
}
impl Eq for StructuralKey {}

impl Hash for StructuralKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.data.hash.hash(state);
    }
}

const _: () = assert!(size_of::<StructuralKeyObj>() == 48);

/// The text that Python's `repr` shows.
pub fn repr<T: IntoArgHolder>(value: T) -> Result<String> {
    cached_global_func!("ffi.ReprPrint").call_tuple((value,))?.try_into()
}

/// A copy that shares no mutable part with the value.
pub fn deep_copy(value: &Any) -> Result<Any> {
    cached_global_func!("ffi.DeepCopy").call_tuple((value,))
}

/// Equality field by field, as Python's `==` on reflected objects.
pub fn recursive_eq(a: &Any, b: &Any) -> Result<bool> {
    cached_global_func!("ffi.RecursiveEq").call_tuple((a, b))?.try_into()
}

/// A hash that goes with [`recursive_eq`].
pub fn recursive_hash(value: &Any) -> Result<i64> {
    cached_global_func!("ffi.RecursiveHash").call_tuple((value,))?.try_into()
}

/// A value with all that it refers to, as JSON text.
/// ```
/// use tvm_ffi::{from_json_graph, recursive_eq, to_json_graph, Any, Array};
///
/// let value = Any::from(Array::new(vec![1_i64, 2]));
/// let again = from_json_graph(&to_json_graph(&value).unwrap()).unwrap();
/// assert!(recursive_eq(&value, &again).unwrap());
/// ```
pub fn to_json_graph(value: &Any) -> Result<String> {
    cached_global_func!("ffi.ToJSONGraphString").call_tuple((value, ()))?.try_into()
}

/// Reads what [`to_json_graph`] wrote.
pub fn from_json_graph(text: &str) -> Result<Any> {
    cached_global_func!("ffi.FromJSONGraphString").call_tuple((text,))
}
