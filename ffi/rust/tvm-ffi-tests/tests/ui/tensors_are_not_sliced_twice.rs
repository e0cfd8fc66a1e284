// SPDX-License-Identifier: Apache-2.0
//! Elements for writing are borrowed exclusively.
fn main() {
    let mut tensor = tvm_ffi::Tensor::zeros::<f32>(&[2]).unwrap();
    // SAFETY: none, this is refused.
    let (a, b) = unsafe { (tensor.data_as_slice_mut::<f32>(), tensor.data_as_slice_mut::<f32>()) };
    drop((a, b));
}
