// SPDX-License-Identifier: Apache-2.0
//! Points, for programs in Rust, Python and C++.

use ffi::reflection::ObjectDef;
use ffi::{register_on_load, rs_class, tvm_ffi_dll_export_typed_func, Array, FieldCell, Result};

/// A point in the plane.
#[rs_class("points.Point", kind = "tree", def = define)]
pub struct Point {
    /// To the right.
    #[field(writable)]
    x: FieldCell<f64>,
    /// Upwards.
    #[field(writable, default = 0.0)]
    y: FieldCell<f64>,
}

fn define(def: &mut ObjectDef<PointObj>) -> Result<()> {
    def.method("norm", "Distance from the origin.", |point: &Point| {
        point.x.get().hypot(point.y.get())
    })?;
    Ok(())
}

register_on_load!(PointObj);

/// The point in the middle; `ValueError` for no points.
pub fn middle(points: &Array<Point>) -> Result<Point> {
    ffi::ensure!(
        !points.is_empty(),
        ffi::VALUE_ERROR,
        "no points have a middle"
    );
    let (mut x, mut y) = (0.0, 0.0);
    for point in points.iter() {
        let point = point?;
        x += point.x.get();
        y += point.y.get();
    }
    let count = points.len() as f64;
    Ok(Point::new(x / count, y / count))
}

tvm_ffi_dll_export_typed_func!(middle, middle, "The point in the middle.");
