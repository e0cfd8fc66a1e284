// SPDX-License-Identifier: Apache-2.0
//! The class of the library, as a Rust type.

// tvm-ffi-stubgen(begin): import-section
use std::ops::Deref;
use tvm_ffi::reflection::CachedField;
use tvm_ffi::reflection::Constructor;
use tvm_ffi::reflection::Opaque;
use tvm_ffi::Any;
use tvm_ffi::Object;
use tvm_ffi::ObjectArc;
use tvm_ffi::Result;
// tvm-ffi-stubgen(end)

// tvm-ffi-stubgen(begin): object/my_ffi_extension.IntPair
/// Complete: reflected fields fill [24, 40) exactly.
/// Only its library makes objects.
#[repr(C)]
#[derive(tvm_ffi::derive::Object)]
#[type_key = "my_ffi_extension.IntPair"]
#[type_final]
#[type_fields("a": i64 = 24, "b": i64 = 32)]
pub struct IntPairObj {
    base: Object,
    opaque: Opaque,
}

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
    pub fn a(&self) -> Result<i64> {
        static FIELD: CachedField<IntPairObj> = CachedField::new("a");
        FIELD.read_int::<24>(self)
    }

    pub fn b(&self) -> Result<i64> {
        static FIELD: CachedField<IntPairObj> = CachedField::new("b");
        FIELD.read_int::<32>(self)
    }
}

impl IntPair {
    /// A new object, made by the constructor of its library.
    pub fn new(arg0: i64, arg1: i64) -> Result<Self> {
        static INIT: Constructor<IntPairObj> = Constructor::new();
        INIT.call(&[Any::from(arg0), Any::from(arg1)], &[])?.try_into()
    }
}
// tvm-ffi-stubgen(end)
