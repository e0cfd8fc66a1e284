# SPDX-License-Identifier: Apache-2.0
"""``tirx.compile`` and the pipelines of passes behind it."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from .._ffi_functions import Functions
from ..codegen.executable import Executable
from ..ir.module import IRModule
from ..ir.transform.core import ModulePass, Pass, PassContext, PassInfo, Sequential
from ..target import Target
from . import transform
from .function import Function

_driver = Functions("tirx.driver.")

_CPU_KINDS = ("llvm", "c", "cuda_host")


def _passes(*wanted: Any) -> list[Pass]:
    """Passes by name, or (name, arguments...); those that this build does not have are left out."""
    result = []
    for item in wanted:
        name, *arguments = item if isinstance(item, tuple) else (item,)
        factory = getattr(transform, name, None)
        if factory is not None:
            result.append(factory(*arguments))
    return result


def _bind(target: Target | None, mod: IRModule) -> Target:
    if target is not None:
        return target
    return _choose_target(mod, None)


def tirx_pipeline(*, prepare_only: bool = False, target: Any = None) -> Pass:
    """The passes from a parsed module to one that a code generator takes.

    With ``prepare_only`` they stop before functions get their calling convention."""

    def _pipeline(mod: IRModule, ctx: PassContext) -> IRModule:
        bound = _bind(
            target if target is None or isinstance(target, Target) else Target(target), mod
        )
        vectorize = not ctx.config.get("tirx.disable_vectorize", False)
        mod = Sequential(_passes(("BindTarget", bound)))(mod)
        lowering: list[Any] = ["TileDispatch"]
        lowering += ["LowerTensorLayouts", "StmtSimplify", "FlattenTensor", ("NarrowDataType", 32)]
        lowering += [("VectorizeLoop", vectorize), "UnrollLoop", "StmtSimplify"]
        if not ctx.config.get("tirx.disable_cse_tir", False):
            lowering.append("CommonSubexprElim")
        lowering += ["VerifyMemory", "LowerThreadAllreduce"]
        steps = _passes(*lowering)
        if os.environ.get("TVM_TIRX_PRINT_AFTER_DISPATCH_OPS"):
            from ..ir.transform import PrintIR

            steps.insert(1 if getattr(transform, "TileDispatch", None) else 0, PrintIR())
        mod = Sequential(steps)(mod)
        if prepare_only:
            return mod
        return finalize_tir_pipeline()(mod)

    return ModulePass(_pipeline, PassInfo(0, "_pipeline"))


def finalize_tir_pipeline() -> Pass:
    """The passes that split host and device code and give functions their calling convention."""
    return Sequential(
        _passes(
            "AnnotateEntryFunc",
            "SplitHostDevice",
            "BF16ComputeLegalize",
            "FP8ComputeLegalize",
            "MakePackedAPI",
            "FP8StorageLegalize",
            "BF16StorageLegalize",
        )
    )


def finalize_host_passes() -> Pass:
    """The last passes for host functions."""
    return Sequential(_passes("LowerTVMBuiltin", "LowerIntrin"))


def finalize_device_passes() -> Pass:
    """The last passes for device functions."""
    return Sequential(_passes("StmtSimplify", "LowerIntrin"))


def default_tir_pipeline(*, target: Any = None) -> tuple[Pass, Callable, Callable]:
    """Lowering pass, and factories of the host and the device finalizers."""
    return tirx_pipeline(target=target), finalize_host_passes, finalize_device_passes


#: Pipelines by name: factories that give what ``default_tir_pipeline`` gives.
PIPELINE_MAP: dict[str, Callable] = {
    "default": default_tir_pipeline,
    "tirx": default_tir_pipeline,
}
_SELECTORS: list[Callable] = []


def register_tir_pipeline(name: str, pipeline_factory: Callable) -> None:
    """Add a pipeline, or replace one."""
    PIPELINE_MAP[name] = pipeline_factory


def register_default_tir_pipeline_selector(selector: Callable) -> None:
    """Ask ``selector(module, target)`` for a pipeline before the default one; None declines."""
    _SELECTORS.append(selector)


def get_tir_pipeline(name: str | None = None, *, target: Any = None, **kwargs: Any) -> Any:
    """The pipeline of that name: a lowering pass and factories of host and device finalizers."""
    name = name or "default"
    if name not in PIPELINE_MAP:
        raise ValueError(f"Unknown pre-built pipeline {name},candidates are {list(PIPELINE_MAP)}")
    return PIPELINE_MAP[name](target=target, **kwargs)


def get_default_tir_pipeline(target: Any, mod: Any = None, *, target_to_bind: Any = None) -> Any:
    """The pipeline of the first selector that gives one, else the default."""
    for selector in _SELECTORS:
        chosen = selector(mod, target)
        if chosen is not None:
            return chosen
    return get_tir_pipeline("default", target=target_to_bind or target)


def _choose_target(mod: Any, target: Any) -> Target:
    if target is not None:
        return target if isinstance(target, Target) else Target(target)
    for _, function in mod.functions.items():
        attrs = getattr(function, "attrs", None)
        if attrs is not None and attrs.get("target") is not None:
            return attrs["target"]
    return Target.current() or Target("llvm")


def _host_of(target: Target) -> Target:
    return target.host if target.host is not None else target


def _compile_with_passes(mod: Any, target: Target, pipeline: Any) -> Any:
    """The same as the native driver, pass by pass, where instruments see each one."""
    from ..codegen import build_module

    if isinstance(pipeline, Pass):
        lower, host_passes = pipeline, finalize_host_passes
    elif isinstance(pipeline, str) and pipeline != "default":
        lower, host_passes, _ = get_tir_pipeline(pipeline, target=target)
    else:
        lower, host_passes, _ = get_default_tir_pipeline(target, mod, target_to_bind=target)
    mod = lower(mod)
    host = transform.Filter(lambda function: _is_host(function))(mod)
    host = host_passes()(host)
    return build_module(host, _host_of(target))


def _is_host(function: Any) -> bool:
    target = function.attrs.get("target") if function.attrs is not None else None
    return target is None or str(target.kind.name) in _CPU_KINDS


def lower(mod: Any, target: Any = None) -> IRModule:
    """The module as the code generator gets it: every pass of :func:`compile` run, nothing
    generated. ``target`` is as for :func:`compile`."""
    assert isinstance(mod, (Function, IRModule)), "lower takes a Function or an IRModule"
    if isinstance(mod, Function):
        mod = IRModule.from_expr(mod)
    return _driver.Lower(mod, _choose_target(mod, target))


def compile(mod: Any, target: Any = None, pipeline: Any = "default") -> Executable:
    """Compile a function or a module. ``target`` is a Target or what makes one; without it, that
    of the first function that has one, of the context, or ``llvm``. ``pipeline`` is a name or a
    pass. Under a PassContext with instruments or disabled passes each pass is run by itself."""
    assert isinstance(mod, (Function, IRModule)), "compile takes a Function or an IRModule"
    if isinstance(mod, Function):
        mod = IRModule.from_expr(mod)
    target = _choose_target(mod, target)
    context = PassContext.current()
    plain = pipeline in (None, "default", "tirx") and not _SELECTORS
    watched = context.instruments or context.disabled_pass or context.required_pass
    if plain and not watched:
        return Executable(_driver.Compile(mod, target))
    return Executable(_compile_with_passes(mod, target, pipeline))
