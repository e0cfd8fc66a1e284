# SPDX-License-Identifier: Apache-2.0
"""What the running interpreter does differently, for tests of lifetimes."""

from __future__ import annotations

import sys

import pytest

WITHOUT_GIL = not getattr(sys, "_is_gil_enabled", lambda: True)()

# CPython 3.13 without a GIL makes classes and functions immortal once a thread was started.
classes_may_die = pytest.mark.skipif(
    WITHOUT_GIL and sys.version_info < (3, 14),
    reason="CPython 3.13 without a GIL never frees classes and functions",
)
memory_is_freed_at_once = pytest.mark.skipif(
    WITHOUT_GIL, reason="CPython without a GIL frees memory some time later"
)
