// SPDX-License-Identifier: Apache-2.0
//! Sign and magnitude, the form in which numbers are computed.

use super::BigInt;
use std::cmp::Ordering;

/// A sign and 64-bit digits, least significant first, without zeros at the top; zero has no digits and no sign.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Signed {
    pub negative: bool,
    pub digits: Vec<u64>,
}

pub(super) fn trim(digits: &mut Vec<u64>) {
    while digits.last() == Some(&0) {
        digits.pop();
    }
}

pub(super) fn compare(a: &[u64], b: &[u64]) -> Ordering {
    a.len().cmp(&b.len()).then_with(|| a.iter().rev().cmp(b.iter().rev()))
}

pub(super) fn add(a: &[u64], b: &[u64]) -> Vec<u64> {
    let (long, short) = if a.len() >= b.len() { (a, b) } else { (b, a) };
    let mut out = Vec::with_capacity(long.len() + 1);
    let mut carry = false;
    for (i, digit) in long.iter().enumerate() {
        let (sum, first) = digit.overflowing_add(short.get(i).copied().unwrap_or(0));
        let (sum, second) = sum.overflowing_add(u64::from(carry));
        carry = first || second;
        out.push(sum);
    }
    if carry {
        out.push(1);
    }
    out
}

/// `a - b` for `a >= b`.
pub(super) fn subtract(a: &[u64], b: &[u64]) -> Vec<u64> {
    let mut out = Vec::with_capacity(a.len());
    let mut borrow = false;
    for (i, digit) in a.iter().enumerate() {
        let (rest, first) = digit.overflowing_sub(b.get(i).copied().unwrap_or(0));
        let (rest, second) = rest.overflowing_sub(u64::from(borrow));
        borrow = first || second;
        out.push(rest);
    }
    trim(&mut out);
    out
}

pub(super) fn multiply(a: &[u64], b: &[u64]) -> Vec<u64> {
    let mut out = vec![0_u64; a.len() + b.len()];
    for (i, x) in a.iter().enumerate() {
        let mut carry = 0_u128;
        for (j, y) in b.iter().enumerate() {
            let sum = u128::from(*x) * u128::from(*y) + u128::from(out[i + j]) + carry;
            out[i + j] = sum as u64;
            carry = sum >> 64;
        }
        out[i + b.len()] = carry as u64;
    }
    trim(&mut out);
    out
}

/// Divides in place by one digit; gives the remainder.
pub(super) fn divide_small(digits: &mut Vec<u64>, by: u64) -> u64 {
    let mut rest = 0_u128;
    for digit in digits.iter_mut().rev() {
        let value = (rest << 64) | u128::from(*digit);
        *digit = (value / u128::from(by)) as u64;
        rest = value % u128::from(by);
    }
    trim(digits);
    rest as u64
}

pub(super) fn shift_left(a: &[u64], count: usize) -> Vec<u64> {
    if a.is_empty() {
        return Vec::new();
    }
    let (words, bits) = (count / 64, count % 64);
    let mut out = vec![0; words];
    let mut carry = 0;
    for digit in a {
        out.push((digit << bits) | carry);
        carry = if bits == 0 { 0 } else { digit >> (64 - bits) };
    }
    out.push(carry);
    trim(&mut out);
    out
}

/// Shifts right; also says whether a set bit fell off.
pub(super) fn shift_right(a: &[u64], count: usize) -> (Vec<u64>, bool) {
    let (words, bits) = (count / 64, count % 64);
    if words >= a.len() {
        return (Vec::new(), !a.is_empty());
    }
    let mut lost = a[..words].iter().any(|digit| *digit != 0);
    lost |= bits != 0 && a[words] << (64 - bits) != 0;
    let mut out = Vec::with_capacity(a.len() - words);
    for i in words..a.len() {
        let above = a.get(i + 1).copied().unwrap_or(0);
        out.push(if bits == 0 { a[i] } else { (a[i] >> bits) | (above << (64 - bits)) });
    }
    trim(&mut out);
    (out, lost)
}

