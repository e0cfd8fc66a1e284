// SPDX-License-Identifier: Apache-2.0
//! Walks, visits, maps, mutations and type matching.

use tvm_ffi::{
    bail, dispatch, match_any, rs_class, structural_map, structural_mutate, structural_visit,
    structural_walk, Any, Array, DefRegionKind, Map, Mutator, ObjectRefCore, Result, String,
    StructuralVisitor, Unchanged, VisitCallbacks, VisitContext, VisitInterrupt, WalkOrder, WalkResult,
    VALUE_ERROR,
};

#[rs_class("rust_walk.Var", kind = "var")]
struct Var {
    name: String,
}

#[rs_class("rust_walk.Add", kind = "tree")]
struct Add {
    left: tvm_ffi::object::ObjectRef,
    right: tvm_ffi::object::ObjectRef,
    #[field(structural = "ignore")]
    note: String,
}

#[rs_class("rust_walk.Let", kind = "tree")]
struct Let {
    #[field(structural = "def")]
    var: Var,
    body: tvm_ffi::object::ObjectRef,
}

fn object(value: impl Into<Any>) -> tvm_ffi::object::ObjectRef {
    value.into().try_into().unwrap()
}

fn add(left: impl Into<Any>, right: impl Into<Any>) -> Add {
    Add::new(object(left), object(right), "a note that is skipped")
}

#[test]
fn walks_go_in_both_orders() {
    let root = Any::from(add(add(Var::new("a"), Var::new("b")), Array::new(vec![Any::from(Var::new("c"))])));
    for (order, expected) in [(WalkOrder::PreOrder, "++abc"), (WalkOrder::PostOrder, "ab+c+")] {
        let names = std::cell::RefCell::new(std::string::String::new());
        let ended = structural_walk(
            &root,
            (
                |var: &VarObj| {
                    names.borrow_mut().push_str(&var.name);
                    WalkResult::Advance
                },
                |_: &AddObj| {
                    names.borrow_mut().push('+');
                    WalkResult::Advance
                },
            ),
            order,
        );
        assert!(ended.unwrap().is_none());
        assert_eq!(names.into_inner(), expected);
    }
}

#[test]
fn walks_skip_end_and_fail() {
    let inner = add(Var::new("a"), Var::new("b"));
    let root = Any::from(add(inner.clone(), Var::new("c")));
    let mut seen = 0;
    let skip = |node: Add| if node.same_as(&inner) { WalkResult::Skip } else { WalkResult::Advance };
    structural_walk(
        &root,
        (skip, |_: &VarObj| {
            seen += 1;
            WalkResult::Advance
        }),
        WalkOrder::PreOrder,
    )
    .unwrap();
    assert_eq!(seen, 1);
    let find = |var: Var| if var.name == "b" { WalkResult::interrupt_with(var) } else { WalkResult::Advance };
    let found = structural_walk(&root, find, WalkOrder::PreOrder).unwrap().unwrap();
    assert_eq!(Var::try_from(found.value).unwrap().name, "b");
    let fail = |_: &VarObj| -> Result<WalkResult> { bail!(VALUE_ERROR, "no variables here") };
    let error = structural_walk(&root, fail, WalkOrder::PreOrder).unwrap_err();
    assert_eq!((error.kind().as_str(), error.message()), ("ValueError", "no variables here"));
}

#[test]
fn a_panic_goes_through_the_engine() {
    let root = Any::from(add(Var::new("a"), Var::new("b")));
    let walk = || structural_walk(&root, |_: &VarObj| -> WalkResult { panic!("out") }, WalkOrder::PreOrder);
    let payload = match std::panic::catch_unwind(std::panic::AssertUnwindSafe(walk)) {
        Err(payload) => payload,
        Ok(ended) => panic!("the walk ended with {:?}", ended.map(|interrupt| interrupt.is_some())),
    };
    assert_eq!(payload.downcast_ref::<&str>(), Some(&"out"));
}

#[rs_class("rust_walk.Late", kind = "tree")]
struct Late {
    first: Var,
    second: Var,
}

#[test]
fn threads_that_meet_a_new_type_see_all_of_it() {
    let start = std::sync::Barrier::new(8);
    let count = || {
        start.wait();
        let root = Any::from(Late::new(Var::new("a"), Var::new("b")));
        let mut seen = 0;
        let walk = |_: &VarObj| {
            seen += 1;
            WalkResult::Advance
        };
        structural_walk(&root, walk, WalkOrder::PreOrder).unwrap();
        seen
    };
    std::thread::scope(|scope| {
        let all: Vec<_> = (0..8).map(|_| scope.spawn(count)).collect();
        for thread in all {
            assert_eq!(thread.join().unwrap(), 2);
        }
    });
}

struct Depth {
    now: usize,
    most: usize,
    definitions: Vec<std::string::String>,
}

