// SPDX-License-Identifier: Apache-2.0
//! Rebuilding values by their structure: [`structural_map`] replaces values, [`structural_mutate`] lets handlers rebuild
//! themselves. What does not change is shared with the original; an unchanged value comes back as it is.

use super::callback_forms::forms::{Dispatch, LowLevel};
use super::mutate_callbacks::dispatch_low_level;
use super::mutate_operations::{operations, Rebuilt};
use super::structural_mutator::{
    current_mode, current_region, or_original, perform, var_remap_get, var_remap_set, ErasedMutator, Op,
};
use crate::error::{Result, TYPE_ERROR};
use crate::object::ObjectIdentity;
use crate::{Any, AnyView};
use std::collections::HashMap;
use std::marker::PhantomData;

#[doc(hidden)]
pub use super::mutate_callbacks::default_by_policy;
pub use super::mutate_callbacks::{
    DefaultMutContextPolicy, MutContextPolicy, MutateCallbacks, MutateChainLink, MutateContext,
};
#[doc(hidden)]
pub use super::structural_map::IntoMapResult;
pub use super::structural_map::{
    structural_map, IntoMapper, MapChainLink, MapDispatch, MapWithContextPolicy,
};
pub use super::structural_mutator::{InplaceMode, InplaceValue, MutateValue};
pub use super::structural_visit::{DefRegionKind, StructuralView, WalkOrder};
pub use super::unchanged::{Unchanged, UnchangedOr};

/// A mutator with a handler for each type; `#[dispatch(mutate)]` writes the implementation.
pub trait MutateDispatch: Sized {
    /// Rebuilds a value; None when no handler takes it.
    fn dispatch_mutate(&mut self, value: &StructuralView, mutator: &mut Mutator<'_>) -> Option<Result<Any>>;

    /// As [`Self::dispatch_mutate`], with the permission to change the value in place.
    fn dispatch_mutate_value(
        &mut self,
        value: MutateValue<'_>,
        mutator: &mut Mutator<'_>,
    ) -> Option<Result<Any>> {
        self.dispatch_mutate(value.as_value(), mutator)
    }

    /// Rebuilds a value that no handler takes.
    #[doc(hidden)]
    fn default_for(&mut self, value: MutateValue<'_>) -> Result<Any> {
        default_by_policy(self, value, &DefaultMutContextPolicy)
    }
}

/// The running mutation, for its handlers: every operation takes the dispatch object first, which the descent may call back.
pub struct Mutator<'a> {
    marker: PhantomData<&'a mut ()>,
}

impl Mutator<'_> {
    /// Whether the current value may be changed in place.
    pub fn inplace_mode(&self) -> InplaceMode {
        current_mode()
    }

    /// The region of the current value.
    pub fn def_region_kind(&self) -> DefRegionKind {
        current_region()
    }

    fn child<'b, D, T>(
        &mut self,
        dispatch: &mut D,
        value: &'b T,
        kind: Option<DefRegionKind>,
        mode: InplaceMode,
    ) -> Result<UnchangedOr>
    where
        AnyView<'b>: From<&'b T>,
    {
        perform(dispatch, kind, Op::Child(AnyView::from(value), mode))
    }

    fn parts<D>(
        &mut self,
        dispatch: &mut D,
        value: MutateValue<'_>,
        mode: InplaceMode,
    ) -> Result<UnchangedOr> {
        let mode = value.inplace_mode().and(mode);
        perform(dispatch, None, Op::Parts(AnyView::from(value.view()), mode))
    }

    operations!([dispatch: D]);
}

/// A mutator on the lowest level: it gets every value, with its region, and rebuilds it itself.
///
/// The provided operations are for its two functions, while [`structural_mutate`] runs it: `RuntimeError` at other times.
pub trait StructuralMutator: Sized {
    /// Rebuilds a value; [`Unchanged`] keeps it.
    fn dispatch_mutate(&mut self, value: &StructuralView, kind: DefRegionKind) -> Result<Any>;

    /// Rebuilds a value that may be changed in place.
    fn dispatch_maybe_inplace_mutate(&mut self, value: InplaceValue<'_>, kind: DefRegionKind) -> Result<Any> {
        self.dispatch_mutate(value.as_value(), kind)
    }

