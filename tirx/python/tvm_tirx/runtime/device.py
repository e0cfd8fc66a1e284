# SPDX-License-Identifier: Apache-2.0
"""Devices and what they can do."""

from __future__ import annotations

import json
from typing import Any

import tvm_ffi

from .._ffi_functions import Functions

_runtime = Functions("runtime.")

# The numbers are those of the native enumeration.
_ATTRIBUTES = {
    "exist": 0,
    "max_threads_per_block": 1,
    "warp_size": 2,
    "max_shared_memory_per_block": 3,
    "compute_version": 4,
    "device_name": 5,
    "max_clock_rate": 6,
    "multi_processor_count": 7,
    "max_thread_dimensions": 8,
    "max_registers_per_block": 9,
    "gcn_arch": 10,
    "api_version": 11,
    "driver_version": 12,
    "l2_cache_size_bytes": 13,
    "total_global_memory": 14,
    "available_global_memory": 15,
}


def _property(name: str, doc: str) -> Any:
    return property(lambda self: self.get_attr(name), doc=doc)


class Device(tvm_ffi.Device):
    """A device: ``Device("cuda", 1)``. Properties that it does not have are None."""

    def get_attr(self, name: str) -> Any:
        """A property by name, None for unknown names."""
        number = _ATTRIBUTES.get(name)
        return None if number is None else _runtime.GetDeviceAttr(self, number)

    @property
    def exist(self) -> bool:
        """Whether the device is there and its backend loaded."""
        return bool(self.get_attr("exist"))

    @property
    def max_thread_dimensions(self) -> list[int] | None:
        """Largest block in each dimension."""
        text = self.get_attr("max_thread_dimensions")
        return None if text is None else json.loads(text)

    max_threads_per_block = _property(
        "max_threads_per_block", "Largest number of threads in a block."
    )
    warp_size = _property("warp_size", "Threads that run in step.")
    max_shared_memory_per_block = _property(
        "max_shared_memory_per_block", "Bytes of shared memory that a block may use."
    )
    compute_version = _property("compute_version", "Version of the instruction set, such as 8.0.")
    device_name = _property("device_name", "Name of the product.")
    max_clock_rate = _property("max_clock_rate", "Clock in kHz.")
    multi_processor_count = _property("multi_processor_count", "Number of processors.")
    api_version = _property("api_version", "Version of the interface.")
    driver_version = _property("driver_version", "Version of the driver.")
    l2_cache_size_bytes = _property("l2_cache_size_bytes", "Bytes of the second-level cache.")
    total_global_memory = _property("total_global_memory", "Bytes of memory.")
    available_global_memory = _property("available_global_memory", "Bytes of memory not in use.")
    max_registers_per_block = _property(
        "max_registers_per_block", "Registers that a block may use."
    )
    gcn_arch = _property("gcn_arch", "Name of the AMD architecture.")

    def create_raw_stream(self) -> Any:
        return _runtime.CreateStream(self)

    def free_raw_stream(self, stream: Any) -> None:
        _runtime.FreeStream(self, stream)

    def set_raw_stream(self, stream: Any) -> None:
        """Make the stream current for this thread."""
        _runtime.SetStream(self, stream)

    def sync(self, stream: Any = None) -> None:
        """Wait for the work of a stream; None is the current one."""
        _runtime.StreamSync(self, stream)


# Devices that native functions return are of this class from now on.
tvm_ffi.core._set_class_device(Device)
