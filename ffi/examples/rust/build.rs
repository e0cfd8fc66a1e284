// SPDX-License-Identifier: Apache-2.0
//! Writes the folder of `libtvm_ffi` into the program, which then finds it without LD_LIBRARY_PATH.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if let Ok(dir) = std::env::var("DEP_TVM_FFI_RUST_LIBDIR") {
        println!("cargo:rustc-link-arg=-Wl,-rpath,{dir}");
    }
}
