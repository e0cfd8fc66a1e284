// SPDX-License-Identifier: Apache-2.0
//! Walking values by their structure: [`structural_walk`] calls back for each value, [`structural_visit`] lets handlers descend
//! themselves. The library's engine does the walking, so types' own hooks, regions of definitions and error paths are its.

use super::session;
use super::structural_view::{from_native, in_region, is_engine, region_of, to_native};
pub use super::structural_view::{
    DefRegionKind, IntoVisitResult, IntoWalkResult, StructuralView, VisitInterrupt, WalkOrder, WalkResult,
};
use crate::error::{Result, RUNTIME_ERROR};
use crate::object::ObjectCore;
use crate::type_traits::AnyCompatible;
use crate::{cached_global_func, Any, AnyView, Array};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// A walker with a handler for each type; `#[dispatch(walk)]` writes the implementation.
pub trait WalkDispatch {
    /// Handles a value; None when no handler takes it.
    fn dispatch_walk(&mut self, value: &StructuralView, kind: DefRegionKind) -> Option<Result<WalkResult>>;
}

/// Marks of the forms of callbacks; they are inferred.
#[doc(hidden)]
pub mod forms {
    use std::marker::PhantomData;
    pub struct View;
    pub struct ViewKind;
    pub struct Owned<T>(PhantomData<T>);
    pub struct OwnedKind<T>(PhantomData<T>);
    pub struct Node<N>(PhantomData<N>);
    pub struct NodeKind<N>(PhantomData<N>);
    pub struct Dispatch;
    pub struct LowLevel;
    pub struct Value<T>(PhantomData<T>);
    pub struct Callbacks<T>(PhantomData<T>);
    pub struct Policied<T>(PhantomData<T>);
    pub struct Chain<T>(PhantomData<T>);
}
use forms::{Chain, Dispatch, Node, NodeKind, Owned, OwnedKind, Policied, View, ViewKind};

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

impl<F: FnMut(&StructuralView) -> R, R: IntoWalkResult> WalkChainLink<View> for F {
    fn try_walk(&mut self, value: &StructuralView, _: DefRegionKind) -> Option<Result<WalkResult>> {
        Some(self(value).into_walk_result())
    }
}
impl<F: FnMut(&StructuralView, DefRegionKind) -> R, R: IntoWalkResult> WalkChainLink<ViewKind> for F {
    fn try_walk(&mut self, value: &StructuralView, kind: DefRegionKind) -> Option<Result<WalkResult>> {
        Some(self(value, kind).into_walk_result())
    }
}
impl<F: FnMut(T) -> R, T: AnyCompatible, R: IntoWalkResult> WalkChainLink<Owned<T>> for F {
    fn try_walk(&mut self, value: &StructuralView, _: DefRegionKind) -> Option<Result<WalkResult>> {
        value.cast::<T>().map(|value| self(value).into_walk_result())
    }
}
impl<F: FnMut(T, DefRegionKind) -> R, T: AnyCompatible, R: IntoWalkResult> WalkChainLink<OwnedKind<T>> for F {
    fn try_walk(&mut self, value: &StructuralView, kind: DefRegionKind) -> Option<Result<WalkResult>> {
        value.cast::<T>().map(|value| self(value, kind).into_walk_result())
    }
}
impl<F: FnMut(&N) -> R, N: ObjectCore, R: IntoWalkResult> WalkChainLink<Node<N>> for F {
    fn try_walk(&mut self, value: &StructuralView, _: DefRegionKind) -> Option<Result<WalkResult>> {
        value.as_node::<N>().map(|node| self(node).into_walk_result())
    }
}
impl<F: FnMut(&N, DefRegionKind) -> R, N: ObjectCore, R: IntoWalkResult> WalkChainLink<NodeKind<N>> for F {
    fn try_walk(&mut self, value: &StructuralView, kind: DefRegionKind) -> Option<Result<WalkResult>> {
        value.as_node::<N>().map(|node| self(node, kind).into_walk_result())
    }
}

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

/// A visitor that descends itself; `#[dispatch(visit)]` writes the implementation.
pub trait StructuralVisitor: Sized {
    /// Handles a value, and visits what it wants of its children.
    fn visit(&mut self, value: &StructuralView, kind: DefRegionKind) -> Result<Option<VisitInterrupt>>;

