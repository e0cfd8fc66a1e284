// SPDX-License-Identifier: Apache-2.0
//! What is no value is neither a parameter nor a result.
use tvm_ffi::Function;

struct Mine;

fn main() {
    Function::from_typed(|_: Mine| 1_i64);
    Function::from_typed(|| Mine);
    Function::from_typed(|| Err::<i64, _>("no error of this crate"));
}
