// SPDX-License-Identifier: Apache-2.0
//! Operators of the tensor-kernel compiler, written in Rust.
//!
//! An operator has a name, a documentation, named operands, an effect, a result type and, when it can be written with other
//! operators, an expansion that makes it work on every target. [`operator!`] declares one; [`register_operators!`] exports the
//! function `tirx_register_ops` that the compiler calls after it loaded the library. From then on the operator is like those
//! from C++: in `ir.Op.get`, in calls built from Python, in printed TVMScript.
//!
//! ```no_run
//! tvm_tirx::operator! {
//!     /// `a + (b - a) * t`
//!     pub fn lerp("example.lerp", a: "value at 0", b: "value at 1", t: "position") -> pure {
//!         a.clone() + (b - a) * t
//!     }
//! }
//! tvm_tirx::register_operators!(lerp);
//! ```

pub mod expr;
mod macros;
pub mod op;

pub use expr::{Call, Expr, Type, Var};
pub use op::{Effect, Op, Operator};
pub use tvm_ffi;
