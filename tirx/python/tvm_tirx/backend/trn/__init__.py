# SPDX-License-Identifier: Apache-2.0
"""The Trainium backend: ``T.trn`` and ``T.nki``."""

from __future__ import annotations

from typing import Any


def register_backend() -> None:
    """Add the script namespaces."""
    from ...tirx.layout import Axes
    from ...tirx.script import OpNamespace, register_script_namespace
    from ...tirx.thread_scope import as_thread_scope
    from .tile import tile_namespace

    nki_defaults: dict[str, dict[str, Any]] = {
        "activation": {"bias": 0.0, "scale": 1.0},
        "activation_reduce": {"bias": 0.0, "scale": 1.0},
        "matmul": {"accum": True},
        "scalar_tensor_scalar": {"reverse0": False, "reverse1": False},
        "scalar_tensor_tensor": {"reverse0": False, "reverse1": False},
        "tensorscalar": {"reverse": False},
        "tensorscalar_reduce": {"reverse": False},
    }
    extras = {
        "Axis": Axes(("P", "F", "Bank")),
        "ThreadScope": lambda name: as_thread_scope(name, "trn"),
        "tile": tile_namespace(),
    }
    register_script_namespace("trn", OpNamespace("tirx.trn.", extras))
    register_script_namespace("nki", OpNamespace("tirx.nki.", defaults=nki_defaults))
