# SPDX-License-Identifier: Apache-2.0
"""Types of expressions."""

from __future__ import annotations

from typing import Any

import tvm_ffi
from tvm_ffi import register_object

from .._ffi_functions import Functions, optional
from .base import Node, Scriptable
from .scope import MemoryScope

_ir = Functions("ir.")
_make_constant = optional("script.MakeConstant")
_NUMBERS = frozenset({int, float, bool})


@register_object("ir.Type")
class Type(Scriptable, Node):
    """Base of all types. ``==`` is structural."""

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Type):
            return False
        return self.same_as(other) or bool(tvm_ffi.structural_equal(self, other))

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(tvm_ffi.structural_hash(self))

    @staticmethod
    def missing() -> MissingType:
        """The type of an expression of which nothing is known yet."""
        return MissingType()


class VectorAnnotation:
    """``T.float32[8]``: a local tensor, as annotation of a name without a value."""

    def __init__(self, dtype: PrimType, shape: Any) -> None:
        self.dtype = dtype
        self.shape = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)


@register_object("ir.PrimType")
class PrimType(Type):
    """A scalar or vector format. Calling it makes a constant or a cast."""

    def __init__(self, dtype: Any) -> None:
        if isinstance(dtype, PrimType):
            dtype = dtype.dtype
        self.__init_handle_by_constructor__(_ir.PrimType, dtype)

    def __str__(self) -> str:
        return str(self.dtype)

    def __call__(self, expr: Any = None) -> Any:
        if expr is None:
            return _ir.Var("v", self, None)
        if type(expr) in _NUMBERS:
            return _make_constant(self, expr)
        from .expr import convert_to

        return convert_to(expr, self)

    def __getitem__(self, shape: Any) -> VectorAnnotation:
        return VectorAnnotation(self, shape)

    def __or__(self, other: Any) -> Any:
        return _optional(self, other)

    def is_scalar(self) -> bool:
        """Whether it has one lane."""
        return self.dtype.lanes == 1

    def matches_code(self, *codes: Any) -> bool:
        """Whether its type code is one of ``codes``."""
        return any(int(self.dtype.type_code) == int(code) for code in codes)

    def matches_element_type(self, code: Any, bits: int) -> bool:
        """Whether its elements are of the code and width."""
        return int(self.dtype.type_code) == int(code) and self.dtype.bits == bits


def _optional(annotation: Type, other: Any) -> Any:
    """``annotation | None``, the spelling of an optional parameter of T.jit."""
    if other is not None:
        return NotImplemented
    from ..tirx.script.jit import OptionalAnnotation

    return OptionalAnnotation(annotation)


@register_object("ir.PtrType")
class PtrType(Type):
    """A pointer into a memory scope. PtrType(void) is the opaque pointer."""

    def __init__(self, element_type: Any, scope: Any = None, *, loc: Any = None) -> None:
        self.__init_handle_by_constructor__(_ir.PtrType, as_type(element_type), as_scope(scope))


@register_object("ir.TupleType")
class TupleType(Type):
    """A product; without fields, the type of a function without a result."""

    def __init__(self, fields: Any, loc: Any = None) -> None:
        self.__init_handle_by_constructor__(_ir.TupleType, [as_type(f) for f in fields])


@register_object("ir.FuncType")
class FuncType(Type):
    """The signature of a function."""

    def __init__(self, arg_types: Any, ret_type: Any) -> None:
        self.__init_handle_by_constructor__(
            _ir.FuncType, [as_type(t) for t in arg_types], as_type(ret_type)
        )


@register_object("ir.StringType")
class StringType(Type):
    """The type of string constants."""

    def __init__(self) -> None:
        self.__init_handle_by_constructor__(_ir.StringType)


@register_object("ir.NoneType")
class NoneType(Type):
    """The type of a slot that holds None."""

    def __init__(self) -> None:
        self.__init_handle_by_constructor__(_ir.NoneType)


@register_object("ir.AnyType")
class AnyType(Type):
    """The type of any value."""

    def __init__(self, loc: Any = None) -> None:
        self.__init_handle_by_constructor__(_ir.AnyType)


@register_object("ir.OpaqueType")
class OpaqueType(Type):
    """The type of a foreign expression."""

    def __init__(self) -> None:
        self.__init_handle_by_constructor__(_ir.OpaqueType)


@register_object("ir.MissingType")
class MissingType(Type):
    """Not known yet."""

    def __init__(self) -> None:
        self.__init_handle_by_constructor__(_ir.MissingType)


@register_object("ir.TensorRegionType")
class TensorRegionType(Type):
    """The type of a block of a tensor."""

    def __init__(self) -> None:
        self.__init_handle_by_constructor__(_ir.TensorRegionType)


def as_type(value: Any) -> Type:
    """A type from a type, a dtype or its name. TypeError for anything else."""
    if isinstance(value, Type):
        return value
    if isinstance(value, (str, tvm_ffi.dtype)):
        if str(value) == "handle":
            return PtrType(PrimType("void"))
        if str(value) == "tensormap":
            from ..tirx.type import TensorMapType

            return TensorMapType()
        return PrimType(value)
    if isinstance(value, type) and issubclass(value, Type):
        return value()
    raise TypeError("ty must be a Type or primitive dtype string")


def as_dtype(value: Any) -> Any:
    """A dtype from a dtype, its name, or a PrimType."""
    return value.dtype if isinstance(value, PrimType) else value


def as_scope(value: Any) -> MemoryScope:
    """A memory scope from a scope or its name; "global" for None. ValueError for unknown names."""
    if value is None:
        value = "global"
    return MemoryScope(value) if isinstance(value, str) else value
