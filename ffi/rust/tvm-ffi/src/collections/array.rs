// SPDX-License-Identifier: Apache-2.0
//! Immutable sequences.

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
    Array, ArrayObj, ArrayIterator, "ffi.Array", kTVMFFIArray, "ffi.Array", kTVMFFIList, fixed: true
}

// An array never changes, so what is left is known.
impl<T: crate::type_traits::ContainerElement + Clone> ExactSizeIterator for ArrayIterator<'_, T> {}
