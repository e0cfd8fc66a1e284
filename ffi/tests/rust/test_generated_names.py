# SPDX-License-Identifier: Apache-2.0
"""Rust that ``tvm-ffi-stubgen`` writes for fields with names of Rust compiles, without warnings."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import cargo_project

MODULES = Path(__file__).resolve().parents[1] / "python"

LIB = """\
pub mod base;

use base::type_::{Child, Lists, Together};

/// Getters of the names, as Rust spells them.
pub fn sum(child: &Child, lists: &Lists) -> tvm_ffi::Result<i64> {
    let together: Together = child.into();
    let own = child.kind()? + child.Kind()? + lists.items()?.len() as i64;
    Ok(own + together.r#match()? + together.None()? + together.self_()? + together.new_()?)
}
"""


def test_fields_with_names_of_rust(tmp_path: Path) -> None:
    head = "// tvm-ffi-stubgen(begin): import-section\n// tvm-ffi-stubgen(end)\n"
    for name in ("Together", "Child", "Lists"):
        head += f"// tvm-ffi-stubgen(begin): object/odd_names.{name}\n// tvm-ffi-stubgen(end)\n"
    target = '[lib]\ncrate-type = ["rlib"]'
    cargo_project.write(tmp_path, "odd_names", {"lib.rs": LIB}, target)
    # A module named as a member that mirrors have, with an underscore that stays.
    (tmp_path / "src" / "base").mkdir()
    (tmp_path / "src" / "base" / "mod.rs").write_text("pub mod type_;\n")
    path = tmp_path / "src" / "base" / "type_.rs"
    path.write_text(head)
    command = [sys.executable, "-m", "tvm_ffi.stub.cli", "--target", "rust"]
    done = subprocess.run(
        [*command, "--imports", "odd_names", str(path)],
        env=os.environ | {"PYTHONPATH": str(MODULES)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    cargo_project.build(tmp_path)
