// SPDX-License-Identifier: Apache-2.0
//! Prints the middle of two points and its distance from the origin.

use ffi::{Array, Function, ObjectCore, Result};
use points::{middle, Point, PointObj};

fn main() -> Result<()> {
    let points = Array::new(vec![Point::new(2.0, 3.0), Point::new(4.0, 5.0)]);
    let point = middle(&points)?;
    println!("{}", ffi::repr(&point)?);
    let norm = Function::from_type_method(PointObj::type_index(), "norm")?;
    println!("{}", f64::try_from(norm.call_tuple((&point,))?)?);
    if let Err(error) = middle(&Array::default()) {
        println!("{error}");
    }
    Ok(())
}
