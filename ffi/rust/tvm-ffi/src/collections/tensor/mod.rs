// SPDX-License-Identifier: Apache-2.0
//! Tensors and borrowed views of them.

mod allocator;
mod geometry;
mod view;

pub use allocator::{CPUNDAlloc, NDAllocator};
#[cfg(feature = "ndarray")]
pub(super) use geometry::host_elements;
pub use geometry::DLTensorExt;
pub use view::TensorView;

use allocator::{zeroed_data, AllocatedObj};
use geometry::{contiguous, extents, first_element, getters, typed_slice, typed_start};

use crate::collections::shape::Shape;
use crate::dtype::{AsDLDataType, DLDataTypeExt};
use crate::error::{Result, VALUE_ERROR};
use crate::object::{Object, ObjectArc};
use std::ffi::c_void;
use std::marker::PhantomData;
use tvm_ffi_sys::{
    DLDataType, DLDevice, DLDeviceType, DLManagedTensorVersioned, DLTensor, TVMFFIEnvTensorAlloc,
    TVMFFITensorFromDLPackVersioned, TVMFFITensorToDLPackVersioned, TVMFFITypeIndex as TypeIndex,
};

/// The object behind [`Tensor`].
#[repr(C)]
#[derive(tvm_ffi_macros::Object)]
#[type_key = "ffi.Tensor"]
#[type_index(TypeIndex::kTVMFFITensor as i32)]
pub struct TensorObj {
    object: Object,
    dltensor: DLTensor,
}

/// A tensor, shared between languages. Elements may be changed by every holder, so slices for writing are `unsafe`.
/// ```
/// use tvm_ffi::{Function, Result, Tensor, TensorView};
///
/// # fn main() -> Result<()> {
/// let sum = Function::from_typed(|x: TensorView<'_>| -> Result<f64> {
///     Ok(x.to_vec::<f32>()?.iter().map(|x| f64::from(*x)).sum())
/// });
/// let tensor = Tensor::from_slice(&[1.0_f32, 2.0, 3.5, 4.0], &[2, 2])?;
/// assert_eq!(f64::try_from(sum.call_tuple((&tensor,))?)?, 10.5);
/// assert_eq!(tensor.to_vec::<f64>().unwrap_err().kind().as_str(), "TypeError");
/// # Ok(())
/// # }
/// ```
#[repr(C)]
#[derive(tvm_ffi_macros::ObjectRef, Clone)]
pub struct Tensor {
    data: ObjectArc<TensorObj>,
}

impl Tensor {
    /// A tensor with memory from `allocator`, row-major; the elements are whatever the memory holds.
    ///
    /// # Panics
    /// When an extent is negative, the size overflows or there is not so much memory.
    pub fn from_nd_alloc<A: NDAllocator>(
        allocator: A,
        shape: &[i64],
        dtype: DLDataType,
        device: DLDevice,
    ) -> Self {
        // SAFETY: the allocator's promise.
        let tensor = unsafe {
            Self::with_data(allocator, shape, dtype, device, |allocator, tensor| {
                Ok(allocator.alloc_data(tensor))
            })
        };
        tensor.unwrap_or_else(|error| panic!("{}", error.message()))
    }

    /// A tensor with the memory that `data` gives.
    ///
    /// # Safety
    /// The memory must be large enough for the whole tensor, and `allocator` must be able to free it.
    unsafe fn with_data<A: NDAllocator>(
        allocator: A,
        shape: &[i64],
        dtype: DLDataType,
        device: DLDevice,
        data: impl FnOnce(&mut A, &DLTensor) -> Result<*mut c_void>,
    ) -> Result<Self> {
        assert!(shape.iter().all(|&n| n >= 0), "a tensor has no negative extents: {shape:?}");
        let dltensor = DLTensor {
            data: std::ptr::null_mut(),
            device,
            ndim: i32::try_from(shape.len()).expect("too many dimensions"),
            dtype,
            shape: std::ptr::null_mut(),
            strides: std::ptr::null_mut(),
            byte_offset: 0,
        };
        let base = TensorObj { object: Object::new(), dltensor };
        let made = ObjectArc::new_with_extra_items::<i64>(AllocatedObj {
            base,
            allocator,
            extents: 2 * shape.len(),
        });
        let object = ObjectArc::as_raw(&made).cast_mut();
        // SAFETY: the object is new and unshared; the room behind it takes shape and strides.
        unsafe {
            let room = object.add(1).cast::<i64>();
            let (extents, strides) = (room, room.add(shape.len()));
            std::ptr::copy_nonoverlapping(shape.as_ptr(), extents, shape.len());
            if !shape.is_empty() {
                strides.write_bytes(0, shape.len());
                Shape::fill_strides_from_shape(shape, std::slice::from_raw_parts_mut(strides, shape.len()));
            }
            let tensor = &raw mut (*object).base.dltensor;
            (*tensor).shape = extents;
            (*tensor).strides = strides;
            // The allocator looks at the tensor, so no reference for writing to it may exist meanwhile.
            (*tensor).data = data(&mut (*object).allocator, &*tensor)?;
            Ok(Self { data: ObjectArc::from_raw(ObjectArc::into_raw(made).cast()) })
        }
    }

