# SPDX-License-Identifier: Apache-2.0
"""The namespace ``T.cuda``."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from ...tirx.layout import Axes
from ...tirx.script.op_namespace import OpNamespace
from ...tirx.thread_scope import as_thread_scope
from . import launch, tile
from .op import (
    TCGen05InstrDescriptorAttrs,
    TCGen05InstrDescriptorBlockScaledAttrs,
    TensorMapEncodeTiledAttr,
    reductions,
    sm100_2sm_leader_smem_addr,
)

_AXES = "bx by bz cbx cby cbz tx warpid laneid wgid tid_in_wg wid_in_wg TCol TLane".split()


def _thread_scope(name: str) -> Any:
    """A CUDA thread scope by its name, with or without ``cuda.``."""
    return as_thread_scope(name, "cuda")


def cuda_namespace() -> OpNamespace:
    """A new ``T.cuda``."""
    extras = {
        "Axis": Axes(tuple(_AXES)),
        "ThreadScope": _thread_scope,
        "LaunchConfig": launch.LaunchConfig,
        "KernelAttributes": launch.KernelAttributes,
        "AccessPolicyWindow": launch.AccessPolicyWindow,
        "MemSyncDomainMap": launch.MemSyncDomainMap,
        "ProgrammaticEvent": launch.ProgrammaticEvent,
        "LaunchCompletionEvent": launch.LaunchCompletionEvent,
        "TCGen05InstrDescriptorAttrs": TCGen05InstrDescriptorAttrs,
        "TCGen05InstrDescriptorBlockScaledAttrs": TCGen05InstrDescriptorBlockScaledAttrs,
        "TensorMapEncodeTiledAttr": TensorMapEncodeTiledAttr,
        "sm100_2sm_leader_smem_addr": sm100_2sm_leader_smem_addr,
        **reductions(),
        "tile": SimpleNamespace(apply=tile.apply, ewise=tile.ewise),
    }
    return OpNamespace("tirx.cuda.", extras)
