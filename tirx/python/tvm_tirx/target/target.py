# SPDX-License-Identifier: Apache-2.0
"""Targets: a kind such as ``llvm`` or ``cuda`` with its options."""

from __future__ import annotations

import json
import threading
from typing import Any

from tvm_ffi import Object, register_object

from .._ffi_functions import Functions

_target = Functions("target.")
_contexts = threading.local()


def _stack() -> list[Target]:
    if not hasattr(_contexts, "stack"):
        _contexts.stack = []
    return _contexts.stack


def _plain(value: Any) -> Any:
    """Containers of the FFI as those of Python."""
    if isinstance(value, (str, int, float, bool)) or value is None:
        return value
    if hasattr(value, "items"):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, Target):
        return value.export()
    if hasattr(value, "__iter__"):
        return [_plain(item) for item in value]
    return value


@register_object("target.TargetKind")
class TargetKind(Object):
    """A family of targets."""

    name: str

    @property
    def options(self) -> dict[str, str]:
        """Names of the options with the types of their values."""
        return TargetKind.options_from_name(self.name)

    @staticmethod
    def options_from_name(kind_name: str) -> dict[str, str]:
        return {str(k): str(v) for k, v in _target.KindOptions(kind_name).items()}


class TargetFeatures:
    """Features of a target: ``target.features.is_test``; None for one that is not set."""

    def __init__(self, target: Target) -> None:
        self._target = target

    def __getattr__(self, name: str) -> Any:
        return self._target.attrs.get(f"feature.{name}")


@register_object("target.Target")
class Target(Object):
    """``Target("llvm")``, ``Target({"kind": "llvm", "mcpu": "skylake"})``, a tag, or JSON text."""

    def __init__(self, target: Any, host: Any = None) -> None:
        if not isinstance(target, (str, dict, Target)):
            raise ValueError(f"target has to be a string or dictionary. instead get {type(target)}")
        if host is not None and not isinstance(host, (str, dict, Target)):
            raise ValueError("target host has to be a string or dictionary.")
        if host is not None:
            base = target if isinstance(target, Target) else _target.Target(target)
            self.__init_handle_by_constructor__(_target.TargetWithHost, base, Target(host))
        else:
            self.__init_handle_by_constructor__(_target.Target, target)

    def __enter__(self) -> Target:
        _stack().append(self)
        return self

    def __exit__(self, ptype: Any, value: Any, trace: Any) -> None:
        _stack().pop()

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_"):
            value = self.attrs.get(name)
            if value is not None:
                return value
        raise AttributeError(f"'Target' object has no attribute '{name}'")

    def __str__(self) -> str:
        return json.dumps(self.export(), separators=(",", ":"))

    def __repr__(self) -> str:
        return str(self)

    def __reduce__(self) -> Any:
        return Target, (self.export(),)

    def export(self) -> dict[str, Any]:
        """Kind, tag, keys and options, fit to build the target again."""
        return _plain(_target.TargetExport(self))

    @property
    def features(self) -> TargetFeatures:
        return TargetFeatures(self)

    def with_host(self, host: Any = None) -> Target:
        return _target.TargetWithHost(self, Target(host))

    def get_target_device_type(self) -> int:
        """Number of the device type that the code runs on."""
        return int(_target.TargetDeviceType(self))

    @staticmethod
    def current(allow_none: bool = True) -> Target | None:
        """The innermost target of this thread's ``with`` blocks."""
        stack = _stack()
        if stack:
            return stack[-1]
        if not allow_none:
            raise RuntimeError(
                "Target context required. Please set it by constructing a TargetContext"
            )
        return None

    @staticmethod
    def target_or_current(target: Any) -> Target:
        if target is None:
            current = Target.current(allow_none=False)
            assert current is not None
            return current
        return target if isinstance(target, Target) else Target(target)

    @staticmethod
    def list_kinds() -> list[str]:
        return [str(name) for name in _target.ListKinds()]

    @staticmethod
    def from_device(device: Any) -> Target:
        """The target of a device of this machine."""
        from .detect_target import detect_target_from_device

        return detect_target_from_device(device)


def device_from_target(target: Any, index: int | None = None) -> Any:
    """The device that runs code for ``target``."""
    from ..runtime import device

    target = target if isinstance(target, Target) else Target(target)
    return device.Device(target.get_target_device_type(), index or 0)
