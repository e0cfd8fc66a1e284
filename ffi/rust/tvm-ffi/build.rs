// SPDX-License-Identifier: Apache-2.0
//! Lets this package's own tests find `libtvm_ffi` when they run; `tvm-ffi-sys` has found it to link. Crates that depend on this
//! one can do the same with `DEP_TVM_FFI_RUST_LIBDIR`.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if let Ok(dir) = std::env::var("DEP_TVM_FFI_LIBDIR") {
        println!("cargo:libdir={dir}");
        println!("cargo:rustc-link-arg=-Wl,-rpath,{dir}");
    }
}
