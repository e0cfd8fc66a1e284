// SPDX-License-Identifier: Apache-2.0
//! A view of an array, and an iteration over it, end before it.
use tvm_ffi::{AnyView, Array};

fn main() {
    let array = Array::new(vec![1_i64]);
    let view = AnyView::from(&array);
    drop(array);
    view.type_index();

    let array = Array::new(vec![1_i64]);
    let mut elements = array.iter();
    drop(array);
    elements.next();
}
