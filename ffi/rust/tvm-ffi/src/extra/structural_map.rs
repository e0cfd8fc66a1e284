// SPDX-License-Identifier: Apache-2.0
//! Maps: callbacks replace values, the rest is rebuilt around them.

use super::callback_forms::closure_links;
use super::callback_forms::forms::{
    Chain, Dispatch, Node, NodeKind, Owned, OwnedKind, Policied, View, ViewKind,
};
use super::mutate_callbacks::{default_by_policy, MutContextPolicy};
use super::session;
use super::structural_mutator::{call_with_root, ErasedMutator, InplaceMode, MutateValue};
use super::structural_view::{DefRegionKind, StructuralView, WalkOrder};
use super::unchanged::Unchanged;
use crate::error::{Result, RUNTIME_ERROR};
use crate::object::ObjectCore;
use crate::type_traits::AnyCompatible;
use crate::{cached_global_func, Any, AnyView, Array};
use std::cell::RefCell;
use std::marker::PhantomData;
use std::rc::Rc;

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

closure_links! {
    impl<> MapChainLink for FnMut(_) -> IntoMapResult.into_map_result,
    forms View Owned Node,
    fn try_map([&mut] self, value: &StructuralView, kind: DefRegionKind) -> Any
}
closure_links! {
    impl<> MapChainLink for FnMut(_, kind: DefRegionKind) -> IntoMapResult.into_map_result,
    forms ViewKind OwnedKind NodeKind,
    fn try_map([&mut] self, value: &StructuralView, kind: DefRegionKind) -> Any
}

macro_rules! chains {
    ($count:literal; $($link:ident $form:ident $position:tt),+) => {
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
crate::arity::for_each_arity!(chains);

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