    /// Visits one value with this visitor, in a region. Only while [`structural_visit`] runs this visitor.
    fn visit_child<'a, T>(&mut self, child: &'a T, kind: DefRegionKind) -> Result<Option<VisitInterrupt>>
    where
        AnyView<'a>: From<&'a T>,
    {
        let child = AnyView::from(child);
        descend(self, kind, |engine| {
            cached_global_func!("ffi.StructuralVisitorVisit").call_tuple((engine, child))
        })
    }

    /// Visits the children of a value with this visitor: elements, or fields.
    fn default_visit_children(
        &mut self,
        value: &StructuralView,
        kind: DefRegionKind,
    ) -> Result<Option<VisitInterrupt>> {
        let value = AnyView::from(value);
        descend(self, kind, |engine| {
            cached_global_func!("ffi.StructuralVisitorDefaultVisit").call_tuple((engine, value))
        })
    }
}

/// A running visit: who is visiting, and whether it waits in a descent, so that callbacks may use it.
struct Active {
    address: *mut (),
    /// Name of the visitor's type: a part of it may have its address.
    type_name: &'static str,
    lent: Cell<bool>,
    engine: RefCell<Any>,
}

thread_local! {
    static ACTIVE: RefCell<Vec<Rc<Active>>> = const { RefCell::new(Vec::new()) };
}

fn descend<V>(
    visitor: &mut V,
    kind: DefRegionKind,
    call: impl FnOnce(&Any) -> Result<Any>,
) -> Result<Option<VisitInterrupt>> {
    let Some(active) = ACTIVE.with_borrow(|all| all.last().cloned()) else {
        crate::bail!(RUNTIME_ERROR, "structural visitor is used outside of structural_visit");
    };
    let same = active.address == std::ptr::from_mut(visitor).cast()
        && active.type_name == std::any::type_name::<V>();
    if !same || active.lent.get() {
        crate::bail!(RUNTIME_ERROR, "structural visitor is used while another one is visiting");
    }
    let engine = active.engine.borrow().clone();
    if engine.type_index() == 0 {
        crate::bail!(RUNTIME_ERROR, "structural visitor is used before its visit has begun");
    }
    struct Lend<'a>(&'a Active);
    impl Drop for Lend<'_> {
        fn drop(&mut self) {
            self.0.lent.set(false);
        }
    }
    // `visitor` is borrowed exclusively and not used until the call returns, so callbacks may.
    active.lent.set(true);
    let _lend = Lend(&active);
    from_native(in_region(&engine, kind, || call(&engine))?)
}

/// Visits a value with a visitor that descends itself; unmatched values of callbacks get the default descent.
/// ```
/// use tvm_ffi::{structural_visit, Any, Array, VisitContext};
///
/// let tree = Array::new(vec![Any::from(1_i64), Any::from(Array::new(vec![2_i64, 3]))]);
/// let depth = std::cell::Cell::new(0);
/// let nested = |_: Array<Any>, context: &mut VisitContext<'_>| {
///     depth.set(depth.get() + 1);
///     context.visit_children()
/// };
/// structural_visit(&tree, nested).unwrap();
/// assert_eq!(depth.get(), 2);
/// ```
pub fn structural_visit<'a, R, V, Form>(root: &'a R, visitor: V) -> Result<Option<VisitInterrupt>>
where
    AnyView<'a>: From<&'a R>,
    V: IntoVisitor<Form>,
{
    let root = AnyView::from(root);
    visitor.run(|visitor: &mut dyn ErasedVisitor| visit_with(root, visitor))
}

/// A visitor without its type.
#[doc(hidden)]
pub trait ErasedVisitor {
    fn address(&mut self) -> *mut ();
    fn type_name(&self) -> &'static str;
    fn visit_erased(&mut self, value: &StructuralView, kind: DefRegionKind)
        -> Result<Option<VisitInterrupt>>;
}

impl<V: StructuralVisitor> ErasedVisitor for V {
    fn address(&mut self) -> *mut () {
        std::ptr::from_mut(self).cast()
    }
    fn type_name(&self) -> &'static str {
        std::any::type_name::<V>()
    }
    fn visit_erased(
        &mut self,
        value: &StructuralView,
        kind: DefRegionKind,
    ) -> Result<Option<VisitInterrupt>> {
        self.visit(value, kind)
    }
}

