// SPDX-License-Identifier: Apache-2.0
//! What match_any! refuses.
use tvm_ffi::{match_any, Any};

fn main() {
    let value = Any::from(1_i64);
    match_any!(value { i64(n) => n });
    match_any!(value { _ => 1, i64(n) => n });
    match_any!(value { i64(n) => n, _ if true => 1 });
    match_any!(value { i64(n, m) => n, _ => 1 });
    match_any!(value { i64(n) => n _ => 1 });
}
