// SPDX-License-Identifier: Apache-2.0
//! What calls and containers cost, in nanoseconds and as ratios to a call of an empty C++ function.
//!
//! `cargo run --release --example call_ratios PATH/libtvm_ffi_testing.so`

use std::hint::black_box;
use std::time::Instant;
use tvm_ffi::{Any, AnyView, Array, Function, Map, Module, Result, String};

/// Nanoseconds of one repetition: the best of some rounds, so that other load counts little.
fn measure(repeat: u32, mut body: impl FnMut()) -> f64 {
    let round = |body: &mut dyn FnMut()| {
        let start = Instant::now();
        (0..repeat).for_each(|_| body());
        start.elapsed().as_nanos() as f64 / f64::from(repeat)
    };
    (0..7).map(|_| round(&mut body)).fold(f64::INFINITY, f64::min)
}

fn main() -> Result<()> {
    if let Some(path) = std::env::args().nth(1) {
        Module::load_from_file(path)?;
    }
    let nop = Function::get_global("testing.nop")?;
    let echo = Function::get_global("testing.echo")?;
    let packed = Function::from_packed(|args: &[AnyView<'_>]| Ok(Any::from(args.len() as i64)));
    let typed = Function::from_typed(|a: i64, b: i64, c: i64| -> Result<i64> { Ok(a + b + c) });
    let text = String::from("a text that is an object");
    const ITEMS: i64 = 1000;
    let array: Array<i64> = (0..ITEMS).collect();
    let map: Map<i64, i64> = (0..ITEMS).map(|i| (i, i)).collect();
    let many = f64::from(ITEMS as u32);

    let base = measure(100_000, || drop(black_box(nop.call_packed(&[]))));
    let rows = [
        ("C++ function, no arguments", base),
        (
            "C++ function, 3 numbers",
            measure(100_000, || drop(black_box(nop.call_tuple((1_i64, 2_i64, 3_i64))))),
        ),
        ("C++ echo, 1 number", measure(100_000, || drop(black_box(echo.call_tuple((1_i64,)))))),
        ("C++ echo, text by reference", measure(100_000, || drop(black_box(echo.call_tuple((&text,)))))),
        (
            "Rust closure of views, no arguments",
            measure(100_000, || drop(black_box(packed.call_packed(&[])))),
        ),
        (
            "Rust closure, 3 numbers",
            measure(100_000, || drop(black_box(typed.call_tuple((1_i64, 2_i64, 3_i64))))),
        ),
        ("error through the ABI", measure(10_000, || drop(black_box(typed.call_packed(&[]))))),
        (
            "array element",
            measure(200, || {
                black_box(array.iter().flatten().sum::<i64>());
            }) / many,
        ),
        (
            "map entry",
            measure(200, || {
                black_box(map.values().flatten().sum::<i64>());
            }) / many,
        ),
        ("map lookup", measure(100_000, || drop(black_box(map.get(&500))))),
        ("text of 7 bytes", measure(100_000, || drop(black_box(String::from("1234567"))))),
        ("text of 20 bytes", measure(100_000, || drop(black_box(String::from("12345678901234567890"))))),
    ];
    println!("{:<38} {:>9} {:>7}", "case", "ns", "ratio");
    for (name, nanoseconds) in rows {
        println!("{name:<38} {nanoseconds:>9.1} {:>7.2}", nanoseconds / base);
    }
    Ok(())
}
