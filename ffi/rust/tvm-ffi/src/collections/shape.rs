// SPDX-License-Identifier: Apache-2.0
//! Shapes: immutable sequences of extents.

use crate::object::{Object, ObjectArc, ObjectCoreWithExtraItems};
use std::ops::Deref;
use tvm_ffi_sys::{TVMFFIShapeCell, TVMFFITypeIndex as TypeIndex};

/// The object behind [`Shape`].
#[repr(C)]
#[derive(tvm_ffi_macros::Object)]
#[type_key = "ffi.Shape"]
#[type_index(TypeIndex::kTVMFFIShape as i32)]
pub struct ShapeObj {
    base: Object,
    cell: TVMFFIShapeCell,
}

// SAFETY: `new_with_extra_items` allocates `size` extents behind the object.
unsafe impl ObjectCoreWithExtraItems for ShapeObj {
    type ExtraItem = i64;
    fn extra_items_count(this: &Self) -> usize {
        this.cell.size
    }
}

/// Extents, shared between languages.
/// ```
/// use tvm_ffi::Shape;
///
/// let shape = Shape::from([2, 3]);
/// assert_eq!(&shape[..], [2, 3]);
/// ```
#[repr(C)]
#[derive(tvm_ffi_macros::ObjectRef, Clone)]
pub struct Shape {
    data: ObjectArc<ShapeObj>,
}

// SAFETY: the extents never change and the counts are atomic.
unsafe impl Send for Shape {}
// SAFETY: as above.
unsafe impl Sync for Shape {}

impl Shape {
    /// No extents.
    pub fn new() -> Self {
        Self::from([])
    }

    /// The extents.
    pub fn as_slice(&self) -> &[i64] {
        let cell = &self.data.cell;
        if cell.size == 0 {
            return &[];
        }
        // SAFETY: the cell holds `size` extents as long as the object lives.
        unsafe { std::slice::from_raw_parts(cell.data, cell.size) }
    }

    /// Row-major strides, in elements, of a compact tensor.
    ///
    /// # Panics
    /// When the lengths differ.
    pub fn fill_strides_from_shape(shape: &[i64], strides: &mut [i64]) {
        assert_eq!(shape.len(), strides.len());
        let mut stride = 1_i64;
        for (out, extent) in strides.iter_mut().zip(shape).rev() {
            *out = stride;
            stride = stride.wrapping_mul(*extent);
        }
    }
}

impl<T: AsRef<[i64]>> From<T> for Shape {
    fn from(extents: T) -> Self {
        let extents = extents.as_ref();
        let cell = TVMFFIShapeCell { data: std::ptr::null(), size: extents.len() };
        let data = ObjectArc::new_with_extra_items::<i64>(ShapeObj { base: Object::new(), cell });
        let object = ObjectArc::as_raw(&data).cast_mut();
        // SAFETY: the object is new and unshared; the extents fit the room behind it.
        unsafe {
            let room = object.add(1).cast::<i64>();
            std::ptr::copy_nonoverlapping(extents.as_ptr(), room, extents.len());
            (*object).cell.data = room;
        }
        Self { data }
    }
}

impl Default for Shape {
    fn default() -> Self {
        Self::new()
    }
}

impl Deref for Shape {
    type Target = [i64];
    fn deref(&self) -> &[i64] {
        self.as_slice()
    }
}

impl PartialEq for Shape {
    fn eq(&self, other: &Self) -> bool {
        self.as_slice() == other.as_slice()
    }
}
impl Eq for Shape {}

impl std::fmt::Debug for Shape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ffi.Shape({:?})", self.as_slice())
    }
}
