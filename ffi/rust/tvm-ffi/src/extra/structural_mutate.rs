// SPDX-License-Identifier: Apache-2.0
//! Rebuilding values by their structure: [`structural_map`] replaces values, [`structural_mutate`] lets handlers rebuild
//! themselves. What does not change is shared with the original; an unchanged value comes back as it is.

use super::mutate_callbacks::{dispatch_low_level, operations};
use super::session;
use super::structural_mutator::{
    call_with_root, current_mode, current_region, or_original, perform, var_remap_get, var_remap_set,
    ErasedMutator, Op,
};
use super::structural_visit::forms::{
    Chain, Dispatch, LowLevel, Node, NodeKind, Owned, OwnedKind, Policied, View, ViewKind,
};
use crate::error::{Result, RUNTIME_ERROR, TYPE_ERROR};
use crate::object::{ObjectCore, ObjectIdentity};
use crate::type_traits::AnyCompatible;
use crate::{cached_global_func, Any, AnyView, Array};
use std::cell::RefCell;
use std::collections::HashMap;
use std::marker::PhantomData;
use std::rc::Rc;

#[doc(hidden)]
pub use super::mutate_callbacks::default_by_policy;
pub use super::mutate_callbacks::{
    DefaultMutContextPolicy, MutContextPolicy, MutateCallbacks, MutateChainLink, MutateContext,
};
pub use super::structural_mutator::{InplaceMode, InplaceValue, MutateValue};
pub use super::structural_visit::{DefRegionKind, StructuralView, WalkOrder};
pub use super::unchanged::{Unchanged, UnchangedOr};

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
///
/// The root is taken over: containers that only it holds are changed in place.
pub fn structural_map<M, Form>(root: impl Into<Any>, mapper: M, order: WalkOrder) -> Result<Any>
where
    M: IntoMapper<Form>,
{
    mapper.map_from(root.into(), order)
}

fn map_by_engine<M: MapChainLink<Form>, Form>(root: Any, mapper: M, order: WalkOrder) -> Result<Any> {
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
    session::run(&callback, |function| {
        let callbacks = session::for_every_type(function, None);
        let order = Any::from(i64::from(order == WalkOrder::PostOrder));
        call_with_root(cached_global_func!("ffi.StructuralMap"), root, |root| {
            vec![root, Array::<Any>::default().into(), callbacks.into(), order]
        })
    })
}

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

/// A mapper with another way into values: the policy rebuilds what is in a value, the mapper replaces values. The mapper is the
/// state that the policy's context shows.
pub struct MapWithContextPolicy<M, P, Form> {
    mapper: M,
    policy: Rc<P>,
    form: PhantomData<Form>,
}

impl<M: MapChainLink<Form>, P: MutContextPolicy<M>, Form> MapWithContextPolicy<M, P, Form> {
    /// A mapper, by value or `&mut`, with a policy.
    pub fn new(mapper: M, policy: P) -> Self {
        Self { mapper, policy: Rc::new(policy), form: PhantomData }
    }
}

impl<M, P, Form> MapWithContextPolicy<M, P, Form> {
    /// The mapper.
    pub fn state(&self) -> &M {
        &self.mapper
    }

    /// The mapper, for writing.
    pub fn state_mut(&mut self) -> &mut M {
        &mut self.mapper
    }

    /// The mapper, moved out.
    pub fn into_state(self) -> M {
        self.mapper
    }
}

/// What [`structural_map`] takes: a [`MapChainLink`], or [`MapWithContextPolicy`] by value or `&mut`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot map",
    note = "a mapper is `&mut V` with `V: MapDispatch`, a closure over `&StructuralView`, a value type or `&N` with an optional \
            trailing `DefRegionKind`, all annotated, or a tuple of those"
)]
pub trait IntoMapper<Form>: Sized {
    #[doc(hidden)]
    fn map_from(self, root: Any, order: WalkOrder) -> Result<Any>;
}

impl<M: MapChainLink<Form>, Form> IntoMapper<Chain<Form>> for M {
    fn map_from(self, root: Any, order: WalkOrder) -> Result<Any> {
        map_by_engine(root, self, order)
    }
}

impl<M, P, Form> IntoMapper<Policied<Form>> for MapWithContextPolicy<M, P, Form>
where
    M: MapChainLink<Form>,
    P: MutContextPolicy<M>,
{
    fn map_from(mut self, root: Any, order: WalkOrder) -> Result<Any> {
        (&mut self).map_from(root, order)
    }
}

impl<M, P, Form> IntoMapper<Policied<Form>> for &mut MapWithContextPolicy<M, P, Form>
where
    M: MapChainLink<Form>,
    P: MutContextPolicy<M>,
{
    fn map_from(self, root: Any, order: WalkOrder) -> Result<Any> {
        struct Ordered<'a, M, P, Form>(&'a mut M, Rc<P>, WalkOrder, PhantomData<Form>);
        impl<M: MapChainLink<Form>, P: MutContextPolicy<M>, Form> Ordered<'_, M, P, Form> {
            fn parts(&mut self, value: &StructuralView, mode: InplaceMode) -> Result<Any> {
                default_by_policy(self.0, MutateValue::with_mode(value, mode), &*self.1)
            }
        }
        impl<M: MapChainLink<Form>, P: MutContextPolicy<M>, Form> ErasedMutator for Ordered<'_, M, P, Form> {
            fn identity(&mut self) -> (*mut (), &'static str) {
                (std::ptr::from_mut(self.0).cast(), std::any::type_name::<M>())
            }
            fn mutate_erased(&mut self, value: MutateValue<'_>, kind: DefRegionKind) -> Result<Any> {
                let unchanged = |result: &Any| result.type_index() == Any::from(Unchanged).type_index();
                let whole = |any: Any| if unchanged(&any) { value.to_owned() } else { any };
                if self.2 == WalkOrder::PreOrder {
                    let mapped = match self.0.try_map(value.view(), kind) {
                        Some(result) => result?,
                        None => Any::from(Unchanged),
                    };
                    if unchanged(&mapped) {
                        return self.parts(value.view(), value.inplace_mode());
                    }
                    let below =
                        self.parts(StructuralView::new(&AnyView::from(&mapped)), InplaceMode::Disallow)?;
                    return Ok(if unchanged(&below) { mapped } else { below });
                }
                let below = whole(self.parts(value.view(), value.inplace_mode())?);
                let mapped = match self.0.try_map(StructuralView::new(&AnyView::from(&below)), kind) {
                    Some(result) => result?,
                    None => return Ok(below),
                };
                Ok(if unchanged(&mapped) { below } else { mapped })
            }
        }
        let mut ordered = Ordered(&mut self.mapper, self.policy.clone(), order, PhantomData);
        super::structural_mutator::run(root, &mut ordered)
    }
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
chains!(A FA 0, B FB 1, C FC 2, D FD 3, E FE 4, F FF 5, G FG 6, H FH 7, I FI 8);
chains!(A FA 0, B FB 1, C FC 2, D FD 3, E FE 4, F FF 5, G FG 6, H FH 7, I FI 8, J FJ 9);
chains!(A FA 0, B FB 1, C FC 2, D FD 3, E FE 4, F FF 5, G FG 6, H FH 7, I FI 8, J FJ 9, K FK 10);
chains!(A FA 0, B FB 1, C FC 2, D FD 3, E FE 4, F FF 5, G FG 6, H FH 7, I FI 8, J FJ 9, K FK 10, L FL 11);

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
