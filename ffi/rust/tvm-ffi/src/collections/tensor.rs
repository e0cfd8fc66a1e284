// SPDX-License-Identifier: Apache-2.0
//! Tensors and borrowed views of them.

use crate::collections::shape::Shape;
use crate::dtype::{AsDLDataType, DLDataTypeExt};
use crate::error::{Result, RUNTIME_ERROR, TYPE_ERROR, VALUE_ERROR};
use crate::object::{Object, ObjectArc, ObjectCoreWithExtraItems};
use std::alloc::{alloc, dealloc, handle_alloc_error, Layout};
use std::ffi::c_void;
use std::marker::PhantomData;
use tvm_ffi_sys::{
    DLDataType, DLDevice, DLDeviceType, DLManagedTensorVersioned, DLTensor, TVMFFIAny, TVMFFIAnyDataUnion,
    TVMFFIEnvTensorAlloc, TVMFFIObject, TVMFFITensorFromDLPackVersioned, TVMFFITensorToDLPackVersioned,
    TVMFFITypeIndex as TypeIndex,
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

// SAFETY: the layout is computed from the same geometry both times.
unsafe impl NDAllocator for CPUNDAlloc {
    const MIN_ALIGN: usize = 64;
    unsafe fn alloc_data(&mut self, prototype: &DLTensor) -> *mut c_void {
        let layout = cpu_layout(prototype);
        // SAFETY: not empty.
        let data = unsafe { alloc(layout) };
        if data.is_null() {
            handle_alloc_error(layout);
        }
        data.cast()
    }
    unsafe fn free_data(&mut self, tensor: &DLTensor) {
        // SAFETY: from `alloc_data` with the same layout.
        unsafe { dealloc(tensor.data.cast(), cpu_layout(tensor)) }
    }
}

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

/// The shape of a tensor, also of one without dimensions and a null shape.
fn extents(tensor: &DLTensor) -> &[i64] {
    if tensor.ndim <= 0 {
        return &[];
    }
    // SAFETY: a valid tensor has `ndim` extents.
    unsafe { std::slice::from_raw_parts(tensor.shape, tensor.ndim as usize) }
}

/// Strides in elements; row-major ones when there are none.
fn strides_of(tensor: &DLTensor) -> Vec<i64> {
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

fn first_element(tensor: &DLTensor) -> *mut c_void {
    tensor.data.cast::<u8>().wrapping_add(tensor.byte_offset as usize).cast()
}

/// True for row-major without gaps; extents of 1 and empty tensors don't count.
fn contiguous(tensor: &DLTensor) -> bool {
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
pub(super) fn host_elements<T: AsDLDataType>(tensor: &DLTensor) -> Result<*mut T> {
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
fn typed_start<T: AsDLDataType>(tensor: &DLTensor) -> Result<*mut T> {
    let start = host_elements(tensor)?;
    if !contiguous(tensor) {
        crate::bail!(RUNTIME_ERROR, "Tensor is not contiguous");
    }
    Ok(start)
}

/// # Safety
/// The elements must stay in place and unchanged for `'a`.
unsafe fn typed_slice<'a, T: AsDLDataType>(tensor: &DLTensor) -> Result<&'a [T]> {
    let start = typed_start::<T>(tensor)?;
    match tensor.numel() {
        0 => Ok(&[]),
        // SAFETY: checked above: contiguous, aligned, on the host, of this type.
        count => Ok(unsafe { std::slice::from_raw_parts(start, count) }),
    }
}

/// A tensor object that owns memory from a Rust allocator; shape and strides lie behind it.
#[repr(C)]
struct AllocatedObj<A: NDAllocator> {
    base: TensorObj,
    allocator: A,
    extents: usize,
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

impl Tensor {
    /// A tensor with memory from `allocator`, row-major; the elements are whatever the memory holds.
    ///
    /// # Panics
    /// When an extent is negative or the size overflows.
    pub fn from_nd_alloc<A: NDAllocator>(
        allocator: A,
        shape: &[i64],
        dtype: DLDataType,
        device: DLDevice,
    ) -> Self {
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
        let data = ObjectArc::new_with_extra_items::<i64>(AllocatedObj {
            base,
            allocator,
            extents: 2 * shape.len(),
        });
        let object = ObjectArc::as_raw(&data).cast_mut();
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
            (*tensor).data = (*object).allocator.alloc_data(&*tensor);
            Self { data: ObjectArc::from_raw(ObjectArc::into_raw(data).cast()) }
        }
    }

    /// A CPU tensor with a copy of the elements; `ValueError` when the shape asks for another number of them.
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

    /// A CPU tensor of zeros; `ValueError` for negative extents and sizes that overflow.
    pub fn zeros<T: AsDLDataType>(shape: &[i64]) -> Result<Self> {
        let bytes = shape.iter().try_fold(size_of::<T>(), |n, &e| n.checked_mul(usize::try_from(e).ok()?));
        if bytes.is_none_or(|n| n > isize::MAX as usize) {
            crate::bail!(VALUE_ERROR, "a tensor can't have the shape {shape:?}");
        }
        let device = DLDevice::new(DLDeviceType::kDLCPU, 0);
        let tensor = Self::from_nd_alloc(CPUNDAlloc {}, shape, T::DL_DATA_TYPE, device);
        // SAFETY: new memory of that many bytes.
        unsafe { tensor.data.dltensor.data.cast::<u8>().write_bytes(0, bytes.unwrap_or(0)) };
        Ok(tensor)
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

/// A borrowed tensor: geometry and memory of somebody else's, for `'a`.
#[derive(Clone, Copy)]
pub struct TensorView<'a> {
    tensor: *const DLTensor,
    marker: PhantomData<&'a DLTensor>,
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

    /// Address of the first element.
    pub fn data_ptr(&self) -> *mut c_void {
        first_element(self.dltensor())
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

    /// True for row-major without gaps.
    pub fn is_contiguous(&self) -> bool {
        contiguous(self.dltensor())
    }

    /// As [`Tensor::to_vec`].
    pub fn to_vec<T: AsDLDataType>(&self) -> Result<Vec<T>> {
        // SAFETY: copied at once.
        unsafe { typed_slice::<T>(self.dltensor()) }.map(<[T]>::to_vec)
    }

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