    /// A value rebuilt in a region; says whether anything changed.
    fn mutate_result<'b, T>(&mut self, value: &'b T, kind: DefRegionKind) -> Result<UnchangedOr>
    where
        AnyView<'b>: From<&'b T>,
    {
        perform(self, Some(kind), Op::Child(AnyView::from(value), InplaceMode::Disallow))
    }

    /// A value rebuilt in a region.
    fn mutate<'b, T>(&mut self, value: &'b T, kind: DefRegionKind) -> Result<Any>
    where
        AnyView<'b>: From<&'b T>,
    {
        Ok(or_original(self.mutate_result(value, kind)?, AnyView::from(value)))
    }

    /// A value rebuilt in a region: in place when the current value may be changed and nobody but `value` itself holds the object.
    fn maybe_inplace_mutate<'b, T>(&mut self, value: &'b T, kind: DefRegionKind) -> Result<Any>
    where
        AnyView<'b>: From<&'b T>,
    {
        let result = perform(self, Some(kind), Op::Child(AnyView::from(value), InplaceMode::Allow))?;
        Ok(or_original(result, AnyView::from(value)))
    }

    /// A value with its parts rebuilt; says whether anything changed.
    fn default_mutate_result(&mut self, value: &StructuralView, kind: DefRegionKind) -> Result<UnchangedOr> {
        perform(self, Some(kind), Op::Parts(AnyView::from(value), InplaceMode::Disallow))
    }

    /// A value with its parts rebuilt: elements, or fields on a copy of the object.
    fn default_mutate(&mut self, value: &StructuralView, kind: DefRegionKind) -> Result<Any> {
        Ok(or_original(self.default_mutate_result(value, kind)?, AnyView::from(value)))
    }

    /// A value with its parts rebuilt, in place.
    fn default_maybe_inplace_mutate(&mut self, value: InplaceValue<'_>, kind: DefRegionKind) -> Result<Any> {
        let value = MutateValue::from(value);
        let view = AnyView::from(value.view());
        Ok(or_original(perform(self, Some(kind), Op::Parts(view, InplaceMode::Allow))?, view))
    }

    /// What a variable or shared node was rebuilt to, None when it was not yet.
    fn var_remap_get(&self, value: &StructuralView) -> Result<Option<Any>> {
        var_remap_get(value)
    }

    /// Says what a variable is rebuilt to from here on; `TypeError` for what is no object.
    fn var_remap_set(&self, value: &StructuralView, to: &Any) -> Result<()> {
        var_remap_set(value, to)
    }
}

/// What [`structural_mutate`] takes: `&mut D` with `D: MutateDispatch` or `D: StructuralMutator`, callbacks that get a
/// [`MutateContext`], or [`MutateCallbacks`] by `&mut`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot mutate",
    note = "a mutator is `&mut D` with `D: MutateDispatch` or `D: StructuralMutator`, or a closure over `&StructuralView`, a value \
            type, `&N` or `MutateValue<'_, T>`, followed by `&mut MutateContext<'_>`, all annotated, or a tuple of those"
)]
pub trait IntoMutator<Form>: Sized {
    #[doc(hidden)]
    fn run<R>(self, with: impl FnOnce(&mut dyn ErasedMutator) -> R) -> R;
}

impl<D: MutateDispatch> IntoMutator<Dispatch> for &mut D {
    fn run<R>(self, with: impl FnOnce(&mut dyn ErasedMutator) -> R) -> R {
        struct ByHandlers<'a, D>(&'a mut D);
        impl<D: MutateDispatch> ErasedMutator for ByHandlers<'_, D> {
            fn identity(&mut self) -> (*mut (), &'static str) {
                (std::ptr::from_mut(self.0).cast(), std::any::type_name::<D>())
            }
            fn mutate_erased(&mut self, value: MutateValue<'_>, _: DefRegionKind) -> Result<Any> {
                let mut mutator = Mutator { marker: PhantomData };
                match self.0.dispatch_mutate_value(value.duplicate(), &mut mutator) {
                    Some(result) => result,
                    None => self.0.default_for(value),
                }
            }
        }
        with(&mut ByHandlers(self))
    }
}

impl<M: StructuralMutator> IntoMutator<LowLevel> for &mut M {
    fn run<R>(self, with: impl FnOnce(&mut dyn ErasedMutator) -> R) -> R {
        struct Itself<'a, M>(&'a mut M);
        impl<M: StructuralMutator> ErasedMutator for Itself<'_, M> {
            fn identity(&mut self) -> (*mut (), &'static str) {
                (std::ptr::from_mut(self.0).cast(), std::any::type_name::<M>())
            }
            fn mutate_erased(&mut self, value: MutateValue<'_>, kind: DefRegionKind) -> Result<Any> {
                dispatch_low_level(self.0, &value, kind)
            }
        }
        with(&mut Itself(self))
    }
}

/// Rebuilds a value with handlers that rebuild themselves; values that no handler takes are rebuilt by default.
///
/// The root is taken over: what only it holds may be changed in place by handlers that ask for a [`MutateValue`], and containers
/// of the default are.
/// ```
/// use tvm_ffi::{structural_mutate, Any, Array, MutateContext};
///
/// let tree = Array::new(vec![Any::from(1_i64), Any::from(Array::new(vec![2_i64]))]);
/// let out = structural_mutate(tree, |n: i64, _: &mut MutateContext<'_>| n + 1).unwrap();
/// assert_eq!(tvm_ffi::repr(&out).unwrap(), "(2, (3,))");
/// ```
pub fn structural_mutate<M, Form>(root: impl Into<Any>, mutator: M) -> Result<Any>
where
    M: IntoMutator<Form>,
{
    let root = root.into();
    mutator.run(|mutator| super::structural_mutator::run(root, mutator))
}

/// What variables are replaced by, by identity.
#[derive(Debug, Default, Clone)]
pub struct StructuralVarRemap {
    entries: HashMap<ObjectIdentity, Any>,
}

impl StructuralVarRemap {
    /// The replacement of an object.
    pub fn get(&self, key: &Any) -> Option<Any> {
        self.entries.get(&ObjectIdentity::of_value(key)?).cloned()
    }

    /// Sets the replacement of an object; `TypeError` for other values.
    pub fn set(&mut self, key: &Any, value: Any) -> Result<()> {
        let Some(key) = ObjectIdentity::of_value(key) else {
            crate::bail!(TYPE_ERROR, "variable-remap keys must be object-backed values");
        };
        self.entries.insert(key, value);
        Ok(())
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.entries.clear();
    }
}
