// SPDX-License-Identifier: Apache-2.0
//! Big integers against 128-bit arithmetic, identities and the decimal texts that Python gives.

use tvm_ffi::{Any, BigInt, Function, Result};

fn big(text: &str) -> BigInt {
    text.parse().unwrap()
}

#[test]
fn arithmetic_agrees_with_128_bits() {
    let samples: Vec<i128> = [0, 1, 2, 3, 7, 63, 64, 1 << 31, 1 << 32, (1 << 62) - 1, 1 << 63, (1 << 63) + 5]
        .into_iter()
        .flat_map(|n: i128| [n, -n, n + 1, -n - 1])
        .collect();
    for &a in &samples {
        for &b in &samples {
            let (x, y) = (BigInt::from(a), BigInt::from(b));
            assert_eq!((&x + &y).to_i128(), Some(a + b), "{a} + {b}");
            assert_eq!((&x - &y).to_i128(), Some(a - b), "{a} - {b}");
            // 2**64 * 2**64 is beyond i128.
            assert_eq!((&x * &y).to_i128(), a.checked_mul(b), "{a} * {b}");
            assert_eq!((&x & &y).to_i128(), Some(a & b), "{a} & {b}");
            assert_eq!((&x | &y).to_i128(), Some(a | b), "{a} | {b}");
            assert_eq!((&x ^ &y).to_i128(), Some(a ^ b), "{a} ^ {b}");
            assert_eq!(x.cmp(&y), a.cmp(&b), "{a} <=> {b}");
            if b != 0 {
                assert_eq!((&x / &y).to_i128(), Some(a / b), "{a} / {b}");
                assert_eq!((&x % &y).to_i128(), Some(a % b), "{a} % {b}");
                let floor = a.div_euclid(b) - i128::from(b < 0 && a.rem_euclid(b) != 0);
                assert_eq!(x.floor_div(&y).unwrap().to_i128(), Some(floor), "{a} // {b}");
                assert_eq!(x.floor_mod(&y).unwrap().to_i128(), Some(a - floor * b), "{a} mod {b}");
            }
        }
    }
}

#[test]
fn long_division_inverts_multiplication() {
    // Factors with runs of ones and zeros reach the correction steps of the division.
    let ones = (BigInt::from(1_i64) << 200) - 1;
    let sparse = (BigInt::from(1_i64) << 193) + 1;
    let factors =
        [ones, sparse, big("340282366920938463463374607431768211457"), big("-18446744073709551616")];
    for a in &factors {
        for b in &factors {
            for rest in [0_i64, 1, 12345] {
                let (quotient, left) = ((a * b) + rest).div_rem(b).unwrap();
                assert_eq!(&(&quotient * b) + &left, (a * b) + rest);
                assert!(left.signed_bits() <= b.signed_bits());
            }
        }
    }
}

trait Bits {
    fn signed_bits(&self) -> usize;
}
impl Bits for BigInt {
    fn signed_bits(&self) -> usize {
        self.words().len()
    }
}

#[test]
fn decimal_text_goes_both_ways() {
    // 3**200 and 2**130, as Python prints them.
    let text =
        "265613988875874769338781322035779626829233452653394495974574961739092490901302182994384699044001";
    let mut power = BigInt::from(1_i64);
    for _ in 0..200 {
        power *= 3;
    }
    assert_eq!(power.to_string(), text);
    assert_eq!(big(text), power);
    assert_eq!((BigInt::from(1_i64) << 130).to_string(), "1361129467683753853853498429727072845824");
    assert_eq!(big("-0").to_string(), "0");
    assert_eq!(format!("{:+05}|{:>4}", BigInt::from(7_i64), BigInt::from(-3_i64)), "+0007|  -3");
    for bad in ["", "-", "1 2", "0x10", "1_0"] {
        let error = bad.parse::<BigInt>().unwrap_err();
        assert_eq!(error.message(), "Invalid decimal string for BigInt");
    }
}

#[test]
fn shifts_round_down_and_refuse_what_cannot_be() {
    assert_eq!(big("-5") >> 1, BigInt::from(-3_i64));
    assert_eq!((big("-1") << 100) >> 101, BigInt::from(-1_i64));
    assert_eq!(BigInt::from(1_i64).try_shr(u64::MAX).unwrap(), 0);
    let error = BigInt::from(1_i64).try_shl(-1_i64).unwrap_err();
    assert_eq!((error.kind().as_str(), error.message()), ("ValueError", "Negative BigInt shift count"));
    let error = BigInt::from(1_i64).try_shl(1_i64 << 60).unwrap_err();
    assert_eq!(error.kind().as_str(), "OverflowError");
    let error = BigInt::from(1_i64).try_div(&BigInt::new()).unwrap_err();
    assert_eq!((error.kind().as_str(), error.message()), ("ZeroDivisionError", "Division by zero"));
}

#[test]
fn doubles_round_to_even() {
    for value in [0.0, 1.0, -2.5, 9.007199254740993e15, 1e300, -1e19, f64::MAX] {
        let number = BigInt::try_from(value).unwrap();
        assert_eq!(number.to_f64().unwrap(), value.trunc());
    }
    // 2**64 + 2**11 is halfway between two doubles; one more decides.
    let half = (BigInt::from(1_i64) << 64) + (1 << 11);
    assert_eq!(half.to_f64().unwrap(), 18446744073709551616.0);
    assert_eq!((half + 1).to_f64().unwrap(), 18446744073709555712.0);
    assert!(BigInt::try_from(f64::NAN).is_err() && BigInt::try_from(f64::INFINITY).is_err());
    assert_eq!((BigInt::from(1_i64) << 1024).to_f64().unwrap_err().kind().as_str(), "OverflowError");
}

#[test]
fn values_are_plain_integers_when_they_fit() {
    let echo = Function::from_typed(|n: BigInt| -> Result<BigInt> { Ok(n) });
    let large = big("123456789012345678901234567890");
    let back = echo.call_tuple((&large,)).unwrap();
    assert_eq!(back.type_index(), tvm_ffi::TypeIndex::kTVMFFIBigInt as i32);
    assert_eq!(BigInt::try_from(back).unwrap(), large);
    let small = echo.call_tuple((&large - &large + 5,)).unwrap();
    assert_eq!(small.type_index(), tvm_ffi::TypeIndex::kTVMFFIInt as i32);
    assert_eq!(i64::try_from(small).unwrap(), 5);
    let held = Any::from(large.clone());
    assert_eq!(held.debug_strong_count(), Some(2));
    drop(large);
    assert_eq!(held.debug_strong_count(), Some(1));
    assert_eq!(BigInt::from(u128::MAX).to_u128(), Some(u128::MAX));
    assert_eq!(BigInt::from(u64::MAX).to_u64(), Some(u64::MAX));
    assert_eq!(BigInt::from(-1_i64).to_u64(), None);
}
