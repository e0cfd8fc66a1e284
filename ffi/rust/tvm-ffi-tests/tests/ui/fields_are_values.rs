// SPDX-License-Identifier: Apache-2.0
//! A field of Rust's own text has no layout that others know.
use tvm_ffi::rs_class;

#[rs_class("ui.Person")]
struct Person {
    name: std::string::String,
}

fn main() {}
