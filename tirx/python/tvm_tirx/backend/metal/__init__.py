# SPDX-License-Identifier: Apache-2.0
"""The Metal backend: ``T.metal``."""

from __future__ import annotations


def register_backend() -> None:
    """Add the script namespace."""
    from ...tirx.script import OpNamespace, register_script_namespace

    defaults = {
        "make_filled_simdgroup_matrix": {"col": 8, "row": 8},
        "simdgroup_load": {"col": 8, "row": 8, "transpose_matrix": False},
        "simdgroup_store": {"col": 8, "row": 8, "transpose_matrix": False},
        "cooperative_tensor_load": {
            "transpose_matrix": False,
            "mma_M": 0,
            "mma_N": 0,
            "mma_K": 0,
            "operand_role": 0,
        },
        "cooperative_tensor_store": {
            "transpose_matrix": False,
            "mma_M": 0,
            "mma_N": 0,
            "mma_K": 0,
            "operand_role": 0,
        },
    }
    register_script_namespace("metal", OpNamespace("tirx.metal.", defaults=defaults))
