# SPDX-License-Identifier: Apache-2.0
"""Compilers, their flags, and GPU toolkits."""

from __future__ import annotations

import functools
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from .. import libinfo

IS_WINDOWS = sys.platform == "win32"

# Capabilities of devices, for drivers whose nvidia-smi can't tell them.
_CAPABILITY_BY_NAME = {"A100": "8.0", "A10": "8.6"}
# Variables that change what a compiler includes or links.
_COMPILER_ENVIRONMENT = (
    "CPATH",
    "C_INCLUDE_PATH",
    "CPLUS_INCLUDE_PATH",
    "LIBRARY_PATH",
    "COMPILER_PATH",
    "GCC_EXEC_PREFIX",
    "NVCC_PREPEND_FLAGS",
    "NVCC_APPEND_FLAGS",
    "SOURCE_DATE_EPOCH",
)


def c_compiler() -> list[str]:
    """Command of the C compiler: ``$CC``."""
    return shlex.split(os.environ.get("CC", "")) or ["cc"]


def cxx_compiler() -> list[str]:
    """Command of the C++ compiler: ``$CXX``."""
    return shlex.split(os.environ.get("CXX", "")) or ["c++"]


@functools.cache
def _version_text(path: str, mtime_ns: int, size: int) -> str:
    done = subprocess.run(
        [path, "--version"],
        capture_output=True,
        text=True,
        errors="replace",
        stdin=subprocess.DEVNULL,
    )
    return done.stdout + done.stderr


def compiler_identity(command: Sequence[str]) -> str:
    """Text that changes when another compiler would run: path, version, environment."""
    path = shutil.which(command[0])
    if path is None:
        raise RuntimeError(
            f"the compiler {command[0]!r} was not found; install one, or name it by CC, CXX or "
            "CUDA_HOME"
        )
    stat = os.stat(path)
    version = _version_text(path, stat.st_mtime_ns, stat.st_size)
    environment = [f"{name}={os.environ.get(name)}" for name in _COMPILER_ENVIRONMENT]
    return "\n".join([*command, os.path.realpath(path), version, *environment])


def _home(variables: Sequence[str], tool: str, default: str) -> Path:
    for variable in variables:
        value = os.environ.get(variable)
        if value:
            return Path(value)
    found = shutil.which(tool)
    if found is not None:
        return Path(found).resolve().parent.parent
    if Path(default).is_dir():
        return Path(default)
    raise RuntimeError(
        f"{tool} was not found: GPU sources need it; set {variables[0]} to the folder of its "
        "toolkit"
    )


def cuda_home() -> Path:
    """Folder of the CUDA toolkit."""
    return _home(("CUDA_HOME", "CUDA_PATH"), "nvcc", "/usr/local/cuda")


def rocm_home() -> Path:
    """Folder of ROCm."""
    return _home(("ROCM_HOME", "ROCM_PATH"), "hipcc", "/opt/rocm")


def check_backend(backend: str | None) -> None:
    """``ValueError`` unless ``backend`` is None, ``"cuda"`` or ``"hip"``."""
    if backend not in (None, "cuda", "hip"):
        raise ValueError(f"Invalid backend: {backend}. It must be 'cuda', 'hip' or None")


def gpu_backend(backend: str | None) -> str:
    """The backend of ``.cu`` sources: ``"cuda"`` or ``"hip"``."""
    check_backend(backend)
    if backend is not None:
        return backend
    named = os.environ.get("TVM_FFI_GPU_BACKEND")
    if named:
        check_backend(named)
        return named
    torch = sys.modules.get("torch")
    if torch is not None:
        if torch.version.hip is not None:
            return "hip"
        if torch.version.cuda is not None:
            return "cuda"
    if shutil.which("hipcc") is not None and shutil.which("nvcc") is None:
        return "hip"
    return "cuda"


def _output_of(command: Sequence[str]) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout if done.returncode == 0 else ""


def cuda_capabilities() -> list[str]:
    """Compute capabilities to build for, such as ``"9.0a"``."""
    listed = os.environ.get("TVM_FFI_CUDA_ARCH_LIST", "").split()
    for entry in listed:
        if re.fullmatch(r"\d+\.\d[a-z]?", entry) is None:
            raise ValueError(f"Invalid CUDA architecture: {entry}. Expected a form like 9.0a")
    if listed:
        return listed
    capability = _output_of(["nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader"])
    found = re.findall(r"^\s*(\d+\.\d)\s*$", capability, re.MULTILINE)
    if found:
        return sorted(set(found))
    names = _output_of(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"])
    for name, value in _CAPABILITY_BY_NAME.items():
        if re.search(rf"\b{name}\b", names):
            return [value]
    raise RuntimeError(
        "the compute capability of the GPU is unknown; set TVM_FFI_CUDA_ARCH_LIST, for example 9.0"
    )


def _rocm_architectures() -> list[str]:
    listed = os.environ.get("TVM_FFI_ROCM_ARCH_LIST", "").split()
    if listed:
        return listed
    bin_dir = rocm_home() / "bin"
    for tool in ("rocm_agent_enumerator", "rocminfo"):
        found = re.findall(r"\bgfx[0-9a-f]+\b", _output_of([str(bin_dir / tool)]))
        found = sorted({name for name in found if name != "gfx000"})
        if found:
            return found
    raise RuntimeError("the GPU architecture is unknown; set TVM_FFI_ROCM_ARCH_LIST")


def gpu_compiler(backend: str) -> tuple[list[str], list[str]]:
    """Command of the GPU compiler and its default flags."""
    if backend == "hip":
        flags = [f"--offload-arch={name}" for name in _rocm_architectures()]
        return [str(rocm_home() / "bin" / "hipcc")], ["-fPIC", "-std=c++17", "-O2", *flags]
    nvcc = cuda_home() / "bin" / "nvcc"
    if not nvcc.is_file():
        raise RuntimeError(
            f"{nvcc} was not found: CUDA sources need the CUDA toolkit; set CUDA_HOME to its folder"
        )
    flags = []
    for capability in cuda_capabilities():
        number = capability.replace(".", "")
        flags.append(f"-gencode=arch=compute_{number},code=sm_{number}")
    return [str(nvcc)], ["-Xcompiler", "-fPIC", "-std=c++17", "-O2", *flags]


def c_flags() -> list[str]:
    """Default flags of C sources."""
    return ["-fPIC", "-O2"]


def cxx_flags() -> list[str]:
    """Default flags of C++ sources."""
    return ["-std=c++17", "-fPIC", "-O2"]


def link_flags(backend: str | None) -> list[str]:
    """Default flags of the linker; ``backend`` is that of the GPU sources, None without any."""
    library = Path(libinfo.find_libtvm_ffi())
    flags = ["-shared", f"-L{library.parent}", "-ltvm_ffi"]
    if backend == "cuda":
        flags += [f"-L{cuda_home() / 'lib64'}", "-lcudart"]
    elif backend == "hip":
        flags += [f"-L{rocm_home() / 'lib'}", "-lamdhip64"]
    return flags
