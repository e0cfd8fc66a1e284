// SPDX-License-Identifier: Apache-2.0
//! Where the build script looks for the library, in which order, and what it says when it finds none.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;

/// The compiled build script.
static PROGRAM: LazyLock<PathBuf> = LazyLock::new(|| {
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("build_script");
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".into());
    let compiled = Command::new(rustc)
        .args(["--edition", "2021", "--crate-name", "build_script", "-o"])
        .arg(&program)
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("build.rs"))
        .status()
        .unwrap();
    assert!(compiled.success());
    program
});

/// A folder to run it in.
struct Script {
    folder: PathBuf,
}

impl Script {
    fn new(name: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("build_script_in_{name}"));
        drop(fs::remove_dir_all(&folder));
        for part in ["bin", "lib", "source/include/tvm/ffi", "out"] {
            fs::create_dir_all(folder.join(part)).unwrap();
        }
        Self { folder }
    }

    fn path(&self, part: &str) -> String {
        self.folder.join(part).display().to_string()
    }

    /// A program on the script's `PATH`.
    fn program(&self, name: &str, body: &str) {
        let path = self.folder.join("bin").join(name);
        fs::write(&path, format!("#!/bin/sh\n{body}\n")).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn run(&self, variables: &[(&str, &str)]) -> (Output, String, String) {
        let output = Command::new(&*PROGRAM)
            .env_clear()
            .env("PATH", self.folder.join("bin"))
            .env("OUT_DIR", self.folder.join("out"))
            .env("CARGO_MANIFEST_DIR", self.folder.join("nowhere/a/b"))
            .env("CARGO_CFG_TARGET_OS", "linux")
            .envs(variables.iter().copied())
            .output()
            .unwrap();
        let (out, err) = (output.stdout.clone(), output.stderr.clone());
        (output, String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap())
    }
}

#[test]
fn the_package_on_the_path_comes_first() {
    let script = Script::new("first");
    script.program("tvm-ffi-config", "[ \"$1\" = --libdir ] && echo /opt/python/lib");
    fs::write(script.path("lib/libtvm_ffi.so"), "").unwrap();
    let (output, out, _) =
        script.run(&[("TVM_FFI_LIB_DIR", &script.path("lib")), ("LD_LIBRARY_PATH", "/old")]);
    assert!(output.status.success());
    assert!(out.contains("cargo:rustc-link-search=native=/opt/python/lib\n"), "{out}");
    assert!(out.contains("cargo:libdir=/opt/python/lib\n"), "{out}");
    assert!(out.contains("cargo:rustc-env=LD_LIBRARY_PATH=/old:/opt/python/lib\n"), "{out}");
    assert!(!out.contains("tvm_ffi_testing"), "{out}");
    let (_, out, _) = script.run(&[("CARGO_FEATURE_TESTING", "1")]);
    assert!(out.contains("cargo:rustc-link-lib=dylib=tvm_ffi_testing\n"), "{out}");
}

#[test]
fn the_variable_comes_second_and_must_name_the_library() {
    let script = Script::new("second");
    script.program("tvm-ffi-config", "echo not today >&2; exit 3");
    let lib = script.path("lib");
    let (output, _, err) = script.run(&[("TVM_FFI_LIB_DIR", &lib)]);
    assert!(!output.status.success());
    assert!(err.contains("`tvm-ffi-config --libdir` failed (exit status: 3): not today"), "{err}");
    assert!(err.contains(&format!("TVM_FFI_LIB_DIR names `{lib}`, where no libtvm_ffi is")), "{err}");
    fs::write(script.path("lib/libtvm_ffi.so"), "").unwrap();
    let (output, out, _) = script.run(&[("TVM_FFI_LIB_DIR", &lib)]);
    assert!(output.status.success());
    assert!(out.contains(&format!("cargo:rustc-link-search=native={lib}\n")), "{out}");
}

#[test]
fn a_build_from_source_comes_third() {
    let script = Script::new("third");
    let source = script.path("source");
    script.program("tvm-ffi-config", "echo");
    fs::write(script.path("source/CMakeLists.txt"), "").unwrap();
    fs::write(script.path("source/include/tvm/ffi/c_api.h"), "").unwrap();
    let (output, _, err) = script.run(&[("TVM_FFI_SOURCE_DIR", &source)]);
    assert!(!output.status.success());
    assert!(err.contains("`tvm-ffi-config --libdir` printed no library directory; "), "{err}");
    assert!(err.contains("could not run `cmake`"), "{err}");
    // A stand-in that notes its arguments and leaves a library where it is told to.
    let log = script.path("log");
    let lib = script.path("out/build/lib");
    script.program("cmake", &format!("echo \"$@\" >> {log}\n/bin/mkdir -p {lib} && : > {lib}/libtvm_ffi.so"));
    let (output, out, err) = script.run(&[("TVM_FFI_SOURCE_DIR", &source), ("NUM_JOBS", "2")]);
    assert!(output.status.success(), "{err}");
    assert!(out.contains(&format!("cargo:rustc-link-search=native={lib}\n")), "{out}");
    let lines = fs::read_to_string(log).unwrap();
    let lines: Vec<_> = lines.lines().collect();
    assert!(lines[0].starts_with(&format!("-S {source} -B ")), "{lines:?}");
    assert!(lines[1].ends_with("--parallel 2 --target tvm_ffi_shared"), "{lines:?}");
    script.program("cmake", "echo no compiler; exit 1");
    let (output, _, err) = script.run(&[("TVM_FFI_SOURCE_DIR", &source)]);
    assert!(!output.status.success());
    assert!(err.contains("`cmake` failed (exit status: 1):\nno compiler"), "{err}");
}

#[test]
fn without_a_library_it_says_how_to_get_one() {
    let script = Script::new("none");
    let (output, _, err) = script.run(&[]);
    assert!(!output.status.success());
    for part in [
        "could not run `tvm-ffi-config`",
        "TVM_FFI_LIB_DIR is not set",
        "the sources of libtvm_ffi are not in",
        "pip install kiln-ffi",
        "DOCS_RS=1",
    ] {
        assert!(err.contains(part), "{part} is missing in {err}");
    }
    let (output, out, _) = script.run(&[("DOCS_RS", "1")]);
    assert!(output.status.success());
    assert!(out.contains("cargo:warning=could not run `tvm-ffi-config`"), "{out}");
    assert!(out.contains("; not linking libtvm_ffi for a documentation build"), "{out}");
    assert!(!out.contains("rustc-link"), "{out}");
}
