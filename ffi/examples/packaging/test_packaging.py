# SPDX-License-Identifier: Apache-2.0
"""Builds the example's wheel, installs it into an environment of its own, and runs it as its README says."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A folder with the installed extension, and the wheel it came from."""
    out = tmp_path_factory.mktemp("wheel")
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "-q", "--no-build-isolation", "--no-deps"]
        + ["--wheel-dir", str(out), str(HERE)],
        check=True,
        env=environment,
    )
    (wheel,) = out.glob("*.whl")
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(out / "site")]
        + [str(wheel)],
        check=True,
    )
    return out / "site", wheel


def run(site, word):
    environment = {**os.environ, "PYTHONPATH": str(site[0])}
    return subprocess.run(
        [sys.executable, str(HERE / "run_example.py"), word],
        env=environment,
        capture_output=True,
        text=True,
    )


def test_wheel_serves_every_python(site):
    assert "-py3-none-" in site[1].name
    names = zipfile.ZipFile(site[1]).namelist()
    assert "my_ffi_extension/libmy_ffi_extension.so" in names
    assert "my_ffi_extension/py.typed" in names


def test_library_needs_no_python(site):
    library = site[0] / "my_ffi_extension" / "libmy_ffi_extension.so"
    needed = subprocess.run(["readelf", "-d", library], capture_output=True, text=True).stdout
    libraries = [
        line.split("[")[1].rstrip("]\n") for line in needed.splitlines() if "NEEDED" in line
    ]
    assert "libtvm_ffi.so" in libraries
    assert not [name for name in libraries if "python" in name]


def test_add_one(site):
    result = run(site, "add_one")
    assert result.returncode == 0, result.stderr
    assert result.stdout == "result: [2. 3. 4. 5. 6.]\n"


def test_int_pair(site):
    result = run(site, "int_pair")
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines() == [
        "pair.a = 1",
        "pair.b = 2",
        "pair.get_first() = 1",
        "IntPair.static_get_second(pair) = 2",
    ]


def test_raise_error_shows_python_and_cpp_frames(site):
    result = run(site, "raise_error")
    assert result.returncode == 1
    assert result.stderr.splitlines()[-1] == "RuntimeError: This is an error"
    assert 'run_example.py", line' in result.stderr
    assert "extension.cc" in result.stderr and "RaiseError" in result.stderr


@pytest.mark.parametrize(
    ("code", "kind", "text"),
    [
        ("add_one(np.zeros(3, 'float32'), np.zeros(4, 'float32'))", "ValueError", "3 elements"),
        ("add_one(np.zeros(3, 'int32'), np.zeros(3, 'int32'))", "TypeError", "must be float32"),
        ("add_one(np.zeros((2, 2), 'float32'), np.zeros(4, 'float32'))", "ValueError", "one dim"),
        ("IntPair('x', 2)", "TypeError", "#0"),
        ("raise_error(3)", "TypeError", "#0"),
    ],
)
def test_bad_input(site, code, kind, text):
    program = f"import numpy as np; from my_ffi_extension import *; {code}"
    environment = {**os.environ, "PYTHONPATH": str(site[0])}
    result = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True
    )
    assert result.returncode == 1, result.stdout + result.stderr
    last = result.stderr.splitlines()[-1]
    assert last.startswith(kind) and text in last, last
