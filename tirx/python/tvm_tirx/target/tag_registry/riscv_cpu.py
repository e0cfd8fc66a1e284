# SPDX-License-Identifier: Apache-2.0
"""RISC-V processors."""

from .registry import register_config

_COMMON = {"kind": "llvm", "keys": ["riscv_cpu", "cpu"], "device": "riscv_cpu"}

for _name, _bits, _abi in (
    ("sifive-e31", 32, "ilp32"),
    ("sifive-e76", 32, "ilp32"),
    ("sifive-u54", 64, "lp64d"),
    ("sifive-u74", 64, "lp64d"),
):
    register_config(
        f"riscv/{_name}",
        {
            **_COMMON,
            "model": _name,
            "mcpu": _name,
            "mabi": _abi,
            "mtriple": f"riscv{_bits}-unknown-linux-gnu",
        },
    )
for _name, _cpu in (("licheepi3a", "spacemit-x60"), ("spacemit-k3", "spacemit-x100")):
    register_config(
        f"riscv/{_name}",
        {
            **_COMMON,
            "num-cores": 8,
            "mtriple": "riscv64-unknown-linux-gnu",
            "mcpu": _cpu,
            "mfloat-abi": "hard",
            "mabi": "lp64d",
        },
    )
