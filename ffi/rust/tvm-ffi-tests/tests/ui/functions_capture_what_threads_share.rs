// SPDX-License-Identifier: Apache-2.0
//! A function may be called from any thread, so its closure is Send and Sync.
use tvm_ffi::Function;

fn main() {
    let shared = std::rc::Rc::new(1_i64);
    Function::from_typed(move || *shared);
    let cell = std::cell::Cell::new(1_i64);
    Function::from_packed(move |_| Ok(cell.get().into()));
}
