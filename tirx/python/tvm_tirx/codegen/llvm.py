# SPDX-License-Identifier: Apache-2.0
"""What LLVM says about itself and about this machine."""

from __future__ import annotations

from .._ffi_functions import Functions

_target = Functions("target.")


def llvm_version_major() -> int:
    return int(_target.llvm_version_major())


def llvm_get_targets() -> list[str]:
    """Names of the targets that LLVM has code for."""
    return [str(name) for name in _target.llvm_get_targets()]


def llvm_get_cpu_archlist(triple: str = "") -> list[str]:
    """Names of the CPUs of a triple, this machine's by default."""
    return [str(name) for name in _target.llvm_get_cpu_archlist(triple)]


def llvm_get_features(triple: str = "") -> list[str]:
    """Names of the CPU features of a triple, this machine's by default."""
    return [str(name) for name in _target.llvm_get_features(triple)]


def llvm_get_system_triple() -> str:
    return str(_target.llvm_get_system_triple())


def llvm_get_system_cpu() -> str:
    return str(_target.llvm_get_system_cpu())


def llvm_get_system_features() -> list[str]:
    return [str(name) for name in _target.llvm_get_system_features()]
