// SPDX-License-Identifier: Apache-2.0
//! A reference to an object shares it: its fields are not assigned to.
#[tvm_ffi::rs_class("refused.Point")]
pub struct Point {
    pub x: i64,
}

fn main() {
    let mut point = Point::new(1);
    point.x = 2;
}
