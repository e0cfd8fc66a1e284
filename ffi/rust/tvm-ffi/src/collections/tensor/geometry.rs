// SPDX-License-Identifier: Apache-2.0
//! Shapes, strides and elements of tensors of any origin.

use crate::collections::shape::Shape;
use crate::dtype::{AsDLDataType, DLDataTypeExt};
use crate::error::{Result, RUNTIME_ERROR, TYPE_ERROR};
use std::ffi::c_void;
use tvm_ffi_sys::{DLDevice, DLDeviceType, DLTensor};

/// Sizes of a tensor.
pub trait DLTensorExt {
    /// Number of elements; 1 for no dimensions.
    fn numel(&self) -> usize;
    /// Bytes of one element, rounded up.
    fn item_size(&self) -> usize;
    /// Bytes of a compact tensor of this geometry, None when that overflows or an extent is negative.
    #[doc(hidden)]
    fn checked_bytes(&self) -> Option<usize>;
}

impl DLTensorExt for DLTensor {
    fn numel(&self) -> usize {
        extents(self).iter().map(|&n| n.max(0) as usize).product()
    }
    fn item_size(&self) -> usize {
        (self.dtype.bits as usize * self.dtype.lanes as usize).div_ceil(8)
    }
    fn checked_bytes(&self) -> Option<usize> {
        let mut bits = self.dtype.bits as usize * self.dtype.lanes as usize;
        for &extent in extents(self) {
            bits = bits.checked_mul(usize::try_from(extent).ok()?)?;
        }
        let bytes = bits.checked_add(7)? / 8;
        (bytes <= isize::MAX as usize).then_some(bytes)
    }
}

/// The getters that tensors and views of them have in common, from `dltensor()` and `shape()`.
macro_rules! getters {
    () => {
        /// Number of dimensions.
        pub fn ndim(&self) -> usize {
            self.shape().len()
        }

        /// Number of elements.
        pub fn numel(&self) -> usize {
            self.dltensor().numel()
        }

        /// Element type.
        pub fn dtype(&self) -> DLDataType {
            self.dltensor().dtype
        }

        /// Where the memory lies.
        pub fn device(&self) -> DLDevice {
            self.dltensor().device
        }

        /// Address of the first element.
        pub fn data_ptr(&self) -> *mut c_void {
            first_element(self.dltensor())
        }

        /// True for row-major without gaps.
        pub fn is_contiguous(&self) -> bool {
            contiguous(self.dltensor())
        }

        /// A copy of the elements, in row-major order: `TypeError` for another element type, `RuntimeError` for memory that the
        /// host can't read in place or that has gaps.
        pub fn to_vec<T: AsDLDataType>(&self) -> Result<Vec<T>> {
            // SAFETY: copied at once.
            unsafe { typed_slice::<T>(self.dltensor()) }.map(<[T]>::to_vec)
        }
    };
}
pub(super) use getters;

/// The shape of a tensor, also of one without dimensions and a null shape.
pub(super) fn extents(tensor: &DLTensor) -> &[i64] {
    if tensor.ndim <= 0 {
        return &[];
    }
    // SAFETY: a valid tensor has `ndim` extents.
    unsafe { std::slice::from_raw_parts(tensor.shape, tensor.ndim as usize) }
}

/// Strides in elements; row-major ones when there are none.
pub(super) fn strides_of(tensor: &DLTensor) -> Vec<i64> {
    let shape = extents(tensor);
    let mut strides = vec![0; shape.len()];
    if tensor.strides.is_null() {
        Shape::fill_strides_from_shape(shape, &mut strides);
    } else if !shape.is_empty() {
        // SAFETY: non-null strides are as many as extents.
        strides.copy_from_slice(unsafe { std::slice::from_raw_parts(tensor.strides, shape.len()) });
    }
    strides
}

pub(super) fn first_element(tensor: &DLTensor) -> *mut c_void {
    tensor.data.cast::<u8>().wrapping_add(tensor.byte_offset as usize).cast()
}

/// True for row-major without gaps; extents of 1 and empty tensors don't count.
pub(super) fn contiguous(tensor: &DLTensor) -> bool {
    let shape = extents(tensor);
    if tensor.strides.is_null() || shape.contains(&0) {
        return true;
    }
    let mut expected = 1;
    for (i, &extent) in shape.iter().enumerate().rev() {
        // SAFETY: non-null strides are as many as extents.
        if extent != 1 && unsafe { *tensor.strides.add(i) } != expected {
            return false;
        }
        expected *= extent;
    }
    true
}

fn is_host(device: DLDevice) -> bool {
    [DLDeviceType::kDLCPU, DLDeviceType::kDLCUDAHost, DLDeviceType::kDLROCMHost]
        .iter()
        .any(|&kind| kind as u32 == device.device_type)
}

/// Checks that elements of type `T` are where the host reads them; gives the first one's address.
pub(in crate::collections) fn host_elements<T: AsDLDataType>(tensor: &DLTensor) -> Result<*mut T> {
    if tensor.dtype != T::DL_DATA_TYPE {
        let (want, got) = (T::DL_DATA_TYPE, tensor.dtype);
        let (want, got) = (DLDataTypeExt::to_string(&want), DLDataTypeExt::to_string(&got));
        crate::bail!(TYPE_ERROR, "Data type mismatch: expected \"{want}\", got \"{got}\"");
    }
    if !is_host(tensor.device) {
        crate::bail!(RUNTIME_ERROR, "Tensor is not on CPU");
    }
    // SAFETY: the offset stays within the allocation.
    let start = unsafe { tensor.data.cast::<u8>().add(tensor.byte_offset as usize) }.cast::<T>();
    if tensor.numel() > 0 && !start.is_aligned() {
        crate::bail!(RUNTIME_ERROR, "Tensor data is not aligned to its element type");
    }
    Ok(start)
}

/// Checks that the elements can be read as a slice of `T` in place; gives the first one's address.
pub(super) fn typed_start<T: AsDLDataType>(tensor: &DLTensor) -> Result<*mut T> {
    let start = host_elements(tensor)?;
    if !contiguous(tensor) {
        crate::bail!(RUNTIME_ERROR, "Tensor is not contiguous");
    }
    Ok(start)
}

/// # Safety
/// The elements must stay in place and unchanged for `'a`.
pub(super) unsafe fn typed_slice<'a, T: AsDLDataType>(tensor: &DLTensor) -> Result<&'a [T]> {
    let start = typed_start::<T>(tensor)?;
    match tensor.numel() {
        0 => Ok(&[]),
        // SAFETY: checked above: contiguous, aligned, on the host, of this type.
        count => Ok(unsafe { std::slice::from_raw_parts(start, count) }),
    }
}
