// SPDX-License-Identifier: Apache-2.0
//! The counted pointer, and how objects are made and freed.

use super::{delete, header_of, unsafe_, ObjectCore, ObjectCoreWithExtraItems};
use std::alloc::{alloc, dealloc, handle_alloc_error, Layout};
use std::ffi::c_void;
use std::marker::PhantomData;
use std::ops::Deref;
use std::ptr::NonNull;
use std::sync::atomic::Ordering;
use tvm_ffi_sys::{COMBINED_REF_COUNT_BOTH_ONE, COMBINED_REF_COUNT_MASK_U32, COMBINED_REF_COUNT_STRONG_ONE};

/// A counted pointer to an object, never null. It shares: there is no mutable access but to a sole owner ([`Self::get_mut`]).
/// ```
/// use tvm_ffi::{Object, ObjectArc};
///
/// #[repr(C)]
/// #[derive(tvm_ffi::derive::Object)]
/// #[type_key = "doc.Tree"]
/// #[type_register]
/// struct TreeObj {
///     base: Object,
///     height: f64,
/// }
///
/// let mut tree = ObjectArc::new(TreeObj { base: Object::new(), height: 2.0 });
/// ObjectArc::get_mut(&mut tree).unwrap().height += 0.5;
/// let other = tree.clone();
/// assert_eq!((other.height, ObjectArc::strong_count(&tree)), (2.5, 2));
/// assert!(ObjectArc::get_mut(&mut tree).is_none()); // shared now
/// ```
#[repr(C)]
pub struct ObjectArc<T: ObjectCore> {
    pub(super) ptr: NonNull<T>,
    pub(super) marker: PhantomData<T>,
}

// SAFETY: the counts are atomic; the contents cross threads only when `T` may.
unsafe impl<T: ObjectCore + Send + Sync> Send for ObjectArc<T> {}
// SAFETY: as above.
unsafe impl<T: ObjectCore + Send + Sync> Sync for ObjectArc<T> {}

unsafe extern "C" fn delete_object<T: ObjectCore>(handle: *mut c_void, flags: i32) {
    // SAFETY: the strong count is zero, so the contents have no other use; allocated in `ObjectArc::new` with this layout.
    unsafe {
        delete(
            handle,
            flags,
            T::TYPE_KEY,
            || std::ptr::drop_in_place(handle.cast::<T>()),
            || dealloc(handle.cast(), Layout::new::<T>()),
        )
    }
}

/// What precedes an object with extra items: the size of its block, since foreign code may change the item count.
#[repr(C, align(16))]
struct ExtraPrefix {
    block_size: usize,
}

unsafe extern "C" fn delete_object_with_items<T: ObjectCore>(handle: *mut c_void, flags: i32) {
    // SAFETY: as in `delete_object`; `new_with_extra_items` put the prefix there.
    unsafe {
        delete(
            handle,
            flags,
            T::TYPE_KEY,
            || std::ptr::drop_in_place(handle.cast::<T>()),
            || {
                let prefix = handle.cast::<ExtraPrefix>().sub(1);
                let layout =
                    Layout::from_size_align_unchecked((*prefix).block_size, align_of::<ExtraPrefix>());
                dealloc(prefix.cast(), layout);
            },
        )
    }
}

impl<T: ObjectCore> ObjectArc<T> {
    /// Moves `data` into a new object with one owner.
    ///
    /// # Panics
    /// When the type is defined elsewhere and its objects are not as large as this struct: such a struct is good for reading alone.
    pub fn new(data: T) -> Self {
        T::check_allocation();
        let layout = Layout::new::<T>();
        // SAFETY: the layout is not empty (it holds a header); the block is written before it is shared.
        unsafe {
            let ptr = alloc(layout).cast::<T>();
            if ptr.is_null() {
                handle_alloc_error(layout);
            }
            ptr.write(data);
            Self::adopt_new(ptr, delete_object::<T>)
        }
    }

