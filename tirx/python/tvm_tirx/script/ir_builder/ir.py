# SPDX-License-Identifier: Apache-2.0
"""Modules, and values that every dialect has."""

from __future__ import annotations

from ...tirx.script.values import (
    Lambda,
    constexpr,
    dtype,
    dynamic,
    meta_var,
    module_attrs,
    module_get_attr,
    module_global_infos,
    module_set_attr,
)

__all__ = [
    "Lambda",
    "constexpr",
    "dtype",
    "dynamic",
    "meta_var",
    "module_attrs",
    "module_get_attr",
    "module_global_infos",
    "module_set_attr",
]
