// SPDX-License-Identifier: Apache-2.0
//! A library of operators: `cargo build --example define_ops`, then in Python
//! `tvm_ffi.load_module("libdefine_ops.so").tirx_register_ops()`.

use tvm_tirx::tvm_ffi::Result;
use tvm_tirx::{Effect, Op, Operator, Var};

/// An operator with an expansion: it works on every target.
fn clamp() -> Result<Op> {
    Operator::new("tirx.example_clamp")
        .doc("The nearest of 0, 1, ..., bound - 1 to an index.")
        .arg("index", "any integer")
        .arg("bound", "number of elements, at least 1")
        .effect(Effect::Pure)
        .vectorizable()
        .type_of_first()
        .expands_to(|args| {
            let (index, bound) = (&args[0], &args[1]);
            let last = bound.clone() - bound.int_like(1)?;
            index.min(&last)?.max(&index.int_like(0)?)
        })
        .register()
}

/// An operator without operands that only marks a place.
fn mark() -> Result<Op> {
    Operator::new("tirx.example_mark")
        .doc("Marks a place in a program.")
        .effect(Effect::EmbedInfo)
        .gives_nothing()
        .register()
}

/// An operator with attributes.
fn hint() -> Result<Op> {
    Operator::new("tirx.example_hint")
        .doc("Says something about a value; the value stays the same.")
        .arg("value", "any value")
        .takes_attrs()
        .effect(Effect::Pure)
        .type_of_first()
        .expands_to(|args| Ok(args[0].clone()))
        .register()
}

/// A region: `with T.example_loop(n) as j:`.
fn region() -> Result<Op> {
    Operator::new("tirx.example_loop")
        .doc("A region with one index below `extent`.")
        .arg("extent", "upper end of the index")
        .region(|args| Ok(vec![Var::new("j", &args[0].ty()?)?]))
        .register()
}

tvm_tirx::register_operators!(clamp, mark, hint, region);
