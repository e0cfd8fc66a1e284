# SPDX-License-Identifier: Apache-2.0
"""The current stream of a device, which native code asks for."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from . import core
from ._tensor import device

if TYPE_CHECKING:
    from ctypes import c_void_p


def _check_device(device: Any) -> None:
    if not hasattr(device, "dlpack_device_type"):
        raise TypeError(f"expected a Device, got {type(device).__name__}")


class StreamContext:
    """Makes ``stream`` the current stream of ``device`` on this thread while it is entered.

    Not owned: the stream must live as long as the context is entered.
    """

    def __init__(self, device: core.Device, stream: int | c_void_p) -> None:
        value = stream if isinstance(stream, int) else getattr(stream, "value", None)
        if value is not None and value < 0:
            raise OverflowError(f"the address of a stream can't be negative: {value}")
        _check_device(device)
        self.device_type = device.dlpack_device_type()
        self.device_id = device.index
        self.stream = 0 if value is None else int(value)
        self._previous: list[int] = []

    def __enter__(self) -> StreamContext:
        old = core._env_set_current_stream(self.device_type, self.device_id, self.stream)
        self._previous.append(old)
        return self

    def __exit__(self, *args: Any) -> None:
        core._env_set_current_stream(self.device_type, self.device_id, self._previous.pop())


class TorchStreamContext:
    """Enters a torch stream or graph context and mirrors torch's current stream."""

    def __init__(self, context: Any) -> None:
        self._torch_context = context
        self._stream: StreamContext | None = None

    def __enter__(self) -> TorchStreamContext:
        import torch

        if self._torch_context is not None:
            self._torch_context.__enter__()
        try:
            current = torch.cuda.current_stream()
            self._stream = StreamContext(device(str(current.device)), current.cuda_stream)
            self._stream.__enter__()
        except BaseException:
            if self._torch_context is not None:
                self._torch_context.__exit__(*sys.exc_info())
            raise
        return self

    def __exit__(self, *args: Any) -> None:
        if self._stream is not None:
            self._stream.__exit__(*args)
        if self._torch_context is not None:
            self._torch_context.__exit__(*args)


def use_torch_stream(context: Any = None) -> TorchStreamContext:
    """Mirrors torch's current stream; ``context`` is a torch context to enter first.

    Raises ``ImportError`` without torch.
    """
    try:
        import torch  # noqa: F401
    except ImportError as error:
        raise ImportError("Cannot import torch") from error
    return TorchStreamContext(context)


def use_raw_stream(device: core.Device, stream: int | c_void_p) -> StreamContext:
    """Makes a stream, given by its address, the current one of a device.

    Raises ``ValueError`` when ``stream`` is neither an int nor a ``ctypes.c_void_p``.
    """
    import ctypes

    if not isinstance(stream, (int, ctypes.c_void_p)):
        raise ValueError(f"a stream is an int or a ctypes.c_void_p, got {type(stream).__name__}")
    return StreamContext(device, stream)


def get_raw_stream(device: core.Device) -> int:
    """Address of the current stream of a device on this thread, 0 for the default one."""
    _check_device(device)
    return core._env_get_current_stream(device.dlpack_device_type(), device.index)
