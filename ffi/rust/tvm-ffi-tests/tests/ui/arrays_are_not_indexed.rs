// SPDX-License-Identifier: Apache-2.0
//! An element is owned (`get`), not a view without an end.

fn main() {
    let array = tvm_ffi::Array::new(vec![1_i64]);
    let _ = array[0];
}
