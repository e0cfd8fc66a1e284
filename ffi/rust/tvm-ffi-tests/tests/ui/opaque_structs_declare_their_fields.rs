// SPDX-License-Identifier: Apache-2.0
//! What structs with fields at declared offsets must be.
use tvm_ffi::derive::Object;
use tvm_ffi::reflection::Opaque;
use tvm_ffi::Object;

#[repr(C)]
#[derive(Object)]
#[type_key = "refused.Bare"]
#[type_fields("x": i64 = 24)]
struct BareObj {
    base: Object,
}

#[repr(C)]
#[derive(Object)]
#[type_key = "refused.Known"]
#[type_fields("x": i64 = 24)]
struct KnownObj {
    base: Object,
    x: i64,
}

#[repr(C)]
#[derive(Object)]
#[type_key = "refused.Own"]
#[type_register]
#[type_fields("x": i64 = 24)]
struct OwnObj {
    base: Object,
    opaque: Opaque,
}

#[repr(C)]
#[derive(Object)]
#[type_key = "refused.Text"]
#[type_fields("x": String = 24)]
struct TextObj {
    base: Object,
    opaque: Opaque,
}

fn main() {}
