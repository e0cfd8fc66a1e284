// SPDX-License-Identifier: Apache-2.0
//! Programs that are refused when code is made of them, which `tests/refused.rs` does not do.

/// A final type has no children.
/// ```compile_fail,E0080
/// #[tvm_ffi::rs_class("refused.Last", final)]
/// pub struct Last {}
/// #[tvm_ffi::rs_class("refused.Next", parent = Last)]
/// pub struct Next {}
/// let _ = <NextObj as tvm_ffi::ObjectCore>::TYPE_DEPTH;
/// ```
///
/// A field that others write is a `FieldCell`.
/// ```compile_fail,E0080
/// #[tvm_ffi::rs_class("refused.Writable")]
/// struct Writable {
///     #[field(writable)]
///     x: i64,
/// }
/// <WritableObj as tvm_ffi::ObjectCore>::type_index();
/// ```
///
/// A field has a layout that other languages know.
/// ```compile_fail,E0080
/// #[tvm_ffi::rs_class("refused.Number")]
/// struct Number {
///     x: Option<i64>,
/// }
/// <NumberObj as tvm_ffi::ObjectCore>::type_index();
/// ```
pub struct Refused;
