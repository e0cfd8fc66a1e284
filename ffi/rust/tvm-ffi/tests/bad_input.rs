// SPDX-License-Identifier: Apache-2.0
//! What cannot be: each is an error of a certain kind and text, and leaves everything as it was.

use tvm_ffi::object::ObjectRef;
use tvm_ffi::tvm_ffi_sys::{TVMFFIAny, TVMFFITypeIndex};
use tvm_ffi::{
    get_type_attr, Any, AnyView, Array, Bytes, Error, FieldGetter, Function, Module, RValueRef, Result,
    String, Tensor,
};

fn says<T>(result: Result<T>, kind: &str, text: &str) {
    let error = result.err().unwrap();
    assert_eq!(error.kind().as_str(), kind, "{error}");
    assert!(error.message().contains(text), "{error}");
}

#[test]
fn names_of_globals_are_looked_up_as_they_are() {
    for name in ["", "\0", "ffi.ArraySize\0", "ffi.ArraySize ", "\u{202e}", &"x".repeat(1 << 20)] {
        says(Function::get_global(name), "RuntimeError", &format!("Function {name} not found"));
    }
    let name = "bad_input.\0.name";
    Function::register_global(name, Function::from_typed(|| 1_i64)).unwrap();
    assert!(Function::get_global("bad_input.").is_err());
    assert_eq!(i64::try_from(Function::get_global(name).unwrap().call_tuple(()).unwrap()).unwrap(), 1);
    says(
        Function::register_global(name, Function::from_typed(|| 2_i64)),
        "RuntimeError",
        "is already registered",
    );
    assert_eq!(i64::try_from(Function::get_global(name).unwrap().call_tuple(()).unwrap()).unwrap(), 1);
    Function::remove_global(name).unwrap();
}

#[test]
fn a_panic_in_a_global_function_leaves_the_registry_usable() {
    Function::register_global("bad_input.panics", Function::from_typed(|| -> i64 { panic!("now") })).unwrap();
    let panics = Function::get_global("bad_input.panics").unwrap();
    for _ in 0..2 {
        says(panics.call_tuple(()), "InternalError", "panicked: now");
    }
    assert!(Function::get_global("ffi.ArraySize").is_ok());
    // A lock that Rust code poisons by a panic is the caller's; those of the crate stay open.
    let held = std::sync::Arc::new(std::sync::Mutex::new(0));
    let shared = held.clone();
    let poison = Function::from_typed(move || -> i64 {
        let _guard = shared.lock();
        panic!("with a lock")
    });
    says(poison.call_tuple(()), "InternalError", "panicked: with a lock");
    assert!(held.is_poisoned());
    Function::register_global("bad_input.after", Function::from_typed(|| 3_i64)).unwrap();
    assert_eq!(
        i64::try_from(Function::get_global("bad_input.after").unwrap().call_tuple(()).unwrap()).unwrap(),
        3
    );
}

#[test]
fn null_handles_are_nothing() {
    // SAFETY: null is allowed.
    assert!(unsafe { ObjectRef::from_handle(std::ptr::null_mut()) }.is_none());
    let pointer: *mut std::ffi::c_void = std::ptr::null_mut();
    let view = Any::from(pointer);
    says(ObjectRef::try_from(view.clone()), "TypeError", "Cannot convert from type `");
    says(Tensor::try_from(view), "TypeError", "to `ffi.Tensor`");
    says(ObjectRef::try_from(Any::new()), "TypeError", "Cannot convert from type `None` to `ffi.Object`");
    let take = Function::from_typed(|_: Array<i64>| ());
    says(take.call_tuple(((),)), "TypeError", "Argument #0: Cannot convert from type `None` to `Array<int>`");
}

