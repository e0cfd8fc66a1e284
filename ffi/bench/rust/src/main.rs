// SPDX-License-Identifier: Apache-2.0
//! Costs of the FFI seen from Rust, in nanoseconds an operation, as one JSON object on stdout. The program uses what the crates
//! of both sides have, so that rust_costs.py can build it with Kiln's and with the published ones; `kiln` adds what only Kiln has.
//!
//!     rust_costs LIBRARY    LIBRARY is rust_calls.cc, built with the headers of the same side

use std::hint::black_box;
use std::time::Instant;
use tvm_ffi::{Any, AnyView, Array, Function, Map, Module, Result, String};

/// Best nanoseconds of one of `count` operations of a round.
fn best(rounds: u32, count: u32, mut round: impl FnMut()) -> f64 {
    let mut once = || {
        let start = Instant::now();
        round();
        start.elapsed().as_nanos() as f64 / f64::from(count)
    };
    (0..rounds).map(|_| once()).fold(f64::INFINITY, f64::min)
}

fn int(value: Any) -> i64 {
    i64::try_from(value).unwrap_or(0)
}

/// Reads all, four at a time, so that the read counts and not where a loop of five instructions happens to lie in the cache.
#[cfg(feature = "kiln")]
#[inline(never)]
fn sum_of<T>(items: &[T], read: impl Fn(&T) -> i64) -> i64 {
    let mut sum = 0;
    for four in items.chunks_exact(4) {
        let [a, b, c, d] = four else { unreachable!() };
        sum += read(black_box(a)) + read(black_box(b)) + read(black_box(c)) + read(black_box(d));
    }
    sum
}

#[cfg(feature = "kiln")]
fn fields(report: &mut dyn FnMut(&str, f64)) -> Result<()> {
    use tvm_ffi::reflection::{CachedField, Opaque};
    use tvm_ffi::{rs_class, FieldGetter, Object, ObjectArc, ObjectCore};

    #[rs_class("bench.Point")]
    struct Point {
        x: i64,
        y: f64,
    }

    // What tvm-ffi-stubgen writes for an opaque type.
    #[repr(C)]
    #[derive(tvm_ffi::derive::Object)]
    #[type_key = "bench.Point"]
    #[type_fields("x": i64 = 24, "y": f64 = 32)]
    struct SeenObj {
        base: Object,
        opaque: Opaque,
    }
    #[repr(C)]
    #[derive(tvm_ffi::derive::ObjectRef, Clone)]
    struct Seen {
        base: ObjectArc<SeenObj>,
    }
    impl SeenObj {
        fn x(&self) -> Result<i64> {
            static FIELD: CachedField<SeenObj> = CachedField::new("x");
            FIELD.read_int::<24>(self)
        }
    }

    const COUNT: u32 = 100_000;
    let points: Vec<Point> = (0..100).map(|i| Point::new(i, 0.5)).collect();
    let seen: Vec<Seen> = points
        .iter()
        .map(|point| Seen::try_from(Any::from(point.clone())))
        .collect::<Result<_>>()?;
    let getter = FieldGetter::new(PointObj::type_index(), "x")?;
    let mut sum = 0;
    let mut timed = |name: &str, pass: &dyn Fn() -> i64| {
        report(name, best(50, COUNT, || {
            for _ in 0..COUNT / 100 {
                sum += pass();
            }
        }));
    };
    timed("field, direct", &|| sum_of(&points, |point| point.x));
    timed("field, generated getter", &|| sum_of(&seen, |point| point.base.x().unwrap_or(0)));
    timed("field, through reflection", &|| {
        sum_of(&points, |point| getter.get::<_, i64>(&**point).unwrap_or(0))
    });
    assert_eq!(sum % 4950, 0);
    black_box(points[0].y);
    Ok(())
}

