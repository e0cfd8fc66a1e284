# SPDX-License-Identifier: Apache-2.0
"""Operands of PTX instructions: which values they take, and what they become."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ....ir.expr import Call, Expr, FloatImm, IntImm, TensorLoad
from ....ir.op import Op
from ....ir.op_builder import AlreadyEmitted
from ....ir.type import PrimType, PtrType
from ....script.parser.protocol import as_expr
from .table import InstructionEntry, OperandSlot, register_types


class PredArg:
    """An integer used as a predicate."""

    def __init__(self, value: Any) -> None:
        self.value = value


class AddrArg:
    """An address with an offset in bytes."""

    def __init__(self, base: Any, byte_offset: Any) -> None:
        if isinstance(base, AddrArg) or isinstance(byte_offset, AddrArg):
            raise ValueError("T.ptx.addr(...) cannot be nested")
        self.base = base
        self.byte_offset = byte_offset


class Sink:
    """Stands for a lane whose result is not wanted."""

    def __repr__(self) -> str:
        return "T.ptx.SINK"


SINK = Sink()


def plain(value: Any) -> Any:
    """The value behind what the script has in its hands: a cell is its element."""
    if isinstance(value, AlreadyEmitted):
        value = value.value
    if value is None or isinstance(value, (Expr, bool, int, float, str, PredArg, AddrArg)):
        return value
    return as_expr(value)


def dtype_of(value: Any) -> str:
    """The element type of an operand."""
    ty = getattr(value, "ty", None)
    return str(ty.dtype) if isinstance(ty, PrimType) else str(ty)


def _type_text(token: str) -> str:
    return " / ".join(register_types().get(token, (token,)))


def predicate(entry: InstructionEntry, value: Any) -> Any:
    """The operand of ``pred=``."""
    value = plain(value)
    if isinstance(value, bool):
        return as_expr(value)
    if not isinstance(value, Expr) or dtype_of(value) not in ("bool", "uint32", "int32"):
        raise ValueError(f"{entry.name}: pred must be a bool/uint32/int32 expression")
    return value


def destination(
    entry: InstructionEntry, slot: OperandSlot, value: Any, modifiers: Mapping[str, str]
) -> Any:
    """An lvalue of the type of the slot."""
    value = plain(value)
    where = f"{entry.name}: destination {slot.name!r}"
    token = slot.token(modifiers)
    if not isinstance(value, TensorLoad):
        if token == "pred":
            raise ValueError(
                f"{entry.name}: operand {slot.name!r} is a .pred result and must be a writable "
                "uint32 scalar or buffer element (declare it first, e.g. `ok: T.uint32`)"
            )
        raise ValueError(
            f"{where} must be a writable scalar or buffer element (declare it first, e.g. "
            f"`{slot.name}: T.float32`), got {type(value).__name__} — a T.let binding is "
            "immutable and cannot be one"
        )
    _check_type(where, slot, token, value)
    return value


def _check_type(where: str, slot: OperandSlot, token: str | None, value: Any) -> None:
    if token is None or slot.any_dtype or token not in register_types():
        return
    dtype = dtype_of(value)
    if dtype not in register_types()[token]:
        raise ValueError(
            f"{where} must have dtype {_type_text(token)} (from .{token}), got {dtype}"
        )


def source(
    entry: InstructionEntry, slot: OperandSlot, value: Any, modifiers: Mapping[str, str]
) -> Any:
    """A value of the type of the slot."""
    value = plain(value)
    token = slot.token(modifiers)
    where = f"{entry.name}: operand {slot.name!r}"
    if token == "pred":
        return _source_predicate(where, value)
    types = register_types().get(token or "", ())
    if isinstance(value, (bool, int, float)):
        return _constant(where, token, types, value)
    if not isinstance(value, Expr):
        raise ValueError(f"{where} must be an expression, got {type(value).__name__}")
    _check_type(where, slot, token, value)
    return value


def _source_predicate(where: str, value: Any) -> Any:
    if isinstance(value, PredArg):
        value = plain(value.value)
        return as_expr(value)
    if isinstance(value, bool):
        return as_expr(value)
    if isinstance(value, Expr) and dtype_of(value) == "bool":
        return value
    raise ValueError(
        f"{where} is a .pred argument. Pass a bool expression, or wrap an integer one so the "
        "register class is explicit: T.ptx.pred(x)"
    )


def _constant(where: str, token: str | None, types: tuple[str, ...], value: Any) -> Any:
    if isinstance(value, float):
        floats = [name for name in types if "float" in name]
        if len(types) > 1 and floats:
            raise ValueError(
                f"{where} is .{token}, which accepts {' / '.join(types)}, so the float literal "
                f"{value!r} is ambiguous — write the constant you mean, e.g. "
                f"T.{floats[0]}({value!r}) for its bits or T.{types[0]}(...) for a number"
            )
        if types and not floats:
            raise ValueError(f"{where} must have dtype {' / '.join(types)}, got a float literal")
        return FloatImm(PrimType(types[0] if types else "float32"), value)
    dtype = types[0] if types else "int32"
    if "float" in dtype:
        return FloatImm(PrimType(dtype), float(value))
    return IntImm(PrimType(dtype), int(value))


def immediate(entry: InstructionEntry, slot: OperandSlot, value: Any) -> Any:
    """A constant of the allowed ones."""
    value = plain(value)
    number = int(value.value) if isinstance(value, IntImm) else value
    if isinstance(number, bool) or not isinstance(number, int):
        raise ValueError(
            f"{entry.name}: operand {slot.name!r} must be an integer constant, "
            f"got {type(value).__name__}"
        )
    if slot.choices is not None and number not in slot.choices:
        allowed = ", ".join(str(choice) for choice in slot.choices)
        raise ValueError(
            f"{entry.name}: operand {slot.name!r} must be one of {allowed}, got {number}"
        )
    return value if isinstance(value, IntImm) else IntImm(PrimType("int32"), number)


def address(
    entry: InstructionEntry, slot: OperandSlot, value: Any, modifiers: Mapping[str, str]
) -> Any:
    """An address in the state space of the slot."""
    value = plain(value)
    if isinstance(value, Call) and getattr(value.op, "name", None) == "tirx.ptx.addr":
        value = AddrArg(value.args[0], value.args[1])
    if isinstance(value, AddrArg):
        if not slot.allow_imm_offset:
            raise ValueError(f"{entry.name}: operand {slot.name!r} takes no T.ptx.addr(...)")
        base = _base_address(entry, slot, plain(value.base), modifiers)
        offset = as_expr(plain(value.byte_offset))
        return Call(Op.get("tirx.ptx.addr"), [base, offset], ty=base.ty)
    return _base_address(entry, slot, value, modifiers)


def _base_address(
    entry: InstructionEntry, slot: OperandSlot, value: Any, modifiers: Mapping[str, str]
) -> Any:
    space = slot.space or modifiers.get("space") or ""
    dtype = dtype_of(value)
    pointer = isinstance(getattr(value, "ty", None), PtrType)
    where = f"{entry.name}: operand {slot.name!r}"
    if space == "tmem":
        if dtype != "uint32":
            raise ValueError(f"{where} must be a uint32 tensor-memory address")
        return value
    if space.startswith("shared"):
        if dtype == "uint32":
            return value
        if not pointer:
            raise ValueError(f"{where} must be a shared-scope pointer or a uint32 shared address")
        return Call(Op.get("tirx.cuda.cvta_generic_to_shared"), [value], ty=PrimType("uint32"))
    if pointer:
        return value
    if dtype == "uint64":
        return Call(Op.get("tirx.reinterpret"), [value], ty=PtrType(PrimType("void")))
    raise ValueError(f"{where} must be a pointer or uint64 holding an address")


__all__ = [
    "SINK",
    "AddrArg",
    "PredArg",
    "Sink",
    "address",
    "destination",
    "dtype_of",
    "immediate",
    "plain",
    "predicate",
    "source",
]
