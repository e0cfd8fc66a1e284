// SPDX-License-Identifier: Apache-2.0
//! Memory of tensors that Rust makes.

use super::geometry::DLTensorExt;
use super::TensorObj;
use crate::error::{Result, MEMORY_ERROR};
use crate::object::ObjectCoreWithExtraItems;
use std::alloc::{alloc, alloc_zeroed, dealloc, Layout};
use std::ffi::c_void;
use tvm_ffi_sys::{DLTensor, TVMFFIObject, TVMFFITypeIndex as TypeIndex};

/// Memory of tensors that Rust makes.
///
/// # Safety
/// `alloc_data` must give memory for the whole tensor, or panic; `free_data` gets each such tensor back once.
pub unsafe trait NDAllocator: 'static {
    /// Alignment that the memory has at least, in bytes.
    const MIN_ALIGN: usize;
    /// Memory for a tensor of this geometry; `data` is not set yet.
    ///
    /// # Safety
    /// The geometry must be valid.
    unsafe fn alloc_data(&mut self, prototype: &DLTensor) -> *mut c_void;
    /// Frees it.
    ///
    /// # Safety
    /// `tensor.data` must come from `alloc_data` of this allocator.
    unsafe fn free_data(&mut self, tensor: &DLTensor);
}

/// CPU memory, aligned to 64 bytes.
pub struct CPUNDAlloc {}

fn cpu_layout(tensor: &DLTensor) -> Layout {
    let bytes = tensor.checked_bytes().expect("the size of a tensor overflows");
    Layout::from_size_align(bytes.max(1), CPUNDAlloc::MIN_ALIGN).expect("the size of a tensor overflows")
}

/// Zeroed memory for a tensor of this geometry, which [`CPUNDAlloc`] can free; `MemoryError` when there is not so much.
///
/// # Safety
/// The geometry must be valid.
pub(super) unsafe fn zeroed_data(prototype: &DLTensor) -> Result<*mut c_void> {
    let layout = cpu_layout(prototype);
    // SAFETY: not empty.
    let data = unsafe { alloc_zeroed(layout) };
    if data.is_null() {
        crate::bail!(MEMORY_ERROR, "cannot allocate {} bytes for a tensor", layout.size());
    }
    Ok(data.cast())
}

// SAFETY: the layout is computed from the same geometry both times.
unsafe impl NDAllocator for CPUNDAlloc {
    const MIN_ALIGN: usize = 64;
    unsafe fn alloc_data(&mut self, prototype: &DLTensor) -> *mut c_void {
        let layout = cpu_layout(prototype);
        // SAFETY: not empty.
        let data = unsafe { alloc(layout) };
        // Unlike `handle_alloc_error` a panic becomes an error at the boundary.
        assert!(!data.is_null(), "cannot allocate {} bytes for a tensor", layout.size());
        data.cast()
    }
    unsafe fn free_data(&mut self, tensor: &DLTensor) {
        // SAFETY: from `alloc_data` with the same layout.
        unsafe { dealloc(tensor.data.cast(), cpu_layout(tensor)) }
    }
}

/// A tensor object that owns memory from a Rust allocator; shape and strides lie behind it.
#[repr(C)]
pub(super) struct AllocatedObj<A: NDAllocator> {
    pub(super) base: TensorObj,
    pub(super) allocator: A,
    pub(super) extents: usize,
}

// SAFETY: starts with `TensorObj`, whose type it has for everybody.
unsafe impl<A: NDAllocator> crate::object::ObjectCore for AllocatedObj<A> {
    const TYPE_KEY: &'static str = "ffi.Tensor";
    const TYPE_DEPTH: i32 = 1;
    fn type_index() -> i32 {
        TypeIndex::kTVMFFITensor as i32
    }
    unsafe fn object_header_mut(this: &mut Self) -> &mut TVMFFIObject {
        // SAFETY: passed on.
        unsafe { TensorObj::object_header_mut(&mut this.base) }
    }
}

// SAFETY: `from_nd_alloc` allocates shape and strides behind the object.
unsafe impl<A: NDAllocator> ObjectCoreWithExtraItems for AllocatedObj<A> {
    type ExtraItem = i64;
    fn extra_items_count(this: &Self) -> usize {
        this.extents
    }
}

impl<A: NDAllocator> Drop for AllocatedObj<A> {
    fn drop(&mut self) {
        if !self.base.dltensor.data.is_null() {
            // SAFETY: the memory came from this allocator.
            unsafe { self.allocator.free_data(&self.base.dltensor) }
        }
    }
}
