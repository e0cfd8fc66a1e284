// SPDX-License-Identifier: Apache-2.0
//! Optional objects are nullable pointers, not cells.
fn main() {
    let _: tvm_ffi::Optional<tvm_ffi::Shape> = tvm_ffi::Optional::none();
}
