// SPDX-License-Identifier: Apache-2.0
//! Objects of C++ seen from Rust and types defined in Rust.

use std::ops::Deref;
use std::sync::atomic::{AtomicUsize, Ordering};
use tvm_ffi::object::{ObjectRef, ObjectRefCast};
use tvm_ffi::{Any, AnyCompatible, Function, Object, ObjectArc, ObjectCore, ObjectRefCore};

static DROPPED: AtomicUsize = AtomicUsize::new(0);

#[repr(C)]
#[derive(tvm_ffi::derive::Object)]
#[type_key = "rust_test.Shape2"]
#[type_register]
#[type_child_slots = 2]
struct Shape2Obj {
    base: Object,
    area: f64,
}

impl Drop for Shape2Obj {
    fn drop(&mut self) {
        DROPPED.fetch_add(1, Ordering::SeqCst);
    }
}

#[repr(C)]
#[derive(tvm_ffi::derive::ObjectRef, Clone)]
struct Shape2 {
    data: ObjectArc<Shape2Obj>,
}

#[repr(C)]
#[derive(tvm_ffi::derive::Object)]
#[type_key = "rust_test.Square"]
#[type_register]
#[type_final]
struct SquareObj {
    base: Shape2Obj,
    side: f64,
}

#[repr(C)]
#[derive(tvm_ffi::derive::ObjectRef, Clone)]
struct Square {
    data: ObjectArc<SquareObj>,
}

tvm_ffi::impl_object_upcast!(Square => Shape2);

impl Deref for Square {
    type Target = SquareObj;
    fn deref(&self) -> &SquareObj {
        &self.data
    }
}

fn square(side: f64) -> Square {
    let base = Shape2Obj { base: Object::new(), area: side * side };
    Square { data: ObjectArc::new(SquareObj { base, side }) }
}

#[test]
fn types_of_rust_take_part_in_the_type_table() {
    let before = DROPPED.load(Ordering::SeqCst);
    let square = square(3.0);
    assert_eq!(SquareObj::TYPE_DEPTH, 2);
    assert_eq!(SquareObj::type_index(), Shape2Obj::type_index() + 1);
    let shape = Shape2::from(&square);
    assert_eq!(shape.data.area, 9.0);
    assert!(shape.same_as(&square));
    assert_eq!(shape.as_node::<SquareObj>().map(|s| s.side), Some(3.0));
    let back: Square = shape.try_cast().unwrap();
    assert_eq!(back.side, 3.0);
    let other = Shape2 { data: ObjectArc::new(Shape2Obj { base: Object::new(), area: 1.0 }) };
    let error = other.clone().try_cast::<Square>().err().unwrap();
    assert_eq!(error.message(), "Cannot convert from type `rust_test.Shape2` to `rust_test.Square`");
    drop((square, back, other));
    assert!(DROPPED.load(Ordering::SeqCst) >= before + 2);
}

#[test]
fn objects_pass_through_values_with_their_type() {
    let any = Any::from(square(2.0));
    assert_eq!(any.type_index(), SquareObj::type_index());
    assert_eq!(any.debug_strong_count(), Some(1));
    let shape: Shape2 = any.clone().try_into().unwrap();
    assert_eq!(any.debug_strong_count(), Some(2));
    let object = ObjectRef::try_from(any).unwrap();
    assert!(object.same_as(&shape));
    assert!(Function::try_from(shape.to_any()).is_err());
}

#[test]
fn mutable_access_needs_a_sole_owner() {
    let mut square = square(2.0);
    ObjectArc::get_mut(&mut square.data).unwrap().side = 5.0;
    assert_eq!(square.side, 5.0);
    let other = square.clone();
    assert!(ObjectArc::get_mut(&mut square.data).is_none());
    drop(other);
    assert!(ObjectArc::get_mut(&mut square.data).is_some());
}

#[test]
fn unknown_type_indices_are_errors_not_the_end() {
    let error = Function::from_type_method(1_000_000, "x").unwrap_err();
    assert_eq!(error.message(), "Cannot find type info for type_index=1000000");
    assert!(tvm_ffi::FieldGetter::new(1_000_000, "x").is_err());
    assert!(Function::from_type_key_method("no.such.type", "x").is_err());
}

#[tvm_ffi::rs_class("objects.Stone")]
struct Stone {
    weight: i64,
}

#[tvm_ffi::rs_class("objects.Plant")]
struct Plant {
    height: f64,
}

tvm_ffi::impl_object_upcast!(Stone => Plant);

#[test]
fn an_upcast_to_what_is_no_ancestor_panics() {
    let stone = Stone::new(3);
    let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| Plant::from(&stone).height));
    let text = panic.unwrap_err().downcast::<std::string::String>().unwrap();
    assert_eq!(*text, "an object of `objects.Stone` is no `objects.Plant`");
    assert_eq!(stone.weight, 3);
}
