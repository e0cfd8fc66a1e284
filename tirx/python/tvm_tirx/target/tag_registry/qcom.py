# SPDX-License-Identifier: Apache-2.0
"""Qualcomm: Hexagon and Adreno."""

from typing import Any

from .registry import register_config

#: Version: bytes of VTCM, further features, options of LLVM.
_FLOAT = ["+hvx-qfloat", "-hvx-ieee-fp"]
_HEXAGON: dict[str, tuple[int, list[str], list[str]]] = {
    "v65": (262144, [], []),
    "v66": (262144, [], []),
    "v68": (4194304, _FLOAT, ["-force-hvx-float"]),
    "v69": (8388608, _FLOAT, []),
    "v73": (8388608, _FLOAT, []),
    "v75": (8388608, _FLOAT, []),
}

for _version, (_vtcm, _features, _options) in _HEXAGON.items():
    _config: dict[str, Any] = {
        "kind": "hexagon",
        "keys": ["hexagon", "cpu"],
        "mtriple": "hexagon",
        "mcpu": f"hexagon{_version}",
        "mattr": [f"+hvx{_version}", "+hvx-length128b", *_features],
        "num-cores": 4,
        "vtcm-capacity": _vtcm,
    }
    if _options:
        _config["llvm-options"] = _options
    register_config(f"qcom/hexagon-{_version}", _config)

for _kind, _variants in (("opencl", ("", "clml", "texture")), ("vulkan", ("", "texture"))):
    for _variant in _variants:
        _keys = ["adreno", _kind, "gpu"] + ([_variant] if _variant else [])
        register_config(
            f"qcom/adreno-{_kind}" + (f"-{_variant}" if _variant else ""),
            {"kind": _kind, "device": "adreno", "keys": _keys},
        )
