// SPDX-License-Identifier: Apache-2.0
//! Mutations in place, with context, policies and on the lowest level.

use tvm_ffi::object::ObjectRef;
use tvm_ffi::{
    dispatch, rs_class, structural_map, structural_mutate, structural_visit, structural_walk, Any, Array,
    ContextPolicy, DefRegionKind, DefaultContextPolicy, DefaultMutContextPolicy, Dict, InplaceMode,
    InplaceValue, List, Map, MapWithContextPolicy, MutContextPolicy, MutateCallbacks, MutateContext,
    MutateValue, Mutator, ObjectArc, ObjectRefCore, Result, String, StructuralMutator, StructuralView,
    Unchanged, UnchangedOr, VisitContext, VisitInterrupt, WalkOrder, WalkResult, WalkWithContextPolicy,
};

#[rs_class("rust_mutate.Var", kind = "var")]
struct Var {
    name: String,
}

#[rs_class("rust_mutate.Pair", kind = "tree")]
struct Pair {
    first: ObjectRef,
    second: ObjectRef,
}

fn object(value: impl Into<Any>) -> ObjectRef {
    value.into().try_into().unwrap()
}

fn address<R: ObjectRefCore>(reference: &R) -> usize {
    ObjectArc::as_raw(R::data(reference)) as usize
}

fn numbers(array: &Array<i64>) -> Vec<i64> {
    array.iter().collect::<Result<_>>().unwrap()
}

/// Adds one to every number; containers by default.
struct AddOne;

#[dispatch(mutate)]
impl AddOne {
    fn mutate_number(&mut self, n: i64) -> i64 {
        n + 1
    }
}

#[test]
fn the_default_changes_what_nobody_else_holds() {
    let alone = Array::new(vec![1_i64, 2]);
    let before = address(&alone);
    let out: Array<i64> = structural_mutate(alone, &mut AddOne).unwrap().try_into().unwrap();
    assert_eq!((numbers(&out), address(&out)), (vec![2, 3], before));
    let shared = Array::new(vec![1_i64, 2]);
    let out: Array<i64> = structural_mutate(shared.clone(), &mut AddOne).unwrap().try_into().unwrap();
    assert_eq!((numbers(&shared), numbers(&out)), (vec![1, 2], vec![2, 3]));
}

/// Rebuilds arrays with the permission that comes with them.
struct InPlace {
    modes: Vec<InplaceMode>,
}

#[dispatch(mutate)]
impl InPlace {
    fn mutate_array(&mut self, array: MutateValue<'_, Array<Any>>, mutator: &mut Mutator<'_>) -> Result<Any> {
        assert_eq!(array.inplace_mode(), mutator.inplace_mode());
        self.modes.push(array.inplace_mode());
        mutator.default_maybe_inplace_mutate(self, array.into_untyped())
    }
    fn mutate_list(&mut self, list: MutateValue<'_, List<Any>>, mutator: &mut Mutator<'_>) -> Result<Any> {
        self.modes.push(list.inplace_mode());
        mutator.default_maybe_inplace_mutate(self, list.into_untyped())
    }
    fn mutate_map(&mut self, map: MutateValue<'_, Map<Any, Any>>, mutator: &mut Mutator<'_>) -> Result<Any> {
        self.modes.push(map.inplace_mode());
        mutator.default_maybe_inplace_mutate(self, map.into_untyped())
    }
    fn mutate_dict(
        &mut self,
        dict: MutateValue<'_, Dict<Any, Any>>,
        mutator: &mut Mutator<'_>,
    ) -> Result<Any> {
        self.modes.push(dict.inplace_mode());
        mutator.default_maybe_inplace_mutate(self, dict.into_untyped())
    }
    fn mutate_number(&mut self, n: i64) -> i64 {
        n * 10
    }
}

#[test]
fn handlers_change_containers_in_place_down_to_a_shared_one() {
    let shared = Array::new(vec![5_i64]);
    let inner = List::new(vec![Any::from(1_i64), Any::from(shared.clone())]);
    let inner_address = address(&inner);
    let root = Array::new(vec![Any::from(inner), Any::from(2_i64)]);
    let root_address = address(&root);
    let mut handlers = InPlace { modes: Vec::new() };
    let out: Array<Any> = structural_mutate(root, &mut handlers).unwrap().try_into().unwrap();
    assert_eq!(handlers.modes, [InplaceMode::Allow, InplaceMode::Allow, InplaceMode::Disallow]);
    assert_eq!(address(&out), root_address);
    let list: List<Any> = out.get(0).unwrap().try_into().unwrap();
    assert_eq!(address(&list), inner_address);
    assert_eq!(i64::try_from(list.get(0).unwrap()).unwrap(), 10);
    assert_eq!(numbers(&list.get(1).unwrap().try_into().unwrap()), [50]);
    assert_eq!(numbers(&shared), [5]);
}