fn main() -> Result<()> {
    let path = std::env::args().nth(1).expect("the library");
    let library = Module::load_from_file(path)?;
    let mut rows: Vec<(std::string::String, f64)> = Vec::new();
    let mut report = |name: &str, nanoseconds: f64| rows.push((name.to_string(), nanoseconds));
    let get = |name: &str| library.get_function(name);
    let (nop, add) = (get("nop")?, get("add")?);
    let (time0, time3, lambda0, lambda3) = (get("time0")?, get("time3")?, get("lambda0")?, get("lambda3")?);
    let lambda0: Function = lambda0.call_packed(&[])?.try_into()?;
    let lambda3: Function = lambda3.call_packed(&[])?.try_into()?;
    let timed = |time: &Function, f: &Function| -> Result<f64> { time.call_tuple((f,))?.try_into() };

    const COUNT: u32 = 100_000;
    report("C++ to C++, no arguments", timed(&time0, &nop)?);
    report("Rust to C++, no arguments", best(50, COUNT, || {
        for _ in 0..COUNT {
            if let Ok(value) = black_box(&nop).call_packed(&[]) {
                black_box(&value);
            }
        }
    }));
    report("C++ to C++, 3 ints", timed(&time3, &add)?);
    report("Rust to C++, 3 ints", best(50, COUNT, || {
        let mut sum = 0;
        for i in 0..i64::from(COUNT) {
            sum += black_box(&add).call_tuple((i, i, 1_i64)).map_or(0, int);
        }
        assert_eq!(sum, i64::from(COUNT) * i64::from(COUNT));
    }));

    let none = Function::from_typed(|| -> Result<i64> { Ok(7) });
    let sum = Function::from_typed(|a: i64, b: i64, c: i64| -> Result<i64> { Ok(a + b + c) });
    report("C++ lambda from C++, no arguments", timed(&time0, &lambda0)?);
    report("Rust closure from C++, no arguments", timed(&time0, &none)?);
    report("C++ lambda from C++, 3 ints", timed(&time3, &lambda3)?);
    report("Rust closure from C++, 3 ints", timed(&time3, &sum)?);
    report("Rust closure from Rust, 3 ints", best(50, COUNT, || {
        for i in 0..i64::from(COUNT) {
            black_box(black_box(&sum).call_tuple((i, i, 1_i64)).map_or(0, int));
        }
    }));
    report("error through the ABI", best(20, 10_000, || {
        for _ in 0..10_000 {
            assert!(black_box(&sum).call_packed(&[]).is_err());
        }
    }));

    const ITEMS: u32 = 1000;
    let array: Array<i64> = (0..i64::from(ITEMS)).collect();
    let map: Map<i64, i64> = (0..i64::from(ITEMS)).map(|i| (i, i)).collect();
    report("array iteration, an element", best(100, ITEMS, || {
        let mut sum = 0;
        for item in black_box(&array).iter() {
            #[cfg(feature = "kiln")]
            let item = item.unwrap_or(0);
            sum += item;
        }
        assert_eq!(sum, 499_500);
    }));
    report("map iteration, an entry", best(100, ITEMS, || {
        let mut sum = 0;
        for entry in black_box(&map).iter() {
            #[cfg(feature = "kiln")]
            let entry = entry.unwrap_or((0, 0));
            sum += entry.0 + entry.1;
        }
        assert_eq!(sum, 999_000);
    }));
    report("map lookup", best(20, ITEMS, || {
        for key in 0..i64::from(ITEMS) {
            assert!(matches!(black_box(&map).get(&key), Ok(Some(found)) if found == key));
        }
    }));
    let text = "a text that is an object";
    report("text of 7 bytes", best(50, COUNT, || (0..COUNT).for_each(|_| drop(black_box(String::from("1234567"))))));
    report("text of 24 bytes", best(50, COUNT, || (0..COUNT).for_each(|_| drop(black_box(String::from(text))))));
    let _ = AnyView::from(&array);

    #[cfg(feature = "kiln")]
    fields(&mut report)?;

    let shown: Vec<_> = rows.iter().map(|(name, value)| format!("\"{name}\": {value:.3}")).collect();
    println!("{{{}}}", shown.join(", "));
    Ok(())
}
