// SPDX-License-Identifier: Apache-2.0
//! Lets the tests find `libtvm_ffi` when they run.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if let Ok(dir) = std::env::var("DEP_TVM_FFI_RUST_LIBDIR") {
        println!("cargo:rustc-link-arg=-Wl,-rpath,{dir}");
    }
}
