// SPDX-License-Identifier: Apache-2.0
//! Walking values by their structure: [`structural_walk`] calls back for each value, [`structural_visit`] lets handlers descend
//! themselves. The library's engine does the walking, so types' own hooks, regions of definitions and error paths are its.

use super::callback_forms::forms::{Chain, Dispatch};
use super::session;
use super::structural_view::{from_native, in_region, is_engine, region_of, to_native};
use crate::error::{Result, RUNTIME_ERROR};
use crate::{cached_global_func, Any, AnyView};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

pub use super::structural_view::{
    DefRegionKind, IntoVisitResult, IntoWalkResult, StructuralView, VisitInterrupt, WalkOrder, WalkResult,
};
pub use super::structural_walk::{
    structural_walk, IntoWalker, WalkChainLink, WalkDispatch, WalkWithContextPolicy,
};
#[doc(hidden)]
pub use super::visit_callbacks::visit_by_policy;
pub use super::visit_callbacks::{
    ContextPolicy, DefaultContextPolicy, VisitCallbacks, VisitChainLink, VisitContext,
};

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

pub(super) fn visit_with(
    root: AnyView<'_>,
    visitor: &mut dyn ErasedVisitor,
) -> Result<Option<VisitInterrupt>> {
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