#[test]
fn maps_change_in_place_in_both_forms() {
    for count in [2_i64, 40] {
        let map: Map<i64, Any> = (0..count).map(|i| (i, Any::from(Array::new(vec![i])))).collect();
        let before = address(&map);
        let mut handlers = InPlace { modes: Vec::new() };
        let out: Map<i64, Array<i64>> = structural_mutate(map, &mut handlers).unwrap().try_into().unwrap();
        assert_eq!(address(&out), before);
        assert_eq!(handlers.modes.len() as i64, count + 1);
        assert!(handlers.modes.iter().all(|mode| *mode == InplaceMode::Allow));
        let values: Vec<i64> = out.values().map(|value| value.unwrap().get(0).unwrap()).collect();
        assert_eq!(values, (0..count).map(|i| i * 10).collect::<Vec<_>>());
    }
    let dict: Dict<i64, Any> = Dict::new();
    dict.set(&1, &Any::from(7_i64)).unwrap();
    let held = dict.clone();
    let out: Dict<i64, i64> =
        structural_mutate(dict, &mut InPlace { modes: Vec::new() }).unwrap().try_into().unwrap();
    assert_eq!(out.get(&1).unwrap(), Some(70));
    assert_eq!(i64::try_from(held.get(&1).unwrap().unwrap()).unwrap(), 7);
}

#[test]
fn old_elements_are_released() {
    let text = String::from("an element that is an object");
    let element = Any::from(text.clone());
    let array = Array::new(vec![text]);
    assert_eq!(element.debug_strong_count(), Some(2));
    let replace = |_: String, _: &mut MutateContext<'_>| 3_i64;
    let out: Array<i64> = structural_mutate(array, replace).unwrap().try_into().unwrap();
    assert_eq!(numbers(&out), [3]);
    assert_eq!(element.debug_strong_count(), Some(1));
}

#[test]
fn callbacks_share_state_and_descend() {
    let root =
        Pair::new(object(Var::new("a")), object(Pair::new(object(Var::new("b")), object(Var::new("c")))));
    let mut callbacks = MutateCallbacks::new(
        std::string::String::new(),
        (
            |var: &VarObj, context: &mut MutateContext<'_, std::string::String>| {
                context.state_mut().push_str(&var.name);
                Any::from(Unchanged)
            },
            |pair: MutateValue<'_, Pair>, context: &mut MutateContext<'_, std::string::String>| {
                let (first, second) = (pair.get().first.clone(), pair.get().second.clone());
                context.state_mut().push('(');
                let first = context.mutate(&first)?;
                let second = context.mutate(&second)?;
                context.state_mut().push(')');
                Ok::<_, tvm_ffi::Error>(Any::from(Pair::new(object(second), object(first))))
            },
        ),
    );
    let out: Pair = structural_mutate(root, &mut callbacks).unwrap().try_into().unwrap();
    assert_eq!(callbacks.into_state(), "(a(bc))");
    assert_eq!(out.second.as_node::<VarObj>().unwrap().name, "a");
    let inner = out.first.as_node::<PairObj>().unwrap();
    assert_eq!(inner.first.as_node::<VarObj>().unwrap().name, "c");
}

#[test]
fn results_tell_whether_anything_changed() {
    let rename = |var: &VarObj, _: &mut MutateContext<'_>| match var.name.as_str() {
        "x" => Any::from(Var::new("y")),
        _ => Any::from(Unchanged),
    };
    let check = |pair: Pair, context: &mut MutateContext<'_>| -> Result<UnchangedOr> {
        assert!(context.mutate_result(&pair.first)?.is_unchanged());
        assert!(!context.mutate_with_result(&pair.second, DefRegionKind::None)?.is_unchanged());
        let view = tvm_ffi::AnyView::from(&pair);
        let changed = context.default_mutate_result(StructuralView::new(&view))?;
        assert!(!changed.is_unchanged());
        Ok(changed)
    };
    let root = Pair::new(object(Var::new("a")), object(Var::new("x")));
    let out: Pair = structural_mutate(root.clone(), (rename, check)).unwrap().try_into().unwrap();
    assert!(out.first.same_as(&root.first));
    assert_eq!(out.second.as_node::<VarObj>().unwrap().name, "y");
}

