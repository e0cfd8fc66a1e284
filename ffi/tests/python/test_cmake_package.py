# SPDX-License-Identifier: Apache-2.0
"""``find_package(tvm_ffi)`` from a project outside the tree."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import tvm_ffi

if shutil.which("cmake") is None or shutil.which("ninja") is None:
    pytest.skip("needs cmake and ninja", allow_module_level=True)

CMAKELISTS = """
cmake_minimum_required(VERSION 3.18)
project(demo LANGUAGES CXX)
find_package(tvm_ffi CONFIG REQUIRED)
add_library(demo SHARED demo.cc)
set_target_properties(demo PROPERTIES PREFIX "" CXX_VISIBILITY_PRESET hidden)
tvm_ffi_configure_target(demo ${ARGUMENTS})
tvm_ffi_install(demo DESTINATION .)
if(BAD_TARGET)
  tvm_ffi_configure_target(nobody)
endif()
"""

SOURCE = """
#include <tvm/ffi/function.h>
#ifndef TVM_FFI_C_API_H_
#error "the umbrella of the C interface is missing"
#endif
static int Twice(int x) { return 2 * x; }
TVM_FFI_DLL_EXPORT_TYPED_FUNC(twice, Twice);
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cmake_consumer")
    (folder / "CMakeLists.txt").write_text(CMAKELISTS)
    (folder / "demo.cc").write_text(SOURCE)
    return folder


def configure(project: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    cmake_dir = subprocess.run(
        [sys.executable, "-m", "tvm_ffi.config", "--cmakedir"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()
    command = ["cmake", "-G", "Ninja", "-S", str(project), "-B", str(project / "build")]
    command += [f"-Dtvm_ffi_ROOT={cmake_dir}", f"-DPython_EXECUTABLE={sys.executable}"]
    command += ["-DCMAKE_BUILD_TYPE=Debug"]
    settings = {"ARGUMENTS": "", "BAD_TARGET": "OFF"} | variables
    command += [f"-D{name}={value}" for name, value in settings.items()]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_consumer_builds_and_loads(project: Path) -> None:
    result = configure(project)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "CMAKE_CUDA_RUNTIME_LIBRARY" in result.stdout
    subprocess.run(["cmake", "--build", str(project / "build")], check=True)
    module = tvm_ffi.load_module(str(project / "build" / "demo.so"))
    assert module.twice(21) == 42


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ({"ARGUMENTS": "STUB_PKG;demo"}, "STUB_PKG and STUB_PREFIX need STUB_DIR"),
        ({"ARGUMENTS": "STUB_INIT;ON"}, "STUB_INIT needs STUB_DIR"),
        ({"ARGUMENTS": "STUB_DIR;stubs;STUB_PREFIX;a."}, "need STUB_INIT ON"),
        ({"ARGUMENTS": "LINK_SHRED;ON"}, "unknown arguments"),
        ({"BAD_TARGET": "ON"}, "target 'nobody' does not exist"),
    ],
)
def test_wrong_arguments_stop_the_configuration(
    project: Path, variables: dict[str, str], message: str
) -> None:
    result = configure(project, **variables)
    assert result.returncode != 0
    text = " ".join(result.stderr.split())
    assert "tvm_ffi_configure_target: " in text
    assert message in text


def test_stub_generator_runs_after_the_build(project: Path) -> None:
    result = configure(project, ARGUMENTS="STUB_DIR;stubs;STUB_INIT;ON")
    assert result.returncode == 0, result.stdout + result.stderr
    commands = (project / "build" / "build.ninja").read_text()
    assert f"-m tvm_ffi.stub.cli {project}/stubs --dlls" in commands
    assert "--init-lib demo --init-pypkg demo --init-prefix demo." in commands
