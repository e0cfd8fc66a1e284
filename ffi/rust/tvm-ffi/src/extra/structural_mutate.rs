// SPDX-License-Identifier: Apache-2.0
//! Rebuilding values by their structure: [`structural_map`] replaces values, [`structural_mutate`] lets handlers rebuild
//! themselves. What does not change is shared with the original; an unchanged value comes back as it is.

use super::session;
use super::structural_view::{in_region, is_engine, region_of};
use super::structural_visit::forms::{Chain, Dispatch, Node, NodeKind, Owned, OwnedKind, View, ViewKind};
pub use super::structural_visit::{DefRegionKind, StructuralView, WalkOrder};
pub use super::unchanged::{Unchanged, UnchangedOr};
use crate::error::{Result, RUNTIME_ERROR, TYPE_ERROR};
use crate::object::{ObjectCore, ObjectIdentity};
use crate::type_traits::AnyCompatible;
use crate::{cached_global_func, Any, AnyView, Array};
use std::cell::RefCell;
use std::collections::HashMap;

/// What a handler of a map or mutation may return: a value, [`Unchanged`], or a `Result` of either.
#[doc(hidden)]
pub trait IntoMapResult {
    fn into_map_result(self) -> Result<Any>;
}
impl<T: AnyCompatible> IntoMapResult for T {
    fn into_map_result(self) -> Result<Any> {
        Ok(Any::from(self))
    }
}
impl IntoMapResult for Any {
    fn into_map_result(self) -> Result<Any> {
        Ok(self)
    }
}
impl<T: Into<Any>> IntoMapResult for UnchangedOr<T> {
    fn into_map_result(self) -> Result<Any> {
        Ok(self.into())
    }
}
impl<T: Into<Any>> IntoMapResult for Result<T> {
    fn into_map_result(self) -> Result<Any> {
        self.map(Into::into)
    }
}

/// A mapper with a handler for each type; `#[dispatch(map)]` writes the implementation.
pub trait MapDispatch {
    /// Replaces a value; None when no handler takes it.
    fn dispatch_map(&mut self, value: &StructuralView, kind: DefRegionKind) -> Option<Result<Any>>;
}

/// One callback of a map, or a tuple of them of which the first that takes a value's type gets it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot map",
    note = "a mapper is `&mut V` with `V: MapDispatch`, a closure over `&StructuralView`, a value type or `&N` with an optional \
            trailing `DefRegionKind`, all annotated, or a tuple of those"
)]
pub trait MapChainLink<Form> {
    /// Replaces a value; None when it is of another type.
    fn try_map(&mut self, value: &StructuralView, kind: DefRegionKind) -> Option<Result<Any>>;
}

/// What [`structural_map`] takes.
pub use MapChainLink as IntoMapper;

impl<V: MapDispatch> MapChainLink<Dispatch> for &mut V {
    fn try_map(&mut self, value: &StructuralView, kind: DefRegionKind) -> Option<Result<Any>> {
        self.dispatch_map(value, kind)
    }
}
impl<F: FnMut(&StructuralView) -> R, R: IntoMapResult> MapChainLink<View> for F {
    fn try_map(&mut self, value: &StructuralView, _: DefRegionKind) -> Option<Result<Any>> {
        Some(self(value).into_map_result())
    }
}
impl<F: FnMut(&StructuralView, DefRegionKind) -> R, R: IntoMapResult> MapChainLink<ViewKind> for F {
    fn try_map(&mut self, value: &StructuralView, kind: DefRegionKind) -> Option<Result<Any>> {
        Some(self(value, kind).into_map_result())
    }
}
impl<F: FnMut(T) -> R, T: AnyCompatible, R: IntoMapResult> MapChainLink<Owned<T>> for F {
    fn try_map(&mut self, value: &StructuralView, _: DefRegionKind) -> Option<Result<Any>> {
        value.cast::<T>().map(|value| self(value).into_map_result())
    }
}
impl<F: FnMut(T, DefRegionKind) -> R, T: AnyCompatible, R: IntoMapResult> MapChainLink<OwnedKind<T>> for F {
    fn try_map(&mut self, value: &StructuralView, kind: DefRegionKind) -> Option<Result<Any>> {
        value.cast::<T>().map(|value| self(value, kind).into_map_result())
    }
}
impl<F: FnMut(&N) -> R, N: ObjectCore, R: IntoMapResult> MapChainLink<Node<N>> for F {
    fn try_map(&mut self, value: &StructuralView, _: DefRegionKind) -> Option<Result<Any>> {
        value.as_node::<N>().map(|node| self(node).into_map_result())
    }
}
impl<F: FnMut(&N, DefRegionKind) -> R, N: ObjectCore, R: IntoMapResult> MapChainLink<NodeKind<N>> for F {
    fn try_map(&mut self, value: &StructuralView, kind: DefRegionKind) -> Option<Result<Any>> {
        value.as_node::<N>().map(|node| self(node, kind).into_map_result())
    }
}

