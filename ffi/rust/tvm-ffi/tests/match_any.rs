// SPDX-License-Identifier: Apache-2.0
//! `match_any!` with enough arms for a table.

use tvm_ffi::{match_any, rs_class, Any, DLDataType, DLDevice, Function, Shape};

macro_rules! leaves {
    ($($name:ident $key:literal;)*) => { $(
        #[rs_class($key, final)]
        struct $name {
            number: i64,
        }
    )* };
}

leaves! {
    L00 "rust_match.L00"; L01 "rust_match.L01"; L02 "rust_match.L02"; L03 "rust_match.L03";
    L04 "rust_match.L04"; L05 "rust_match.L05"; L06 "rust_match.L06"; L07 "rust_match.L07";
    L08 "rust_match.L08"; L09 "rust_match.L09"; L10 "rust_match.L10"; L11 "rust_match.L11";
    L12 "rust_match.L12"; L13 "rust_match.L13"; L14 "rust_match.L14"; L15 "rust_match.L15";
    L16 "rust_match.L16"; L17 "rust_match.L17"; L18 "rust_match.L18"; L19 "rust_match.L19";
}

fn by_table(value: &Any) -> i64 {
    match_any!(value.clone() {
        L00(leaf) => leaf.number, L01(leaf) => 100 + leaf.number, L02(leaf) => 200 + leaf.number,
        L03(leaf) => 300 + leaf.number, L04(leaf) => 400 + leaf.number, L05(leaf) => 500 + leaf.number,
        L06(leaf) => 600 + leaf.number, L07(leaf) => 700 + leaf.number, L08(leaf) => 800 + leaf.number,
        L09(leaf) => 900 + leaf.number, L10(leaf) => 1000 + leaf.number, L11(leaf) => 1100 + leaf.number,
        L12(leaf) => 1200 + leaf.number, L13(leaf) => 1300 + leaf.number, L14(leaf) => 1400 + leaf.number,
        L15(leaf) => 1500 + leaf.number, L16(leaf) => 1600 + leaf.number, L17(leaf) => 1700 + leaf.number,
        L18(leaf) => 1800 + leaf.number, L19(leaf) => 1900 + leaf.number,
        // The first arm of a type has it.
        L03(_) => -3,
        f64(x) => x as i64, bool(_) => -2, DLDevice(_) => -4, DLDataType(_) => -5,
        _ => -1,
    })
}

/// One arm is of a type that a single index does not decide, so the arms are tried.
fn by_trying<First>(value: &Any) -> i64
where
    First: tvm_ffi::AnyCompatible + 'static,
{
    match_any!(value {
        First(_) => 1, L00(_) => 2, L01(_) => 3, L02(_) => 4, L03(_) => 5, L04(_) => 6, L05(_) => 7, L06(_) => 8,
        L07(_) => 9, L08(_) => 10, L09(_) => 11, L10(_) => 12, L11(_) => 13, L12(_) => 14, L13(_) => 15,
        L14(_) => 16, L15(_) => 17, L16(_) => 18, L17(_) => 19, L18(_) => 20, i64(n) => n,
        _ => -1,
    })
}

/// All are decided by one index, but what they are depends on the caller.
fn generic<A, B>(value: &Any) -> i64
where
    A: tvm_ffi::AnyCompatible + 'static,
    B: tvm_ffi::AnyCompatible + 'static,
{
    match_any!(value {
        A(_) => 1, B(_) => 2, L02(_) => 3, L03(_) => 4, L04(_) => 5, L05(_) => 6, L06(_) => 7, L07(_) => 8,
        L08(_) => 9, L09(_) => 10, L10(_) => 11, L11(_) => 12, L12(_) => 13, L13(_) => 14, L14(_) => 15,
        L15(_) => 16, L16(_) => 17, L17(_) => 18, L18(_) => 19, L19(_) => 20,
        _ => -1,
    })
}

#[test]
fn every_arm_is_found() {
    let values: [Any; 20] = [
        L00::new(7).into(),
        L01::new(7).into(),
        L02::new(7).into(),
        L03::new(7).into(),
        L04::new(7).into(),
        L05::new(7).into(),
        L06::new(7).into(),
        L07::new(7).into(),
        L08::new(7).into(),
        L09::new(7).into(),
        L10::new(7).into(),
        L11::new(7).into(),
        L12::new(7).into(),
        L13::new(7).into(),
        L14::new(7).into(),
        L15::new(7).into(),
        L16::new(7).into(),
        L17::new(7).into(),
        L18::new(7).into(),
        L19::new(7).into(),
    ];
    for (at, value) in values.iter().enumerate() {
        assert_eq!(by_table(value), 100 * at as i64 + 7);
        assert_eq!(by_trying::<Function>(value), if at == 19 { -1 } else { at as i64 + 2 });
    }
    assert_eq!(by_table(&Any::from(2.5)), 2);
    assert_eq!(by_table(&Any::from(true)), -2);
    assert_eq!(by_table(&Any::from(3_i64)), -1);
    assert_eq!(by_table(&Any::new()), -1);
    assert_eq!(by_table(&Any::from(Shape::new())), -1);
    assert_eq!(by_trying::<Function>(&Any::from(33_i64)), 33);
}

#[test]
fn generic_functions_do_not_share_a_table() {
    let (a, b) = (Any::from(L00::new(1)), Any::from(L01::new(1)));
    for _ in 0..2 {
        assert_eq!((generic::<L00, L01>(&a), generic::<L00, L01>(&b)), (1, 2));
        assert_eq!((generic::<L01, L00>(&a), generic::<L01, L00>(&b)), (2, 1));
    }
}
