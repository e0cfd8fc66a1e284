// SPDX-License-Identifier: Apache-2.0
//! Finds `libtvm_ffi` to link: what `tvm-ffi-config --libdir` prints, else `TVM_FFI_LIB_DIR`, else a build from the sources.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

fn library_names() -> [&'static str; 3] {
    ["libtvm_ffi.so", "libtvm_ffi.dylib", "tvm_ffi.lib"]
}

/// The folder that the Python package on `PATH` tells, or why it tells none.
fn from_config() -> Result<String, String> {
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

/// The folder of the environment variable, when the library is there.
fn from_environment() -> Result<String, String> {
    let dir = env::var("TVM_FFI_LIB_DIR").map_err(|_| "TVM_FFI_LIB_DIR is not set".to_string())?;
    if library_names().iter().any(|name| Path::new(&dir).join(name).is_file()) {
        return Ok(dir);
    }
    Err(format!("TVM_FFI_LIB_DIR names `{dir}`, where no libtvm_ffi is"))
}

/// The sources: `TVM_FFI_SOURCE_DIR`, or the repository that this crate lies in.
fn source_dir() -> Result<PathBuf, String> {
    let dir = match env::var("TVM_FFI_SOURCE_DIR") {
        Ok(dir) => PathBuf::from(dir),
        Err(_) => Path::new(&env::var("CARGO_MANIFEST_DIR").unwrap_or_default()).join("../.."),
    };
    if dir.join("CMakeLists.txt").is_file() && dir.join("include/tvm/ffi/c_api.h").is_file() {
        return Ok(dir);
    }
    Err(format!("the sources of libtvm_ffi are not in `{}`", dir.display()))
}

fn run(command: &mut Command) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| format!("could not run `{name}`: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text);
    let last: Vec<_> = text.lines().rev().take(20).collect();
    let last = last.into_iter().rev().collect::<Vec<_>>().join("\n");
    Err(format!("`{name}` failed ({}):\n{last}", output.status))
}

/// Builds the library with CMake below the output folder of this crate.
fn from_source() -> Result<String, String> {
    let source = source_dir()?;
    let out = PathBuf::from(env::var("OUT_DIR").map_err(|_| "OUT_DIR is not set".to_string())?);
    let build = out.join("build");
    println!("cargo:rerun-if-changed={}", source.join("include").display());
    println!("cargo:rerun-if-changed={}", source.join("src").display());
    run(Command::new("cmake")
        .arg("-S")
        .arg(&source)
        .arg("-B")
        .arg(&build)
        .arg("-DCMAKE_BUILD_TYPE=Release"))?;
    let jobs = env::var("NUM_JOBS").unwrap_or_else(|_| "1".into());
    let mut command = Command::new("cmake");
    command.arg("--build").arg(&build).args(["--config", "Release", "--parallel", &jobs]);
    command.args(["--target", "tvm_ffi_shared"]);
    if env::var_os("CARGO_FEATURE_TESTING").is_some() {
        command.arg("tvm_ffi_testing");
    }
    run(&mut command)?;
    // The project puts libraries there; generators for several configurations add a folder.
    let places = [build.join("lib"), build.join("lib/Release")];
    match places.iter().find(|lib| library_names().iter().any(|name| lib.join(name).is_file())) {
        Some(lib) => Ok(lib.display().to_string()),
        None => Err(format!("the build from source left no libtvm_ffi in `{}`", places[0].display())),
    }
}

fn main() {
    let search = match env::var("CARGO_CFG_TARGET_OS").as_deref() {
        Ok("windows") => Some(("PATH", ";")),
        Ok("macos") => Some(("DYLD_LIBRARY_PATH", ":")),
        Ok("linux") => Some(("LD_LIBRARY_PATH", ":")),
        _ => None,
    };
    println!("cargo:rerun-if-changed=build.rs");
    for name in ["DOCS_RS", "PATH", "TVM_FFI_LIB_DIR", "TVM_FFI_SOURCE_DIR"] {
        println!("cargo:rerun-if-env-changed={name}");
    }
    let documentation = env::var_os("DOCS_RS").is_some();
    let mut reasons = Vec::new();
    let mut places: Vec<fn() -> Result<String, String>> = vec![from_config, from_environment];
    if !documentation {
        places.push(from_source);
    }
    let found = places.into_iter().find_map(|place| place().map_err(|reason| reasons.push(reason)).ok());
    let Some(dir) = found else {
        let reasons = reasons.join("; ");
        if documentation {
            println!("cargo:warning={reasons}; not linking libtvm_ffi for a documentation build");
            return;
        }
        panic!(
            "{reasons}. The folder of libtvm_ffi is needed to link. Install the Python package (`pip install kiln-ffi`) and \
             put `tvm-ffi-config` on PATH, or set TVM_FFI_LIB_DIR to the library's folder, or set TVM_FFI_SOURCE_DIR to the \
             folder `ffi` of the repository, which is built with CMake 3.18 and a C++20 compiler. Set DOCS_RS=1 to build \
             documentation without the library"
        );
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
