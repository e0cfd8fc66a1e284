// SPDX-License-Identifier: Apache-2.0
//! Chains of objects that are longer than the stack is deep.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::Arc;
use tvm_ffi::{rs_class, Any, Array, Function, Object, ObjectArc, String};

#[rs_class("long_chains.Node")]
struct Node {
    x: i64,
    next: Any,
}

/// A link that counts its end, and may point back.
#[repr(C)]
#[derive(tvm_ffi::derive::Object)]
#[type_key = "long_chains.Link"]
#[type_register]
struct LinkObj {
    base: Object,
    next: Option<ObjectArc<LinkObj>>,
    ended: Arc<AtomicI64>,
    panics: bool,
}

impl Drop for LinkObj {
    fn drop(&mut self) {
        self.ended.fetch_add(1, Ordering::SeqCst);
        if self.panics {
            panic!("at the end of a link");
        }
    }
}

fn link(next: Option<ObjectArc<LinkObj>>, ended: &Arc<AtomicI64>, panics: bool) -> ObjectArc<LinkObj> {
    ObjectArc::new(LinkObj { base: Object::new(), next, ended: ended.clone(), panics })
}

#[test]
fn a_million_nodes_end() {
    let mut next = Any::new();
    for x in 0..1_000_000 {
        next = Node::new(x, next).into();
    }
    let first = Node::try_from(next).unwrap();
    assert_eq!((first.x, Node::try_from(first.next.clone()).unwrap().x), (999_999, 999_998));
}

#[test]
fn every_link_ends_once_before_the_first_is_gone() {
    let ended = Arc::new(AtomicI64::new(0));
    let first = (0..200_000).fold(None, |next, i| Some(link(next, &ended, i == 150_000)));
    assert_eq!(Arc::strong_count(&ended), 200_001);
    drop(first);
    assert_eq!(ended.load(Ordering::SeqCst), 200_000);
    assert_eq!(Arc::strong_count(&ended), 1);
}

#[test]
fn links_with_weak_references_end_too() {
    let ended = Arc::new(AtomicI64::new(0));
    let mut weak = Vec::new();
    let first = (0..200_000).fold(None, |next, _| {
        let made = link(next, &ended, false);
        weak.push(ObjectArc::downgrade(&made));
        Some(made)
    });
    assert_eq!(weak[0].upgrade().unwrap().ended.load(Ordering::SeqCst), 0);
    drop(first);
    assert_eq!(ended.load(Ordering::SeqCst), 200_000);
    assert!(weak.iter().all(|weak| weak.upgrade().is_none()));
}

#[test]
fn chains_through_arrays_end() {
    let text = Any::from(String::from("held by every array of the chain"));
    let mut next = Any::new();
    for x in 0..100_000 {
        next = Array::<Any>::new(vec![Node::new(x, next).into(), text.clone()]).into();
    }
    assert_eq!(text.debug_strong_count(), Some(100_001));
    drop(next);
    assert_eq!(text.debug_strong_count(), Some(1));
}

#[test]
fn chains_of_functions_end() {
    let ended = Arc::new(AtomicI64::new(0));
    let mut last: Option<Function> = None;
    for _ in 0..100_000 {
        let held = (ended.clone(), last);
        last = Some(Function::from_typed(move || held.1.is_some() as i64 + held.0.load(Ordering::SeqCst)));
    }
    assert_eq!(Arc::strong_count(&ended), 100_001);
    drop(last);
    assert_eq!(Arc::strong_count(&ended), 1);
}
