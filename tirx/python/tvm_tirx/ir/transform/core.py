# SPDX-License-Identifier: Apache-2.0
"""Passes: functions from modules to modules, with a name, a level and a context."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any

from ..._ffi_functions import optional

# Config keys and the types of their values; a dict: the fields of a record with their defaults.
CONFIGS: dict[str, Any] = {
    "tirx.disable_assert": bool,
    "tirx.disable_vectorize": bool,
    "tirx.disable_cse_tir": bool,
    "tirx.UnrollLoop": {
        "auto_max_step": 0,
        "auto_max_depth": 8,
        "auto_max_extent": 0,
        "explicit_unroll": True,
        "unroll_local_access": False,
    },
    "tirx.RemoveNoOp": {"max_simplification_steps": 0, "ignore_profiler_call": False},
    "tirx.noalias": bool,
    "tirx.enable_fast_math": bool,
    "tirx.enable_debug": bool,
    "tirx.add_lower_pass": list,
    "tirx.debug_keep_trivial_loop": bool,
    "tirx.use_async_copy": bool,
    "tirx.disable_storage_rewrite": bool,
    "tirx.vtcm_capacity": int,
    "tirx.is_entry_func": bool,
    "tirx.merge_static_smem": bool,
    "testing.immutable_module": bool,
}


def _checked(config: dict[str, Any]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key, value in config.items():
        if key not in CONFIGS:
            known = ", ".join(f"'{name}'" for name in CONFIGS)
            raise AttributeError(f"Invalid config option '{key}', candidates are: {known}")
        kind = CONFIGS[key]
        if isinstance(kind, dict):
            given = dict(value)
            for field in given:
                if field not in kind:
                    name = key.split(".", 1)[1]
                    raise TypeError(
                        f"Type `tirx.transform.{name}Config` does not have field `{field}` "
                    )
            value = {**kind, **given}
        elif (kind is int and isinstance(value, bool)) or not isinstance(
            value, (list, tuple) if kind is list else kind
        ):
            raise AttributeError(
                f"Expect config {key} to have type {kind.__name__}, but instead get "
                f"{type(value).__name__}"
            )
        result[key] = value
    return result


class PassInfo:
    """Name of a pass, and the level from which on it runs."""

    def __init__(self, opt_level: int, name: str) -> None:
        self.opt_level = opt_level
        self.name = name

    def __repr__(self) -> str:
        return f"The meta data of the pass - pass name: {self.name}, opt_level: {self.opt_level}"


class PassContext:
    """What passes run under. ``with PassContext(...):`` makes it the current one of the thread.

    ``config``: see ``list_configs``; AttributeError for an unknown key or a value of a wrong type.
    """

    _local = threading.local()

    def __init__(
        self,
        opt_level: int = 2,
        required_pass: Any = None,
        disabled_pass: Any = None,
        instruments: Any = None,
        config: dict[str, Any] | None = None,
    ) -> None:
        for what, value in (("required_pass", required_pass), ("disabled_pass", disabled_pass)):
            if not isinstance(value, (list, tuple, set, type(None))):
                raise TypeError(f"{what} is expected to be the type of list/tuple/set.")
        if not isinstance(instruments, (list, tuple, type(None))):
            raise TypeError("instruments is expected to be the type of list/tuple.")
        self.opt_level = opt_level
        self.required_pass = [str(name) for name in required_pass or ()]
        self.disabled_pass = [str(name) for name in disabled_pass or ()]
        self.instruments = list(instruments or ())
        self.config = _checked(dict(config or {}))

    @classmethod
    def _stack(cls) -> list[PassContext]:
        if not hasattr(cls._local, "stack"):
            cls._local.stack = []
        return cls._local.stack

    @staticmethod
    def current() -> PassContext:
        """The innermost context of this thread, a default one outside of all."""
        stack = PassContext._stack()
        return stack[-1] if stack else PassContext()

    @staticmethod
    def list_configs() -> dict[str, Any]:
        """The config keys with their types."""
        return {
            key: {"type": kind.__name__ if isinstance(kind, type) else "dict"}
            for key, kind in CONFIGS.items()
        }

    def __enter__(self) -> PassContext:
        entered: list[Any] = []
        for instrument in self.instruments:
            try:
                instrument.enter_pass_ctx()
            except BaseException:
                for done in entered:
                    done.exit_pass_ctx()
                self.instruments = []
                raise
            entered.append(instrument)
        self._stack().append(self)
        _publish_config(self.config)
        return self

    def __exit__(self, kind: Any, value: Any, trace: Any) -> None:
        self._stack().pop()
        _publish_config(self.current().config)
        for instrument in self.instruments:
            instrument.exit_pass_ctx()

    def override_instruments(self, instruments: Any) -> None:
        """Replace the instruments, leaving the old ones and entering the new ones."""
        for instrument in self.instruments:
            instrument.exit_pass_ctx()
        self.instruments = list(instruments or ())
        for instrument in self.instruments:
            instrument.enter_pass_ctx()

    def enabled(self, info: PassInfo) -> bool:
        """Whether a member of a Sequential runs."""
        if info.name in self.disabled_pass:
            return False
        return info.name in self.required_pass or info.opt_level <= self.opt_level


def _publish_config(config: dict[str, Any]) -> None:
    """Tell the native passes of this thread."""
    publish = optional("transform.SetConfig")
    if publish is not None:
        publish(config)


class PassInstrument:
    """Watches passes. Override the hooks; all do nothing here."""

    name = "PassInstrument"

    def enter_pass_ctx(self) -> None:
        """A context with the instrument begins."""

    def exit_pass_ctx(self) -> None:
        """The context ends."""

    def should_run(self, mod: Any, info: PassInfo) -> bool:
        """Whether the pass shall run; one instrument that says no is enough."""
        return True

    def run_before_pass(self, mod: Any, info: PassInfo) -> None:
        """A pass is about to run."""

    def run_after_pass(self, mod: Any, info: PassInfo) -> None:
        """A pass has run."""


def pass_instrument(pi_cls: Any = None) -> Any:
    """Decorator: makes a class with some of the hooks an instrument."""

    def wrap(cls: type) -> type:
        if issubclass(cls, PassInstrument):
            return cls
        made = type(cls.__name__, (cls, PassInstrument), {"__doc__": cls.__doc__})
        made.__module__ = cls.__module__
        made.name = cls.__name__  # type: ignore[attr-defined]
        return made

    return wrap if pi_cls is None else wrap(pi_cls)


class Pass:
    """A function from a module to a module. ``info`` says what it is."""

    info: PassInfo

    def __call__(self, mod: Any) -> Any:
        """Run on a module (or on a function, which is wrapped) under the current context."""
        context = PassContext.current()
        watched = [i for i in context.instruments]
        required = self.info.name in context.required_pass
        for instrument in watched:
            if not instrument.should_run(mod, self.info) and not required:
                return mod
        for instrument in watched:
            instrument.run_before_pass(mod, self.info)
        result = self.run(mod, context)
        for instrument in watched:
            instrument.run_after_pass(result, self.info)
        return result

    def run(self, mod: Any, context: PassContext) -> Any:
        """The work of the pass."""
        raise NotImplementedError


class ModulePass(Pass):
    """A pass that ``f(mod, ctx)`` does."""

    def __init__(self, pass_func: Callable, pass_info: PassInfo) -> None:
        self.pass_info = self.info = pass_info
        self._function = pass_func
        self.__doc__ = pass_func.__doc__

    def run(self, mod: Any, context: PassContext) -> Any:
        result = self._function(mod, context)
        if result is None:
            raise TypeError(f"The pass {self.info.name} returned None instead of a module")
        return result


class Sequential(Pass):
    """Passes one after the other: those that the context does not disable."""

    def __init__(self, passes: Any = None, opt_level: int = 0, name: str = "sequential") -> None:
        self.passes = list(passes or ())
        if not all(isinstance(item, Pass) for item in self.passes):
            raise TypeError("passes must be a list of Pass objects.")
        self.pass_info = self.info = PassInfo(opt_level, name)

    def run(self, mod: Any, context: PassContext) -> Any:
        for item in self.passes:
            if context.enabled(item.info):
                mod = item(mod)
        return mod


def make_pass(
    kind: Callable, what: str, method: str, function: Any, opt_level: int | None, name: str | None
) -> Any:
    """Shared part of `module_pass` and `tirx.transform.function_pass`."""
    if opt_level is None:
        raise ValueError(f"Please provide opt_level for the {what} pass.")

    def create(target: Any) -> Any:
        info = PassInfo(opt_level, name or target.__name__)
        if not isinstance(target, type):
            if not callable(target):
                raise TypeError(f"pass_func must be a callable for the {what} pass")
            return kind(target, info)

        @functools.wraps(target, updated=())
        def construct(*args: Any, **kwargs: Any) -> Any:
            instance = target(*args, **kwargs)
            made = kind(getattr(instance, method), info)
            made._instance = instance
            return made

        return construct

    return create if function is None else create(function)


def module_pass(
    pass_func: Any = None, opt_level: int | None = None, name: str | None = None
) -> Any:
    """Make a pass from ``f(mod, ctx) -> mod``, or from a class with ``transform_module``."""
    return make_pass(ModulePass, "module", "transform_module", pass_func, opt_level, name)


def PrintIR(header: str = "") -> ModulePass:
    """A pass that prints the module and leaves it as it is."""

    def show(mod: Any, ctx: PassContext) -> Any:
        print(f"PrintIR({header}):\n{mod.script()}" if header else mod.script())
        return mod

    return ModulePass(show, PassInfo(0, "PrintIR"))
