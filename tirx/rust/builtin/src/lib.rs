// SPDX-License-Identifier: Apache-2.0
//! The operators that ship with the compiler and are written in Rust.

tvm_tirx::operator! {
    /// Linear interpolation: `a + (b - a) * t`, which is `a` for t = 0 and, up to rounding, `b` for t = 1.
    pub fn lerp("tirx.lerp", a: "value at t = 0", b: "value at t = 1", t: "position") -> pure {
        a.clone() + (b - a) * t
    }
}

tvm_tirx::register_operators!(lerp);