#[test]
fn a_moved_value_is_gone() {
    let take = Function::from_typed(|array: RValueRef<Array<i64>>| array.into_inner().len() as i64);
    let slot = RValueRef::new(Array::new(vec![1_i64, 2]));
    let view = AnyView::from(&slot);
    assert_eq!(i64::try_from(take.call_packed(&[view]).unwrap()).unwrap(), 2);
    says(
        take.call_packed(&[view]),
        "TypeError",
        "Argument #0: Cannot convert from `an already-moved RValueRef` to `RValueRef<Array<int>>`",
    );
    let wrong = RValueRef::new(Function::from_typed(|| 1_i64));
    says(
        take.call_packed(&[AnyView::from(&wrong)]),
        "TypeError",
        "Cannot convert from `RValueRef with an incompatible object type` to `RValueRef<Array<int>>`",
    );
    // What was refused is still there.
    assert_eq!(i64::try_from(wrong.into_inner().call_tuple(()).unwrap()).unwrap(), 1);
}

#[test]
fn counts_and_types_of_arguments_are_told() {
    let f = Function::from_typed(|_: i64, _: Option<String>, _: &[u8]| ());
    says(f.call_tuple(()), "ValueError", "Expected 3 arguments, got 0");
    says(f.call_packed(&[AnyView::new(); 40]), "ValueError", "Expected 3 arguments, got 40");
    says(f.call_tuple((1_i64, 2_i64, 3_i64)), "TypeError", "Argument #1: Cannot convert from type `int` to");
    says(
        f.call_tuple((1_i64, "s", "s")),
        "TypeError",
        "Argument #2: Cannot convert from type `ffi.SmallStr`",
    );
    says(f.call_tuple((u64::MAX, "s", Bytes::new())), "OverflowError", "Argument #0: Integer value");
    let native = Function::get_global("ffi.ArraySize").unwrap();
    says(native.call_tuple(()), "TypeError", "Expected 1 but got 0 arguments");
    says(native.call_tuple((1_i64,)), "TypeError", "Mismatched type on argument #0");
}

#[test]
fn a_call_from_c_that_breaks_the_rules_is_refused() {
    let enter = |count: i32, result: &mut TVMFFIAny| {
        let call = |args: &[AnyView<'_>]| Ok(Any::from(args.len() as i64));
        // SAFETY: no argument is looked at when there are fewer than none.
        unsafe { tvm_ffi::function_internal::safe_call(std::ptr::null(), count, result, call) }
    };
    let mut result = TVMFFIAny::new();
    assert_eq!((enter(-1, &mut result), result.type_index), (-1, TVMFFITypeIndex::kTVMFFINone as i32));
    assert_eq!(Error::from_raised().message(), "a call cannot have -1 arguments");
    assert_eq!((enter(0, &mut result), result.type_index), (0, TVMFFITypeIndex::kTVMFFIInt as i32));
    // An object in the result's slot would be lost.
    let array = Array::new(vec![1_i64]);
    let mut occupied = *AnyView::from(&array).raw();
    assert_eq!(enter(0, &mut occupied), -1);
    assert_eq!(Error::from_raised().message(), "the result slot of a call holds an object");
    assert_eq!(occupied.type_index, TVMFFITypeIndex::kTVMFFIArray as i32);
}

#[test]
fn what_is_not_registered_is_an_error() {
    says(Function::from_type_key_method("no.Such.Type", "f"), "InternalError", "Cannot find type");
    says(Function::from_type_method(-5, "f"), "TypeError", "Cannot find type info for type_index=-5");
    says(Function::from_type_method(i32::MAX, "f"), "TypeError", "Cannot find type info");
    says(FieldGetter::new(i32::MIN, "f").map(drop), "TypeError", "Cannot find type info");
    let array = TVMFFITypeIndex::kTVMFFIArray as i32;
    says(Function::from_type_method(array, "no_such"), "TypeError", "Cannot find method `no_such`");
    says(FieldGetter::new(array, "no_such").map(drop), "TypeError", "Cannot find reflected field `no_such`");
    assert!(get_type_attr(array, "__no_such__").is_none());
    assert!(get_type_attr(i32::MAX, "__ffi_repr__").is_none() && get_type_attr(-1, "__ffi_repr__").is_none());
    let missing = Module::load_from_file("/no/such/library.so");
    assert!(missing.err().unwrap().message().contains("/no/such/library.so"));
}
