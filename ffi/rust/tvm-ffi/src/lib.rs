// SPDX-License-Identifier: Apache-2.0
//! Values, objects, functions, tensors and modules that C++, Python and Rust share through the tvm-ffi ABI.
//!
//! ```
//! use tvm_ffi::{Any, Function, Result};
//!
//! # fn main() -> Result<()> {
//! let add = Function::from_typed(|a: i64, b: i64| -> Result<i64> { Ok(a + b) });
//! let sum: i64 = add.call_tuple((1_i64, 2_i64))?.try_into()?;
//! assert_eq!(sum, 3);
//! # Ok(())
//! # }
//! ```
//!
//! Features: `ndarray` makes tensors of arrays of that crate and back.
//!
//! Ownership: [`Any`] and every object reference own a count; [`AnyView`] borrows and carries a lifetime. Errors are [`Error`]
//! values with a kind, and a panic never crosses into another language.
#![deny(missing_docs)]

/// The code of the guide.
#[cfg(doctest)]
#[doc = include_str!("../../../../docs/guides/rust.md")]
struct Guide;

pub mod any;
mod arity;
pub mod big_int;
pub mod collections;
pub mod device;
pub mod dtype;
pub mod error;
pub mod extra;
pub mod function;
pub mod function_internal;
pub mod macros;
#[doc(hidden)]
pub mod match_any_internal;
pub mod object;
pub mod optional;
pub mod reflection;
pub mod rvalue_ref;
pub mod string;
mod taking_turns;
mod thread_mark;
pub mod type_traits;
pub mod variant;

/// Derive macros for objects and object references.
pub mod derive {
    pub use tvm_ffi_macros::{Object, ObjectRef};
}

pub use any::{Any, AnyView};
pub use big_int::BigInt;
pub use collections::array::Array;
pub use collections::dict::Dict;
pub use collections::list::List;
pub use collections::map::Map;
pub use collections::shape::Shape;
pub use collections::tensor::{CPUNDAlloc, NDAllocator, Tensor, TensorView};
pub use collections::tuple::Tuple;
pub use device::{current_stream, with_stream};
pub use dtype::DLDataTypeExt;
pub use error::{
    Error, ErrorKind, Result, ATTRIBUTE_ERROR, INDEX_ERROR, INTERNAL_ERROR, KEY_ERROR, MEMORY_ERROR,
    OVERFLOW_ERROR, RUNTIME_ERROR, TYPE_ERROR, VALUE_ERROR, ZERO_DIVISION_ERROR,
};
pub use extra::module::Module;
pub use extra::structural::{
    deep_copy, first_structural_mismatch, from_json_graph, recursive_eq, recursive_hash, repr,
    structural_equal, structural_hash, to_json_graph, StructuralKey,
};
pub use extra::structural_mutate::{
    structural_map, structural_mutate, DefaultMutContextPolicy, InplaceMode, InplaceValue, IntoMapper,
    IntoMutator, MapChainLink, MapDispatch, MapWithContextPolicy, MutContextPolicy, MutateCallbacks,
    MutateChainLink, MutateContext, MutateDispatch, MutateValue, Mutator, StructuralMutator,
    StructuralVarRemap, Unchanged, UnchangedOr,
};
pub use extra::structural_visit::{
    structural_visit, structural_walk, ContextPolicy, DefRegionKind, DefaultContextPolicy, IntoVisitor,
    IntoWalkResult, IntoWalker, StructuralView, StructuralVisitor, VisitCallbacks, VisitChainLink,
    VisitContext, VisitInterrupt, WalkChainLink, WalkDispatch, WalkOrder, WalkResult, WalkWithContextPolicy,
};
pub use function::Function;
pub use object::{
    Object, ObjectArc, ObjectCore, ObjectCoreWithExtraItems, ObjectIdentity, ObjectRefCast, ObjectRefCore,
    ObjectWeak,
};
pub use optional::{Optional, OptionalCompatible};
pub use reflection::{
    get_type_attr, FieldCell, FieldGetter, FieldSetter, ShallowCopy, TypeAttrColumn, UnsafeInit,
};
pub use rvalue_ref::RValueRef;
pub use string::{Bytes, String};
pub use type_traits::AnyCompatible;
pub use variant::Variant;

pub use tvm_ffi_macros::{dispatch, match_any, rs_class};
pub use tvm_ffi_sys;
pub use tvm_ffi_sys::TVMFFITypeIndex as TypeIndex;
pub use tvm_ffi_sys::{
    DLDataType, DLDataTypeCode, DLDevice, DLDeviceType, TVMFFIAny, TVMFFIObject, TVMFFIStreamHandle,
};
