// SPDX-License-Identifier: Apache-2.0
//! A borrowed parameter lives as long as one call.
use tvm_ffi::{Array, Function};

fn main() {
    Function::from_typed(|array: &'static Array<i64>| array.len() as i64);
}
