// SPDX-License-Identifier: Apache-2.0
//! The class of the library, as a Rust type.

// tvm-ffi-stubgen(begin): import-section
use std::ops::Deref;
use tvm_ffi::Object;
use tvm_ffi::ObjectArc;
// tvm-ffi-stubgen(end)

// tvm-ffi-stubgen(begin): object/my_ffi_extension.IntPair
/// Complete: reflected fields fill [24, 40) exactly.
#[repr(C)]
#[derive(tvm_ffi::derive::Object)]
#[type_key = "my_ffi_extension.IntPair"]
#[type_final]
#[type_exact]
pub struct IntPairObj {
    base: Object,
    pub a: i64,
    pub b: i64,
}

const _: () = {
    assert!(::core::mem::size_of::<IntPairObj>() == 40);
    assert!(::core::mem::align_of::<IntPairObj>() == 8);
};

#[repr(C)]
#[derive(tvm_ffi::derive::ObjectRef, Clone)]
pub struct IntPair {
    base: ObjectArc<IntPairObj>,
}

impl Deref for IntPair {
    type Target = IntPairObj;
    fn deref(&self) -> &IntPairObj {
        &self.base
    }
}

impl IntPairObj {
    pub(crate) fn new(a: i64, b: i64) -> Self {
        let base = Object::new();
        Self { base, a, b }
    }
}

impl IntPair {
    /// A new object from the values of all its fields.
    pub fn new(a: i64, b: i64) -> Self {
        let obj = IntPairObj::new(a, b);
        Self { base: ObjectArc::new(obj) }
    }
}
// tvm-ffi-stubgen(end)
