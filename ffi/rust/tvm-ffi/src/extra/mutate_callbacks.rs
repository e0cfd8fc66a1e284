// SPDX-License-Identifier: Apache-2.0
//! Mutations of closures: what their callbacks get, and how values that none takes are rebuilt.

use super::structural_mutate::{IntoMapResult, IntoMutator, StructuralMutator};
use super::structural_mutator::{
    current_mode, current_region, or_original, perform, to_native, var_remap_get, var_remap_set, with_region,
    ErasedMutator, InplaceMode, InplaceValue, MutateValue, Op,
};
use super::structural_visit::forms::{Callbacks, Chain, Node, Owned, Value, View};
use super::structural_visit::{DefRegionKind, StructuralView};
use super::unchanged::UnchangedOr;
use crate::error::Result;
use crate::object::ObjectCore;
use crate::type_traits::AnyCompatible;
use crate::{Any, AnyView};
use std::marker::PhantomData;
use std::rc::Rc;

/// A mutator with state, without the types of its callbacks.
pub(super) trait ContextMutator<State> {
    fn state(&mut self) -> &mut State;
    fn perform(&mut self, kind: Option<DefRegionKind>, op: Op<'_>) -> Result<UnchangedOr>;
}

/// What a callback of a mutation does: it reads and writes the state and rebuilds values.
pub struct MutateContext<'a, State = ()> {
    mutator: &'a mut dyn ContextMutator<State>,
}

impl<'a, State> MutateContext<'a, State> {
    pub(super) fn of(mutator: &'a mut dyn ContextMutator<State>) -> Self {
        Self { mutator }
    }

    /// The state.
    pub fn state(&mut self) -> &State {
        self.mutator.state()
    }

    /// The state, for writing.
    pub fn state_mut(&mut self) -> &mut State {
        self.mutator.state()
    }

    /// Whether the current value may be changed in place.
    pub fn inplace_mode(&self) -> InplaceMode {
        current_mode()
    }

    /// The region of the current value.
    pub fn def_region_kind(&self) -> DefRegionKind {
        current_region()
    }

    /// Runs `body` in a region; a pattern region stays one. `RuntimeError` outside of a mutation.
    pub fn with_def_region_kind<R>(
        &mut self,
        kind: DefRegionKind,
        body: impl FnOnce(&mut Self) -> Result<R>,
    ) -> Result<R> {
        with_region(kind, || body(self))?
    }

    fn child<'b, T>(
        &mut self,
        value: &'b T,
        kind: Option<DefRegionKind>,
        mode: InplaceMode,
    ) -> Result<UnchangedOr>
    where
        AnyView<'b>: From<&'b T>,
    {
        self.mutator.perform(kind, Op::Child(AnyView::from(value), mode))
    }

    fn parts(&mut self, value: MutateValue<'_>, mode: InplaceMode) -> Result<UnchangedOr> {
        let mode = value.inplace_mode().and(mode);
        self.mutator.perform(None, Op::Parts(AnyView::from(value.view()), mode))
    }
}

