// SPDX-License-Identifier: Apache-2.0
//! Writes the folder of `libtvm_ffi` into the program.

fn main() {
    println!("cargo:rerun-if-env-changed=BENCH_LIBDIR");
    if let Ok(dir) = std::env::var("BENCH_LIBDIR") {
        println!("cargo:rustc-link-arg=-Wl,-rpath,{dir}");
    }
}
