// SPDX-License-Identifier: Apache-2.0
//! Functions in both directions, errors and panics at the boundary.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Barrier};
use tvm_ffi::{
    bail, ensure, into_typed_fn, Any, AnyView, Array, Error, Function, Result, String, RUNTIME_ERROR,
    VALUE_ERROR,
};

#[test]
fn typed_closures_convert_arguments_and_results() {
    let join = Function::from_typed(|text: String, times: i64, half: Option<f64>| -> Result<String> {
        Ok(String::from(format!("{}/{half:?}", text.repeat(times as usize))))
    });
    let out: String = join.call_tuple(("ab", 2_i64, 0.5)).unwrap().try_into().unwrap();
    assert_eq!(out, "abab/Some(0.5)");
    let out: String = join.call_tuple(("ab", 1_i64, ())).unwrap().try_into().unwrap();
    assert_eq!(out, "ab/None");
}

#[test]
fn wrong_counts_and_types_name_the_argument() {
    let add = Function::from_typed(|a: i64, b: i64| -> Result<i64> { Ok(a + b) });
    let error = add.call_tuple((1_i64,)).unwrap_err();
    assert_eq!((error.kind().as_str(), error.message()), ("ValueError", "Expected 2 arguments, got 1"));
    let error = add.call_tuple((1_i64, "x")).unwrap_err();
    assert_eq!(error.kind().as_str(), "TypeError");
    assert_eq!(error.message(), "Argument #1: Cannot convert from type `ffi.SmallStr` to `int`");
    let narrow = Function::from_typed(|a: u8| -> Result<u8> { Ok(a) });
    let error = narrow.call_tuple((300_i64,)).unwrap_err();
    assert_eq!(error.message(), "Argument #0: Integer value 300 is out of range for `u8` [0, 255]");
}

