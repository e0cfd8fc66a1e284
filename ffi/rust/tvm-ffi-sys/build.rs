// SPDX-License-Identifier: Apache-2.0
//! Finds `libtvm_ffi`: `TVM_FFI_LIB_DIR` when it is set, else what `tvm-ffi-config --libdir` prints.

use std::env;
use std::process::Command;

/// The library's folder, or why it is not known.
fn library_dir() -> Result<String, String> {
    if let Ok(dir) = env::var("TVM_FFI_LIB_DIR") {
        return Ok(dir);
    }
    let output = Command::new("tvm-ffi-config")
        .arg("--libdir")
        .output()
        .map_err(|error| format!("could not run `tvm-ffi-config`: {error}"))?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr).trim().to_string();
        return Err(format!("`tvm-ffi-config --libdir` failed ({}): {text}", output.status));
    }
    let dir = String::from_utf8_lossy(&output.stdout).trim().to_string();
    if dir.is_empty() {
        return Err("`tvm-ffi-config --libdir` printed no library directory".into());
    }
    Ok(dir)
}

fn main() {
    let search = match env::var("CARGO_CFG_TARGET_OS").as_deref() {
        Ok("windows") => Some(("PATH", ";")),
        Ok("macos") => Some(("DYLD_LIBRARY_PATH", ":")),
        Ok("linux") => Some(("LD_LIBRARY_PATH", ":")),
        _ => None,
    };
    println!("cargo:rerun-if-changed=build.rs");
    for name in ["DOCS_RS", "PATH", "TVM_FFI_LIB_DIR"] {
        println!("cargo:rerun-if-env-changed={name}");
    }
    let dir = match library_dir() {
        Ok(dir) => dir,
        Err(reason) if env::var_os("DOCS_RS").is_some() => {
            println!("cargo:warning={reason}; not linking libtvm_ffi for a documentation build");
            return;
        }
        Err(reason) => panic!(
            "{reason}. The folder of libtvm_ffi is needed to link. Install the Python package \
             (`pip install kiln-ffi`) and put `tvm-ffi-config` on PATH, or set TVM_FFI_LIB_DIR; \
             set DOCS_RS=1 to build documentation without the library"
        ),
    };
    println!("cargo:rustc-link-search=native={dir}");
    println!("cargo:rustc-link-lib=dylib=tvm_ffi");
    // Crates that depend on this one read it as DEP_TVM_FFI_LIBDIR.
    println!("cargo:libdir={dir}");
    if env::var_os("CARGO_FEATURE_TESTING").is_some() {
        println!("cargo:rustc-link-lib=dylib=tvm_ffi_testing");
    }
    if let Some((variable, separator)) = search {
        println!("cargo:rerun-if-env-changed={variable}");
        let value = match env::var(variable) {
            Ok(old) if !old.is_empty() => format!("{old}{separator}{dir}"),
            _ => dir,
        };
        println!("cargo:rustc-env={variable}={value}");
    }
}
