// SPDX-License-Identifier: Apache-2.0
//! A tensor view ends before its tensor.
fn main() {
    let tensor = tvm_ffi::Tensor::zeros::<f32>(&[2]).unwrap();
    let view = tensor.view();
    drop(tensor);
    view.numel();
}
