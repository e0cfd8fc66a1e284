// SPDX-License-Identifier: Apache-2.0
//! Decimal text of big integers.

use super::magnitude::{divide_small, trim, Signed};
use super::BigInt;
use crate::error::{Error, Result, VALUE_ERROR};
use std::fmt;
use std::str::FromStr;

/// The largest power of ten in a digit, and its exponent.
const CHUNK: (u64, usize) = (10_000_000_000_000_000_000, 19);

impl fmt::Display for BigInt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut number = self.signed();
        let mut chunks = Vec::new();
        while !number.digits.is_empty() {
            chunks.push(divide_small(&mut number.digits, CHUNK.0));
        }
        let mut text = chunks.pop().unwrap_or(0).to_string();
        for chunk in chunks.iter().rev() {
            text += &format!("{chunk:0width$}", width = CHUNK.1);
        }
        f.pad_integral(!number.negative, "", &text)
    }
}

impl fmt::Debug for BigInt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ffi.BigInt {{ data: {self} }}")
    }
}

impl FromStr for BigInt {
    type Err = Error;
    /// Reads decimal digits with an optional sign; anything else is a `ValueError`.
    fn from_str(text: &str) -> Result<Self> {
        let (negative, decimal) = match text.as_bytes() {
            [b'-', rest @ ..] => (true, rest),
            [b'+', rest @ ..] => (false, rest),
            rest => (false, rest),
        };
        if decimal.is_empty() || !decimal.iter().all(u8::is_ascii_digit) {
            crate::bail!(VALUE_ERROR, "Invalid decimal string for BigInt");
        }
        let mut digits: Vec<u64> = Vec::new();
        for chunk in decimal.chunks(CHUNK.1) {
            let (mut value, mut scale) = (0_u64, 1_u64);
            for digit in chunk {
                value = value * 10 + u64::from(digit - b'0');
                scale *= 10;
            }
            let mut carry = u128::from(value);
            for digit in &mut digits {
                carry += u128::from(*digit) * u128::from(scale);
                *digit = carry as u64;
                carry >>= 64;
            }
            if carry != 0 {
                digits.push(carry as u64);
            }
        }
        trim(&mut digits);
        Ok(Signed { negative, digits }.into_big_int())
    }
}