#[test]
fn no_arguments_come_as_an_empty_slice() {
    let count = Function::from_packed(|args: &[AnyView<'_>]| Ok(Any::from(args.len() as i64)));
    assert_eq!(i64::try_from(count.call_packed(&[]).unwrap()).unwrap(), 0);
}

#[test]
fn errors_keep_kind_message_and_place() {
    fn check(n: i64) -> Result<i64> {
        ensure!(n >= 0, VALUE_ERROR, "{n} is negative");
        Ok(n)
    }
    let f = Function::from_typed(check);
    let error = f.call_tuple((-3_i64,)).unwrap_err();
    assert_eq!((error.kind().as_str(), error.message()), ("ValueError", "-3 is negative"));
    assert!(error.backtrace().contains("functions.rs"), "{}", error.backtrace());
    assert!(format!("{error}").ends_with("ValueError: -3 is negative"));
}

#[test]
fn panics_become_errors() {
    let f = Function::from_typed(|| -> Result<i64> { panic!("out of luck") });
    let error = f.call_tuple(()).unwrap_err();
    assert_eq!(error.kind().as_str(), "InternalError");
    assert_eq!(error.message(), "panicked: out of luck");
}

/// Counts the drops of [`Bomb`], test by test.
static BOMBS: [AtomicI64; 2] = [const { AtomicI64::new(0) }; 2];

/// What a panic carries, with a destructor that panics with the same again. Without a size, for the last one is never dropped.
struct Bomb<const TEST: usize>;

impl<const TEST: usize> Drop for Bomb<TEST> {
    fn drop(&mut self) {
        BOMBS[TEST].fetch_add(1, Ordering::SeqCst);
        std::panic::panic_any(Bomb::<TEST>);
    }
}

#[test]
fn payloads_whose_destructors_panic_stay_inside() {
    let f = Function::from_typed(|_: i64| -> i64 { std::panic::panic_any(Bomb::<0>) });
    for calls in 1..=2 {
        let error = f.call_tuple((7_i64,)).unwrap_err();
        assert_eq!((error.kind().as_str(), error.message()), ("InternalError", "panicked: unknown payload"));
        assert_eq!(BOMBS[0].load(Ordering::SeqCst), calls);
    }
}

#[test]
fn destructors_of_closures_may_panic_with_any_payload() {
    let captured = Bomb::<1>;
    let f = Function::from_typed(move |x: i64| -> i64 { x + size_of_val(&captured) as i64 });
    assert_eq!(i64::try_from(f.call_tuple((7_i64,)).unwrap()).unwrap(), 7);
    assert_eq!(BOMBS[1].load(Ordering::SeqCst), 0);
    drop(f);
    // The captured one, and what its panic carried.
    assert_eq!(BOMBS[1].load(Ordering::SeqCst), 2);
}

#[test]
fn causes_and_appended_frames_are_kept() {
    let cause = Error::new(VALUE_ERROR, "the cause", "");
    let error = Error::new_with_cause_and_extra_context(
        RUNTIME_ERROR,
        "outer",
        "  File \"a\", line 1, in f\n",
        Some(&cause),
        None,
    );
    let shared = error.clone();
    let longer = Error::with_appended_backtrace(error, "  File \"b\", line 2, in g\n");
    assert_eq!(shared.backtrace(), "  File \"a\", line 1, in f\n");
    assert_eq!(longer.backtrace(), "  File \"a\", line 1, in f\n  File \"b\", line 2, in g\n");
    assert_eq!(
        longer.traceback_most_recent_call_last(),
        "  File \"b\", line 2, in g\n  File \"a\", line 1, in f\n"
    );
    assert_eq!(longer.cause_chain().unwrap().message(), "the cause");
}

#[test]
fn a_callback_in_a_callback_keeps_the_error() {
    let inner = Function::from_typed(|| -> Result<i64> { bail!(VALUE_ERROR, "deep inside") });
    let outer = Function::from_typed(move |n: i64| -> Result<Any> {
        let _ = n;
        inner.call_tuple(())
    });
    let error = outer.call_tuple((1_i64,)).unwrap_err();
    assert_eq!((error.kind().as_str(), error.message()), ("ValueError", "deep inside"));
}

#[test]
fn globals_register_once() {
    let one = Function::from_typed(|| -> Result<i64> { Ok(1) });
    Function::register_global("rust_test.one", one.clone()).unwrap();
    let error = Function::register_global("rust_test.one", one.clone()).unwrap_err();
    assert_eq!(error.kind().as_str(), "RuntimeError");
    assert!(error.message().contains("Global Function `rust_test.one` is already registered"));
    Function::set_global("rust_test.one", one, true).unwrap();
    let found = Function::get_global("rust_test.one").unwrap();
    assert_eq!(i64::try_from(found.call_tuple(()).unwrap()).unwrap(), 1);
    let error = Function::get_global("rust_test.none").unwrap_err();
    assert_eq!(error.message(), "Function rust_test.none not found");
}

#[test]
fn typed_wrappers_call() {
    let f = Function::from_typed(|text: String, n: i64| -> Result<i64> { Ok(text.len() as i64 + n) });
    let typed = into_typed_fn!(f, Fn(&str, i64) -> Result<i64>);
    assert_eq!(typed("four", 3).unwrap(), 7);
}

#[test]
fn closures_are_dropped_with_their_function() {
    let owned = Arc::new(());
    let held = owned.clone();
    let f = Function::from_typed(move || -> Result<i64> { Ok(Arc::strong_count(&held) as i64) });
    assert_eq!(i64::try_from(f.call_tuple(()).unwrap()).unwrap(), 2);
    drop(f);
    assert_eq!(Arc::strong_count(&owned), 1);
}

#[test]
fn two_threads_call_a_million_times() {
    let total = Arc::new(AtomicI64::new(0));
    let sum = total.clone();
    let add = Function::from_typed(move |n: i64| -> Result<()> {
        sum.fetch_add(n, Ordering::Relaxed);
        Ok(())
    });
    let threads: Vec<_> = (0..2)
        .map(|_| {
            let add = add.clone();
            std::thread::spawn(move || (0..500_000).for_each(|_| drop(add.call_tuple((1_i64,)).unwrap())))
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    assert_eq!(total.load(Ordering::Relaxed), 1_000_000);
    assert_eq!(Any::from(add).debug_strong_count(), Some(1));
}

#[test]
fn closures_return_plain_values() {
    let half = Function::from_typed(|n: i64| n as f64 / 2.0);
    assert_eq!(f64::try_from(half.call_tuple((3_i64,)).unwrap()).unwrap(), 1.5);
    let nothing = Function::from_typed(|_: String| ());
    assert_eq!(nothing.call_tuple(("x",)).unwrap().type_index(), 0);
    let any = Function::from_typed(|flag: bool| if flag { Any::from(1_i64) } else { Any::from(2.5) });
    assert_eq!(any.call_tuple((false,)).unwrap().try_as::<f64>(), Some(2.5));
    let error = half.call_tuple(("x",)).unwrap_err();
    assert_eq!(error.message(), "Argument #0: Cannot convert from type `ffi.SmallStr` to `int`");
}

#[test]
fn closures_borrow_object_references() {
    let holders = Function::from_typed(|items: &Array<i64>| {
        Any::from(items.clone()).debug_strong_count().unwrap() as i64
    });
    let array = Array::new(vec![1_i64, 2]);
    // The caller's and the clone's: the parameter itself holds none.
    assert_eq!(i64::try_from(holders.call_tuple((&array,)).unwrap()).unwrap(), 2);
    let sum = Function::from_typed(|items: &Array<f64>, f: &Function| -> Result<f64> {
        let sum = items.iter().sum::<Result<f64>>()?;
        f.call_tuple((sum,))?.try_into()
    });
    let negate = Function::from_typed(|x: f64| -x);
    // The numbers convert, into an array that the call holds.
    assert_eq!(f64::try_from(sum.call_tuple((&array, &negate)).unwrap()).unwrap(), -3.0);
    let error = sum.call_tuple((&array, 1_i64)).unwrap_err();
    assert_eq!(error.message(), "Argument #1: Cannot convert from type `int` to `ffi.Function`");
}

#[test]
fn an_error_shows_its_kind_and_message_and_on_request_its_traceback() {
    let frames = "  File \"a.rs\", line 1, in f\n  File \"b.rs\", line 2, in g\n";
    let error = Error::new(VALUE_ERROR, "no", frames);
    assert_eq!(format!("{error}"), "ValueError: no");
    let traceback = "Traceback (most recent call last):\n  File \"b.rs\", line 2, in g\n  \
                     File \"a.rs\", line 1, in f\nValueError: no";
    assert_eq!(format!("{error:#}"), traceback);
    assert_eq!(format!("{error:?}"), traceback);
}

#[test]
fn closures_may_change_what_they_capture() {
    let mut seen = Vec::new();
    let add = Function::from_typed_mut(move |n: i64, label: &str| -> Result<Array<String>> {
        ensure!(n > 0, VALUE_ERROR, "{n} is not positive");
        seen.push(String::from(format!("{label}{n}")));
        Ok(Array::new(seen.clone()))
    });
    add.call_tuple((1_i64, "a")).unwrap();
    // A failed call changes nothing, and the next one finds what the first left.
    assert_eq!(add.call_tuple((-1_i64, "b")).unwrap_err().message(), "-1 is not positive");
    assert_eq!(add.call_tuple((2_i64,)).unwrap_err().message(), "Expected 2 arguments, got 1");
    let error = add.call_tuple(("x", "c")).unwrap_err();
    assert_eq!(error.message(), "Argument #0: Cannot convert from type `ffi.SmallStr` to `int`");
    let out = add.call_tuple((2_i64, "d")).unwrap();
    assert_eq!(tvm_ffi::repr(&out).unwrap(), r#"("a1", "d2")"#);
}

#[test]
fn a_closure_that_changes_is_not_called_while_it_runs() {
    let mut depth = 0;
    let again = Function::from_typed_mut(move |itself: Function| -> Result<i64> {
        depth += 1;
        let inner = itself.call_tuple((itself.clone(),)).unwrap_err();
        assert_eq!(inner.kind(), RUNTIME_ERROR);
        assert_eq!(inner.message(), "a closure that changes its captures is called while it runs");
        Ok(depth)
    });
    for expected in 1..=2_i64 {
        let depth: i64 = again.call_tuple((again.clone(),)).unwrap().try_into().unwrap();
        assert_eq!(depth, expected);
    }
}

/// Two closures that call each other, from two threads that both are inside before either goes on.
#[test]
fn closures_that_would_wait_for_each_other_are_errors() {
    let both_inside = Arc::new(Barrier::new(2));
    let closure = |mut count: i64| {
        let both_inside = both_inside.clone();
        move |other: Option<Function>| -> Result<i64> {
            count += 1;
            let Some(other) = other else { return Ok(count) };
            both_inside.wait();
            other.call_tuple(((),))?.try_into()
        }
    };
    let (left, right) = (Function::from_typed_mut(closure(10)), Function::from_typed_mut(closure(20)));
    Function::register_global("functions.left", left.clone()).unwrap();
    Function::register_global("functions.right", right.clone()).unwrap();
    let call = |f: &Function, other: &Function| {
        let result = f.call_tuple((other.clone(),)).map(|n| i64::try_from(n).unwrap());
        result.map_err(|error| format!("{}: {}", error.kind(), error.message()))
    };
    let (from_left, from_right) = std::thread::scope(|scope| {
        let other = scope.spawn(|| call(&right, &left));
        (call(&left, &right), other.join().unwrap())
    });
    let refused = |name: &str| {
        format!(
            "RuntimeError: `functions.{name}`: a closure that changes its captures is called while it runs in a thread \
             that waits for this one"
        )
    };
    // Who comes second is refused; the other one gets its turn when that call has ended.
    match (&from_left, &from_right) {
        (Ok(22), Err(error)) => assert_eq!(*error, refused("left")),
        (Err(error), Ok(12)) => assert_eq!(*error, refused("right")),
        other => panic!("{other:?}"),
    }
    // Both go on working.
    for (f, expected) in [(&left, 11), (&right, 21)] {
        assert!(i64::try_from(f.call_tuple(((),)).unwrap()).unwrap() > expected);
    }
}

/// Four threads in a ring of four closures: all but one call get their turn, in whatever order.
#[test]
fn a_ring_of_waiting_threads_is_broken_at_one_place() {
    const RING: usize = 4;
    let all_inside = Arc::new(Barrier::new(RING));
    let ring: Vec<Function> = (0..RING)
        .map(|_| {
            let all_inside = all_inside.clone();
            let mut calls = 0;
            Function::from_typed_mut(move |next: Option<Function>| -> Result<i64> {
                calls += 1;
                let Some(next) = next else { return Ok(calls) };
                all_inside.wait();
                next.call_tuple(((),))?.try_into()
            })
        })
        .collect();
    let results: Vec<bool> = std::thread::scope(|scope| {
        let start = |i: usize| {
            let (f, next) = (ring[i].clone(), ring[(i + 1) % RING].clone());
            scope.spawn(move || f.call_tuple((next,)).is_ok())
        };
        let threads: Vec<_> = (0..RING).map(start).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(results.iter().filter(|ok| !**ok).count(), 1, "{results:?}");
}

#[test]
fn global_functions_say_their_name() {
    let message = |result: Result<Any>| {
        let error = result.unwrap_err();
        format!("{}: {}", error.kind(), error.message())
    };
    let add = Function::from_typed(|a: i64, b: Option<u8>, c: &str| -> Result<i64> {
        Ok(a + i64::from(b.unwrap_or(0)) + c.len() as i64)
    });
    assert_eq!(message(add.call_tuple((1_i64,))), "ValueError: Expected 3 arguments, got 1");
    Function::register_global("functions.add", add).unwrap();
    let add = Function::get_global("functions.add").unwrap();
    let call = "when calling: `functions.add(0: int, 1: Optional<int>, 2: ffi.String) -> int`";
    assert_eq!(
        message(add.call_tuple((1_i64,))),
        format!("ValueError: Mismatched number of arguments {call}. Expected 3 but got 1 arguments")
    );
    assert_eq!(
        message(add.call_tuple(("x", (), "y"))),
        format!("TypeError: Mismatched type on argument #0 {call}. Expected `int` but got `ffi.SmallStr`")
    );
    assert_eq!(
        message(add.call_tuple((1_i64, (), 2_i64))),
        format!("TypeError: Mismatched type on argument #2 {call}. Expected `ffi.String` but got `int`")
    );
    assert_eq!(
        message(add.call_tuple((1_i64, 300_i64, "y"))),
        format!(
            "OverflowError: Integer out of range on argument #1 {call}. Integer value 300 is out of range for `u8` [0, 255]"
        )
    );
    assert_eq!(i64::try_from(add.call_tuple((1_i64, 2_i64, "abc")).unwrap()).unwrap(), 6);

    let mut sum = 0;
    let count = Function::from_typed_mut(move |items: Array<i64>| -> i64 {
        sum += items.len() as i64;
        sum
    });
    Function::register_global("functions.count", count.clone()).unwrap();
    assert_eq!(
        message(count.call_tuple((1_i64,))),
        "TypeError: Mismatched type on argument #0 when calling: `functions.count(0: Array<int>) -> int`. \
         Expected `Array<int>` but got `int`"
    );
    assert_eq!(
        message(count.call_tuple((Array::new(vec![String::from("x")]),))),
        "TypeError: Mismatched type on argument #0 when calling: `functions.count(0: Array<int>) -> int`. \
         element 0: Cannot convert from type `ffi.SmallStr` to `int`"
    );
    // What the body raises is its own.
    let inner = Function::from_typed(|f: &Function| -> Result<Any> { f.call_tuple(("x", (), "y")) });
    Function::register_global("functions.inner", inner.clone()).unwrap();
    assert!(message(inner.call_tuple((&add,))).contains("`functions.add("));
    // A name that is free again is nobody's.
    Function::remove_global("functions.count").unwrap();
    assert!(message(count.call_tuple((1_i64,))).starts_with("TypeError: Argument #0: Cannot convert"));
    Function::set_global("functions.add", Function::from_typed(|| 1_i64), true).unwrap();
    assert_eq!(message(add.call_tuple((1_i64,))), "ValueError: Expected 3 arguments, got 1");
}

#[test]
fn threads_take_turns_with_a_closure_that_changes() {
    let mut sum = 0;
    let add = Function::from_typed_mut(move |n: i64| {
        sum += n;
        sum
    });
    std::thread::scope(|scope| {
        for _ in 0..4 {
            let add = add.clone();
            scope.spawn(move || {
                for _ in 0..1000 {
                    add.call_tuple((1_i64,)).unwrap();
                }
            });
        }
    });
    assert_eq!(i64::try_from(add.call_tuple((0_i64,)).unwrap()).unwrap(), 4000);
}

#[test]
fn a_closure_that_changes_is_not_called_after_a_panic() {
    let mut calls = 0;
    let fail = Function::from_typed_mut(move || -> i64 {
        calls += 1;
        assert!(calls > 1, "half way");
        calls
    });
    assert_eq!(fail.call_tuple(()).unwrap_err().message(), "panicked: half way");
    let error = fail.call_tuple(()).unwrap_err();
    assert_eq!(error.message(), "a closure that changes its captures is called after it panicked");
}

#[test]
fn globals_are_listed_replaced_and_removed() {
    let names = || Function::global_names().unwrap();
    let has = |name: &str| names().iter().any(|known| known == name);
    assert!(!has("functions.temporary"));
    Function::register_global("functions.temporary", Function::from_typed(|| 1_i64)).unwrap();
    assert!(has("functions.temporary"));
    let first = Function::get_global("functions.temporary").unwrap();
    let error = Function::register_global("functions.temporary", first.clone()).unwrap_err();
    assert_eq!(error.kind(), RUNTIME_ERROR);
    Function::set_global("functions.temporary", Function::from_typed(|| 2_i64), true).unwrap();
    Function::remove_global("functions.temporary").unwrap();
    Function::remove_global("functions.temporary").unwrap();
    assert!(!has("functions.temporary"));
    assert_eq!(i64::try_from(first.call_tuple(()).unwrap()).unwrap(), 1);
}

#[test]
fn causes_are_sources_and_go_to_other_threads_as_text() {
    use std::error::Error as _;
    use tvm_ffi::error::DetachedError;
    let root = Error::new(VALUE_ERROR, "root", "  File \"a.rs\", line 1, in f\n");
    let top = Error::new_with_cause_and_extra_context(RUNTIME_ERROR, "top", "", Some(&root), None);
    assert_eq!(top.source().unwrap().to_string(), "ValueError: root");
    assert!(root.source().is_none());
    let copy = std::thread::spawn({
        let copy = DetachedError::from(&top);
        move || copy
    });
    let copy = copy.join().unwrap();
    assert_eq!((copy.kind(), copy.message()), (RUNTIME_ERROR, "top"));
    assert_eq!(copy.source().unwrap().to_string(), "ValueError: root");
    assert_eq!(
        format!("{:?}", copy.source().unwrap()),
        "Traceback (most recent call last):\n  File \"a.rs\", line 1, in f\nValueError: root"
    );
    let back = Error::from(copy);
    assert_eq!(back.cause_chain().unwrap().backtrace(), root.backtrace());
}
