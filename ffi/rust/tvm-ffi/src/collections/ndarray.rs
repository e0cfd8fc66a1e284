// SPDX-License-Identifier: Apache-2.0
//! Tensors from and to arrays of the crate `ndarray`.

use super::tensor::{host_elements, Tensor, TensorView};
use crate::dtype::AsDLDataType;
use crate::error::{Result, RUNTIME_ERROR, VALUE_ERROR};
use ndarray::{ArrayBase, ArrayD, ArrayViewD, Data, Dimension, IxDyn, ShapeBuilder};
use tvm_ffi_sys::DLTensor;

/// # Safety
/// The elements must stay in place and unchanged for `'a`.
unsafe fn view_of<'a, T: AsDLDataType>(
    tensor: &DLTensor,
    shape: &[i64],
    strides: &[i64],
) -> Result<ArrayViewD<'a, T>> {
    let start = host_elements::<T>(tensor)?;
    let extent = |n: &i64| usize::try_from(*n).map_err(|_| ());
    let (Ok(shape), Ok(strides)) = (
        shape.iter().map(extent).collect::<Result<Vec<_>, ()>>(),
        strides.iter().map(extent).collect::<Result<Vec<_>, ()>>(),
    ) else {
        crate::bail!(RUNTIME_ERROR, "Tensor has a negative stride");
    };
    if shape.contains(&0) {
        return Ok(ArrayViewD::from_shape(IxDyn(&shape), &[]).unwrap_or_else(|_| unreachable!("no elements")));
    }
    // SAFETY: a valid tensor: all elements that shape and strides reach lie in its memory, which is the caller's promise for `'a`.
    Ok(unsafe { ArrayViewD::from_shape_ptr(IxDyn(&shape).strides(IxDyn(&strides)), start) })
}

impl Tensor {
    /// A CPU tensor with a copy of the elements of an array of any layout; `ValueError` when its size overflows.
    pub fn from_ndarray<T, S, D>(array: &ArrayBase<S, D>) -> Result<Self>
    where
        T: AsDLDataType,
        S: Data<Elem = T>,
        D: Dimension,
    {
        let extents = array.shape().iter().map(|&n| i64::try_from(n)).collect::<Result<Vec<_>, _>>();
        let Ok(shape) = extents else {
            crate::bail!(VALUE_ERROR, "a tensor can't have the shape {:?}", array.shape());
        };
        match array.as_slice() {
            Some(elements) => Self::from_slice(elements, &shape),
            None => Self::from_slice(&array.iter().copied().collect::<Vec<_>>(), &shape),
        }
    }

    /// A copy as an array, strides followed: `TypeError` for another element type, `RuntimeError` for memory that the host can't
    /// read in place and for negative strides.
    pub fn to_ndarray<T: AsDLDataType>(&self) -> Result<ArrayD<T>> {
        self.view().to_ndarray()
    }

    /// The elements in place as an array; errors as [`Self::to_ndarray`].
    ///
    /// # Safety
    /// Nobody may write to the tensor while the view lives: other holders can, in any language.
    pub unsafe fn as_ndarray<T: AsDLDataType>(&self) -> Result<ArrayViewD<'_, T>> {
        let view = self.view();
        // SAFETY: the caller's promise.
        unsafe { view_of(view.dltensor(), view.shape(), &view.strides()) }
    }
}

impl TensorView<'_> {
    /// As [`Tensor::to_ndarray`].
    pub fn to_ndarray<T: AsDLDataType>(&self) -> Result<ArrayD<T>> {
        // SAFETY: copied at once.
        unsafe { view_of::<T>(self.dltensor(), self.shape(), &self.strides()) }.map(|view| view.to_owned())
    }
}
