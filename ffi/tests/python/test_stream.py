# SPDX-License-Identifier: Apache-2.0
"""The current stream of a device."""

from __future__ import annotations

import ctypes
import importlib.util
import threading

import pytest
import tvm_ffi
from tvm_ffi import get_raw_stream, use_raw_stream

CUDA = tvm_ffi.device("cuda:1")


def test_context_sets_and_restores() -> None:
    assert get_raw_stream(CUDA) == 0
    with use_raw_stream(CUDA, 1234):
        assert get_raw_stream(CUDA) == 1234
        with use_raw_stream(CUDA, 2**48 + 5):
            assert get_raw_stream(CUDA) == 2**48 + 5
        assert get_raw_stream(CUDA) == 1234
        assert get_raw_stream(tvm_ffi.device("cuda:0")) == 0
    assert get_raw_stream(CUDA) == 0


def test_context_restores_after_an_error() -> None:
    with pytest.raises(KeyError):
        with use_raw_stream(CUDA, 7):
            raise KeyError("x")
    assert get_raw_stream(CUDA) == 0


def test_one_context_can_be_entered_twice() -> None:
    context = use_raw_stream(CUDA, 5)
    with context:
        with use_raw_stream(CUDA, 6), context:
            assert get_raw_stream(CUDA) == 5
        assert get_raw_stream(CUDA) == 5
    assert get_raw_stream(CUDA) == 0


@pytest.mark.parametrize(("pointer", "value"), [(ctypes.c_void_p(99), 99), (ctypes.c_void_p(), 0)])
def test_ctypes_pointers(pointer: ctypes.c_void_p, value: int) -> None:
    with use_raw_stream(CUDA, pointer):
        assert get_raw_stream(CUDA) == value


@pytest.mark.parametrize("stream", ["1", 1.5, None, b"x"])
def test_other_values_raise(stream: object) -> None:
    with pytest.raises(ValueError, match="stream"):
        use_raw_stream(CUDA, stream)


def test_addresses_and_devices_are_checked() -> None:
    with pytest.raises(OverflowError, match="can't be negative: -1"):
        use_raw_stream(CUDA, -1)
    with pytest.raises(OverflowError):
        use_raw_stream(CUDA, 2**64).__enter__()
    for use in (lambda device: use_raw_stream(device, 0), get_raw_stream):
        with pytest.raises(TypeError, match="expected a Device, got str"):
            use("cuda:0")


def test_streams_belong_to_threads() -> None:
    seen: list[int] = []

    def other() -> None:
        seen.append(get_raw_stream(CUDA))
        with use_raw_stream(CUDA, 55):
            seen.append(get_raw_stream(CUDA))

    with use_raw_stream(CUDA, 44):
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
        assert get_raw_stream(CUDA) == 44
    assert seen == [0, 55]


@pytest.mark.skipif(importlib.util.find_spec("torch") is not None, reason="torch is there")
def test_torch_streams_need_torch() -> None:
    with pytest.raises(ImportError, match="Cannot import torch"):
        tvm_ffi.use_torch_stream()
