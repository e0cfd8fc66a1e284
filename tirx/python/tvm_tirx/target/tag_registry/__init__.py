# SPDX-License-Identifier: Apache-2.0
"""The tags that are known without further packages."""

from . import aws_cpu, nvidia, qcom, registry, riscv_cpu
from .registry import list_tags, register_tag

__all__ = ["aws_cpu", "list_tags", "nvidia", "qcom", "register_tag", "registry", "riscv_cpu"]