#[dispatch(visit)]
impl Depth {
    fn visit_add(&mut self, add: Add, kind: DefRegionKind) -> Result<Option<VisitInterrupt>> {
        self.now += 1;
        self.most = self.most.max(self.now);
        let ended = self.visit_child(&add.left, kind)?;
        let ended = if ended.is_none() { self.visit_child(&add.right, kind)? } else { ended };
        self.now -= 1;
        Ok(ended)
    }
    fn visit_var(&mut self, var: &VarObj, kind: DefRegionKind) {
        if kind == DefRegionKind::Pattern {
            self.definitions.push(var.name.to_string());
        }
    }
}

#[test]
fn visitors_descend_themselves_and_know_definitions() {
    let x = Var::new("x");
    let body = Let::new(x.clone(), object(add(x, Var::new("y"))));
    let root = Any::from(add(add(body, Var::new("z")), Var::new("w")));
    let mut depth = Depth { now: 0, most: 0, definitions: Vec::new() };
    assert!(structural_visit(&root, &mut depth).unwrap().is_none());
    assert_eq!((depth.now, depth.most), (0, 3));
    assert_eq!(depth.definitions, ["x"]);
    let error = depth.visit_child(&root, DefRegionKind::None).unwrap_err();
    assert_eq!(error.message(), "structural visitor is used outside of structural_visit");
}

#[test]
fn callbacks_share_state() {
    let root = Any::from(add(add(Var::new("a"), Var::new("b")), Var::new("c")));
    let mut visitor = VisitCallbacks::new(
        Vec::new(),
        (
            |var: &VarObj, context: &mut VisitContext<'_, Vec<std::string::String>>| {
                context.state_mut().push(var.name.to_string());
            },
            |_: &AddObj, context: &mut VisitContext<'_, Vec<std::string::String>>| {
                context.state_mut().push("(".into());
                let ended = context.visit_children()?;
                context.state_mut().push(")".into());
                Ok::<_, tvm_ffi::Error>(ended)
            },
        ),
    );
    assert!(structural_visit(&root, &mut visitor).unwrap().is_none());
    assert_eq!(visitor.into_state().concat(), "((ab)c)");
}

#[test]
fn maps_share_what_does_not_change() {
    let kept = add(Var::new("a"), Var::new("b"));
    let root = add(kept.clone(), Var::new("c"));
    let rename = |var: Var| if var.name == "c" { Any::from(Var::new("d")) } else { Any::from(Unchanged) };
    let out: Add = structural_map(root.clone(), rename, WalkOrder::PostOrder).unwrap().try_into().unwrap();
    assert!(out.left.same_as(&kept) && !out.same_as(&root));
    assert_eq!(out.right.as_node::<VarObj>().unwrap().name, "d");
    assert_eq!(root.right.as_node::<VarObj>().unwrap().name, "c");
    let same = structural_map(root.clone(), |_: &VarObj| Unchanged, WalkOrder::PreOrder).unwrap();
    assert!(Add::try_from(same).unwrap().same_as(&root));
}

struct Fold;

#[dispatch(mutate)]
impl Fold {
    fn mutate_add(&mut self, value: Add, mutator: &mut Mutator<'_>) -> Result<Any> {
        let left = mutator.mutate(self, &value.left)?;
        let right = mutator.mutate(self, &value.right)?;
        match (left.try_as::<Var>(), right.try_as::<Var>()) {
            (Some(a), Some(b)) => Ok(Var::new(format!("{}{}", a.name.as_str(), b.name.as_str())).into()),
            _ => Ok(Add::new(object(left), object(right), "").into()),
        }
    }
}

#[test]
fn mutators_rebuild_from_below() {
    let root =
        Array::new(vec![Any::from(add(add(Var::new("a"), Var::new("b")), Var::new("c"))), Any::from(1_i64)]);
    let out: Array<Any> = structural_mutate(root, &mut Fold).unwrap().try_into().unwrap();
    assert_eq!(Var::try_from(out.get(0).unwrap()).unwrap().name, "abc");
    assert_eq!(i64::try_from(out.get(1).unwrap()).unwrap(), 1);
}

#[test]
fn match_any_takes_the_first_arm_that_fits() {
    fn describe(value: &Any) -> std::string::String {
        match_any!(value.clone() {
            Var(var) if var.name == "special" => "special".to_string(),
            Var(var) => format!("var {}", var.name.as_str()),
            Add(_) => "add".to_string(),
            Array::<i64>(items) => format!("{} numbers", items.len()),
            Map::<String, i64>(_) => "map".to_string(),
            String(text) => format!("text {}", text.as_str()),
            i64(n) => { format!("number {n}") }
            _ => "other".to_string(),
        })
    }
    let values: [(Any, &str); 8] = [
        (Var::new("special").into(), "special"),
        (Var::new("x").into(), "var x"),
        (add(Var::new("x"), Var::new("y")).into(), "add"),
        (Array::new(vec![1_i64, 2]).into(), "2 numbers"),
        (Map::<String, i64>::new().into(), "map"),
        (String::from("t").into(), "text t"),
        (5_i64.into(), "number 5"),
        (1.5.into(), "other"),
    ];
    for (value, expected) in values {
        assert_eq!(describe(&value), expected);
    }
}