    /// Moves `data` into a new object with uninitialised room for its extra items behind it.
    ///
    /// # Panics
    /// When the size overflows.
    pub fn new_with_extra_items<U>(data: T) -> Self
    where
        T: ObjectCoreWithExtraItems<ExtraItem = U>,
    {
        const { assert!(align_of::<U>() <= 16 && size_of::<T>() % align_of::<U>() == 0) };
        let count = T::extra_items_count(&data);
        let size = count
            .checked_mul(size_of::<U>())
            .and_then(|bytes| bytes.checked_add(size_of::<ExtraPrefix>() + size_of::<T>()))
            .expect("the size of an object overflows");
        let layout = Layout::from_size_align(size, align_of::<ExtraPrefix>())
            .expect("the size of an object overflows");
        // SAFETY: as in `new`; the prefix is 16 bytes, so the object behind it is aligned.
        unsafe {
            let prefix = alloc(layout).cast::<ExtraPrefix>();
            if prefix.is_null() {
                handle_alloc_error(layout);
            }
            prefix.write(ExtraPrefix { block_size: size });
            let ptr = prefix.add(1).cast::<T>();
            ptr.write(data);
            ptr.expose_provenance();
            Self::adopt_new(ptr, delete_object_with_items::<T>)
        }
    }

    /// Fills in the header of a fresh object.
    ///
    /// # Safety
    /// `ptr` must be a written object that nobody else knows, which `deleter` can free.
    unsafe fn adopt_new(ptr: *mut T, deleter: tvm_ffi_sys::TVMFFIObjectDeleter) -> Self {
        // SAFETY: the caller's promise.
        unsafe {
            let header = T::object_header_mut(&mut *ptr);
            *header.combined_ref_count.get_mut() = COMBINED_REF_COUNT_BOTH_ONE;
            header.type_index = T::type_index();
            header.__padding = 0;
            header.deleter = Some(deleter);
            Self::from_raw(ptr)
        }
    }

    /// Takes over a reference that the caller owns.
    ///
    /// # Safety
    /// `ptr` must be a live object of type `T` or a subtype, and one strong reference of it passes to the result.
    pub unsafe fn from_raw(ptr: *const T) -> Self {
        // SAFETY: not null by the caller's promise.
        Self { ptr: unsafe { NonNull::new_unchecked(ptr.cast_mut()) }, marker: PhantomData }
    }

    /// Gives the reference up as a pointer that the caller owns.
    pub fn into_raw(this: Self) -> *const T {
        let ptr = Self::as_raw(&this);
        std::mem::forget(this);
        ptr
    }

    /// The address; nothing changes hands.
    pub fn as_raw(this: &Self) -> *const T {
        this.ptr.as_ptr()
    }

    /// The address for writing through the C ABI; the object may be shared, so a Rust reference must not be made of it.
    pub fn as_raw_mut(this: &mut Self) -> *mut T {
        this.ptr.as_ptr()
    }

    /// Mutable access for a sole owner, None when another strong or weak reference exists.
    pub fn get_mut(this: &mut Self) -> Option<&mut T> {
        let count = header_of(this).combined_ref_count.load(Ordering::Acquire);
        // SAFETY: both counts are one and this is that one, borrowed exclusively.
        if count == COMBINED_REF_COUNT_BOTH_ONE {
            Some(unsafe { this.ptr.as_mut() })
        } else {
            None
        }
    }

    /// Number of strong references.
    pub fn strong_count(this: &Self) -> usize {
        let count = header_of(this).combined_ref_count.load(Ordering::Relaxed);
        (count & COMBINED_REF_COUNT_MASK_U32) as usize
    }

    /// Number of weak references; all strong ones together hold one.
    pub fn weak_count(this: &Self) -> usize {
        (header_of(this).combined_ref_count.load(Ordering::Relaxed) >> 32) as usize
    }
}

impl<T: ObjectCore> Deref for ObjectArc<T> {
    type Target = T;
    fn deref(&self) -> &T {
        // SAFETY: alive while the arc is.
        unsafe { self.ptr.as_ref() }
    }
}

impl<T: ObjectCore> Clone for ObjectArc<T> {
    fn clone(&self) -> Self {
        header_of(self).combined_ref_count.fetch_add(COMBINED_REF_COUNT_STRONG_ONE, Ordering::Relaxed);
        Self { ptr: self.ptr, marker: PhantomData }
    }
}

impl<T: ObjectCore> Drop for ObjectArc<T> {
    fn drop(&mut self) {
        // SAFETY: the arc owns one strong reference, which ends here.
        unsafe { unsafe_::dec_ref(self.ptr.as_ptr().cast()) }
    }
}
