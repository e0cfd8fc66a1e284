# SPDX-License-Identifier: Apache-2.0
"""The webgpu backend: ``T.webgpu``."""

from __future__ import annotations


def register_backend() -> None:
    """Add the script namespace."""
    from ...tirx.script import OpNamespace, register_script_namespace

    register_script_namespace("webgpu", OpNamespace("tirx.webgpu."))
