// SPDX-License-Identifier: Apache-2.0
//! A walker's closure says what it takes.
use tvm_ffi::{structural_map, structural_mutate, structural_walk, Any, WalkOrder, WalkResult};

struct Mine;

fn main() {
    let root = Any::from(1_i64);
    structural_walk(&root, |_: Mine| WalkResult::Advance, WalkOrder::PreOrder).unwrap();
    structural_map(root.clone(), |_: Mine| 1_i64, WalkOrder::PreOrder).unwrap();
    structural_mutate(root, |n: i64| n).unwrap();
}
