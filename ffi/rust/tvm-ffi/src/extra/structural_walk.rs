// SPDX-License-Identifier: Apache-2.0
//! Walks: the library's engine descends, callbacks see each value.

use super::callback_forms::closure_links;
use super::callback_forms::forms::{
    Chain, Dispatch, Node, NodeKind, Owned, OwnedKind, Policied, View, ViewKind,
};
use super::session;
use super::structural_view::{
    from_native, to_native, DefRegionKind, IntoWalkResult, StructuralView, VisitInterrupt, WalkOrder,
    WalkResult,
};
use super::structural_visit::{visit_with, StructuralVisitor};
use super::visit_callbacks::{ContextPolicy, ContextVisitor, VisitContext};
use crate::error::{Result, RUNTIME_ERROR};
use crate::object::ObjectCore;
use crate::type_traits::AnyCompatible;
use crate::{cached_global_func, Any, AnyView, Array};
use std::cell::RefCell;
use std::rc::Rc;

/// A walker with a handler for each type; `#[dispatch(walk)]` writes the implementation.
pub trait WalkDispatch {
    /// Handles a value; None when no handler takes it.
    fn dispatch_walk(&mut self, value: &StructuralView, kind: DefRegionKind) -> Option<Result<WalkResult>>;
}

/// One callback of a walk, or a tuple of them of which the first that takes a value's type gets it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot walk",
    note = "a walker is `&mut V` with `V: WalkDispatch`, a closure over `&StructuralView`, a value type or `&N` with an optional \
            trailing `DefRegionKind`, all annotated, or a tuple of those"
)]
pub trait WalkChainLink<Form> {
    /// Handles a value; None when it is of another type.
    fn try_walk(&mut self, value: &StructuralView, kind: DefRegionKind) -> Option<Result<WalkResult>>;
}

impl<V: WalkDispatch> WalkChainLink<Dispatch> for &mut V {
    fn try_walk(&mut self, value: &StructuralView, kind: DefRegionKind) -> Option<Result<WalkResult>> {
        self.dispatch_walk(value, kind)
    }
}

closure_links! {
    impl<> WalkChainLink for FnMut(_) -> IntoWalkResult.into_walk_result,
    forms View Owned Node,
    fn try_walk([&mut] self, value: &StructuralView, kind: DefRegionKind) -> WalkResult
}
closure_links! {
    impl<> WalkChainLink for FnMut(_, kind: DefRegionKind) -> IntoWalkResult.into_walk_result,
    forms ViewKind OwnedKind NodeKind,
    fn try_walk([&mut] self, value: &StructuralView, kind: DefRegionKind) -> WalkResult
}

macro_rules! chains {
    ($count:literal; $($link:ident $form:ident $position:tt),+) => {
        impl<$($link, $form),+> WalkChainLink<Chain<($($form,)+)>> for ($($link,)+)
        where
            $($link: WalkChainLink<$form>),+
        {
            fn try_walk(&mut self, value: &StructuralView, kind: DefRegionKind) -> Option<Result<WalkResult>> {
                $( if let Some(result) = self.$position.try_walk(value, kind) {
                    return Some(result);
                } )+
                None
            }
        }
    };
}
crate::arity::for_each_arity!(chains);

/// Walks everything below a value in order, the value too; None values are left out. The result says what ended the walk early.
///
/// ```
/// use tvm_ffi::{structural_walk, Array, WalkOrder, WalkResult};
///
/// let mut sum = 0;
/// let values = Array::new(vec![1_i64, 2, 3]);
/// structural_walk(&values, |n: i64| { sum += n; WalkResult::Advance }, WalkOrder::PreOrder).unwrap();
/// assert_eq!(sum, 6);
/// ```
pub fn structural_walk<'a, R, W, Form>(
    root: &'a R,
    walker: W,
    order: WalkOrder,
) -> Result<Option<VisitInterrupt>>
where
    AnyView<'a>: From<&'a R>,
    W: IntoWalker<Form>,
{
    walker.walk_from(AnyView::from(root), order)
}