/// The operations that contexts and [`Mutator`](super::structural_mutate::Mutator) share. `$dispatch` is what the latter takes first.
macro_rules! operations {
    ([$($dispatch:ident: $D:ident)?]) => {
        /// A value rebuilt in the current region.
        pub fn mutate<'b, $($D: MutateDispatch,)? T>(&mut self, $($dispatch: &mut $D,)? value: &'b T) -> Result<Any>
        where
            AnyView<'b>: From<&'b T>,
        {
            Ok(or_original(self.mutate_result($($dispatch,)? value)?, AnyView::from(value)))
        }

        /// As [`Self::mutate`]; says whether anything changed.
        pub fn mutate_result<'b, $($D: MutateDispatch,)? T>(
            &mut self,
            $($dispatch: &mut $D,)?
            value: &'b T,
        ) -> Result<UnchangedOr>
        where
            AnyView<'b>: From<&'b T>,
        {
            self.child($($dispatch,)? value, None, InplaceMode::Disallow)
        }

        /// A value rebuilt in a region.
        pub fn mutate_with<'b, $($D: MutateDispatch,)? T>(
            &mut self,
            $($dispatch: &mut $D,)?
            value: &'b T,
            kind: DefRegionKind,
        ) -> Result<Any>
        where
            AnyView<'b>: From<&'b T>,
        {
            Ok(or_original(self.mutate_with_result($($dispatch,)? value, kind)?, AnyView::from(value)))
        }

        /// As [`Self::mutate_with`]; says whether anything changed.
        pub fn mutate_with_result<'b, $($D: MutateDispatch,)? T>(
            &mut self,
            $($dispatch: &mut $D,)?
            value: &'b T,
            kind: DefRegionKind,
        ) -> Result<UnchangedOr>
        where
            AnyView<'b>: From<&'b T>,
        {
            self.child($($dispatch,)? value, Some(kind), InplaceMode::Disallow)
        }

        /// A value rebuilt in the current region: in place when the current value may be changed and nobody but `value` itself
        /// holds the object.
        pub fn maybe_inplace_mutate<'b, $($D: MutateDispatch,)? T>(
            &mut self,
            $($dispatch: &mut $D,)?
            value: &'b T,
        ) -> Result<Any>
        where
            AnyView<'b>: From<&'b T>,
        {
            let result = self.child($($dispatch,)? value, None, InplaceMode::Allow)?;
            Ok(or_original(result, AnyView::from(value)))
        }

        /// As [`Self::maybe_inplace_mutate`], in a region.
        pub fn maybe_inplace_mutate_with<'b, $($D: MutateDispatch,)? T>(
            &mut self,
            $($dispatch: &mut $D,)?
            value: &'b T,
            kind: DefRegionKind,
        ) -> Result<Any>
        where
            AnyView<'b>: From<&'b T>,
        {
            self.maybe_inplace_mutate_with_mode($($dispatch,)? value, kind, InplaceMode::Allow)
        }

        /// As [`Self::maybe_inplace_mutate_with`], with a permission of its own; the one of the current value bounds it.
        pub fn maybe_inplace_mutate_with_mode<'b, $($D: MutateDispatch,)? T>(
            &mut self,
            $($dispatch: &mut $D,)?
            value: &'b T,
            kind: DefRegionKind,
            mode: InplaceMode,
        ) -> Result<Any>
        where
            AnyView<'b>: From<&'b T>,
        {
            let result = self.child($($dispatch,)? value, Some(kind), mode)?;
            Ok(or_original(result, AnyView::from(value)))
        }

        /// A value with its parts rebuilt: elements, or fields on a copy of the object.
        pub fn default_mutate $(<$D: MutateDispatch>)? (
            &mut self,
            $($dispatch: &mut $D,)?
            value: &StructuralView,
        ) -> Result<Any> {
            Ok(or_original(self.default_mutate_result($($dispatch,)? value)?, AnyView::from(value)))
        }

        /// As [`Self::default_mutate`]; says whether anything changed.
        pub fn default_mutate_result $(<$D: MutateDispatch>)? (
            &mut self,
            $($dispatch: &mut $D,)?
            value: &StructuralView,
        ) -> Result<UnchangedOr> {
            self.parts($($dispatch,)? MutateValue::borrowed(value), InplaceMode::Disallow)
        }

        /// A value with its parts rebuilt, in place when it may be.
        pub fn default_maybe_inplace_mutate $(<$D: MutateDispatch>)? (
            &mut self,
            $($dispatch: &mut $D,)?
            value: MutateValue<'_>,
        ) -> Result<Any> {
            self.default_mutate_with_mode($($dispatch,)? value, InplaceMode::Allow)
        }

        /// As [`Self::default_maybe_inplace_mutate`]; Unchanged also when the value itself was changed.
        pub fn default_maybe_inplace_mutate_result $(<$D: MutateDispatch>)? (
            &mut self,
            $($dispatch: &mut $D,)?
            value: MutateValue<'_>,
        ) -> Result<UnchangedOr> {
            self.default_mutate_with_mode_result($($dispatch,)? value, InplaceMode::Allow)
        }

        /// A value with its parts rebuilt, in place when both it and `mode` allow that.
        pub fn default_mutate_with_mode $(<$D: MutateDispatch>)? (
            &mut self,
            $($dispatch: &mut $D,)?
            value: MutateValue<'_>,
            mode: InplaceMode,
        ) -> Result<Any> {
            let view = value.view();
            let result = self.default_mutate_with_mode_result($($dispatch,)? value, mode)?;
            Ok(or_original(result, AnyView::from(view)))
        }

        /// As [`Self::default_mutate_with_mode`]; Unchanged also when the value itself was changed.
        pub fn default_mutate_with_mode_result $(<$D: MutateDispatch>)? (
            &mut self,
            $($dispatch: &mut $D,)?
            value: MutateValue<'_>,
            mode: InplaceMode,
        ) -> Result<UnchangedOr> {
            self.parts($($dispatch,)? value, mode)
        }

        /// What a variable or shared node was rebuilt to, None when it was not yet.
        pub fn var_remap_get(&self, value: &StructuralView) -> Result<Option<Any>> {
            var_remap_get(value)
        }

        /// Says what a variable is rebuilt to from here on; `TypeError` for what is no object.
        pub fn var_remap_set(&self, value: &StructuralView, to: &Any) -> Result<()> {
            var_remap_set(value, to)
        }
    };
}
pub(super) use operations;

