// SPDX-License-Identifier: Apache-2.0
//! Weak pointers, identities, movable arguments and borrowed parameters.

use std::collections::HashSet;
use tvm_ffi::{
    Any, AnyView, Array, Function, Object, ObjectArc, ObjectIdentity, Optional, RValueRef, Result, String,
    Tensor, TensorView,
};

#[test]
fn weak_pointers_end_with_the_last_owner() {
    let strong = ObjectArc::new(Object::new());
    let weak = ObjectArc::downgrade(&strong);
    assert_eq!((ObjectArc::strong_count(&strong), ObjectArc::weak_count(&strong)), (1, 2));
    let again = weak.upgrade().unwrap();
    assert_eq!(ObjectArc::strong_count(&strong), 2);
    let other = weak.clone();
    drop((strong, again));
    assert!(weak.upgrade().is_none() && other.upgrade().is_none());
}

#[test]
fn two_threads_upgrade_while_the_owner_leaves() {
    for _ in 0..200 {
        let strong = ObjectArc::new(Plain { base: Object::new() });
        let weak = ObjectArc::downgrade(&strong);
        let reader = std::thread::spawn(move || (0..100).filter(|_| weak.upgrade().is_some()).count());
        drop(strong);
        assert!(reader.join().unwrap() <= 100);
    }
}

#[repr(C)]
#[derive(tvm_ffi::derive::Object)]
#[type_key = "rust_test.Plain"]
#[type_register]
struct Plain {
    base: Object,
}

// SAFETY: it holds nothing but its header, whose counts are atomic.
unsafe impl Send for Plain {}
// SAFETY: as above.
unsafe impl Sync for Plain {}

#[test]
fn identities_are_those_of_objects() {
    let (a, b) = (Array::new(vec![1_i64]), Array::new(vec![1_i64]));
    let set: HashSet<_> = [&a, &b, &a].map(ObjectIdentity::of).into();
    assert_eq!(set.len(), 2);
    assert_eq!(ObjectIdentity::of_value(&Any::from(a.clone())), Some(ObjectIdentity::of(&a)));
    assert_eq!(ObjectIdentity::of_value(&Any::from(1_i64)), None);
}

#[test]
fn a_moved_argument_arrives_with_one_owner() {
    let count = Function::from_typed(|items: RValueRef<Array<i64>>| -> Result<i64> {
        Ok(Any::from(items.into_inner()).debug_strong_count().unwrap_or(0) as i64)
    });
    let array = Array::new(vec![1_i64, 2]);
    let shared: i64 = count.call_tuple((&array,)).unwrap().try_into().unwrap();
    assert_eq!(shared, 2);
    let moved: i64 = count.call_tuple((RValueRef::new(array),)).unwrap().try_into().unwrap();
    assert_eq!(moved, 1);
}

#[test]
fn a_moved_argument_moves_once() {
    let twice = Function::from_packed(|args: &[AnyView<'_>]| {
        let first = RValueRef::<Array<i64>>::try_from(args[0])?;
        let error = RValueRef::<Array<i64>>::try_from(args[0]).err().expect("the slot is empty");
        drop(first);
        Ok(Any::from(String::from(error.message())))
    });
    let slot = RValueRef::new(Array::new(vec![1_i64]));
    let text: String = twice.call_packed(&[AnyView::from(&slot)]).unwrap().try_into().unwrap();
    assert_eq!(text, "Cannot convert from `an already-moved RValueRef` to `RValueRef<Array<int>>`");
    assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| slot.into_inner())).is_err());
    let wrong = Function::from_typed(|_: RValueRef<Array<i64>>| -> Result<()> { Ok(()) });
    let error = wrong.call_tuple((RValueRef::new(tvm_ffi::Shape::from([1])),)).unwrap_err();
    assert_eq!(
        error.message(),
        "Argument #0: Cannot convert from `RValueRef with an incompatible object type` to `RValueRef<Array<int>>`"
    );
}

#[test]
fn closures_borrow_tensors_text_and_values() {
    let sum = Function::from_typed(
        |view: TensorView<'_>, name: &str, data: &[u8], any: AnyView<'_>| -> Result<Any> {
            let total: f32 = view.to_vec::<f32>()?.iter().sum();
            Ok(Any::from(String::from(format!("{name} {total} {} {}", data.len(), any.type_index()))))
        },
    );
    let tensor = Tensor::from_slice(&[1.0_f32, 2.5], &[2]).unwrap();
    for name in ["short", "a name that is an object"] {
        let out: String = sum.call_tuple((&tensor, name, &b"abc"[..], 1_i64)).unwrap().try_into().unwrap();
        assert_eq!(out, format!("{name} 3.5 3 1"));
    }
    let out: String = sum.call_tuple((tensor.view(), "v", &b""[..], ())).unwrap().try_into().unwrap();
    assert_eq!(out, "v 3.5 0 0");
    let error = sum.call_tuple((1_i64, "n", &b""[..], ())).unwrap_err();
    assert_eq!(error.message(), "Argument #0: Cannot convert from type `int` to `DLTensor*`");
    let error = sum.call_tuple((&tensor, 1_i64, &b""[..], ())).unwrap_err();
    assert_eq!(error.message(), "Argument #1: Cannot convert from type `int` to `ffi.String`");
}

#[test]
fn optional_cells_hold_a_value_or_none() {
    assert_eq!(size_of::<Optional<String>>(), 16);
    assert_eq!(size_of::<Option<Array<i64>>>(), 8);
    let mut cell = Optional::some(String::from("a text that is an object"));
    assert_eq!(cell.as_str(), Some("a text that is an object"));
    assert_eq!(format!("{:?}", Optional::some(3_i64)), "Optional::Some(3)");
    cell.set(None);
    assert!(cell.is_none() && cell.get().is_none());
    assert_eq!(Optional::<i64>::try_from(Any::from(4_i64)).unwrap().into_option(), Some(4));
    let add = Function::from_typed(|n: Optional<i64>| -> Result<Optional<i64>> {
        Ok(n.get().map(|n| n + 1).into())
    });
    assert_eq!(Option::<i64>::try_from(add.call_tuple((5_i64,)).unwrap()).unwrap(), Some(6));
    assert_eq!(Option::<i64>::try_from(add.call_tuple((Optional::<i64>::none(),)).unwrap()).unwrap(), None);
}