    /// A CPU tensor with a copy of the elements; `ValueError` when the shape asks for another number of them, `MemoryError` when
    /// there is not so much memory.
    pub fn from_slice<T: AsDLDataType>(elements: &[T], shape: &[i64]) -> Result<Self> {
        let count = shape.iter().try_fold(1_usize, |n, &e| n.checked_mul(usize::try_from(e).ok()?));
        if count != Some(elements.len()) {
            crate::bail!(
                VALUE_ERROR,
                "Slice length mismatch: {} elements for shape {shape:?}",
                elements.len()
            );
        }
        let tensor = Self::zeros::<T>(shape)?;
        // SAFETY: the tensor is new and unshared and as long as the slice.
        unsafe {
            let data = tensor.data.dltensor.data.cast::<T>();
            std::ptr::copy_nonoverlapping(elements.as_ptr(), data, elements.len());
        }
        Ok(tensor)
    }

    /// A CPU tensor of zeros; `ValueError` for negative extents and sizes that overflow, `MemoryError` when there is not so much
    /// memory.
    pub fn zeros<T: AsDLDataType>(shape: &[i64]) -> Result<Self> {
        let bytes = shape.iter().try_fold(size_of::<T>(), |n, &e| n.checked_mul(usize::try_from(e).ok()?));
        // The number of bits is computed as well.
        if bytes.is_none_or(|n| n > isize::MAX as usize / 8) {
            crate::bail!(VALUE_ERROR, "a tensor can't have the shape {shape:?}");
        }
        let device = DLDevice::new(DLDeviceType::kDLCPU, 0);
        // SAFETY: memory for this geometry, which `CPUNDAlloc` frees.
        unsafe {
            Self::with_data(CPUNDAlloc {}, shape, T::DL_DATA_TYPE, device, |_, tensor| zeroed_data(tensor))
        }
    }

    /// A tensor from the allocator of the environment; `RuntimeError` when none is set.
    pub fn from_env_alloc(shape: &[i64], dtype: DLDataType, device: DLDevice) -> Result<Self> {
        let mut prototype = DLTensor {
            data: std::ptr::null_mut(),
            device,
            ndim: shape.len() as i32,
            dtype,
            shape: shape.as_ptr().cast_mut(),
            strides: std::ptr::null_mut(),
            byte_offset: 0,
        };
        let mut out = std::ptr::null_mut();
        // SAFETY: the prototype outlives the call, which only reads it; the result is owned.
        unsafe {
            crate::check_safe_call!(TVMFFIEnvTensorAlloc(&mut prototype, &mut out))?;
            Ok(Self { data: ObjectArc::from_raw(out.cast()) })
        }
    }

    /// Takes over a DLPack tensor; on failure it stays with the caller.
    ///
    /// # Safety
    /// `from` must be a valid managed tensor that the caller owns.
    pub unsafe fn from_dlpack(from: *mut DLManagedTensorVersioned) -> Result<Self> {
        let mut out = std::ptr::null_mut();
        // SAFETY: the caller's promise.
        unsafe {
            crate::check_safe_call!(TVMFFITensorFromDLPackVersioned(from, 0, 0, &mut out))?;
            Ok(Self { data: ObjectArc::from_raw(out.cast()) })
        }
    }

    /// A DLPack tensor that keeps this one alive; the caller owns it and must call its deleter.
    pub fn to_dlpack(&self) -> Result<*mut DLManagedTensorVersioned> {
        let mut out = std::ptr::null_mut();
        let handle = ObjectArc::as_raw(&self.data).cast_mut().cast();
        // SAFETY: a live tensor; the result is owned.
        unsafe { crate::check_safe_call!(TVMFFITensorToDLPackVersioned(handle, &mut out))? };
        Ok(out)
    }

    /// The geometry.
    pub fn dltensor(&self) -> &DLTensor {
        &self.data.dltensor
    }

    /// Extents.
    pub fn shape(&self) -> &[i64] {
        extents(self.dltensor())
    }

    /// Strides in elements.
    pub fn strides(&self) -> &[i64] {
        let tensor = self.dltensor();
        if tensor.ndim <= 0 || tensor.strides.is_null() {
            return &[];
        }
        // SAFETY: as many as extents.
        unsafe { std::slice::from_raw_parts(tensor.strides, tensor.ndim as usize) }
    }

    getters!();

    /// The elements in place; errors as [`Self::to_vec`].
    ///
    /// # Safety
    /// Nobody may write to the tensor while the slice lives: other holders can, in any language.
    pub unsafe fn data_as_slice<T: AsDLDataType>(&self) -> Result<&[T]> {
        // SAFETY: the caller's promise.
        unsafe { typed_slice(self.dltensor()) }
    }

    /// The elements in place, for writing; errors as [`Self::to_vec`].
    ///
    /// # Safety
    /// Nobody else may read or write the tensor while the slice lives, through this or any other handle.
    pub unsafe fn data_as_slice_mut<T: AsDLDataType>(&mut self) -> Result<&mut [T]> {
        let start = typed_start::<T>(self.dltensor())?;
        match self.numel() {
            0 => Ok(&mut []),
            // SAFETY: checked; exclusive by the caller's promise.
            count => Ok(unsafe { std::slice::from_raw_parts_mut(start, count) }),
        }
    }

    /// A view for calls that take one.
    pub fn view(&self) -> TensorView<'_> {
        TensorView { tensor: self.dltensor(), marker: PhantomData }
    }
}

impl std::fmt::Debug for Tensor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ffi.Tensor({:?}, {})", self.shape(), DLDataTypeExt::to_string(&self.dtype()))
    }
}
