// SPDX-License-Identifier: Apache-2.0
//! Immutable sequences.

use super::sequence::{cast_at, raw_range};
use crate::error::Result;
use crate::type_traits::ContainerElement;
use std::marker::PhantomData;
use tvm_ffi_sys::TVMFFIAny;

crate::collections::sequence::sequence_type! {
    /// An immutable sequence, shared between languages.
    ///
    /// Strict means an `ffi.Array` whose elements are all strict; a cast also takes lists and converts elements into a new array.
    /// ```
    /// use tvm_ffi::{Array, Result};
    ///
    /// let array = Array::new(vec![1_i64, 2, 3]);
    /// assert_eq!((array.len(), array.get(2).unwrap()), (3, 3));
    /// assert_eq!(array.get(3).unwrap_err().kind().as_str(), "IndexError");
    /// let sum = array.iter().sum::<Result<i64>>().unwrap();
    /// assert_eq!(sum, 6);
    /// ```
    Array, ArrayObj, ArrayIterator, "ffi.Array", kTVMFFIArray, "ffi.Array", kTVMFFIList
}

impl<T: ContainerElement + Clone> Array<T> {
    /// The elements in order; an element that is no `T` is an `Err` which names it, and the iteration goes on.
    pub fn iter(&self) -> ArrayIterator<'_, T> {
        let range = raw_range(&self.data);
        ArrayIterator { next: range.start, range, container: PhantomData }
    }
}

/// The elements of an array in order, each converted. It borrows the array, which does not change.
pub struct ArrayIterator<'a, T: ContainerElement + Clone> {
    next: *const TVMFFIAny,
    range: std::ops::Range<*const TVMFFIAny>,
    container: PhantomData<&'a Array<T>>,
}

impl<T: ContainerElement + Clone> ArrayIterator<'_, T> {
    #[inline(always)]
    fn left(&self) -> usize {
        // SAFETY: both point into the elements or behind the last one.
        unsafe { self.range.end.offset_from(self.next) as usize }
    }
}

impl<T: ContainerElement + Clone> Iterator for ArrayIterator<'_, T> {
    type Item = Result<T>;

    #[inline]
    fn next(&mut self) -> Option<Result<T>> {
        if self.next == self.range.end {
            return None;
        }
        // SAFETY: a live element of the array, which lives and does not change while it is borrowed; the next address is at most
        // the one behind the last element.
        let element = unsafe {
            let element = &*self.next;
            self.next = self.next.add(1);
            element
        };
        // SAFETY: as above.
        match unsafe { T::cast_element(element) } {
            Ok(value) => Some(Ok(value)),
            Err(()) => {
                // SAFETY: both point into the elements or behind the last one.
                let index = unsafe { self.next.offset_from(self.range.start) } - 1;
                Some(cast_at(element, index as usize))
            }
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left(), Some(self.left()))
    }
}

impl<T: ContainerElement + Clone> ExactSizeIterator for ArrayIterator<'_, T> {}
