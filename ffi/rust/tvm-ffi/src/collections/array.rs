// SPDX-License-Identifier: Apache-2.0
//! Immutable sequences.

crate::collections::sequence::sequence_type! {
    /// An immutable sequence, shared between languages.
    ///
    /// Strict means an `ffi.Array` whose elements are all strict; a cast also takes lists and converts elements into a new array.
    Array, ArrayObj, "ffi.Array", kTVMFFIArray, "ffi.Array", kTVMFFIList
}
