// SPDX-License-Identifier: Apache-2.0
//! Mutable sequences.

use super::sequence::{cast_at, raw_at};
use crate::error::Result;
use crate::type_traits::ContainerElement;
use crate::{cached_global_func, Any};

crate::collections::sequence::sequence_type! {
    /// A mutable sequence: every holder, in any language, sees each change. Changes go through the library.
    /// ```
    /// use tvm_ffi::List;
    ///
    /// let list = List::new(vec![1_i64]);
    /// let other = list.clone();
    /// other.push(2).unwrap();
    /// assert_eq!((list.len(), list.pop().unwrap()), (2, Some(2)));
    /// ```
    List, ListObj, ListIterator, "ffi.List", kTVMFFIList, "ffi.List", kTVMFFIArray
}

impl<T: ContainerElement + Clone> List<T> {
    /// Adds an element at the end.
    pub fn push(&self, element: T) -> Result<()> {
        let element = T::into_element(element);
        cached_global_func!("ffi.ListAppend").call_tuple((self, element)).map(drop)
    }

    /// Replaces the element at `index`; `IndexError` beyond the end.
    pub fn set(&self, index: usize, element: T) -> Result<()> {
        let element = T::into_element(element);
        cached_global_func!("ffi.ListSetItem").call_tuple((self, index, element)).map(drop)
    }

    /// Takes the last element away; None when there is none.
    pub fn pop(&self) -> Result<Option<T>>
    where
        T: TryFrom<Any, Error = crate::Error>,
    {
        match self.len() {
            0 => Ok(None),
            len => {
                let last = cached_global_func!("ffi.ListPop").call_tuple((self, len - 1))?;
                T::try_from(last).map(Some)
            }
        }
    }

    /// Removes all elements.
    pub fn clear(&self) -> Result<()> {
        cached_global_func!("ffi.ListClear").call_tuple((self,)).map(drop)
    }
}

impl<T: ContainerElement + Clone> List<T> {
    /// The elements in order; an element that is no `T` is an `Err` which names it, and the iteration goes on. It ends at the length
    /// that the list has by then.
    pub fn iter(&self) -> ListIterator<'_, T> {
        ListIterator { container: self, at: 0 }
    }
}

/// The elements of a list in order, each converted. It borrows the list, which others may change meanwhile.
pub struct ListIterator<'a, T: ContainerElement + Clone> {
    container: &'a List<T>,
    at: usize,
}

impl<T: ContainerElement + Clone> Iterator for ListIterator<'_, T> {
    type Item = Result<T>;

    #[inline]
    fn next(&mut self) -> Option<Result<T>> {
        let raw = raw_at(&self.container.data, self.at)?;
        self.at += 1;
        Some(cast_at(&raw, self.at - 1))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.container.len().saturating_sub(self.at);
        (left, Some(left))
    }
}
