# SPDX-License-Identifier: Apache-2.0
"""Python stubs."""

from .generator import PythonGenerator

__all__ = ["PythonGenerator"]
