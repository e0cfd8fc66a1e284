# SPDX-License-Identifier: Apache-2.0
"""The instructions of the PTX dialect: what a row of the compiler's table says."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product

from ...._ffi_functions import Functions

_ptx = Functions("tirx.ptx.")

_OPERAND = re.compile(
    r"(?P<name>\w+):(?:(?P<rw>rw|r|w):)?(?P<kind>reg|addr|ptr|imm)"
    r"(?::(?P<type>[^\[]*?))?(?:\[(?P<flags>[^\]]*)\])?$"
)
_LANES = re.compile(r"^(?P<type>.*?)x(?:\{(?P<choices>[\d,]*)\}|(?P<count>\d+))$")
# Which modifier makes an operand that may be absent present.
_PRESENT_WITH = {
    "cache_policy": "cache",
    "scale_factor": "scaled",
    "cta_mask": "multicast",
    "byte_mask": "cp_mask",
}
# Modifiers whose text is a count of registers.
_COUNTED = {"vec": r"v(\d+)", "num": r"x(\d+)", "dim": r"(\d)d"}
_LANES_BY = {"coords": ("dim",), "d": ("vec",), "value": ("vec",), "r": ("num",)}


@dataclass(frozen=True)
class ModifierSlot:
    """A place for one modifier."""

    name: str
    choices: tuple[str, ...]
    optional: bool = False


@dataclass(frozen=True)
class OperandSlot:
    """An operand: one or more registers, an address or an immediate.

    ``lanes`` are the possible counts of registers, empty for any."""

    name: str
    rw: str = "r"
    kind: str = "reg"
    dtype: str | None = None
    lanes: tuple[int, ...] = (1,)
    space: str | None = None
    choices: tuple[int, ...] | None = None
    literal: str | None = None
    allow_imm_offset: bool = False
    sink: bool = False
    any_dtype: bool = False

    @property
    def written(self) -> bool:
        """Whether the instruction writes it."""
        return "w" in self.rw and self.kind == "reg"

    def token(self, modifiers: Mapping[str, str]) -> str | None:
        """The register type under these modifiers; None when anything goes."""
        dtype = self.dtype
        if dtype is None or dtype.startswith("fn"):
            return None
        if dtype == "by-type":
            return modifiers.get("type") or None
        if dtype.startswith("@"):
            return modifiers.get(dtype[1:]) or modifiers.get("type") or None
        return dtype


@dataclass(frozen=True)
class InstructionEntry:
    """One form of an instruction."""

    name: str
    mnemonic: str
    family: str
    slots: tuple[ModifierSlot, ...]
    operands: tuple[OperandSlot, ...]
    cert_arch: str | None
    asm_volatile: bool
    orders_memory: bool

    @property
    def op_name(self) -> str:
        """The name of the operator."""
        return f"tirx.ptx.{self.name}"

    @property
    def has_dst(self) -> bool:
        """Whether it writes registers."""
        return any(operand.rw == "w" for operand in self.operands)

    def lane_counts(self, total: int, modifiers: Mapping[str, str]) -> Iterator[tuple[int, ...]]:
        """Ways to share ``total`` values among the operands."""
        choices: list[tuple[int, ...]] = []
        free = None
        for index, operand in enumerate(self.operands):
            lanes = lanes_under(operand, modifiers)
            if not lanes:
                free = index
            choices.append(lanes or (0,))
        for counts in product(*choices):
            if free is not None:
                missing = total - sum(counts)
                if missing > 0:
                    yield (*counts[:free], missing, *counts[free + 1 :])
            elif sum(counts) == total:
                yield counts


def lanes_under(operand: OperandSlot, modifiers: Mapping[str, str]) -> tuple[int, ...]:
    """The counts of registers that these modifiers leave; none for any."""
    gate = _PRESENT_WITH.get(operand.name)
    optional = not operand.lanes or 0 in operand.lanes
    if gate is not None and optional and gate in modifiers:
        return (1,) if modifiers[gate] else (0,)
    if len(operand.lanes) != 1:
        for slot in _LANES_BY.get(operand.name, ()):
            match = re.fullmatch(_COUNTED[slot], modifiers.get(slot, ""))
            if match and (not operand.lanes or int(match[1]) in operand.lanes):
                return (int(match[1]),)
    return operand.lanes


def _parse_slots(text: str) -> tuple[ModifierSlot, ...]:
    return tuple(
        ModifierSlot(name, tuple(choices.split("|")), bool(optional))
        for name, choices, optional in re.findall(r"(\w+)\{([^}]*)\}(\?)?", text)
    )


def _parse_operand(text: str) -> OperandSlot:
    match = _OPERAND.match(text)
    if match is None:
        raise ValueError(f"malformed operand of the PTX table: {text!r}")
    kind = match["kind"]
    dtype: str | None = match["type"] or None
    flags = (match["flags"] or "").split()
    lanes: tuple[int, ...] = (1,)
    choices = None
    literal = None
    if kind == "imm":
        if dtype and dtype.startswith("in{"):
            choices = tuple(int(value) for value in dtype[3:-1].split(","))
        elif dtype and dtype.startswith("lit="):
            literal = dtype[4:]
            lanes = (0,)
        dtype = None
    elif (dtype and not re.fullmatch(r"[a-z]+\d+x\d+", dtype)) or (dtype and "{" in dtype):
        dtype, lanes = _split_lanes(dtype)
    elif dtype and dtype not in register_types():
        dtype, lanes = _split_lanes(dtype)
    return OperandSlot(
        match["name"],
        match["rw"] or "r",
        kind,
        None if dtype == "-" else dtype,
        lanes,
        next((flag[6:] for flag in flags if flag.startswith("space=")), None),
        choices,
        literal,
        "off" in flags,
        any(flag.startswith("sink") for flag in flags),
        any(flag.startswith("dtypes=") for flag in flags),
    )


def _split_lanes(dtype: str) -> tuple[str, tuple[int, ...]]:
    if dtype in register_types():
        return dtype, (1,)
    match = _LANES.match(dtype)
    if match is None:
        return dtype, (1,)
    if match["count"]:
        return match["type"], (int(match["count"]),)
    return match["type"], tuple(int(v) for v in match["choices"].split(",") if v)


@functools.cache
def register_types() -> dict[str, tuple[str, ...]]:
    """For each register type the element types that a value may have."""
    return {str(token): tuple(str(d).split(",")) for token, d in _ptx.DTypes().items()}


@functools.cache
def _lines() -> dict[str, list[list[str]]]:
    """Rows of the table by family."""
    families: dict[str, list[list[str]]] = {}
    for line in str(_ptx.Table()).splitlines():
        row = line.split("\t")
        families.setdefault(row[2], []).append(row)
    return families


def families() -> list[str]:
    """Names of all families."""
    return sorted(_lines())


@functools.cache
def entries(family: str) -> tuple[InstructionEntry, ...]:
    """The forms of a family."""
    return tuple(
        InstructionEntry(
            row[0],
            row[1],
            row[2],
            _parse_slots(row[3]),
            tuple(_parse_operand(part) for part in row[4].split("; ") if part),
            row[5] or None,
            row[6] == "1",
            row[7] == "1",
        )
        for row in _lines()[family]
    )


@functools.cache
def table() -> dict[str, InstructionEntry]:
    """All forms by name."""
    return {entry.name: entry for family in _lines() for entry in entries(family)}


__all__ = [
    "InstructionEntry",
    "ModifierSlot",
    "OperandSlot",
    "entries",
    "families",
    "lanes_under",
    "register_types",
    "table",
]
