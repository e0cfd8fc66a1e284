// SPDX-License-Identifier: Apache-2.0
//! Operators and checked operations.

use super::magnitude::{add, compare, divide, multiply, shift_left, shift_right, subtract, Signed};
use super::BigInt;
use crate::error::{Result, OVERFLOW_ERROR, VALUE_ERROR, ZERO_DIVISION_ERROR};
use std::ops::{
    Add, AddAssign, BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Div, DivAssign, Mul,
    MulAssign, Neg, Not, Rem, RemAssign, Shl, ShlAssign, Shr, ShrAssign, Sub, SubAssign,
};

/// Larger numbers than this many bits are refused, since a slip of the pen would otherwise take all memory.
const MOST_BITS: usize = 1 << 36;

fn add_signed(a: &Signed, b: &Signed) -> Signed {
    if a.negative == b.negative {
        return Signed { negative: a.negative, digits: add(&a.digits, &b.digits) };
    }
    if compare(&a.digits, &b.digits).is_ge() {
        Signed { negative: a.negative, digits: subtract(&a.digits, &b.digits) }
    } else {
        Signed { negative: b.negative, digits: subtract(&b.digits, &a.digits) }
    }
}

fn sum(a: &BigInt, b: &BigInt) -> BigInt {
    if let (Some(x), Some(y)) = (a.to_i64(), b.to_i64()) {
        return BigInt::from(i128::from(x) + i128::from(y));
    }
    add_signed(&a.signed(), &b.signed()).into_big_int()
}

fn difference(a: &BigInt, b: &BigInt) -> BigInt {
    if let (Some(x), Some(y)) = (a.to_i64(), b.to_i64()) {
        return BigInt::from(i128::from(x) - i128::from(y));
    }
    let mut minus = b.signed();
    minus.negative = !minus.negative;
    add_signed(&a.signed(), &minus).into_big_int()
}

fn product(a: &BigInt, b: &BigInt) -> BigInt {
    if let (Some(x), Some(y)) = (a.to_i64(), b.to_i64()) {
        return BigInt::from(i128::from(x) * i128::from(y));
    }
    let (a, b) = (a.signed(), b.signed());
    Signed { negative: a.negative != b.negative, digits: multiply(&a.digits, &b.digits) }.into_big_int()
}

/// Word by word; the shorter number goes on with its sign.
fn bitwise(a: &BigInt, b: &BigInt, with: impl Fn(i64, i64) -> i64) -> BigInt {
    let (x, y) = (a.words(), b.words());
    let sign = |number: &BigInt| if number.is_negative() { -1 } else { 0 };
    let (more_x, more_y) = (sign(a), sign(b));
    let words: Vec<i64> = (0..x.len().max(y.len()))
        .map(|i| with(x.get(i).copied().unwrap_or(more_x), y.get(i).copied().unwrap_or(more_y)))
        .collect();
    BigInt::from_words(&words)
}

impl BigInt {
    /// Quotient and remainder, rounded towards zero; `ZeroDivisionError` for zero.
    pub fn div_rem(&self, by: &BigInt) -> Result<(BigInt, BigInt)> {
        if by.is_zero() {
            crate::bail!(ZERO_DIVISION_ERROR, "Division by zero");
        }
        if let (Some(a), Some(b)) = (self.to_i64(), by.to_i64()) {
            let (a, b) = (i128::from(a), i128::from(b));
            return Ok((BigInt::from(a / b), BigInt::from(a % b)));
        }
        let (a, b) = (self.signed(), by.signed());
        let (quotient, rest) = divide(&a.digits, &b.digits);
        let quotient = Signed { negative: a.negative != b.negative, digits: quotient };
        Ok((quotient.into_big_int(), Signed { negative: a.negative, digits: rest }.into_big_int()))
    }

    /// Quotient rounded towards zero; `ZeroDivisionError` for zero.
    pub fn try_div(&self, by: &BigInt) -> Result<BigInt> {
        self.div_rem(by).map(|(quotient, _)| quotient)
    }

    /// Remainder with the sign of `self`; `ZeroDivisionError` for zero.
    pub fn try_rem(&self, by: &BigInt) -> Result<BigInt> {
        self.div_rem(by).map(|(_, rest)| rest)
    }

    /// Quotient rounded down, Python's `//`; `ZeroDivisionError` for zero.
    pub fn floor_div(&self, by: &BigInt) -> Result<BigInt> {
        let (quotient, rest) = self.div_rem(by)?;
        let down = !rest.is_zero() && rest.is_negative() != by.is_negative();
        Ok(if down { difference(&quotient, &BigInt::from(1_i64)) } else { quotient })
    }

    /// Remainder with the sign of `by`, Python's `%`; `ZeroDivisionError` for zero.
    pub fn floor_mod(&self, by: &BigInt) -> Result<BigInt> {
        let rest = self.try_rem(by)?;
        let down = !rest.is_zero() && rest.is_negative() != by.is_negative();
        Ok(if down { sum(&rest, by) } else { rest })
    }

    /// `self * 2**count`: `ValueError` for a negative count, `OverflowError` for one that no memory holds.
    pub fn try_shl(&self, count: impl Into<BigInt>) -> Result<BigInt> {
        let count = count.into();
        if count.is_negative() {
            crate::bail!(VALUE_ERROR, "Negative BigInt shift count");
        }
        if self.is_zero() {
            return Ok(BigInt::new());
        }
        let Some(count) = count.to_u64().and_then(|c| usize::try_from(c).ok()) else {
            crate::bail!(OVERFLOW_ERROR, "BigInt shift count is too large");
        };
        let number = self.signed();
        if count.checked_add(64 * number.digits.len()).is_none_or(|bits| bits > MOST_BITS) {
            crate::bail!(OVERFLOW_ERROR, "BigInt allocation is too large");
        }
        Ok(Signed { negative: number.negative, digits: shift_left(&number.digits, count) }.into_big_int())
    }

