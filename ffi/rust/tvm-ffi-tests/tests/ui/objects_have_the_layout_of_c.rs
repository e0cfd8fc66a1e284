// SPDX-License-Identifier: Apache-2.0
//! What derive(Object) refuses.
use tvm_ffi::derive::Object;
use tvm_ffi::Object;

#[derive(Object)]
#[type_key = "refused.Layout"]
#[type_register]
struct LayoutObj {
    base: Object,
}

#[derive(Object)]
#[repr(C)]
#[type_register]
struct KeyObj {
    base: Object,
}

#[derive(Object)]
#[repr(C)]
#[type_key = "refused.Tuple"]
struct TupleObj(Object);

#[derive(Object)]
#[repr(C)]
#[type_key = "refused.Slots"]
#[type_child_slots = 3]
struct SlotsObj {
    base: Object,
}

#[derive(Object)]
#[repr(C)]
#[type_key = "refused.Final"]
#[type_register]
#[type_final]
#[type_child_slots = 3]
struct FinalObj {
    base: Object,
}

#[derive(Object)]
#[repr(C)]
#[type_key = "refused.Register"]
#[type_register = true]
struct RegisterObj {
    base: Object,
}

#[derive(Object)]
#[repr(C)]
#[type_key = "refused.Field"]
struct FieldObj {
    base: Object,
    #[field]
    x: i64,
}

#[derive(Object)]
#[repr(C)]
#[type_key = "refused.Option"]
#[type_register]
struct OptionObj {
    base: Object,
    #[field(defualt = 1)]
    x: i64,
}

#[derive(tvm_ffi::derive::ObjectRef, Clone)]
struct Pair {
    a: i64,
    b: i64,
}

fn main() {}
