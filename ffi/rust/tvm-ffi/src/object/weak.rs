// SPDX-License-Identifier: Apache-2.0
//! Weak pointers.

use super::{header_of, ObjectArc, ObjectCore, DELETE_WEAK};
use std::marker::PhantomData;
use std::ptr::NonNull;
use std::sync::atomic::{fence, AtomicU64, Ordering};
use tvm_ffi_sys::{
    TVMFFIObject, COMBINED_REF_COUNT_MASK_U32, COMBINED_REF_COUNT_STRONG_ONE, COMBINED_REF_COUNT_WEAK_ONE,
};

/// A weak pointer to an object: it keeps the memory, not the contents.
pub struct ObjectWeak<T: ObjectCore> {
    ptr: NonNull<T>,
    marker: PhantomData<T>,
}

// SAFETY: as for `ObjectArc`, which `upgrade` gives.
unsafe impl<T: ObjectCore + Send + Sync> Send for ObjectWeak<T> {}
// SAFETY: as above.
unsafe impl<T: ObjectCore + Send + Sync> Sync for ObjectWeak<T> {}

impl<T: ObjectCore> ObjectWeak<T> {
    /// The object, None when its last strong reference is gone.
    pub fn upgrade(&self) -> Option<ObjectArc<T>> {
        let counts = self.counts();
        let mut count = counts.load(Ordering::Relaxed);
        while count & COMBINED_REF_COUNT_MASK_U32 != 0 {
            match counts.compare_exchange_weak(
                count,
                count + COMBINED_REF_COUNT_STRONG_ONE,
                Ordering::AcqRel,
                Ordering::Relaxed,
            ) {
                Ok(_) => return Some(ObjectArc { ptr: self.ptr, marker: PhantomData }),
                Err(now) => count = now,
            }
        }
        None
    }

    /// The counts alone: the rest may be in the hands of a destructor.
    fn counts(&self) -> &AtomicU64 {
        // SAFETY: a weak reference keeps the memory, and the header outlives the contents.
        unsafe { &(*self.ptr.cast::<TVMFFIObject>().as_ptr()).combined_ref_count }
    }
}

impl<T: ObjectCore> ObjectArc<T> {
    /// A weak pointer to the object.
    pub fn downgrade(this: &Self) -> ObjectWeak<T> {
        header_of(this).combined_ref_count.fetch_add(COMBINED_REF_COUNT_WEAK_ONE, Ordering::Relaxed);
        ObjectWeak { ptr: this.ptr, marker: PhantomData }
    }
}

impl<T: ObjectCore> Clone for ObjectWeak<T> {
    fn clone(&self) -> Self {
        self.counts().fetch_add(COMBINED_REF_COUNT_WEAK_ONE, Ordering::Relaxed);
        Self { ptr: self.ptr, marker: PhantomData }
    }
}

impl<T: ObjectCore> Drop for ObjectWeak<T> {
    fn drop(&mut self) {
        let handle = self.ptr.as_ptr().cast::<TVMFFIObject>();
        // SAFETY: the weak reference ends here; the last one frees the memory, as the count protocol says.
        unsafe {
            let old = (*handle).combined_ref_count.fetch_sub(COMBINED_REF_COUNT_WEAK_ONE, Ordering::Release);
            if old == COMBINED_REF_COUNT_WEAK_ONE {
                fence(Ordering::Acquire);
                if let Some(delete) = (*handle).deleter {
                    delete(handle.cast(), DELETE_WEAK);
                }
            }
        }
    }
}