#[test]
fn regions_and_remaps_are_those_of_the_run() {
    let (x, y) = (Var::new("x"), Var::new("y"));
    let root = Array::new(vec![Any::from(x.clone()), Any::from(x.clone())]);
    let seen = std::cell::RefCell::new(Vec::new());
    let to = y.clone();
    let callback = |var: Var, context: &mut MutateContext<'_>| -> Result<Any> {
        seen.borrow_mut().push(context.def_region_kind());
        let view = tvm_ffi::AnyView::from(&var);
        let view = StructuralView::new(&view);
        if let Some(known) = context.var_remap_get(view)? {
            return Ok(known);
        }
        context.var_remap_set(view, &Any::from(to.clone()))?;
        let number = Any::from(1_i64);
        context.with_def_region_kind(DefRegionKind::Pattern, |context| {
            seen.borrow_mut().push(context.def_region_kind());
            context.mutate(&number).map(drop)
        })?;
        Ok(Any::from(to.clone()))
    };
    let out: Array<Var> = structural_mutate(root, callback).unwrap().try_into().unwrap();
    assert!(out.get(0).unwrap().same_as(&y) && out.get(1).unwrap().same_as(&y));
    assert_eq!(seen.into_inner(), [DefRegionKind::None, DefRegionKind::Pattern, DefRegionKind::None]);
}

/// A mutator that gets every value.
#[derive(Default)]
struct Low {
    in_place: usize,
    copied: usize,
}

impl StructuralMutator for Low {
    fn dispatch_mutate(&mut self, value: &StructuralView, kind: DefRegionKind) -> Result<Any> {
        if let Some(n) = value.cast::<i64>() {
            return Ok(Any::from(n + 1));
        }
        self.copied += 1;
        self.default_mutate(value, kind)
    }
    fn dispatch_maybe_inplace_mutate(&mut self, value: InplaceValue<'_>, kind: DefRegionKind) -> Result<Any> {
        self.in_place += 1;
        self.default_maybe_inplace_mutate(value, kind)
    }
}

#[test]
fn the_lowest_level_is_told_what_it_may_change() {
    let shared = Array::new(vec![1_i64]);
    let root = Array::new(vec![Any::from(Array::new(vec![2_i64])), Any::from(shared.clone())]);
    let before = address(&root);
    let mut low = Low::default();
    let out: Array<Array<i64>> = structural_mutate(root, &mut low).unwrap().try_into().unwrap();
    assert_eq!((low.in_place, low.copied), (2, 1));
    assert_eq!(address(&out), before);
    assert_eq!((numbers(&out.get(0).unwrap()), numbers(&out.get(1).unwrap())), (vec![3], vec![2]));
    assert_eq!(numbers(&shared), [1]);
    let error = low.mutate(&Any::from(1_i64), DefRegionKind::None).unwrap_err();
    assert_eq!(error.message(), "structural mutator is used outside of structural_mutate");
}

struct Other;

#[dispatch(mutate)]
impl Other {
    fn mutate_var(&mut self, _: Var, mutator: &mut Mutator<'_>) -> Result<Any> {
        mutator.mutate(&mut AddOne, &1_i64)
    }
}

#[test]
fn operations_are_for_the_running_mutator() {
    let error = structural_mutate(Var::new("x"), &mut Other).unwrap_err();
    assert_eq!(error.kind().as_str(), "RuntimeError");
    assert_eq!(error.message(), "structural mutator descends with another dispatch object");
}

#[test]
fn a_panic_of_a_handler_goes_on_in_the_caller() {
    let boom = |_: i64, _: &mut MutateContext<'_>| -> i64 { panic!("boom") };
    let run = || structural_mutate(Array::new(vec![1_i64]), boom);
    let payload = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).err().unwrap();
    assert_eq!(payload.downcast_ref::<&str>(), Some(&"boom"));
}

/// Counts the default operations and goes on to the next policy.
struct Counting<'a>(&'a std::cell::Cell<usize>);

impl<State> MutContextPolicy<State> for Counting<'_> {
    fn default_mutate(
        &self,
        value: MutateValue<'_>,
        context: &mut MutateContext<'_, State>,
    ) -> Result<UnchangedOr> {
        self.0.set(self.0.get() + 1);
        context.default_maybe_inplace_mutate_result(value)
    }
}

impl<State> ContextPolicy<State> for Counting<'_> {
    fn default_visit(
        &self,
        _: &StructuralView,
        context: &mut VisitContext<'_, State>,
    ) -> Result<Option<VisitInterrupt>> {
        self.0.set(self.0.get() + 1);
        context.visit_children()
    }
}

/// Leaves arrays as they are.
struct SkipArrays;

impl<State> MutContextPolicy<State> for SkipArrays {
    fn default_mutate(
        &self,
        value: MutateValue<'_>,
        context: &mut MutateContext<'_, State>,
    ) -> Result<UnchangedOr> {
        if value.is::<Array<Any>>() {
            return Ok(UnchangedOr::unchanged());
        }
        context.default_maybe_inplace_mutate_result(value)
    }
}

