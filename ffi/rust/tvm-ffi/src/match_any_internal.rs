// SPDX-License-Identifier: Apache-2.0
//! What `match_any!` expands to.

use crate::type_traits::AnyCompatible;
use crate::AnyView;

/// The value for an arm: objects convert, plain values must be of the type.
#[inline]
pub fn arm<T: AnyCompatible>(view: &AnyView<'_>) -> Option<T> {
    if T::MATCH_ANY_EXACT && view.type_index() != T::match_any_exact_type_index() {
        return None;
    }
    if view.type_index() < tvm_ffi_sys::TVMFFITypeIndex::kTVMFFIStaticObjectBegin as i32 {
        return view.try_as();
    }
    // SAFETY: a live view.
    unsafe { T::try_cast_from_any_view(view.raw()).ok() }
}
