# SPDX-License-Identifier: Apache-2.0
"""The CUDA headers of C++ against those of CUDA, and what they say where no driver is."""

from __future__ import annotations

import ctypes.util
import importlib.util
import subprocess
from pathlib import Path

import pytest
from tvm_ffi import libinfo

SOURCE = r"""
#include <tvm/ffi/extra/cuda/cubin_launcher.h>
#include <tvm/ffi/extra/cuda/device_guard.h>

#include <cstdio>

template <typename F>
void Say(F body) {
  try {
    body();
    std::puts("nothing");
  } catch (const tvm::ffi::Error& error) {
    std::printf("%s: %s\n", error.kind().c_str(), error.message().c_str());
  }
}

int main() {
  Say([] { tvm::ffi::CubinModule module("no cubin"); });
  Say([] { tvm::ffi::CUDADeviceGuard guard(1); });
}
"""


def _cuda() -> Path:
    try:
        spec = importlib.util.find_spec("nvidia.cuda_runtime")
    except ModuleNotFoundError:
        spec = None
    if spec is None or not spec.submodule_search_locations:
        pytest.skip("no nvidia-cuda-runtime-cu12 in this environment")
    return Path(next(iter(spec.submodule_search_locations))).parent


def _compile(source: Path, driver_api: int, *more: str) -> None:
    cuda = _cuda()
    includes = [
        f"-I{folder}"
        for folder in (
            libinfo.find_include_path(),
            libinfo.find_dlpack_include_path(),
            cuda / "cuda_runtime" / "include",
            cuda / "cuda_nvcc" / "include",
        )
    ]
    api = f"-DTVM_FFI_CUBIN_LAUNCHER_USE_DRIVER_API={driver_api}"
    subprocess.run(["g++", "-std=c++17", api, *includes, str(source), *more], check=True)


@pytest.mark.parametrize("driver_api", [0, 1])
def test_compiles_for_both_interfaces(tmp_path: Path, driver_api: int) -> None:
    source = tmp_path / "program.cc"
    source.write_text(SOURCE)
    _compile(source, driver_api, "-fsyntax-only")


def test_says_what_is_missing_without_a_driver(tmp_path: Path) -> None:
    if ctypes.util.find_library("cuda") is not None:
        pytest.skip("this machine has a driver")
    source = tmp_path / "program.cc"
    source.write_text(SOURCE)
    ours = Path(libinfo.find_libtvm_ffi()).parent
    theirs = _cuda() / "cuda_runtime" / "lib"
    program = tmp_path / "program"
    libraries = [str(theirs / "libcudart.so.12"), f"-L{ours}", "-ltvm_ffi"]
    paths = [f"-Wl,-rpath,{folder}" for folder in (ours, theirs)]
    _compile(source, 0, *libraries, *paths, "-o", str(program))
    said = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    reason = "cudaErrorInsufficientDriver (35): CUDA driver version is insufficient"
    module, guard = said.splitlines()
    assert module.startswith(f"RuntimeError: CUDA Error: {reason}")
    assert guard.startswith(f"RuntimeError: CUDA Runtime Error: {reason}")
