# SPDX-License-Identifier: Apache-2.0
"""How a kernel is launched."""

from __future__ import annotations

from typing import Any

# Scalar fields of LaunchConfig in the order in which they become operands of device_entry.
_SCALARS = (
    "dynamic_smem_bytes",
    "stream",
    "cooperative",
    "programmatic_stream_serialization",
    "cluster_scheduling_policy",
    "priority",
    "mem_sync_domain",
    "mem_sync_domain_map",
    "access_policy_window",
    "preferred_shared_memory_carveout",
    "nvlink_util_centric_scheduling",
    "portable_cluster_size_mode",
    "shared_memory_mode",
    "programmatic_event",
    "launch_completion_event",
)


def _dim3(name: str, value: Any) -> list[Any]:
    parts = list(value) if isinstance(value, (tuple, list)) else [value]
    if not 1 <= len(parts) <= 3:
        raise ValueError(f"{name} has one to three dimensions, got {len(parts)}")
    return parts + [1] * (3 - len(parts))


class _Record:
    """A value with named parts, each of which becomes an operand."""

    _parts: dict[str, Any] = {}

    def __init__(self, **values: Any) -> None:
        unknown = sorted(set(values) - set(self._parts))
        if unknown:
            raise TypeError(f"{type(self).__name__} has no field {unknown[0]!r}")
        for name, default in self._parts.items():
            if name not in values and default is ...:
                raise TypeError(f"{type(self).__name__} needs {name!r}")
            setattr(self, name, values.get(name, default))

    def fields(self) -> dict[str, Any]:
        """The parts by name."""
        return {name: getattr(self, name) for name in self._parts}


class AccessPolicyWindow(_Record):
    """Which part of global memory the L2 cache favours."""

    _parts = {
        "base_ptr": ...,
        "num_bytes": ...,
        "hit_ratio": 1.0,
        "hit_prop": "persisting",
        "miss_prop": "streaming",
    }


class MemSyncDomainMap(_Record):
    """Numbers of the memory synchronization domains."""

    _parts = {"default": 0, "remote": 1}


class ProgrammaticEvent(_Record):
    """An event that the kernel triggers."""

    _parts = {"event": ..., "flags": 0, "trigger_at_block_start": False}


class LaunchCompletionEvent(_Record):
    """An event that marks the completion of a launch."""

    _parts = {"event": ..., "flags": 0}


class LaunchConfig:
    """Grid, block and further attributes of a launch, for ``T.device_entry(launch=...)``.

    ``grid`` and ``block`` are one to three extents; what is None is left out."""

    def __init__(
        self,
        *,
        grid: Any,
        block: Any,
        cluster: Any = None,
        preferred_cluster: Any = None,
        **scalars: Any,
    ) -> None:
        unknown = sorted(set(scalars) - set(_SCALARS))
        if unknown:
            raise TypeError(f"LaunchConfig has no field {unknown[0]!r}")
        self.dims = {"grid": _dim3("grid", grid), "block": _dim3("block", block)}
        if cluster is not None:
            self.dims["cluster"] = _dim3("cluster", cluster)
        if preferred_cluster is not None:
            self.dims["preferred_cluster"] = _dim3("preferred_cluster", preferred_cluster)
        self.scalars = {name: scalars[name] for name in _SCALARS if scalars.get(name) is not None}

    def operands(self) -> tuple[list[Any], list[str]]:
        """The launch values, and the name of each."""
        values: list[Any] = []
        names: list[str] = []
        for name, parts in self.dims.items():
            values += parts
            names += [f"{name}.{axis}" for axis in "xyz"]
        for name, value in self.scalars.items():
            if isinstance(value, _Record):
                for part, content in value.fields().items():
                    values.append(content)
                    names.append(f"{name}.{part}")
            else:
                values.append(value)
                names.append(name)
        return values, names


class KernelAttributes:
    """Limits that the kernel is compiled for."""

    def __init__(
        self,
        *,
        min_blocks_per_sm: int | None = None,
        max_blocks_per_cluster: int | None = None,
        max_registers_per_thread: int | None = None,
        required_block_size: bool = False,
    ) -> None:
        self._values = {
            "min_blocks_per_sm": min_blocks_per_sm,
            "max_blocks_per_cluster": max_blocks_per_cluster,
            "max_registers_per_thread": max_registers_per_thread,
            "required_block_size": int(required_block_size),
        }

    def values(self) -> dict[str, int]:
        """The attributes that are set."""
        return {name: int(value) for name, value in self._values.items() if value is not None}
