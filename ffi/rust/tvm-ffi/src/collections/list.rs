// SPDX-License-Identifier: Apache-2.0
//! Mutable sequences.

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
    List, ListObj, ListIterator, "ffi.List", kTVMFFIList, "ffi.List", kTVMFFIArray, fixed: false
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
