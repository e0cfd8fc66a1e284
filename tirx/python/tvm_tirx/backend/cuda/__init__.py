# SPDX-License-Identifier: Apache-2.0
"""The CUDA backend: ``T.cuda``, ``T.ptx``, ``T.ptx_legacy``, ``T.nvshmem``, ``T.s_tir``."""

from __future__ import annotations


def register_backend() -> None:
    """Add the script namespaces."""
    from ...tirx.script import OpNamespace, register_script_namespace
    from .ptx import PTXNamespace
    from .script import cuda_namespace

    register_script_namespace("cuda", cuda_namespace())
    register_script_namespace("ptx", PTXNamespace())
    register_script_namespace("ptx_legacy", OpNamespace("tirx.ptx_legacy."))
    register_script_namespace("s_tir", OpNamespace("tirx.s_tir."))
    register_script_namespace(
        "nvshmem",
        OpNamespace("tirx.nvshmem.", defaults={"wait_until": {"type": "uint64_t"}}),
    )
