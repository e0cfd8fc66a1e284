# SPDX-License-Identifier: Apache-2.0
"""The template project: copied out, built, run, and its library used from Python."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import cargo_project
import pytest
import tvm_ffi

TEMPLATE = cargo_project.ROOT / "ffi" / "examples" / "rust"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("template") / "points"
    shutil.copytree(TEMPLATE, folder, ignore=shutil.ignore_patterns("target", "Cargo.lock"))
    manifest = folder / "Cargo.toml"
    text = manifest.read_text()
    path = "../../rust/tvm-ffi"
    assert path in text
    manifest.write_text(text.replace(path, str(cargo_project.CRATES / "tvm-ffi")))
    return cargo_project.build(folder)


def test_the_program_runs_without_a_loader_path(built: Path) -> None:
    environment = {k: v for k, v in os.environ.items() if k != "LD_LIBRARY_PATH"}
    done = subprocess.run([built / "points"], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "points.Point(x=3, y=4)\n5\nValueError: no points have a middle\n"


def test_python_uses_the_library(built: Path) -> None:
    library = tvm_ffi.load_module(str(built / "libpoints.so"))

    @tvm_ffi.register_object("points.Point")
    class Point(tvm_ffi.Object):
        x: float
        y: float

    middle = library.middle([Point(0.0), Point(6.0, 8.0)])
    assert (middle.x, middle.y, middle.norm()) == (3.0, 4.0, 5.0)
    middle.x = 0.0
    assert middle.norm() == 4.0
    with pytest.raises(ValueError, match="no points have a middle"):
        library.middle([])
    with pytest.raises(
        TypeError, match=r"argument #0 when calling: `middle\(.*element 0: Cannot convert"
    ):
        library.middle([1])
