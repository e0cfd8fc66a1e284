# SPDX-License-Identifier: Apache-2.0
"""The wheel: what is in it, what its library needs, and that it runs as the README says."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent

# The loader, libc and the C++ runtime; libtvm_ffi.so comes with the package that the wheel requires.
ALLOWED = {
    "libtvm_ffi.so",
    "libstdc++.so.6",
    "libgcc_s.so.1",
    "libm.so.6",
    "libc.so.6",
    "libpthread.so.0",
    "libdl.so.2",
}


def dynamic_section(library) -> str:
    command = ["readelf", "--wide", "-d", str(library)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_wheel_serves_every_python(installed):
    assert re.search(r"-py3-none-(linux|macosx)_\w+\.whl$", installed.wheel.name)
    with zipfile.ZipFile(installed.wheel) as wheel:
        names = wheel.namelist()
        (metadata,) = [name for name in names if name.endswith(".dist-info/METADATA")]
        fields = Parser().parsestr(wheel.read(metadata).decode())
    assert sorted(name for name in names if name.startswith("my_ffi_extension/")) == [
        "my_ffi_extension/__init__.py",
        "my_ffi_extension/_ffi_api.py",
        "my_ffi_extension/base.py",
        "my_ffi_extension/libmy_ffi_extension.so",
        "my_ffi_extension/py.typed",
    ]
    assert fields["Requires-Dist"] == "kiln-ffi"
    assert "A C++ extension in one wheel" in fields.get_payload()


@pytest.mark.skipif(shutil.which("readelf") is None, reason="no readelf on PATH")
def test_library_needs_libtvm_ffi_and_the_runtime_alone(installed):
    section = dynamic_section(installed.library)
    needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", section))
    extra = {name for name in needed - ALLOWED if not name.startswith("ld-linux")}
    assert not extra
    assert "libtvm_ffi.so" in needed
    assert "RUNPATH" not in section and "RPATH" not in section, "a folder of this machine"


@pytest.mark.skipif(shutil.which("nm") is None, reason="no nm on PATH")
def test_library_asks_for_no_python_symbol_and_exports_its_functions_alone(installed):
    command = ["nm", "-D", "--format=posix", str(installed.library)]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    wanted = [line.split()[0] for line in lines if line.split()[1] == "U"]
    exported = [line.split()[0] for line in lines if line.split()[1] == "T"]
    assert not [name for name in wanted if name.startswith(("Py", "_Py"))]
    assert [name for name in exported if name.startswith("__tvm_ffi_")] == ["__tvm_ffi_add_one"]
    assert not [name for name in exported if "my_ffi_extension" in name]


def test_add_one(installed):
    result = installed.python("run_example.py", "add_one")
    assert result.returncode == 0, result.stderr
    assert result.stdout == "result: [2. 3. 4. 5. 6.]\n"


def test_int_pair(installed):
    result = installed.python("run_example.py", "int_pair")
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines() == [
        "pair.a = 1",
        "pair.b = 2",
        "pair.get_first() = 1",
        "IntPair.static_get_second(pair) = 2",
    ]


def test_raise_error_shows_python_and_cpp_frames(installed):
    result = installed.python("run_example.py", "raise_error")
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
        ("IntPair.static_get_second(None)", "TypeError", "got `None`"),
        ("raise_error(3)", "TypeError", "#0"),
    ],
)
def test_bad_input(installed, code, kind, text):
    result = installed.python("-c", f"import numpy as np; from my_ffi_extension import *; {code}")
    assert result.returncode == 1, result.stdout + result.stderr
    last = result.stderr.splitlines()[-1]
    assert last.startswith(kind) and text in last, last


def test_editable_install_uses_the_files_in_place(tmp_path):
    """What pip leaves out of an editable install, the library, is found beside it."""
    project = tmp_path / "project"
    shutil.copytree(HERE, project, ignore=shutil.ignore_patterns("target", "__pycache__", "dist"))
    venv = tmp_path / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(venv)], check=True)
    python = str(venv / "bin" / "python")
    (site,) = venv.glob("lib/python*/site-packages")
    # kiln-ffi and scikit-build-core as they are installed here.
    (site / "here.pth").write_text(sysconfig.get_paths()["platlib"] + "\n")
    flags = ["-q", "--no-build-isolation", "--no-deps", "-e", str(project)]
    command = [sys.executable, "-m", "pip", "--python", python, "install", *flags]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    tools = {**os.environ, "PATH": path, "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    done = subprocess.run(command, env=tools, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    question = "import my_ffi_extension as m; print(m.__file__, m.IntPair(1, 2).b)"
    result = subprocess.run([python, "-c", question], capture_output=True, text=True)
    package = project / "python" / "my_ffi_extension" / "__init__.py"
    assert result.stdout == f"{package} 2\n", result.stderr


def test_generated_parts_are_current(installed):
    for target, path in [
        ("python", "python"),
        ("rust", "programs/rust/src/int_pair.rs"),
    ]:
        command = ["-m", "tvm_ffi.stub.cli", "--check", "--target", target]
        result = installed.python(*command, "--imports", "my_ffi_extension", path)
        assert result.returncode == 0, result.stdout + result.stderr


def test_type_checkers_see_the_generated_parts(installed, tmp_path):
    if importlib_missing("mypy"):
        pytest.skip("mypy is not installed; `./dev lint` installs it")
    program = tmp_path / "program.py"
    program.write_text(
        "from my_ffi_extension import IntPair\n"
        "pair = IntPair(1, 2)\n"
        "reveal_type(pair.a)\n"
        "reveal_type(IntPair.static_get_second(pair))\n"
        "IntPair('x', 2)\n"
        "pair.c\n"
    )
    result = installed.python("-m", "mypy", "--cache-dir", str(tmp_path / "cache"), str(program))
    found = [line.partition(": ")[2] for line in result.stdout.splitlines()[:4]]
    assert found[:2] == ['note: Revealed type is "int"'] * 2, result.stdout
    assert 'incompatible type "str"' in found[2]
    assert '"IntPair" has no attribute "c"' in found[3]


def importlib_missing(module: str) -> bool:
    command = [sys.executable, "-c", f"import {module}"]
    return subprocess.run(command, capture_output=True).returncode != 0
