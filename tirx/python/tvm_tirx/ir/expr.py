# SPDX-License-Identifier: Apache-2.0
"""Expressions. The operators of Python build promoted, folded expressions."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any

import tvm_ffi
from tvm_ffi import register_object

from .._ffi_functions import Functions, optional
from .attrs import DictAttrs
from .base import Node, Scriptable
from .type import MissingType, PrimType, Type, as_dtype, as_type

_ir = Functions("ir.")

# Looked up once: these are called for every operator of a program.
_add = optional("prim._op.add")
_sub = optional("prim._op.sub")
_mul = optional("prim._op.mul")
_div = optional("prim._op.div")
_floordiv = optional("prim._op.floordiv")
_floormod = optional("prim._op.floormod")
_lt = optional("prim._op.lt")
_le = optional("prim._op.le")
_gt = optional("prim._op.gt")
_ge = optional("prim._op.ge")
_eq = optional("prim._op.eq")
_ne = optional("prim._op.ne")
_neg = optional("prim._op.neg")
_bitwise_and = optional("prim._op.bitwise_and")
_bitwise_or = optional("prim._op.bitwise_or")
_bitwise_xor = optional("prim._op.bitwise_xor")
_bitwise_not = optional("prim._op.bitwise_not")
_shift_left = optional("prim._op.shift_left")
_shift_right = optional("prim._op.shift_right")
_cast = optional("prim._op.cast")
_index = optional("script.ir_builder.Index")


@register_object("ir.Expr")
class Expr(Node):
    """Base of all expressions. ``ty`` is the type, ``loc`` where it was written."""

    def __getattr__(self, name: str) -> Any:
        # What a type offers for its expressions (`A.shape`, `A.data`, `A.ptr_to` of a tensor).
        if name[:2] != "__":
            attributes = getattr(type(self.ty), "expr_attributes", None)
            if attributes is not None and name in attributes:
                return attributes[name](self)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __getitem__(self, index: Any) -> Any:
        if type(index) is not tuple:
            index = (index,)
        for item in index:
            if type(item) is slice:
                return _index(self, [_plain_index(i) for i in index])
        return _index(self, index)

    def __setitem__(self, index: Any, value: Any) -> None:
        _store_item(self, index, value)

    def __iter__(self) -> Any:
        # Without it Python would index without an end.
        raise TypeError(f"{type(self).__name__!r} object is not iterable")


def _store_item(target: Any, index: Any, value: Any) -> None:
    """``target[index] = value``; replaced by the parser (direct.py)."""
    raise TypeError(f"{type(target).__name__!r} object does not support item assignment")


def _plain_index(item: Any) -> Any:
    return (item.start, item.stop, item.step) if type(item) is slice else item


class ExprOperand:
    """The operators. Operands are promoted to one type; constants fold."""

    __slots__ = ()
    # numpy scalars on the left leave the operation to us.
    __array_ufunc__ = None

    def __add__(self, other: Any) -> Any:
        return _add(self, other, None)

    def __radd__(self, other: Any) -> Any:
        return _add(other, self, None)

    def __sub__(self, other: Any) -> Any:
        return _sub(self, other, None)

    def __rsub__(self, other: Any) -> Any:
        return _sub(other, self, None)

    def __mul__(self, other: Any) -> Any:
        return _mul(self, other, None)

    def __rmul__(self, other: Any) -> Any:
        return _mul(other, self, None)

    def __truediv__(self, other: Any) -> Any:
        return _div(self, other, None)

    def __rtruediv__(self, other: Any) -> Any:
        return _div(other, self, None)

    def __floordiv__(self, other: Any) -> Any:
        return _floordiv(self, other, None)

    def __rfloordiv__(self, other: Any) -> Any:
        return _floordiv(other, self, None)

    def __mod__(self, other: Any) -> Any:
        return _floormod(self, other, None)

    def __rmod__(self, other: Any) -> Any:
        return _floormod(other, self, None)

    def __neg__(self) -> Any:
        return _neg(self, None)

    def __and__(self, other: Any) -> Any:
        return _bitwise_and(self, other, None)

    def __rand__(self, other: Any) -> Any:
        return _bitwise_and(other, self, None)

    def __or__(self, other: Any) -> Any:
        return _bitwise_or(self, other, None)

    def __ror__(self, other: Any) -> Any:
        return _bitwise_or(other, self, None)

    def __xor__(self, other: Any) -> Any:
        return _bitwise_xor(self, other, None)

    def __rxor__(self, other: Any) -> Any:
        return _bitwise_xor(other, self, None)

    def __invert__(self) -> Any:
        return _bitwise_not(self, None)

    def __lshift__(self, other: Any) -> Any:
        return _shift_left(self, other, None)

    def __rlshift__(self, other: Any) -> Any:
        return _shift_left(other, self, None)

    def __rshift__(self, other: Any) -> Any:
        return _shift_right(self, other, None)

    def __rrshift__(self, other: Any) -> Any:
        return _shift_right(other, self, None)

    def __lt__(self, other: Any) -> Any:
        return _lt(self, other, None)

    def __le__(self, other: Any) -> Any:
        return _le(self, other, None)

    def __gt__(self, other: Any) -> Any:
        return _gt(self, other, None)

    def __ge__(self, other: Any) -> Any:
        return _ge(self, other, None)

    def __eq__(self, other: object) -> Any:
        return EqualOp(self, other)

    def __ne__(self, other: object) -> Any:
        return NotEqualOp(self, other)

    def __hash__(self) -> int:
        return tvm_ffi.Object.__hash__(self)  # type: ignore[arg-type]

    def __bool__(self) -> bool:
        raise ValueError(
            "Cannot use and / or / not operator to Expr, hint: use tvm_tirx.ir.prim.all / "
            "tvm_tirx.ir.prim.any, if it is None checking, use node is not None"
        )

    def equal(self, other: Any, loc: Any = None) -> Any:
        """The EQ expression of the two (``==`` outside of a script gives a deferred one)."""
        return _eq(self, other, loc)

    def astype(self, dtype: Any, loc: Any = None) -> Any:
        """The value in another element format."""
        return _cast(self, as_dtype(dtype), loc)

    def expr_ty(self) -> Type:
        """The type."""
        return self.ty  # type: ignore[attr-defined]


class _Deferred(ExprOperand):
    """``a == b`` outside of a script: a Python truth value (are they the same object) until it is
    used as an operand, when it becomes the comparison."""

    __slots__ = ("a", "b")

    def __init__(self, a: Any, b: Any) -> None:
        self.a = a
        self.b = b

    def __tvm_ffi_object__(self) -> Any:
        return self.asobject()

    def asobject(self) -> Any:
        """The comparison as an expression."""
        raise NotImplementedError

    def __getattr__(self, name: str) -> Any:
        if name[:2] == "__":
            raise AttributeError(name)
        return getattr(self.asobject(), name)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.a!r}, {self.b!r})"


class EqualOp(_Deferred):
    """Deferred ``a == b``."""

    __slots__ = ()

    def asobject(self) -> Any:
        return _eq(self.a, self.b, None)

    def __bool__(self) -> bool:
        return _same(self.a, self.b)


class NotEqualOp(_Deferred):
    """Deferred ``a != b``."""

    __slots__ = ()

    def asobject(self) -> Any:
        return _ne(self.a, self.b, None)

    def __bool__(self) -> bool:
        return not _same(self.a, self.b)


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, tvm_ffi.Object) and isinstance(b, tvm_ffi.Object):
        return a.same_as(b)
    return a is b


class ExprWithOp(Scriptable, ExprOperand, Expr):
    """An expression with operators."""


class _CallableExprWithOp(ExprWithOp):
    """An expression that may be a function: calling it builds a call."""

    def __call__(self, *args: Any) -> Any:
        return Call(self, list(args))


@register_object("ir.Constant")
class Constant(ExprWithOp):
    """Base of constants."""


@register_object("ir.IntImm")
class IntImm(Constant):
    """An integer or bool constant of a type that holds its value."""

    def __init__(self, ty: Any, value: int, loc: Any = None) -> None:
        self.__init_handle_by_constructor__(_ir.IntImm, as_type(ty), value, loc)

    def __int__(self) -> int:
        return int(self.value)

    def __index__(self) -> int:
        return int(self.value)

    def __bool__(self) -> bool:
        return bool(int(self.value))

    __nonzero__ = __bool__

    def __eq__(self, other: object) -> Any:
        return _eq(self, other, None) if _is_operand(other) else EqualOp(self, other)

    def __ne__(self, other: object) -> Any:
        return _ne(self, other, None) if _is_operand(other) else NotEqualOp(self, other)

    def __hash__(self) -> int:
        return tvm_ffi.Object.__hash__(self)


def _is_operand(value: object) -> bool:
    return isinstance(value, (int, float, ExprOperand))


@register_object("ir.FloatImm")
class FloatImm(Constant):
    """A float constant."""

    def __init__(self, ty: Any, value: float, loc: Any = None) -> None:
        self.__init_handle_by_constructor__(_ir.FloatImm, as_type(ty), float(value), loc)

    def __float__(self) -> float:
        return float(self.value)


@register_object("ir.StringImm")
class StringImm(Constant):
    """A string constant; equal to the same text."""

    def __init__(self, value: str, loc: Any = None) -> None:
        self.__init_handle_by_constructor__(_ir.StringImm, value, loc)

    def __eq__(self, other: object) -> bool:
        return str(self.value) == str(other.value if isinstance(other, StringImm) else other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(str(self.value))


@register_object("ir.DataTypeImm")
class DataTypeImm(Constant):
    """A dtype as a constant."""

    def __init__(self, value: Any, loc: Any = None) -> None:
        self.__init_handle_by_constructor__(_ir.DataTypeImm, as_dtype(value), loc)


@register_object("ir.GenericConst")
class GenericConst(Constant):
    """A constant of any value and type."""

    def __init__(self, ty: Any, value: Any, loc: Any = None) -> None:
        self.__init_handle_by_constructor__(_ir.GenericConst, value, as_type(ty), loc)

    def __call__(self, *args: Any) -> Any:
        return Call(self, list(args))


@register_object("ir.Var")
class Var(_CallableExprWithOp):
    """A variable: two variables of one name are two variables."""

    def __init__(
        self,
        name: str | None = None,
        ty: Any = None,
        loc: Any = None,
        *,
        name_hint: str | None = None,
    ) -> None:
        if name is None:
            name = name_hint
        if name is None:
            raise TypeError("Var needs a name")
        ty = MissingType() if ty is None else as_type(ty)
        self.__init_handle_by_constructor__(_ir.Var, name, ty, loc)

    @property
    def name_hint(self) -> str:
        return self.name


@register_object("ir.GlobalVar")
class GlobalVar(Scriptable, Expr):
    """A function of the module, by name."""

    def __init__(self, name_hint: str, loc: Any = None) -> None:
        self.__init_handle_by_constructor__(_ir.GlobalVar, name_hint, None, loc)

    def __call__(self, *args: Any) -> Any:
        return Call(self, list(args))


class CallEffectKind(enum.IntEnum):
    """What a call may do (operator attribute TCallEffectKind)."""

    ExprAnnotation = 0
    Pure = 1
    ReadState = 2
    UpdateState = 3
    Opaque = 3
    SpecialCallArg = 4
    EmbedInfo = 5
    ControlJump = 6


@register_object("ir.Call")
class Call(_CallableExprWithOp):
    """A call of an operator, a function of the module, a lambda or a function variable."""

    def __init__(
        self,
        op: Any,
        args: Any,
        attrs: Any = None,
        ty_args: Any = None,
        ty: Any = None,
        loc: Any = None,
    ) -> None:
        if isinstance(op, str):
            from .op import Op

            op = Op.get(op)
        if isinstance(attrs, dict):
            attrs = DictAttrs(attrs)
        self.__init_handle_by_constructor__(
            _ir.Call,
            op,
            [as_argument(a) for a in args],
            attrs,
            [] if ty_args is None else [as_type(t) for t in ty_args],
            None if ty is None else as_type(ty),
            loc,
        )

    def validate(self) -> None:
        """Check the number of arguments and the type arguments; TypeError when they are wrong."""
        _ir.CallValidate(self)


def as_argument(value: Any) -> Any:
    """A call argument: Python tuples and lists become Tuples."""
    if isinstance(value, (tuple, list)):
        return Tuple(value)
    return value


def reinfer_type(call: Call) -> Type:
    """The type that the operator implies for the call."""
    return _ir.ReinferType(call).ty


@register_object("ir.TensorLoad")
class TensorLoad(_CallableExprWithOp):
    """An element of a tensor, or a vector of them."""

    def __init__(self, source: Any, indices: Any, loc: Any = None) -> None:
        self.__init_handle_by_constructor__(_ir.TensorLoad, source, indices, loc)


@register_object("ir.TensorRegion")
class TensorRegion(Scriptable, Expr):
    """A block of a tensor, as operand."""

    def __init__(self, source: Any, region: Any, ty: Any = None, loc: Any = None) -> None:
        self.__init_handle_by_constructor__(_ir.TensorRegion, source, region, loc)


@register_object("ir.Tuple")
class Tuple(_CallableExprWithOp):
    """A tuple of expressions."""

    def __init__(self, fields: Any, loc: Any = None) -> None:
        self.__init_handle_by_constructor__(_ir.Tuple, [as_argument(f) for f in fields], loc)

    def __getitem__(self, index: Any) -> Any:
        return self.fields[index]

    def __len__(self) -> int:
        return len(self.fields)

    def __iter__(self) -> Any:
        return iter(self.fields)

    def __bool__(self) -> bool:
        return len(self.fields) > 0


@register_object("ir.TupleGetItem")
class TupleGetItem(_CallableExprWithOp):
    """A field of a tuple."""

    def __init__(self, tuple_value: Any, index: int, loc: Any = None) -> None:
        self.__init_handle_by_constructor__(_ir.TupleGetItem, tuple_value, index, loc)


@register_object("ir.StagingExpr")
class StagingExpr(Expr):
    """Base of expressions that are gone before code generation."""


@register_object("ir.LambdaExpr")
class LambdaExpr(Scriptable, StagingExpr):
    """A function value that is expanded where it is used."""

    def __init__(
        self,
        parameter_types: Any,
        function: Callable,
        *,
        ret_type: Any = None,
        loc: Any = None,
    ) -> None:
        types = [as_type(t) for t in parameter_types]
        variables = [Var(f"arg{i}", ty) for i, ty in enumerate(types)]
        body = as_argument(function(*variables))
        self.__init_handle_by_constructor__(_ir.LambdaExpr, variables, body, loc)

    def apply(self, arguments: Any) -> Any:
        """The body with ``arguments`` in place of the variables."""
        return _ir.LambdaApply(self, arguments)


@register_object("ir.OpaqueExpr")
class OpaqueExpr(Expr):
    """A foreign expression."""


@register_object("ir.Range")
class Range(Scriptable, Node):
    """[begin, begin + extent); built from begin and end, or from an extent alone."""

    def __init__(self, begin: Any, end: Any = None, loc: Any = None) -> None:
        if end is None:
            begin, end = 0, begin
        self.__init_handle_by_constructor__(_ir.Range, begin, end, loc)

    @staticmethod
    def from_min_extent(min_value: Any, extent: Any, loc: Any = None) -> Range:
        """The range of ``extent`` values from ``min_value``."""
        return _ir.Range_from_min_extent(min_value, extent, loc)

    @staticmethod
    def get_extent_from_begin_end(begin: Any, end: Any) -> Any:
        """``end - begin``, folded."""
        return _sub(end, begin, None)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Range) and bool(tvm_ffi.structural_equal(self, other))

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(tvm_ffi.structural_hash(self))


def is_prim_expr(value: object) -> bool:
    """Whether the value is an expression of a primitive type."""
    return isinstance(value, Expr) and isinstance(value.ty, PrimType)


def is_prim_var(value: object) -> bool:
    """Whether the value is a variable of a primitive type."""
    return isinstance(value, Var) and isinstance(value.ty, PrimType)


def const(value: Any, ty: Any = None, loc: Any = None, *, dtype: Any = None) -> Any:
    """A constant. Without a type: int32 (int64 when it does not fit), float32 or bool."""
    ty = dtype if ty is None else ty
    if ty is None:
        if isinstance(value, Expr):
            return value
        if isinstance(value, bool):
            ty = "bool"
        elif isinstance(value, int):
            ty = "int32" if -(2**31) <= value < 2**31 else "int64"
        elif isinstance(value, float):
            ty = "float32"
        elif hasattr(value, "dtype"):
            ty = str(value.dtype)
            value = value.item()
        else:
            raise TypeError(f"Cannot infer a constant type from {type(value).__name__}")
    return convert_to(value, as_type(ty))


def convert_to(value: Any, ty: Any) -> Any:
    """A number, a text such as "inf", or an expression, as an expression of primitive type."""
    if isinstance(value, (Expr, _Deferred)):
        return _cast(value, ty.dtype, None)
    dtype = ty.dtype
    if dtype.lanes != 1:
        from .prim.vector_expr import Broadcast

        element = PrimType(dtype.with_lanes(1))
        return Broadcast(convert_to(value, element), dtype.lanes)
    if _is_float(ty):
        return FloatImm(ty, float(value))
    if isinstance(value, str):
        value = float(value)
    value = int(value)
    if value < 0 and int(dtype.type_code) == _UNSIGNED:
        raise RuntimeError(f"Check failed: cannot make uint from negative value {value}")
    return IntImm(ty, value)


_UNSIGNED = 1
_INTEGER_CODES = frozenset({0, _UNSIGNED, 6})  # int, uint, bool


def _is_float(ty: PrimType) -> bool:
    return int(ty.dtype.type_code) not in _INTEGER_CODES
