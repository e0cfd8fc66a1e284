// SPDX-License-Identifier: Apache-2.0
//! An object that reflection makes may be destroyed half made.
#[tvm_ffi::rs_class("refused.Dropped")]
struct Dropped {
    x: i64,
}

impl Drop for DroppedObj {
    fn drop(&mut self) {}
}

fn main() {}