    /// `self / 2**count` rounded down: `ValueError` for a negative count.
    pub fn try_shr(&self, count: impl Into<BigInt>) -> Result<BigInt> {
        let count = count.into();
        if count.is_negative() {
            crate::bail!(VALUE_ERROR, "Negative BigInt shift count");
        }
        let number = self.signed();
        let count = count.to_u64().and_then(|c| usize::try_from(c).ok()).unwrap_or(usize::MAX);
        let (digits, lost) = shift_right(&number.digits, count);
        let value = Signed { negative: number.negative, digits }.into_big_int();
        Ok(if number.negative && lost { difference(&value, &BigInt::from(1_i64)) } else { value })
    }
}

impl Neg for &BigInt {
    type Output = BigInt;
    fn neg(self) -> BigInt {
        difference(&BigInt::new(), self)
    }
}
impl Neg for BigInt {
    type Output = BigInt;
    fn neg(self) -> BigInt {
        -&self
    }
}
impl Not for &BigInt {
    type Output = BigInt;
    fn not(self) -> BigInt {
        let words: Vec<i64> = self.words().iter().map(|word| !word).collect();
        BigInt::from_words(&words)
    }
}
impl Not for BigInt {
    type Output = BigInt;
    fn not(self) -> BigInt {
        !&self
    }
}

/// The value of an operation whose operator cannot fail otherwise than by a panic.
#[track_caller]
fn or_panic(result: Result<BigInt>) -> BigInt {
    result.unwrap_or_else(|error| panic!("{}", error.message()))
}

macro_rules! operator {
    ($trait:ident $method:ident $assign_trait:ident $assign:ident, |$a:ident, $b:ident| $body:expr) => {
        impl $trait<&BigInt> for &BigInt {
            type Output = BigInt;
            #[track_caller]
            fn $method(self, other: &BigInt) -> BigInt {
                let ($a, $b) = (self, other);
                $body
            }
        }
        impl $trait<BigInt> for &BigInt {
            type Output = BigInt;
            #[track_caller]
            fn $method(self, other: BigInt) -> BigInt {
                $trait::$method(self, &other)
            }
        }
        impl $trait<&BigInt> for BigInt {
            type Output = BigInt;
            #[track_caller]
            fn $method(self, other: &BigInt) -> BigInt {
                $trait::$method(&self, other)
            }
        }
        impl $trait<BigInt> for BigInt {
            type Output = BigInt;
            #[track_caller]
            fn $method(self, other: BigInt) -> BigInt {
                $trait::$method(&self, &other)
            }
        }
        impl $trait<i64> for &BigInt {
            type Output = BigInt;
            #[track_caller]
            fn $method(self, other: i64) -> BigInt {
                $trait::$method(self, &BigInt::from(other))
            }
        }
        impl $trait<i64> for BigInt {
            type Output = BigInt;
            #[track_caller]
            fn $method(self, other: i64) -> BigInt {
                $trait::$method(&self, &BigInt::from(other))
            }
        }
        impl $trait<BigInt> for i64 {
            type Output = BigInt;
            #[track_caller]
            fn $method(self, other: BigInt) -> BigInt {
                $trait::$method(&BigInt::from(self), &other)
            }
        }
        impl $trait<&BigInt> for i64 {
            type Output = BigInt;
            #[track_caller]
            fn $method(self, other: &BigInt) -> BigInt {
                $trait::$method(&BigInt::from(self), other)
            }
        }
        impl $assign_trait<&BigInt> for BigInt {
            #[track_caller]
            fn $assign(&mut self, other: &BigInt) {
                *self = $trait::$method(&*self, other);
            }
        }
        impl $assign_trait<BigInt> for BigInt {
            #[track_caller]
            fn $assign(&mut self, other: BigInt) {
                *self = $trait::$method(&*self, &other);
            }
        }
        impl $assign_trait<i64> for BigInt {
            #[track_caller]
            fn $assign(&mut self, other: i64) {
                *self = $trait::$method(&*self, &BigInt::from(other));
            }
        }
    };
}

operator!(Add add AddAssign add_assign, |a, b| sum(a, b));
operator!(Sub sub SubAssign sub_assign, |a, b| difference(a, b));
operator!(Mul mul MulAssign mul_assign, |a, b| product(a, b));
operator!(Div div DivAssign div_assign, |a, b| or_panic(a.try_div(b)));
operator!(Rem rem RemAssign rem_assign, |a, b| or_panic(a.try_rem(b)));
operator!(BitAnd bitand BitAndAssign bitand_assign, |a, b| bitwise(a, b, |x, y| x & y));
operator!(BitOr bitor BitOrAssign bitor_assign, |a, b| bitwise(a, b, |x, y| x | y));
operator!(BitXor bitxor BitXorAssign bitxor_assign, |a, b| bitwise(a, b, |x, y| x ^ y));
operator!(Shl shl ShlAssign shl_assign, |a, b| or_panic(a.try_shl(b)));
operator!(Shr shr ShrAssign shr_assign, |a, b| or_panic(a.try_shr(b)));