/// Quotient and remainder of magnitudes; `by` is not zero. (Schoolbook division with normalised divisors.)
pub(super) fn divide(a: &[u64], by: &[u64]) -> (Vec<u64>, Vec<u64>) {
    if compare(a, by).is_lt() {
        return (Vec::new(), a.to_vec());
    }
    if let [digit] = by {
        let mut quotient = a.to_vec();
        let rest = divide_small(&mut quotient, *digit);
        return (quotient, if rest == 0 { Vec::new() } else { vec![rest] });
    }
    let shift = by[by.len() - 1].leading_zeros() as usize;
    let divisor = shift_left(by, shift);
    let mut rest = shift_left(a, shift);
    let n = divisor.len();
    rest.resize(a.len() + 1, 0);
    let steps = rest.len() - n;
    let mut quotient = vec![0_u64; steps];
    let (top, second) = (u128::from(divisor[n - 1]), u128::from(divisor[n - 2]));
    for j in (0..steps).rev() {
        let head = (u128::from(rest[j + n]) << 64) | u128::from(rest[j + n - 1]);
        let mut guess = head / top;
        let mut left = head % top;
        while guess >> 64 != 0 || guess * second > (left << 64 | u128::from(rest[j + n - 2])) {
            guess -= 1;
            left += top;
            if left >> 64 != 0 {
                break;
            }
        }
        let mut borrow = 0_u128;
        let mut carry = 0_u128;
        for i in 0..n {
            let product = guess * u128::from(divisor[i]) + carry;
            carry = product >> 64;
            let (value, first) = rest[i + j].overflowing_sub(product as u64);
            let (value, second) = value.overflowing_sub(borrow as u64);
            borrow = u128::from(first) + u128::from(second);
            rest[i + j] = value;
        }
        let (value, first) = rest[j + n].overflowing_sub(carry as u64);
        let (value, second) = value.overflowing_sub(borrow as u64);
        rest[j + n] = value;
        if first || second {
            // The guess was one too large: add the divisor back.
            guess -= 1;
            let mut carry = false;
            for i in 0..n {
                let (sum, first) = rest[i + j].overflowing_add(divisor[i]);
                let (sum, second) = sum.overflowing_add(u64::from(carry));
                carry = first || second;
                rest[i + j] = sum;
            }
            rest[j + n] = rest[j + n].wrapping_add(u64::from(carry));
        }
        quotient[j] = guess as u64;
    }
    trim(&mut quotient);
    trim(&mut rest);
    (quotient, shift_right(&rest, shift).0)
}

impl Signed {
    pub fn from_words(words: &[i64]) -> Self {
        let negative = words.last().is_some_and(|word| *word < 0);
        let mut digits: Vec<u64> = words.iter().map(|word| *word as u64).collect();
        if negative {
            let mut carry = true;
            for digit in &mut digits {
                let (value, over) = (!*digit).overflowing_add(u64::from(carry));
                *digit = value;
                carry = over;
            }
        }
        trim(&mut digits);
        Self { negative, digits }
    }

    pub fn into_big_int(mut self) -> BigInt {
        trim(&mut self.digits);
        // A word for the sign.
        self.digits.push(0);
        if self.negative {
            let mut carry = true;
            for digit in &mut self.digits {
                let (value, over) = (!*digit).overflowing_add(u64::from(carry));
                *digit = value;
                carry = over;
            }
        }
        let words: Vec<i64> = self.digits.iter().map(|digit| *digit as i64).collect();
        BigInt::from_words(&words)
    }

    pub fn from_f64(value: f64) -> Self {
        let value = value.trunc();
        if value.abs() < 1.0 {
            return Self { negative: false, digits: Vec::new() };
        }
        let bits = value.to_bits();
        let exponent = ((bits >> 52) & 0x7ff) as i64 - 1075;
        let fraction = (bits & ((1 << 52) - 1)) | (1 << 52);
        let digits = if exponent >= 0 {
            shift_left(&[fraction], exponent as usize)
        } else {
            shift_right(&[fraction], -exponent as usize).0
        };
        Self { negative: value < 0.0, digits }
    }

    pub fn to_f64(&self) -> f64 {
        let bits = self.digits.len() * 64 - self.digits.last().map_or(0, |d| d.leading_zeros() as usize);
        let value = if bits <= 64 {
            self.digits.first().map_or(0.0, |d| *d as f64)
        } else {
            // 64 leading bits; a lost bit below them must break a tie, so it is kept in the lowest one.
            let (top, lost) = shift_right(&self.digits, bits - 64);
            let scale = (bits - 64).min(2000) as i32;
            let head = (top[0] | u64::from(lost)) as f64;
            head * 2_f64.powi(scale / 2) * 2_f64.powi(scale - scale / 2)
        };
        if self.negative {
            -value
        } else {
            value
        }
    }
}
