// SPDX-License-Identifier: Apache-2.0
//! Visits of closures: what their callbacks get, and how values that none takes are descended.

use super::callback_forms::closure_links;
use super::callback_forms::forms::{Chain, Node, Owned, View};
use super::structural_view::{DefRegionKind, IntoVisitResult, StructuralView, VisitInterrupt};
use super::structural_visit::StructuralVisitor;
use crate::error::Result;
use crate::object::ObjectCore;
use crate::type_traits::AnyCompatible;
use crate::AnyView;
use std::rc::Rc;

/// What a callback of a visit does: it reads and writes the state and descends.
pub struct VisitContext<'a, State = ()> {
    pub(super) visitor: &'a mut dyn ContextVisitor<State>,
    pub(super) current: &'a StructuralView,
    pub(super) kind: DefRegionKind,
}

/// A visitor with state, without the types of its callbacks.
pub(super) trait ContextVisitor<State> {
    fn state(&mut self) -> &mut State;
    fn child(&mut self, child: AnyView<'_>, kind: DefRegionKind) -> Result<Option<VisitInterrupt>>;
    fn children(&mut self, value: &StructuralView, kind: DefRegionKind) -> Result<Option<VisitInterrupt>>;
}

impl<State> VisitContext<'_, State> {
    /// The state.
    pub fn state(&mut self) -> &State {
        self.visitor.state()
    }

    /// The state, for writing.
    pub fn state_mut(&mut self) -> &mut State {
        self.visitor.state()
    }

    /// The value that is visited.
    pub fn current(&self) -> &StructuralView {
        self.current
    }

    /// The region that it is in.
    pub fn def_region_kind(&self) -> DefRegionKind {
        self.kind
    }

    /// Visits a value in the current region.
    pub fn visit<'b, T>(&mut self, child: &'b T) -> Result<Option<VisitInterrupt>>
    where
        AnyView<'b>: From<&'b T>,
    {
        self.visit_with(child, self.kind)
    }

    /// Visits a value in a region.
    pub fn visit_with<'b, T>(&mut self, child: &'b T, kind: DefRegionKind) -> Result<Option<VisitInterrupt>>
    where
        AnyView<'b>: From<&'b T>,
    {
        self.visitor.child(AnyView::from(child), kind)
    }

    /// Visits what is in the current value.
    pub fn visit_children(&mut self) -> Result<Option<VisitInterrupt>> {
        self.visitor.children(self.current, self.kind)
    }

    /// Visits what is in a value.
    pub fn default_visit_children(
        &mut self,
        value: &StructuralView,
        kind: DefRegionKind,
    ) -> Result<Option<VisitInterrupt>> {
        self.visitor.children(value, kind)
    }
}

/// One callback of a visit, or a tuple of them of which the first that takes a value's type gets it.
pub trait VisitChainLink<State, Form> {
    /// Handles a value; None when it is of another type.
    fn try_visit(
        &self,
        value: &StructuralView,
        context: &mut VisitContext<'_, State>,
    ) -> Option<Result<Option<VisitInterrupt>>>;
}

closure_links! {
    impl<State> VisitChainLink for Fn(_, context: &mut VisitContext<'_, State>) -> IntoVisitResult.into_visit_result,
    forms View Owned Node,
    fn try_visit([&] self, value: &StructuralView, context: &mut VisitContext<'_, State>) -> Option<VisitInterrupt>
}

macro_rules! chains {
    ($count:literal; $($link:ident $form:ident $position:tt),+) => {
        impl<State, $($link, $form),+> VisitChainLink<State, Chain<($($form,)+)>> for ($($link,)+)
        where
            $($link: VisitChainLink<State, $form>),+
        {
            fn try_visit(
                &self,
                value: &StructuralView,
                context: &mut VisitContext<'_, State>,
            ) -> Option<Result<Option<VisitInterrupt>>> {
                $( if let Some(result) = self.$position.try_visit(value, context) {
                    return Some(result);
                } )+
                None
            }
        }
    };
}
crate::arity::for_each_arity!(chains);

/// How values that no callback takes are descended. In a pair `(Outer, Inner)` the descents of the outer policy's context are the
/// inner policy.
pub trait ContextPolicy<State> {
    /// Descends a value.
    fn default_visit(
        &self,
        value: &StructuralView,
        context: &mut VisitContext<'_, State>,
    ) -> Result<Option<VisitInterrupt>>;
}

/// A visitor whose descents are a policy.
struct Layer<'a, State, P> {
    policy: &'a P,
    below: &'a mut dyn ContextVisitor<State>,
}

impl<State, P: ContextPolicy<State>> ContextVisitor<State> for Layer<'_, State, P> {
    fn state(&mut self) -> &mut State {
        self.below.state()
    }
    fn child(&mut self, child: AnyView<'_>, kind: DefRegionKind) -> Result<Option<VisitInterrupt>> {
        self.below.child(child, kind)
    }
    fn children(&mut self, value: &StructuralView, kind: DefRegionKind) -> Result<Option<VisitInterrupt>> {
        self.policy
            .default_visit(value, &mut VisitContext { visitor: &mut *self.below, current: value, kind })
    }
}