impl<State> MutateContext<'_, State> {
    operations!([]);
}

/// One callback of a mutation, or a tuple of them of which the first that takes a value's type gets it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot mutate",
    note = "a callback of a mutation is a closure over `&StructuralView`, a value type, `&N` or `MutateValue<'_, T>`, followed by \
            `&mut MutateContext<'_>`, all annotated, or a tuple of those"
)]
pub trait MutateChainLink<State, Form> {
    /// Rebuilds a value; None when it is of another type.
    fn try_mutate(
        &self,
        value: &MutateValue<'_>,
        context: &mut MutateContext<'_, State>,
    ) -> Option<Result<Any>>;
}

impl<S, F, R: IntoMapResult> MutateChainLink<S, View> for F
where
    F: Fn(&StructuralView, &mut MutateContext<'_, S>) -> R,
{
    fn try_mutate(&self, value: &MutateValue<'_>, context: &mut MutateContext<'_, S>) -> Option<Result<Any>> {
        Some(self(value.as_value(), context).into_map_result())
    }
}
impl<S, F, T: AnyCompatible, R: IntoMapResult> MutateChainLink<S, Owned<T>> for F
where
    F: Fn(T, &mut MutateContext<'_, S>) -> R,
{
    fn try_mutate(&self, value: &MutateValue<'_>, context: &mut MutateContext<'_, S>) -> Option<Result<Any>> {
        value.cast::<T>().map(|value| self(value, context).into_map_result())
    }
}
impl<S, F, N: ObjectCore, R: IntoMapResult> MutateChainLink<S, Node<N>> for F
where
    F: Fn(&N, &mut MutateContext<'_, S>) -> R,
{
    fn try_mutate(&self, value: &MutateValue<'_>, context: &mut MutateContext<'_, S>) -> Option<Result<Any>> {
        value.as_node::<N>().map(|node| self(node, context).into_map_result())
    }
}
impl<S, F, T: AnyCompatible, R: IntoMapResult> MutateChainLink<S, Value<T>> for F
where
    F: Fn(MutateValue<'_, T>, &mut MutateContext<'_, S>) -> R,
{
    fn try_mutate(&self, value: &MutateValue<'_>, context: &mut MutateContext<'_, S>) -> Option<Result<Any>> {
        let value = value.duplicate().try_cast::<T>().ok()?;
        Some(self(value, context).into_map_result())
    }
}

macro_rules! chains {
    ($($link:ident $form:ident $position:tt),+) => {
        impl<State, $($link, $form),+> MutateChainLink<State, Chain<($($form,)+)>> for ($($link,)+)
        where
            $($link: MutateChainLink<State, $form>),+
        {
            fn try_mutate(
                &self,
                value: &MutateValue<'_>,
                context: &mut MutateContext<'_, State>,
            ) -> Option<Result<Any>> {
                $( if let Some(result) = self.$position.try_mutate(value, context) {
                    return Some(result);
                } )+
                None
            }
        }
    };
}
chains!(A FA 0);
chains!(A FA 0, B FB 1);
chains!(A FA 0, B FB 1, C FC 2);
chains!(A FA 0, B FB 1, C FC 2, D FD 3);
chains!(A FA 0, B FB 1, C FC 2, D FD 3, E FE 4);
chains!(A FA 0, B FB 1, C FC 2, D FD 3, E FE 4, F FF 5);
chains!(A FA 0, B FB 1, C FC 2, D FD 3, E FE 4, F FF 5, G FG 6);
chains!(A FA 0, B FB 1, C FC 2, D FD 3, E FE 4, F FF 5, G FG 6, H FH 7);
chains!(A FA 0, B FB 1, C FC 2, D FD 3, E FE 4, F FF 5, G FG 6, H FH 7, I FI 8);
chains!(A FA 0, B FB 1, C FC 2, D FD 3, E FE 4, F FF 5, G FG 6, H FH 7, I FI 8, J FJ 9);
chains!(A FA 0, B FB 1, C FC 2, D FD 3, E FE 4, F FF 5, G FG 6, H FH 7, I FI 8, J FJ 9, K FK 10);
chains!(A FA 0, B FB 1, C FC 2, D FD 3, E FE 4, F FF 5, G FG 6, H FH 7, I FI 8, J FJ 9, K FK 10, L FL 11);

/// How values that no callback takes are rebuilt. In a pair `(Outer, Inner)` the default operations of the outer policy's context
/// are the inner policy.
pub trait MutContextPolicy<State> {
    /// Rebuilds a value.
    fn default_mutate(
        &self,
        value: MutateValue<'_>,
        context: &mut MutateContext<'_, State>,
    ) -> Result<UnchangedOr>;
}

/// Elements and fields are rebuilt, in place where that is allowed.
#[derive(Debug, Clone, Copy, Default)]
pub struct DefaultMutContextPolicy;

impl<State> MutContextPolicy<State> for DefaultMutContextPolicy {
    fn default_mutate(
        &self,
        value: MutateValue<'_>,
        context: &mut MutateContext<'_, State>,
    ) -> Result<UnchangedOr> {
        context.default_maybe_inplace_mutate_result(value)
    }
}

/// A mutator whose default operation is a policy.
struct Layer<'a, State, P> {
    policy: &'a P,
    below: &'a mut dyn ContextMutator<State>,
}

impl<State, P: MutContextPolicy<State>> ContextMutator<State> for Layer<'_, State, P> {
    fn state(&mut self) -> &mut State {
        self.below.state()
    }
    fn perform(&mut self, kind: Option<DefRegionKind>, op: Op<'_>) -> Result<UnchangedOr> {
        match op {
            Op::Parts(value, mode) => {
                let value = MutateValue::with_mode(StructuralView::new(&value), mode);
                self.policy.default_mutate(value, &mut MutateContext::of(self.below))
            }
            Op::Child(..) => self.below.perform(kind, op),
        }
    }
}

impl<State, Outer: MutContextPolicy<State>, Inner: MutContextPolicy<State>> MutContextPolicy<State>
    for (Outer, Inner)
{
    fn default_mutate(
        &self,
        value: MutateValue<'_>,
        context: &mut MutateContext<'_, State>,
    ) -> Result<UnchangedOr> {
        let mut layer = Layer { policy: &self.1, below: &mut *context.mutator };
        self.0.default_mutate(value, &mut MutateContext::of(&mut layer))
    }
}

/// Callbacks of a mutation with a state that they share.
pub struct MutateCallbacks<State, Callbacks, Form, Policy = DefaultMutContextPolicy> {
    state: State,
    callbacks: Rc<Callbacks>,
    policy: Rc<Policy>,
    form: PhantomData<Form>,
}

impl<State, C: MutateChainLink<State, Form>, Form> MutateCallbacks<State, C, Form> {
    /// A mutator of callbacks.
    pub fn new(state: State, callbacks: C) -> Self {
        Self {
            state,
            callbacks: Rc::new(callbacks),
            policy: Rc::new(DefaultMutContextPolicy),
            form: PhantomData,
        }
    }
}

impl<State, C, Form, P> MutateCallbacks<State, C, Form, P> {
    /// The same callbacks with another way for values that none takes.
    pub fn with_policy<Q: MutContextPolicy<State>>(self, policy: Q) -> MutateCallbacks<State, C, Form, Q> {
        MutateCallbacks {
            state: self.state,
            callbacks: self.callbacks,
            policy: Rc::new(policy),
            form: PhantomData,
        }
    }

    /// The state.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The state, for writing.
    pub fn state_mut(&mut self) -> &mut State {
        &mut self.state
    }

    /// The state, moved out.
    pub fn into_state(self) -> State {
        self.state
    }
}

impl<State, C, Form, P> ContextMutator<State> for MutateCallbacks<State, C, Form, P> {
    fn state(&mut self) -> &mut State {
        &mut self.state
    }
    fn perform(&mut self, kind: Option<DefRegionKind>, op: Op<'_>) -> Result<UnchangedOr> {
        perform(self, kind, op)
    }
}

impl<State, C, Form, P> ErasedMutator for MutateCallbacks<State, C, Form, P>
where
    C: MutateChainLink<State, Form>,
    P: MutContextPolicy<State>,
{
    fn identity(&mut self) -> (*mut (), &'static str) {
        (std::ptr::from_mut(self).cast(), std::any::type_name::<Self>())
    }
    fn mutate_erased(&mut self, value: MutateValue<'_>, _: DefRegionKind) -> Result<Any> {
        let (callbacks, policy) = (self.callbacks.clone(), self.policy.clone());
        let mut context = MutateContext::of(self);
        match callbacks.try_mutate(&value, &mut context) {
            Some(result) => result,
            None => policy.default_mutate(value, &mut context).map(to_native),
        }
    }
}

impl<State, C, Form, P> IntoMutator<Callbacks<Form>> for &mut MutateCallbacks<State, C, Form, P>
where
    C: MutateChainLink<State, Form>,
    P: MutContextPolicy<State>,
{
    fn run<R>(self, with: impl FnOnce(&mut dyn ErasedMutator) -> R) -> R {
        with(self)
    }
}

impl<C: MutateChainLink<(), Form>, Form> IntoMutator<Chain<Form>> for C {
    fn run<R>(self, with: impl FnOnce(&mut dyn ErasedMutator) -> R) -> R {
        with(&mut MutateCallbacks::new((), self))
    }
}

/// A dispatch object or low-level mutator as the state of its own policy; what `#[dispatch(mutate, policy = ..)]` expands to.
#[doc(hidden)]
pub fn default_by_policy<D, P>(dispatch: &mut D, value: MutateValue<'_>, policy: &P) -> Result<Any>
where
    P: MutContextPolicy<D>,
{
    struct Itself<'a, D>(&'a mut D);
    impl<D> ContextMutator<D> for Itself<'_, D> {
        fn state(&mut self) -> &mut D {
            self.0
        }
        fn perform(&mut self, kind: Option<DefRegionKind>, op: Op<'_>) -> Result<UnchangedOr> {
            perform(self.0, kind, op)
        }
    }
    policy.default_mutate(value, &mut MutateContext::of(&mut Itself(dispatch))).map(to_native)
}

/// The permission token of a value, when it has one.
pub(super) fn dispatch_low_level<M: StructuralMutator>(
    mutator: &mut M,
    value: &MutateValue<'_>,
    kind: DefRegionKind,
) -> Result<Any> {
    match value.inplace_mode() {
        InplaceMode::Allow => mutator.dispatch_maybe_inplace_mutate(InplaceValue::new(value.view()), kind),
        InplaceMode::Disallow => mutator.dispatch_mutate(value.view(), kind),
    }
}
