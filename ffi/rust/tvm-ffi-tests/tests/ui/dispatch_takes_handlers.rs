// SPDX-License-Identifier: Apache-2.0
//! What dispatch refuses.
use tvm_ffi::{dispatch, DefRegionKind, StructuralView, WalkResult};

struct Walker;

#[dispatch(walk)]
impl Walker {
    fn walk_shared(&self, _: i64) -> WalkResult {
        WalkResult::Advance
    }
}

#[dispatch(walk)]
impl Walker {
    fn walk_mutable(&mut self, _: &mut i64) -> WalkResult {
        WalkResult::Advance
    }
}

#[dispatch(walk)]
impl Walker {
    fn walk_all(&mut self, _: &StructuralView) -> WalkResult {
        WalkResult::Advance
    }
    fn walk_more(&mut self, _: i64) -> WalkResult {
        WalkResult::Advance
    }
}

#[dispatch(walk)]
impl Walker {
    fn walk_three(&mut self, _: i64, _: DefRegionKind, _: i64) -> WalkResult {
        WalkResult::Advance
    }
}

#[dispatch(visit)]
impl Walker {
    fn other(&mut self) {}
}

#[dispatch(climb)]
impl Walker {}

#[dispatch(walk, policy = 1)]
impl Walker {}

#[dispatch(visit, polici = 1)]
impl Walker {}

#[dispatch(mutate)]
impl Walker {
    fn mutate_number(&mut self, _: i64, _: i64) -> i64 {
        1
    }
}

#[dispatch(map)]
impl Clone for Walker {
    fn clone(&self) -> Self {
        Self
    }
}

fn main() {}
