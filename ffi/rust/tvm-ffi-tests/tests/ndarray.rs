// SPDX-License-Identifier: Apache-2.0
//! Arrays of the crate `ndarray` become tensors and back.

use ndarray::{arr0, array, s, Array3, ArrayD, IxDyn};
use tvm_ffi::Tensor;

#[test]
fn arrays_of_any_order_are_copied_in() {
    let rows = array![[1.0_f32, 2.0, 3.0], [4.0, 5.0, 6.0]];
    let tensor = Tensor::from_ndarray(&rows).unwrap();
    assert_eq!(
        (tensor.shape(), tensor.to_vec::<f32>().unwrap()),
        (&[2, 3][..], vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    );
    let columns = Tensor::from_ndarray(&rows.t()).unwrap();
    assert_eq!(
        (columns.shape(), columns.to_vec::<f32>().unwrap()),
        (&[3, 2][..], vec![1.0, 4.0, 2.0, 5.0, 3.0, 6.0])
    );
    let every_other = Tensor::from_ndarray(&rows.slice(s![.., ..;2])).unwrap();
    assert_eq!(every_other.to_vec::<f32>().unwrap(), [1.0, 3.0, 4.0, 6.0]);
    assert_eq!(Tensor::from_ndarray(&arr0(7_i64)).unwrap().to_vec::<i64>().unwrap(), [7]);
    assert_eq!(Tensor::from_ndarray(&Array3::<u8>::zeros((2, 0, 4))).unwrap().shape(), [2, 0, 4]);
}

#[test]
fn tensors_are_copied_out_and_viewed() {
    let tensor = Tensor::from_slice(&[1_i32, 2, 3, 4, 5, 6], &[2, 3]).unwrap();
    let out: ArrayD<i32> = tensor.to_ndarray().unwrap();
    assert_eq!(out, array![[1, 2, 3], [4, 5, 6]].into_dyn());
    // SAFETY: nobody writes to the tensor meanwhile.
    let view = unsafe { tensor.as_ndarray::<i32>() }.unwrap();
    assert_eq!(view[IxDyn(&[1, 2])], 6);
    assert_eq!(view.as_ptr().cast(), tensor.data_ptr().cast_const());
    let error = tensor.to_ndarray::<f32>().unwrap_err();
    assert_eq!(error.message(), "Data type mismatch: expected \"float32\", got \"int32\"");
}

#[test]
fn strides_of_tensors_are_followed() {
    let data = [1_i64, 2, 3, 4, 5, 6];
    let (mut shape, mut strides) = ([3_i64, 2], [1_i64, 3]);
    let mut transposed = tvm_ffi::Tensor::from_slice(&data, &[6]).unwrap().dltensor().clone();
    transposed.data = data.as_ptr().cast_mut().cast();
    transposed.ndim = 2;
    transposed.shape = shape.as_mut_ptr();
    transposed.strides = strides.as_mut_ptr();
    // SAFETY: the elements lie within `data`, which is not written to.
    let out = unsafe { tvm_ffi::TensorView::from_raw(&transposed) }.to_ndarray::<i64>().unwrap();
    assert_eq!(out, array![[1, 4], [2, 5], [3, 6]].into_dyn());
    strides = [-1, 3];
    transposed.strides = strides.as_mut_ptr();
    // SAFETY: the first element is the third of the data, so that all lie within.
    let error = unsafe { tvm_ffi::TensorView::from_raw(&transposed) }.to_ndarray::<i64>().unwrap_err();
    assert_eq!(error.message(), "Tensor has a negative stride");
}