impl<State, Outer: ContextPolicy<State>, Inner: ContextPolicy<State>> ContextPolicy<State>
    for (Outer, Inner)
{
    fn default_visit(
        &self,
        value: &StructuralView,
        context: &mut VisitContext<'_, State>,
    ) -> Result<Option<VisitInterrupt>> {
        let (current, kind) = (context.current, context.kind);
        let mut layer = Layer { policy: &self.1, below: &mut *context.visitor };
        self.0.default_visit(value, &mut VisitContext { visitor: &mut layer, current, kind })
    }
}

/// A visitor as the state of its own policy; what `#[dispatch(visit, policy = ..)]` expands to.
#[doc(hidden)]
pub fn visit_by_policy<V: StructuralVisitor, P: ContextPolicy<V>>(
    visitor: &mut V,
    value: &StructuralView,
    kind: DefRegionKind,
    policy: &P,
) -> Result<Option<VisitInterrupt>> {
    struct Itself<'a, V>(&'a mut V);
    impl<V: StructuralVisitor> ContextVisitor<V> for Itself<'_, V> {
        fn state(&mut self) -> &mut V {
            self.0
        }
        fn child(&mut self, child: AnyView<'_>, kind: DefRegionKind) -> Result<Option<VisitInterrupt>> {
            self.0.visit_child(&child, kind)
        }
        fn children(
            &mut self,
            value: &StructuralView,
            kind: DefRegionKind,
        ) -> Result<Option<VisitInterrupt>> {
            self.0.default_visit_children(value, kind)
        }
    }
    policy.default_visit(value, &mut VisitContext { visitor: &mut Itself(visitor), current: value, kind })
}

/// Into elements and fields.
#[derive(Debug, Clone, Copy, Default)]
pub struct DefaultContextPolicy;

impl<State> ContextPolicy<State> for DefaultContextPolicy {
    fn default_visit(
        &self,
        _: &StructuralView,
        context: &mut VisitContext<'_, State>,
    ) -> Result<Option<VisitInterrupt>> {
        context.visit_children()
    }
}

/// Callbacks with a state that they share.
pub struct VisitCallbacks<State, Callbacks, Form, Policy = DefaultContextPolicy> {
    state: State,
    callbacks: Rc<Callbacks>,
    policy: Rc<Policy>,
    form: std::marker::PhantomData<Form>,
}

impl<State, C: VisitChainLink<State, Form>, Form> VisitCallbacks<State, C, Form> {
    /// A visitor of callbacks.
    pub fn new(state: State, callbacks: C) -> Self {
        Self {
            state,
            callbacks: Rc::new(callbacks),
            policy: Rc::new(DefaultContextPolicy),
            form: std::marker::PhantomData,
        }
    }
}

impl<State, C, Form, P> VisitCallbacks<State, C, Form, P> {
    /// The same callbacks with another descent of values that none takes.
    pub fn with_policy<Q: ContextPolicy<State>>(self, policy: Q) -> VisitCallbacks<State, C, Form, Q> {
        VisitCallbacks {
            state: self.state,
            callbacks: self.callbacks,
            policy: Rc::new(policy),
            form: self.form,
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

impl<State, C, Form, P> ContextVisitor<State> for VisitCallbacks<State, C, Form, P>
where
    C: VisitChainLink<State, Form>,
    P: ContextPolicy<State>,
{
    fn state(&mut self) -> &mut State {
        &mut self.state
    }
    fn child(&mut self, child: AnyView<'_>, kind: DefRegionKind) -> Result<Option<VisitInterrupt>> {
        self.visit_child(&child, kind)
    }
    fn children(&mut self, value: &StructuralView, kind: DefRegionKind) -> Result<Option<VisitInterrupt>> {
        self.default_visit_children(value, kind)
    }
}

impl<State, C, Form, P> StructuralVisitor for VisitCallbacks<State, C, Form, P>
where
    C: VisitChainLink<State, Form>,
    P: ContextPolicy<State>,
{
    fn visit(&mut self, value: &StructuralView, kind: DefRegionKind) -> Result<Option<VisitInterrupt>> {
        let (callbacks, policy) = (self.callbacks.clone(), self.policy.clone());
        let mut context = VisitContext { visitor: self, current: value, kind };
        match callbacks.try_visit(value, &mut context) {
            Some(result) => result,
            None => policy.default_visit(value, &mut context),
        }
    }
}
