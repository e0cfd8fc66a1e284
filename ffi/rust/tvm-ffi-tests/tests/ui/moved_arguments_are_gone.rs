// SPDX-License-Identifier: Apache-2.0
//! An RValueRef that a call takes is not used again.
use tvm_ffi::{Array, Function, RValueRef};

fn main() {
    let f = Function::from_typed(|_: RValueRef<Array<i64>>| ());
    let slot = RValueRef::new(Array::new(vec![1_i64]));
    f.call_tuple((slot,)).unwrap();
    slot.into_inner();
}