fn visit_with(root: AnyView<'_>, visitor: &mut dyn ErasedVisitor) -> Result<Option<VisitInterrupt>> {
    // It counts as lent until the engine calls, and again in each descent.
    let address = visitor.address();
    let type_name = visitor.type_name();
    let active =
        Rc::new(Active { address, type_name, lent: Cell::new(true), engine: RefCell::new(Any::new()) });
    struct Leave;
    impl Drop for Leave {
        fn drop(&mut self) {
            ACTIVE.with_borrow_mut(Vec::pop);
        }
    }
    let visitor: *mut (dyn ErasedVisitor + '_) = visitor;
    let state = active.clone();
    let callback = move |args: &[AnyView<'_>]| -> Result<Any> {
        let [value, engine] = args else {
            crate::bail!(RUNTIME_ERROR, "structural visitor callback got {} arguments", args.len());
        };
        if !is_engine(engine, "ffi.StructuralVisitor") {
            crate::bail!(RUNTIME_ERROR, "structural visitor callback got no visitor");
        }
        if !state.lent.get() {
            crate::bail!(RUNTIME_ERROR, "structural visitor is called while it runs");
        }
        let engine = Any::from(*engine);
        let kind = region_of(&engine);
        state.engine.replace(engine);
        state.lent.set(false);
        struct Lent<'a>(&'a Active);
        impl Drop for Lent<'_> {
            fn drop(&mut self) {
                self.0.lent.set(true);
            }
        }
        let _lent = Lent(&state);
        // SAFETY: the visitor outlives the engine's run; it was lent, so nobody else uses it now.
        match unsafe { (*visitor).visit_erased(StructuralView::new(value), kind) }? {
            None => Ok(Any::new()),
            Some(interrupt) => to_native(interrupt),
        }
    };
    ACTIVE.with_borrow_mut(|all| all.push(active));
    let _leave = Leave;
    let result = session::run(&callback, |function| {
        let callbacks = session::for_every_type(function, None);
        cached_global_func!("ffi.StructuralVisit").call_tuple((root, callbacks))
    })?;
    from_native(result)
}

/// What [`structural_visit`] takes: `&mut V` with `V: StructuralVisitor`, or callbacks that get a [`VisitContext`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot visit",
    note = "a visitor is `&mut V` with `V: StructuralVisitor`, or a closure over `&StructuralView`, a value type or `&N`, followed \
            by `&mut VisitContext<'_>`, all annotated, or a tuple of those"
)]
pub trait IntoVisitor<Form>: Sized {
    #[doc(hidden)]
    fn run<R>(self, with: impl FnOnce(&mut dyn ErasedVisitor) -> R) -> R;
}

impl<V: StructuralVisitor> IntoVisitor<Dispatch> for &mut V {
    fn run<R>(self, with: impl FnOnce(&mut dyn ErasedVisitor) -> R) -> R {
        with(self)
    }
}

impl<C: VisitChainLink<(), Form>, Form> IntoVisitor<Chain<Form>> for C {
    fn run<R>(self, with: impl FnOnce(&mut dyn ErasedVisitor) -> R) -> R {
        with(&mut VisitCallbacks::new((), self))
    }
}

/// What a callback of a visit does: it reads and writes the state and descends.
pub struct VisitContext<'a, State = ()> {
    visitor: &'a mut dyn ContextVisitor<State>,
    current: &'a StructuralView,
    kind: DefRegionKind,
}

/// A visitor with state, without the types of its callbacks.
trait ContextVisitor<State> {
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

impl<S, F: Fn(&StructuralView, &mut VisitContext<'_, S>) -> R, R: IntoVisitResult> VisitChainLink<S, View>
    for F
{
    fn try_visit(
        &self,
        value: &StructuralView,
        context: &mut VisitContext<'_, S>,
    ) -> Option<Result<Option<VisitInterrupt>>> {
        Some(self(value, context).into_visit_result())
    }
}
impl<S, F: Fn(T, &mut VisitContext<'_, S>) -> R, T: AnyCompatible, R: IntoVisitResult>
    VisitChainLink<S, Owned<T>> for F
{
    fn try_visit(
        &self,
        value: &StructuralView,
        context: &mut VisitContext<'_, S>,
    ) -> Option<Result<Option<VisitInterrupt>>> {
        value.cast::<T>().map(|value| self(value, context).into_visit_result())
    }
}
impl<S, F: Fn(&N, &mut VisitContext<'_, S>) -> R, N: ObjectCore, R: IntoVisitResult>
    VisitChainLink<S, Node<N>> for F
{
    fn try_visit(
        &self,
        value: &StructuralView,
        context: &mut VisitContext<'_, S>,
    ) -> Option<Result<Option<VisitInterrupt>>> {
        value.as_node::<N>().map(|node| self(node, context).into_visit_result())
    }
}

macro_rules! chains {
    ($($link:ident $form:ident $position:tt),+) => {
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