/// Replaces values everywhere below a value, the value too. In pre-order the replacement's children are mapped next; in post-order
/// the callback sees a value with its children mapped.
///
/// ```
/// use tvm_ffi::{structural_map, Array, WalkOrder};
///
/// let values = Array::new(vec![1_i64, 2, 3]);
/// let doubled = structural_map(values, |n: i64| n * 2, WalkOrder::PostOrder).unwrap();
/// let doubled: Array<i64> = doubled.try_into().unwrap();
/// assert_eq!(doubled.get(2).unwrap(), 6);
/// ```
pub fn structural_map<M, Form>(root: impl Into<Any>, mapper: M, order: WalkOrder) -> Result<Any>
where
    M: MapChainLink<Form>,
{
    let mapper = RefCell::new(mapper);
    let callback = |args: &[AnyView<'_>]| -> Result<Any> {
        let [value, kind] = args else {
            crate::bail!(RUNTIME_ERROR, "structural map callback got {} arguments", args.len());
        };
        let kind = DefRegionKind::from_raw(i64::try_from(*kind)?);
        let Ok(mut mapper) = mapper.try_borrow_mut() else {
            crate::bail!(RUNTIME_ERROR, "structural map callback is called while it runs");
        };
        mapper.try_map(StructuralView::new(value), kind).unwrap_or_else(|| Ok(Any::from(Unchanged)))
    };
    let root = root.into();
    session::run(&callback, |function| {
        let callbacks = session::for_every_type(function, None);
        let order = i64::from(order == WalkOrder::PostOrder);
        cached_global_func!("ffi.StructuralMap").call_tuple((root, Array::<Any>::default(), callbacks, order))
    })
}

/// A mutator with a handler for each type; `#[dispatch(mutate)]` writes the implementation.
pub trait MutateDispatch: Sized {
    /// Rebuilds a value; None when no handler takes it.
    fn dispatch_mutate(&mut self, value: &StructuralView, mutator: &mut Mutator<'_>) -> Option<Result<Any>>;
}

/// The running mutation, for its handlers: every operation takes the dispatch object first, which the descent may call back.
pub struct Mutator<'a> {
    run: &'a Run,
}

/// A running mutation: its engine, and the dispatch object while it is lent to a descent.
struct Run {
    engine: RefCell<Any>,
    lent: std::cell::Cell<*mut ()>,
    /// Name of the dispatch object's type: a part of it may have its address.
    dispatch: &'static str,
}

impl Mutator<'_> {
    /// The region of the current value.
    pub fn def_region_kind(&self) -> DefRegionKind {
        region_of(&self.run.engine.borrow())
    }

    /// A value rebuilt in the current region.
    pub fn mutate<'b, D: MutateDispatch, T>(&mut self, dispatch: &mut D, value: &'b T) -> Result<Any>
    where
        AnyView<'b>: From<&'b T>,
    {
        self.mutate_with(dispatch, value, self.def_region_kind())
    }

    /// A value rebuilt in a region.
    pub fn mutate_with<'b, D: MutateDispatch, T>(
        &mut self,
        dispatch: &mut D,
        value: &'b T,
        kind: DefRegionKind,
    ) -> Result<Any>
    where
        AnyView<'b>: From<&'b T>,
    {
        let value = AnyView::from(value);
        self.descend(dispatch, kind, |engine| {
            cached_global_func!("ffi.StructuralMutatorMutate").call_tuple((engine, value))
        })
    }

    /// As [`Self::mutate`]; says whether anything changed.
    pub fn mutate_result<D: MutateDispatch>(&mut self, dispatch: &mut D, value: &Any) -> Result<UnchangedOr> {
        self.mutate(dispatch, value).map(|result| against(result, value))
    }

    /// A value with its parts rebuilt: elements, or fields on a copy of the object.
    pub fn default_mutate<D: MutateDispatch>(
        &mut self,
        dispatch: &mut D,
        value: &StructuralView,
    ) -> Result<Any> {
        let value = AnyView::from(value);
        let kind = self.def_region_kind();
        self.descend(dispatch, kind, |engine| {
            cached_global_func!("ffi.StructuralMutatorDefaultMutate").call_tuple((engine, value))
        })
    }

    /// As [`Self::default_mutate`]; says whether anything changed.
    pub fn default_mutate_result<D: MutateDispatch>(
        &mut self,
        dispatch: &mut D,
        value: &StructuralView,
    ) -> Result<UnchangedOr> {
        self.default_mutate(dispatch, value).map(|result| against(result, &value.to_owned()))
    }

    /// What a variable or shared node was rebuilt to, None when it was not yet.
    pub fn var_remap_get(&self, value: &StructuralView) -> Result<Option<Any>> {
        let engine = self.run.engine.borrow().clone();
        let found = cached_global_func!("ffi.StructuralMutatorVarRemapGet")
            .call_tuple((engine, AnyView::from(value)))?;
        Ok((found.type_index() != 0).then_some(found))
    }

    /// Says what a variable is rebuilt to from here on.
    pub fn var_remap_set(&self, value: &StructuralView, to: &Any) -> Result<()> {
        let engine = self.run.engine.borrow().clone();
        cached_global_func!("ffi.StructuralMutatorVarRemapSet")
            .call_tuple((engine, AnyView::from(value), to))
            .map(drop)
    }

    fn descend<D: MutateDispatch>(
        &mut self,
        dispatch: &mut D,
        kind: DefRegionKind,
        call: impl FnOnce(&Any) -> Result<Any>,
    ) -> Result<Any> {
        struct Lend<'a>(&'a Run);
        impl Drop for Lend<'_> {
            fn drop(&mut self) {
                self.0.lent.set(std::ptr::null_mut());
            }
        }
        let engine = self.run.engine.borrow().clone();
        if !self.run.lent.get().is_null() {
            crate::bail!(RUNTIME_ERROR, "structural mutator is used while it descends");
        }
        if self.run.dispatch != std::any::type_name::<D>() {
            crate::bail!(RUNTIME_ERROR, "structural mutator descends with another dispatch object");
        }
        // `dispatch` is borrowed exclusively and not used until the call returns, so callbacks may: after a look at its address.
        self.run.lent.set(std::ptr::from_mut(dispatch).cast());
        let _lend = Lend(self.run);
        in_region(&engine, kind, || call(&engine))
    }
}

