# SPDX-License-Identifier: Apache-2.0
"""The passes of the compiler. ``tvm_tirx.tirx.transform.<Name>(...)`` makes a pass of the native
function ``tirx.transform.<Name>``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..._ffi_functions import optional
from ...ir.transform.core import ModulePass, Pass, PassContext, PassInfo
from .function_pass import FunctionPass, function_pass

#: Name of a pass, and the names of its parameters with their defaults (... : required).
_PASSES: dict[str, dict[str, Any]] = {
    "AnnotateEntryFunc": {},
    "BF16ComputeLegalize": {},
    "BF16StorageLegalize": {},
    "BindTarget": {"target": ...},
    "CommonSubexprElim": {},
    "ConvertSSA": {},
    "DecorateDeviceScope": {},
    "FP8ComputeLegalize": {"promote_dtype": "float32"},
    "FP8StorageLegalize": {},
    "FlattenTensor": {},
    "ForceNarrowIndexToInt32": {},
    "HoistIf": {},
    "LowerIntrin": {},
    "LowerTVMBuiltin": {},
    "LowerTensorLayouts": {},
    "LowerThreadAllreduce": {},
    "MakePackedAPI": {},
    "NarrowDataType": {"target_bits": ...},
    "PointerValueTypeRewrite": {},
    "RemoveNoOp": {},
    "RenormalizeSplitPattern": {},
    "SkipAssert": {},
    "SplitHostDevice": {},
    "StmtSimplify": {},
    "StorageRewrite": {},
    "TileDispatch": {},
    "UnrollLoop": {},
    "VectorizeLoop": {"enable_vectorize": True},
    "VerifyMemory": {},
}


def _factory(name: str, parameters: dict[str, Any]) -> Callable[..., Pass]:
    native = optional(f"tirx.transform.{name}")
    if native is None:
        raise AttributeError(f"This build of the compiler has no pass {name}")

    def make(*args: Any, **kwargs: Any) -> ModulePass:
        if len(args) > len(parameters):
            raise TypeError(f"{name}() takes {len(parameters)} arguments, got {len(args)}")
        values = dict(zip(parameters, args))
        for key, value in kwargs.items():
            if key not in parameters or key in values:
                raise TypeError(f"{name}() got an unexpected or repeated argument {key!r}")
            values[key] = value
        operands = []
        for key, default in parameters.items():
            value = values.get(key, default)
            if value is ...:
                raise TypeError(f"{name}() needs the argument {key!r}")
            operands.append(value)

        def run(mod: Any, ctx: PassContext) -> Any:
            return native(mod, *operands)

        return ModulePass(run, PassInfo(0, f"tirx.{name}"))

    make.__name__ = make.__qualname__ = name
    make.__doc__ = f"The pass tirx.{name}."
    return make


def Apply(ftransform: Callable) -> FunctionPass:
    """A pass that maps a function over every function of the module."""
    return FunctionPass(lambda func, mod, ctx: ftransform(func), PassInfo(0, "Apply"))


def Filter(fcond: Callable) -> FunctionPass:
    """A pass that keeps the functions for which a condition holds."""
    return FunctionPass(
        lambda func, mod, ctx: func if fcond(func) else None, PassInfo(0, "tirx.Filter")
    )


def __getattr__(name: str) -> Any:
    if name in _PASSES:
        factory = _factory(name, _PASSES[name])
        globals()[name] = factory
        return factory
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_PASSES])


__all__ = ["Apply", "Filter", "FunctionPass", "function_pass"]
