# SPDX-License-Identifier: Apache-2.0
"""Runtimes that mix this project with published packages, made in ``build/third-party``.

One environment holds the third-party wheels. Which ``tvm_ffi`` they find is decided by
``PYTHONPATH``, one folder a runtime:

* ``kiln``: this project's package, as it is installed for the interpreter that runs the tests;
* ``published``: the published package, untouched;
* ``mixed``: the published package with this project's native libraries in the place of its own.

These tests download packages, so they run on request alone: ``./dev test --third-party``.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import astuple, dataclass
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
FOLDER = HERE.parents[2] / "build" / "third-party"

LIBRARIES = ["numpy", "ml_dtypes", "packaging", "typing-extensions", "pytest", "cloudpickle"]
# Installed without what they depend on: each would bring the published runtime along.
WHEELS = ["apache-tvm-ffi-orcjit==0.1.3", "apache-tvm-tirx==0.1.0a4"]
PUBLISHED = ["apache-tvm-ffi==0.1.15.post2"]
NATIVE = ("libtvm_ffi.so", "libtvm_ffi_testing.so")
RUNTIMES = ("published", "kiln", "mixed")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--third-party", action="store_true", help="test with published packages (downloads them)"
    )


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leaves this folder out of a run that did not ask for it."""
    return None if config.getoption("--third-party", default=False) else True


@dataclass
class Extension:
    """What this project's headers compiled: C++, linked and as an object file, and plain C."""

    library: Path
    object_file: Path
    c_object_file: Path


class Runtimes:
    """Runs the programs of this folder. Outputs are kept: comparisons need each of them twice."""

    def __init__(self, python: Path, extension: Extension) -> None:
        self._python = python
        self._extension = extension
        self._outputs: dict[tuple[str, str], str] = {}

    def output(self, runtime: str, program: str) -> str:
        """What ``programs/<program>.py`` prints under a runtime. Fails the test if it fails."""
        key = (runtime, program)
        if key not in self._outputs:
            environment = {
                name: value for name, value in os.environ.items() if not name.startswith("PYTHON")
            }
            source = HERE / "programs" / f"{program}.py"
            environment["PYTHONPATH"] = str(FOLDER / runtime)
            run = subprocess.run(
                [self._python, source, FOLDER / runtime, *astuple(self._extension)],
                capture_output=True,
                text=True,
                env=environment,
                cwd=FOLDER,
                timeout=600,
                check=False,
            )
            if run.returncode != 0:
                pytest.fail(
                    f"{program} under {runtime} ended with status {run.returncode}:\n"
                    f"{run.stdout[-2000:]}\n{run.stderr[-6000:]}",
                    pytrace=False,
                )
            self._outputs[key] = run.stdout
        return self._outputs[key]


def _pip(python: Path, *arguments: str) -> None:
    pip = [sys.executable, "-m", "pip", "--python", python, "--disable-pip-version-check"]
    subprocess.run([*pip, "install", "-q", *arguments], check=True)


def _make_environment() -> Path:
    """The environment of the wheels and the published package. Made again when the pins change."""
    python = FOLDER / "venv" / "bin" / "python"
    stamp = FOLDER / ".installed"
    want = " ".join([sys.version, *LIBRARIES, *WHEELS, *PUBLISHED])
    if stamp.exists() and stamp.read_text() == want:
        return python
    stamp.unlink(missing_ok=True)
    published = FOLDER / "published"
    shutil.rmtree(published, ignore_errors=True)
    make_venv = [sys.executable, "-m", "venv", "--clear", "--without-pip", FOLDER / "venv"]
    subprocess.run(make_venv, check=True)
    _pip(python, *LIBRARIES)
    _pip(python, "--no-deps", *WHEELS)
    _pip(python, "--no-deps", "--target", str(published), *PUBLISHED)
    stamp.write_text(want)
    return python


def _installed_package() -> Path:
    """This project's package, installed for the interpreter that runs the tests."""
    package = Path(sysconfig.get_paths()["platlib"]) / "tvm_ffi"
    if not (package / "lib" / NATIVE[0]).is_file():
        pytest.fail(f"no kiln-ffi in {package.parent}: run ./dev build", pytrace=False)
    return package


def _make_packages(package: Path) -> None:
    """The folders ``kiln`` and ``mixed``, from what is installed now."""
    for runtime in ("kiln", "mixed"):
        shutil.rmtree(FOLDER / runtime, ignore_errors=True)
    kiln, mixed = FOLDER / "kiln", FOLDER / "mixed"
    kiln.mkdir()
    for source in (package, *package.parent.glob("kiln_ffi-*.dist-info")):
        shutil.copytree(source, kiln / source.name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(FOLDER / "published", mixed)
    for name in NATIVE:
        theirs = mixed / "tvm_ffi" / "lib" / name
        assert theirs.is_file(), f"the published package has no {name} to replace"
        shutil.copyfile(package / "lib" / name, theirs)


def _compile_extension(package: Path) -> Extension:
    made = Extension(FOLDER / "extension.so", FOLDER / "extension.o", FOLDER / "object.o")
    flags = ["-O1", "-fPIC", "-fvisibility=hidden", f"-I{package / 'include'}"]
    cxx, cc = os.environ.get("CXX", "c++"), os.environ.get("CC", "cc")
    link = [f"-L{package / 'lib'}", "-ltvm_ffi"]
    for command in (
        [cxx, "-std=c++17", *flags, "-c", HERE / "extension.cc", "-o", made.object_file],
        [cxx, "-shared", made.object_file, "-o", made.library, *link],
        [cc, "-std=c99", *flags, "-c", HERE / "object.c", "-o", made.c_object_file],
    ):
        subprocess.run(command, check=True)
    return made


@pytest.fixture(scope="session")
def runtimes() -> Runtimes:
    FOLDER.mkdir(parents=True, exist_ok=True)
    package = _installed_package()
    python = _make_environment()
    _make_packages(package)
    return Runtimes(python, _compile_extension(package))