impl<State> ContextPolicy<State> for SkipArrays {
    fn default_visit(
        &self,
        value: &StructuralView,
        context: &mut VisitContext<'_, State>,
    ) -> Result<Option<VisitInterrupt>> {
        if value.is::<Array<Any>>() {
            return Ok(None);
        }
        context.visit_children()
    }
}

fn nested() -> List<Any> {
    List::new(vec![Any::from(1_i64), Any::from(Array::new(vec![2_i64])), Any::from(List::new(vec![3_i64]))])
}

#[test]
fn policies_decide_on_the_way_in_and_compose() {
    let count = std::cell::Cell::new(0);
    let mut callbacks = MutateCallbacks::new((), |n: i64, _: &mut MutateContext<'_>| n * 100)
        .with_policy((Counting(&count), SkipArrays));
    let out = structural_mutate(nested(), &mut callbacks).unwrap();
    assert_eq!(tvm_ffi::repr(&out).unwrap(), "[100, (2,), [300]]");
    assert_eq!(count.get(), 3);

    count.set(0);
    let sum = std::cell::Cell::new(0);
    let walker = |n: i64| {
        sum.set(sum.get() + n);
        WalkResult::Advance
    };
    for order in [WalkOrder::PreOrder, WalkOrder::PostOrder] {
        let root = nested();
        let mut walk = WalkWithContextPolicy::new(walker, (Counting(&count), SkipArrays));
        assert!(structural_walk(&root, &mut walk, order).unwrap().is_none());
        let _ = walk.into_state();
    }
    assert_eq!(sum.get(), 8);
    assert!(count.get() >= 6, "{}", count.get());

    for order in [WalkOrder::PreOrder, WalkOrder::PostOrder] {
        let out = structural_map(nested(), MapWithContextPolicy::new(|n: i64| n + 1, SkipArrays), order);
        assert_eq!(tvm_ffi::repr(out.unwrap()).unwrap(), "[2, (2,), [4]]");
        let all = MapWithContextPolicy::new(|n: i64| n + 1, DefaultMutContextPolicy);
        let out = structural_map(nested(), all, order).unwrap();
        assert_eq!(tvm_ffi::repr(&out).unwrap(), "[2, (3,), [4]]");
    }
}

/// Handlers with a policy that reads the object.
struct Depth {
    skip: bool,
    seen: Vec<i64>,
}

#[dispatch(visit, policy = (Named(self.skip), DefaultContextPolicy))]
impl Depth {
    fn visit_number(&mut self, n: i64) {
        self.seen.push(n);
    }
}

#[derive(Clone, Copy)]
struct Named(bool);

impl ContextPolicy<Depth> for Named {
    fn default_visit(
        &self,
        value: &StructuralView,
        context: &mut VisitContext<'_, Depth>,
    ) -> Result<Option<VisitInterrupt>> {
        context.state_mut().seen.push(-1);
        if self.0 && value.is::<Array<Any>>() {
            return Ok(None);
        }
        context.visit_children()
    }
}

struct Scale(i64);

#[dispatch(mutate, policy = SkipArrays)]
impl Scale {
    fn mutate_number(&mut self, n: i64) -> i64 {
        n * self.0
    }
}

#[test]
fn dispatch_takes_a_policy() {
    for (skip, expected) in [(false, vec![-1, 1, -1, 2, -1, 3]), (true, vec![-1, 1, -1, -1, 3])] {
        let mut depth = Depth { skip, seen: Vec::new() };
        let root = nested();
        assert!(structural_visit(&root, &mut depth).unwrap().is_none());
        assert_eq!(depth.seen, expected);
    }
    let out = structural_mutate(nested(), &mut Scale(2)).unwrap();
    assert_eq!(tvm_ffi::repr(&out).unwrap(), "[2, (2,), [6]]");
}

#[test]
fn a_map_that_never_ends_is_an_error() {
    let grow = |n: i64| Array::new(vec![n]);
    let error = structural_map(1_i64, grow, WalkOrder::PreOrder).unwrap_err();
    assert_eq!(error.kind().as_str(), "RecursionError");
    assert!(error.message().contains("more than 500000 replacements within each other"), "{error}");
    // With a policy, each level is a call of the callback on the stack of the thread.
    let mapper = MapWithContextPolicy::new(grow, DefaultMutContextPolicy);
    let error = structural_map(1_i64, mapper, WalkOrder::PreOrder).unwrap_err();
    assert_eq!(error.kind().as_str(), "RecursionError");
}
