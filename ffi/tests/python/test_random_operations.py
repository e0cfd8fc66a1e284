# SPDX-License-Identifier: Apache-2.0
"""Some rounds of random_operations.py, which finds more in longer runs with a sanitizer."""

from __future__ import annotations

import pytest
import random_operations


@pytest.mark.parametrize("seed", range(20))
def test_random_operations(seed):
    random_operations.run(seed, 300)
    assert not random_operations.world.pool