/// A result as a change of the original.
fn against(result: Any, original: &Any) -> UnchangedOr {
    let (a, b) = (result.raw(), original.raw());
    // SAFETY: every payload is 8 readable bytes.
    let same = a.type_index == b.type_index && unsafe { a.data_union.v_uint64 == b.data_union.v_uint64 };
    if same {
        UnchangedOr::unchanged()
    } else {
        UnchangedOr::from_result(result)
    }
}

/// Rebuilds a value with handlers that rebuild themselves; values that no handler takes are rebuilt by default.
pub fn structural_mutate<D: MutateDispatch>(root: impl Into<Any>, dispatch: &mut D) -> Result<Any> {
    let run = Run {
        engine: RefCell::new(Any::new()),
        lent: std::cell::Cell::new(std::ptr::null_mut()),
        dispatch: std::any::type_name::<D>(),
    };
    run.lent.set(std::ptr::from_mut(dispatch).cast());
    let address = run.lent.get();
    let callback = |args: &[AnyView<'_>]| -> Result<Any> {
        let [value, engine, ..] = args else {
            crate::bail!(RUNTIME_ERROR, "structural mutator callback got {} arguments", args.len());
        };
        if !is_engine(engine, "ffi.StructuralMutator") {
            crate::bail!(RUNTIME_ERROR, "structural mutator callback got no mutator");
        }
        let lent = run.lent.replace(std::ptr::null_mut());
        if lent.is_null() {
            crate::bail!(RUNTIME_ERROR, "structural mutator is called while it runs");
        }
        if lent != address {
            run.lent.set(lent);
            crate::bail!(RUNTIME_ERROR, "structural mutator descends with another dispatch object");
        }
        struct Back<'a>(&'a Run, *mut ());
        impl Drop for Back<'_> {
            fn drop(&mut self) {
                self.0.lent.set(self.1);
            }
        }
        let _back = Back(&run, lent);
        run.engine.replace(Any::from(*engine));
        let view = StructuralView::new(value);
        // SAFETY: the dispatch object outlives the run; it was lent, so nobody else uses it now.
        let dispatch = unsafe { &mut *lent.cast::<D>() };
        let mut mutator = Mutator { run: &run };
        match dispatch.dispatch_mutate(view, &mut mutator) {
            Some(result) => result,
            None => mutator.default_mutate(dispatch, view),
        }
    };
    let root = root.into();
    session::run(&callback, |function| {
        let callbacks = session::for_every_type(function, Some(true));
        cached_global_func!("ffi.StructuralMutate").call_tuple((root, callbacks))
    })
}

macro_rules! chains {
    ($($link:ident $form:ident $position:tt),+) => {
        impl<$($link, $form),+> MapChainLink<Chain<($($form,)+)>> for ($($link,)+)
        where
            $($link: MapChainLink<$form>),+
        {
            fn try_map(&mut self, value: &StructuralView, kind: DefRegionKind) -> Option<Result<Any>> {
                $( if let Some(result) = self.$position.try_map(value, kind) {
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
