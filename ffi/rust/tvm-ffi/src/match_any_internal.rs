// SPDX-License-Identifier: Apache-2.0
//! What `match_any!` expands to.

use crate::type_traits::AnyCompatible;
use crate::AnyView;
use std::any::TypeId;
use std::collections::HashMap;
use std::sync::OnceLock;

/// What can be matched: a reference to an object, an `Any`, an `AnyView`, and references to those by dereferencing.
pub trait MatchView {
    /// The view.
    fn match_any_view(&self) -> AnyView<'_>;
}

impl<T: AnyCompatible> MatchView for T {
    fn match_any_view(&self) -> AnyView<'_> {
        AnyView::from(self)
    }
}
impl MatchView for crate::Any {
    fn match_any_view(&self) -> AnyView<'_> {
        AnyView::from(self)
    }
}
impl MatchView for AnyView<'_> {
    fn match_any_view(&self) -> AnyView<'_> {
        *self
    }
}

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

/// Numbers of arms by type index, for one place of use.
pub struct Table {
    filled: OnceLock<Filled>,
}

struct Filled {
    /// The arms' types: a place of use in a generic function has one table for all that it is used with.
    arms: TypeId,
    first: i32,
    dense: Vec<u32>,
    sparse: HashMap<i32, u32>,
}

const NO_ARM: u32 = u32::MAX;
/// Farther from the smallest index than this, a number is looked for in the map.
const DENSE_MOST: i32 = 4096;

impl Table {
    /// Without arms yet.
    #[allow(clippy::new_without_default)]
    pub const fn new() -> Self {
        Self { filled: OnceLock::new() }
    }

    /// The number of the arm for a type index, `usize::MAX` when there is none; None when the table is for other types.
    #[inline]
    pub fn find<Arms: 'static>(&self, index: i32, indices: impl FnOnce() -> Vec<i32>) -> Option<usize> {
        let filled = self.filled.get_or_init(|| Filled::new(TypeId::of::<Arms>(), &indices()));
        if filled.arms != TypeId::of::<Arms>() {
            return None;
        }
        let number = match filled.dense.get(index.wrapping_sub(filled.first) as usize) {
            Some(number) => *number,
            None => filled.sparse.get(&index).copied().unwrap_or(NO_ARM),
        };
        Some(if number == NO_ARM { usize::MAX } else { number as usize })
    }
}

impl Filled {
    fn new(arms: TypeId, indices: &[i32]) -> Self {
        let first = indices.iter().copied().min().unwrap_or(0);
        let mut out = Self { arms, first, dense: Vec::new(), sparse: HashMap::new() };
        // The first arm of a type wins, so it is written last.
        for (number, &index) in indices.iter().enumerate().rev() {
            let at = index.wrapping_sub(first);
            if (0..DENSE_MOST).contains(&at) {
                let at = at as usize;
                if out.dense.len() <= at {
                    out.dense.resize(at + 1, NO_ARM);
                }
                out.dense[at] = number as u32;
            } else {
                out.sparse.insert(index, number as u32);
            }
        }
        out
    }
}
