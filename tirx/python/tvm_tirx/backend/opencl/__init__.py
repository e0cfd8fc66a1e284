# SPDX-License-Identifier: Apache-2.0
"""The opencl backend: ``T.opencl``."""

from __future__ import annotations


def register_backend() -> None:
    """Add the script namespace."""
    from ...tirx.script import OpNamespace, register_script_namespace

    register_script_namespace("opencl", OpNamespace("tirx.opencl."))