/// What [`structural_walk`] takes: a [`WalkChainLink`], or [`WalkWithContextPolicy`] by value or `&mut`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot walk",
    note = "a walker is `&mut V` with `V: WalkDispatch`, a closure over `&StructuralView`, a value type or `&N` with an optional \
            trailing `DefRegionKind`, all annotated, or a tuple of those"
)]
pub trait IntoWalker<Form>: Sized {
    #[doc(hidden)]
    fn walk_from(self, root: AnyView<'_>, order: WalkOrder) -> Result<Option<VisitInterrupt>>;
}

impl<W: WalkChainLink<Form>, Form> IntoWalker<Chain<Form>> for W {
    fn walk_from(self, root: AnyView<'_>, order: WalkOrder) -> Result<Option<VisitInterrupt>> {
        let walker = RefCell::new(self);
        let callback = |args: &[AnyView<'_>]| -> Result<Any> {
            let [value, kind] = args else {
                crate::bail!(RUNTIME_ERROR, "structural walk callback got {} arguments", args.len());
            };
            let kind = DefRegionKind::from_raw(i64::try_from(*kind)?);
            let Ok(mut walker) = walker.try_borrow_mut() else {
                crate::bail!(RUNTIME_ERROR, "structural walk callback is called while it runs");
            };
            match walker.try_walk(StructuralView::new(value), kind).unwrap_or(Ok(WalkResult::Advance))? {
                WalkResult::Advance => Ok(Any::new()),
                WalkResult::Skip => Ok(Any::from(1_i64)),
                WalkResult::Interrupt => to_native(VisitInterrupt { value: Any::new() }),
                WalkResult::InterruptWith(value) => to_native(VisitInterrupt { value }),
            }
        };
        let result = session::run(&callback, |function| {
            let callbacks = session::for_every_type(function, None);
            let order = i64::from(order == WalkOrder::PostOrder);
            cached_global_func!("ffi.StructuralWalk").call_tuple((
                root,
                Array::<Any>::default(),
                callbacks,
                order,
            ))
        })?;
        from_native(result)
    }
}

/// A walker with another way into values: the policy descends, the walker is called for each value that it reaches. The walker is
/// the state that the policy's context shows.
pub struct WalkWithContextPolicy<W, P, Form> {
    walker: W,
    policy: Rc<P>,
    order: WalkOrder,
    form: std::marker::PhantomData<Form>,
}

impl<W: WalkChainLink<Form>, P: ContextPolicy<W>, Form> WalkWithContextPolicy<W, P, Form> {
    /// A walker, by value or `&mut`, with a policy.
    pub fn new(walker: W, policy: P) -> Self {
        let order = WalkOrder::PreOrder;
        Self { walker, policy: Rc::new(policy), order, form: std::marker::PhantomData }
    }
}

impl<W, P, Form> WalkWithContextPolicy<W, P, Form> {
    /// The walker.
    pub fn state(&self) -> &W {
        &self.walker
    }

    /// The walker, for writing.
    pub fn state_mut(&mut self) -> &mut W {
        &mut self.walker
    }

    /// The walker, moved out.
    pub fn into_state(self) -> W {
        self.walker
    }
}

impl<W: WalkChainLink<Form>, P: ContextPolicy<W>, Form> ContextVisitor<W>
    for WalkWithContextPolicy<W, P, Form>
{
    fn state(&mut self) -> &mut W {
        &mut self.walker
    }
    fn child(&mut self, child: AnyView<'_>, kind: DefRegionKind) -> Result<Option<VisitInterrupt>> {
        self.visit_child(&child, kind)
    }
    fn children(&mut self, value: &StructuralView, kind: DefRegionKind) -> Result<Option<VisitInterrupt>> {
        self.default_visit_children(value, kind)
    }
}

impl<W: WalkChainLink<Form>, P: ContextPolicy<W>, Form> StructuralVisitor
    for WalkWithContextPolicy<W, P, Form>
{
    fn visit(&mut self, value: &StructuralView, kind: DefRegionKind) -> Result<Option<VisitInterrupt>> {
        let policy = self.policy.clone();
        if self.order == WalkOrder::PostOrder {
            let mut context = VisitContext { visitor: self, current: value, kind };
            let ended = policy.default_visit(value, &mut context)?;
            if ended.is_some() {
                return Ok(ended);
            }
        }
        match self.walker.try_walk(value, kind).unwrap_or(Ok(WalkResult::Advance))? {
            WalkResult::Interrupt => return Ok(Some(VisitInterrupt { value: Any::new() })),
            WalkResult::InterruptWith(value) => return Ok(Some(VisitInterrupt { value })),
            WalkResult::Skip => return Ok(None),
            WalkResult::Advance => {}
        }
        if self.order == WalkOrder::PostOrder {
            return Ok(None);
        }
        policy.default_visit(value, &mut VisitContext { visitor: self, current: value, kind })
    }
}

impl<W, P, Form> IntoWalker<Policied<Form>> for WalkWithContextPolicy<W, P, Form>
where
    W: WalkChainLink<Form>,
    P: ContextPolicy<W>,
{
    fn walk_from(mut self, root: AnyView<'_>, order: WalkOrder) -> Result<Option<VisitInterrupt>> {
        (&mut self).walk_from(root, order)
    }
}

impl<W, P, Form> IntoWalker<Policied<Form>> for &mut WalkWithContextPolicy<W, P, Form>
where
    W: WalkChainLink<Form>,
    P: ContextPolicy<W>,
{
    fn walk_from(self, root: AnyView<'_>, order: WalkOrder) -> Result<Option<VisitInterrupt>> {
        self.order = order;
        visit_with(root, self)
    }
}
