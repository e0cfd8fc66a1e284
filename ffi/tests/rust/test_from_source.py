# SPDX-License-Identifier: Apache-2.0
"""The crates where no library is: the build script makes one from the sources, in earnest.

It takes minutes, so that it runs with ``KILN_LONG_TESTS`` alone; the order of the places and the
commands are in ``tvm-ffi-sys/tests/build_script.rs``.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import cargo_project
import pytest

TARGET = cargo_project.ROOT / "build" / "rust-from-source"

MAIN = """
use tvm_ffi::{Array, Function, Result};

fn main() -> Result<()> {
    let size = Function::get_global("ffi.ArraySize")?;
    let size: i64 = size.call_tuple((Array::new(vec![1_i64, 2, 3]),))?.try_into()?;
    println!("{size}");
    Ok(())
}
"""

BUILD = """
fn main() {
    let dir = std::env::var("DEP_TVM_FFI_RUST_LIBDIR").expect("the folder of the library");
    println!("cargo:rustc-link-arg=-Wl,-rpath,{dir}");
}
"""


@pytest.mark.skipif(not os.environ.get("KILN_LONG_TESTS"), reason="builds libtvm_ffi again")
def test_a_program_builds_the_library_that_it_needs(tmp_path: Path) -> None:
    if shutil.which("cmake") is None:
        pytest.skip("needs cmake")
    cargo_project.write(tmp_path, "from_source", {"main.rs": MAIN})
    (tmp_path / "build.rs").write_text(BUILD)
    variables = {"TVM_FFI_LIB_DIR": "", "CARGO_TARGET_DIR": str(TARGET)}
    if shutil.which("ccache") is not None:
        variables |= {f"CMAKE_{x}_COMPILER_LAUNCHER": "ccache" for x in ("C", "CXX")}
    done = cargo_project.cargo(tmp_path, "build", "--quiet", **variables)
    assert done.returncode == 0, done.stderr
    environment = {k: v for k, v in os.environ.items() if k != "LD_LIBRARY_PATH"}
    program = TARGET / "debug" / "from_source"
    ran = subprocess.run([program], env=environment, capture_output=True, text=True)
    assert (ran.returncode, ran.stdout) == (0, "3\n"), ran.stderr
    # It runs with what was built, not with the library of the Python package.
    linked = subprocess.run(["ldd", program], env=environment, capture_output=True, text=True)
    (line,) = (line for line in linked.stdout.splitlines() if "libtvm_ffi" in line)
    assert str(TARGET) in line, line
