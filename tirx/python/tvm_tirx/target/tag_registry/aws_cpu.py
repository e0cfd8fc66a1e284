# SPDX-License-Identifier: Apache-2.0
"""AWS instances: processors and cores."""

from .registry import register_config

_C5 = {
    "large": (1, "skylake-avx512"),
    "xlarge": (2, "skylake-avx512"),
    "2xlarge": (4, "skylake-avx512"),
    "4xlarge": (8, "skylake-avx512"),
    "9xlarge": (18, "skylake-avx512"),
    "12xlarge": (24, "cascadelake"),
    "18xlarge": (36, "skylake-avx512"),
    "24xlarge": (48, "cascadelake"),
}

for _size, (_cores, _cpu) in _C5.items():
    register_config(
        f"aws/cpu/c5.{_size}",
        {"kind": "llvm", "keys": ["x86", "cpu"], "mcpu": _cpu, "num-cores": _cores},
    )
for _size, _cores in (("2xlarge", 2), ("32xlarge", 32)):
    register_config(
        f"aws/trn1/trn1.{_size}",
        {
            "kind": "trn",
            "partition_size": 128,
            "max_sbuf_size_per_partition": 196608,
            "max_psum_size_per_partition": 16384,
            "num-cores": _cores,
        },
    )
