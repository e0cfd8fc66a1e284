// SPDX-License-Identifier: Apache-2.0
//! Other holders may write to a tensor, so its memory is a slice for unsafe code alone.
fn main() {
    let mut tensor = tvm_ffi::Tensor::zeros::<f32>(&[2]).unwrap();
    drop(tensor.data_as_slice::<f32>());
    drop(tensor.data_as_slice_mut::<f32>());
}
