# SPDX-License-Identifier: Apache-2.0
"""Cargo projects outside of the workspace, as users have them, with one target folder."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
import tvm_ffi.libinfo

ROOT = Path(__file__).resolve().parents[3]
CRATES = ROOT / "ffi" / "rust"
TARGET = ROOT / "build" / "rust-projects"
LIBDIR = Path(tvm_ffi.libinfo.find_libtvm_ffi()).parent

MANIFEST = """
[workspace]

[package]
name = "{name}"
version = "0.0.0"
edition = "2021"

{target}

[dependencies]
tvm-ffi = {{ path = "{crate}" }}

[lints.rust]
warnings = "deny"

[profile.dev]
debug = 0
"""


def write(folder: Path, name: str, files: dict[str, str], target: str = "") -> None:
    """Writes a package of this name with ``src/<file>`` for each file."""
    (folder / "src").mkdir(parents=True, exist_ok=True)
    manifest = MANIFEST.format(name=name, target=target, crate=CRATES / "tvm-ffi")
    (folder / "Cargo.toml").write_text(manifest)
    for file, text in files.items():
        (folder / "src" / file).write_text(text)


def cargo(folder: Path, *command: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Runs cargo in a project, with the library's folder in the environment alone."""
    if shutil.which("cargo") is None:
        pytest.skip("needs cargo")
    if not (folder / "Cargo.lock").exists():
        shutil.copy(CRATES / "Cargo.lock", folder / "Cargo.lock")
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in ("LD_LIBRARY_PATH", "RUSTFLAGS")
    }
    environment |= {"TVM_FFI_LIB_DIR": str(LIBDIR), "CARGO_TARGET_DIR": str(TARGET)}
    # No other environment's tvm-ffi-config: it would come first.
    paths = [
        p for p in os.environ["PATH"].split(os.pathsep) if not (Path(p) / "tvm-ffi-config").exists()
    ]
    environment["PATH"] = os.pathsep.join(paths)
    done = subprocess.run(
        ["cargo", *command],
        cwd=folder,
        env=environment | variables,
        capture_output=True,
        text=True,
    )
    if "no matching package" in done.stderr or "failed to download" in done.stderr:
        pytest.skip("the crates' dependencies are not at hand")
    return done


def build(folder: Path, *arguments: str) -> Path:
    """Builds a project. Returns the folder of what it makes."""
    done = cargo(folder, "build", "--quiet", *arguments)
    assert done.returncode == 0, done.stderr
    return TARGET / "debug"
