// SPDX-License-Identifier: Apache-2.0
//! Borrowed tensors.

use super::geometry::{
    contiguous, extents, first_element, getters, strides_of, typed_slice, typed_start, DLTensorExt,
};
use super::{Tensor, TensorObj};
use crate::dtype::{AsDLDataType, DLDataTypeExt};
use crate::error::Result;
use std::ffi::c_void;
use std::marker::PhantomData;
use tvm_ffi_sys::{
    DLDataType, DLDevice, DLTensor, TVMFFIAny, TVMFFIAnyDataUnion, TVMFFITypeIndex as TypeIndex,
};

/// A borrowed tensor: geometry and memory of somebody else's, for `'a`.
#[derive(Clone, Copy)]
pub struct TensorView<'a> {
    pub(super) tensor: *const DLTensor,
    pub(super) marker: PhantomData<&'a DLTensor>,
}

impl<'a> TensorView<'a> {
    /// Wraps a tensor of C.
    ///
    /// # Safety
    /// It must be valid for `'a`.
    ///
    /// # Panics
    /// On null.
    pub unsafe fn from_raw(tensor: *const DLTensor) -> Self {
        assert!(!tensor.is_null(), "a tensor view of null");
        Self { tensor, marker: PhantomData }
    }

    /// The tensor in a value: a raw tensor pointer or a tensor object, either of which outlives the view.
    pub(crate) fn borrow(view: &'a crate::AnyView<'_>) -> Option<Self> {
        let value = view.raw();
        // SAFETY: the type index says what the payload points to.
        unsafe {
            let tensor = if value.type_index == TypeIndex::kTVMFFIDLTensorPtr as i32 {
                value.data_union.v_ptr.cast::<DLTensor>().cast_const()
            } else if value.type_index == TypeIndex::kTVMFFITensor as i32 {
                &raw const (*value.data_union.v_obj.cast::<TensorObj>()).dltensor
            } else {
                return None;
            };
            (!tensor.is_null()).then_some(Self { tensor, marker: PhantomData })
        }
    }

    /// The address of the geometry.
    pub fn as_raw(&self) -> *const DLTensor {
        self.tensor
    }

    /// Strides in elements: row-major ones when the tensor has none of its own.
    pub fn strides(&self) -> Vec<i64> {
        strides_of(self.dltensor())
    }

    /// The geometry.
    pub fn dltensor(&self) -> &'a DLTensor {
        // SAFETY: valid for `'a`.
        unsafe { &*self.tensor }
    }

    /// Extents.
    pub fn shape(&self) -> &'a [i64] {
        extents(self.dltensor())
    }

    getters!();

    /// As [`Tensor::data_as_slice`].
    ///
    /// # Safety
    /// Nobody may write to the tensor for `'a`.
    pub unsafe fn data_as_slice<T: AsDLDataType>(&self) -> Result<&'a [T]> {
        // SAFETY: the caller's promise.
        unsafe { typed_slice(self.dltensor()) }
    }

    /// As [`Tensor::data_as_slice_mut`].
    ///
    /// # Safety
    /// Nobody else may read or write the tensor for `'a`.
    pub unsafe fn data_as_slice_mut<T: AsDLDataType>(&mut self) -> Result<&'a mut [T]> {
        let start = typed_start::<T>(self.dltensor())?;
        match self.numel() {
            0 => Ok(&mut []),
            // SAFETY: checked; exclusive by the caller's promise.
            count => Ok(unsafe { std::slice::from_raw_parts_mut(start, count) }),
        }
    }
}

impl std::fmt::Debug for TensorView<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "TensorView({:?}, {})", self.shape(), DLDataTypeExt::to_string(&self.dtype()))
    }
}

impl<'a> From<&'a Tensor> for TensorView<'a> {
    fn from(tensor: &'a Tensor) -> Self {
        tensor.view()
    }
}

/// A view as an argument is a raw tensor pointer, good for the call.
impl crate::function_internal::ArgIntoRef for TensorView<'_> {
    fn as_view(&self) -> crate::AnyView<'_> {
        let mut raw = TVMFFIAny::new();
        raw.type_index = TypeIndex::kTVMFFIDLTensorPtr as i32;
        raw.data_union = TVMFFIAnyDataUnion { v_ptr: self.tensor.cast_mut().cast() };
        // SAFETY: the tensor is valid longer than the borrow of `self`.
        unsafe { crate::AnyView::from_raw(raw) }
    }
}

impl<'a> crate::function_internal::IntoArgHolder for TensorView<'a> {
    type Target = TensorView<'a>;
    fn into_arg_holder(self) -> Self {
        self
    }
}
