# SPDX-License-Identifier: Apache-2.0
"""What LLVM says about itself and about this machine."""

from __future__ import annotations

from typing import Any

from .._ffi_functions import Functions, optional
from ..target import Target

_target = Functions("target.")


def version_major(allow_none: bool = False) -> int | None:
    """The major version of LLVM; without LLVM None or RuntimeError."""
    version = optional("target.llvm_version_major")
    if version is None:
        if allow_none:
            return None
        raise RuntimeError("LLVM version is not available, this build has no LLVM backend")
    return int(version())


def get_targets() -> list[str]:
    """Names of the targets that LLVM has code for."""
    return [str(name) for name in _target.llvm_get_targets()]


def backend_enabled(mtriple: str) -> bool:
    """Whether LLVM has code for a triple."""
    return bool(_target.llvm_backend_enabled(mtriple))


def _triple(target: Any) -> str:
    if target is None:
        target = Target.current()
    elif not isinstance(target, Target):
        target = Target(target)
    return "" if target is None else str(target.attrs.get("mtriple") or "")


def get_cpu_archlist(target: Any = None) -> list[str]:
    """Names of the CPUs of a target's triple, this machine's by default."""
    return [str(name) for name in _target.llvm_get_cpu_archlist(_triple(target))]


def is_valid_cpu(cpu: str, triple: str) -> bool:
    """Whether LLVM knows the CPU for the triple."""
    return cpu in [str(name) for name in _target.llvm_get_cpu_archlist(triple)]


def get_cpu_features(target: Any = None) -> dict[str, str]:
    """The CPU features that are on for a target, this machine by default."""
    target = _llvm_target(target)
    return {str(name): "" for name in _target.llvm_cpu_features(target)}


def _llvm_target(target: Any) -> Target:
    if target is None:
        target = Target.current()
    if target is None:
        return Target("llvm")
    return target if isinstance(target, Target) else Target(target)


def cpu_has_features(cpu_features: Any, target: Any = None) -> bool:
    """Whether all the features are on for a target, this machine by default."""
    wanted = [cpu_features] if isinstance(cpu_features, str) else list(cpu_features)
    present = get_cpu_features(target)
    return all(name in present for name in wanted)


def get_vector_width(target: Any = None) -> int:
    """Bits of the vector registers that code for a target uses."""
    return int(_target.llvm_get_vector_width(_llvm_target(target)))


def get_system_triple() -> str:
    """The triple of this machine."""
    return str(_target.llvm_get_system_triple())


def get_system_cpu() -> str:
    """The CPU of this machine by its name in LLVM."""
    return str(_target.llvm_get_system_cpu())


def get_system_x86_vendor() -> str:
    """``amd``, ``intel``, ``other``, or ``unimplemented`` on other architectures."""
    import platform

    if platform.machine().lower() not in ("x86_64", "amd64", "i386", "i686"):
        return "unimplemented"
    try:
        with open("/proc/cpuinfo") as stream:
            text = stream.read()
    except OSError:
        return "other"
    if "AuthenticAMD" in text:
        return "amd"
    return "intel" if "GenuineIntel" in text else "other"


def lookup_intrinsic_id(name: str) -> int:
    """The number of an intrinsic, 0 when LLVM has none of the name."""
    return int(_target.llvm_lookup_intrinsic_id(name))


def get_intrinsic_name(intrin_id: int) -> str:
    """The name of an intrinsic by its number."""
    return str(_target.llvm_get_intrinsic_name(intrin_id))
