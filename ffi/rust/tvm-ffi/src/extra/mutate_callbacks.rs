// SPDX-License-Identifier: Apache-2.0
//! Mutations of closures: what their callbacks get, and how values that none takes are rebuilt.

use super::callback_forms::closure_links;
use super::callback_forms::forms::{Callbacks, Chain, Node, Owned, Value, View};
use super::mutate_operations::{operations, Rebuilt};
use super::structural_mutate::{IntoMapResult, IntoMutator, StructuralMutator};
use super::structural_mutator::{
    current_mode, current_region, perform, to_native, var_remap_get, var_remap_set, with_region,
    ErasedMutator, InplaceMode, InplaceValue, MutateValue, Op,
};
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

closure_links! {
    impl<State> MutateChainLink for Fn(_, context: &mut MutateContext<'_, State>) -> IntoMapResult.into_map_result,
    forms View Owned Node,
    fn try_mutate([&] self, value: &MutateValue<'_>, context: &mut MutateContext<'_, State>) -> Any
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
    ($count:literal; $($link:ident $form:ident $position:tt),+) => {
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
crate::arity::for_each_arity!(chains);

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
