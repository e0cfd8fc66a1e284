# SPDX-License-Identifier: Apache-2.0
"""``T.ptx``: instructions written as ``T.ptx.add.rn.f32(d, a, b)``, as
``T.ptx["add.rn.f32"](d, a, b)``, or as they are printed, with the modifiers as texts behind the
operands: ``T.ptx.add(d, a, b, "rn", "", "", "f32", "", "")``.

The last text of the printed form holds marks: `pred` when an operand before the modifiers is the
predicate of the instruction, `keep` when a skipped instruction keeps its destinations, `pN` for an
operand N that is a predicate, `sN` for a result N that is not wanted and has no operand."""

from __future__ import annotations

import keyword
from collections.abc import Iterable
from typing import Any

from ...._ffi_functions import Functions
from ....ir.expr import Call, StringImm
from ....ir.op import Op
from ....ir.op_builder import emit_void
from ....ir.type import PrimType
from . import operands as _operands
from .operands import SINK, AddrArg, PredArg, Sink
from .table import InstructionEntry, ModifierSlot, OperandSlot, entries, families, lanes_under

_builder = Functions("script.ir_builder.")


def _assign(entry: InstructionEntry, tokens: Iterable[str]) -> dict[str, str] | str:
    """Modifiers by slot; the token that fits nowhere when there is one."""
    chosen: dict[str, str] = {}
    for token in tokens:
        for slot in entry.slots:
            if slot.name not in chosen and token in slot.choices:
                chosen[slot.name] = token
                break
        else:
            return token
    return chosen


def _open_slots(entry: InstructionEntry, chosen: dict[str, str]) -> list[ModifierSlot]:
    return [slot for slot in entry.slots if slot.name not in chosen]


def _refuse_modifier(family: str, token: str, before: tuple[str, ...]) -> str:
    open_slots: list[ModifierSlot] = []
    for entry in entries(family):
        chosen = _assign(entry, before)
        if isinstance(chosen, dict):
            open_slots = _open_slots(entry, chosen)
            break
    text = "; ".join(f"{slot.name}∈{{{','.join(slot.choices)}}}" for slot in open_slots)
    return f"{token!r} is not a valid modifier for {family!r}; open slots: {text}"


def _attribute(token: str) -> str:
    """The token as an attribute."""
    name = token.replace("::", "__")
    return name + "_" if keyword.iskeyword(name) or name == "global" else name


def _token(name: str) -> str:
    if name.endswith("_") and not name.endswith("__"):
        name = name[:-1]
    return name.replace("__", "::")


class InstructionChain:
    """A family with some modifiers; a call adds the instruction to the program."""

    def __init__(self, family: str, tokens: tuple[str, ...] = ()) -> None:
        self._family = family
        self._tokens = tokens

    def _with(self, token: str) -> InstructionChain:
        tokens = (*self._tokens, token)
        if not any(isinstance(_assign(e, tokens), dict) for e in entries(self._family)):
            raise AttributeError(_refuse_modifier(self._family, token, self._tokens))
        return InstructionChain(self._family, tokens)

    def __getattr__(self, name: str) -> InstructionChain:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return self._with(_token(name))

    def __dir__(self) -> list[str]:
        names = set()
        for entry in entries(self._family):
            chosen = _assign(entry, self._tokens)
            if isinstance(chosen, dict):
                names |= {_attribute(c) for s in _open_slots(entry, chosen) for c in s.choices}
        return sorted(names)

    def __repr__(self) -> str:
        return f"<T.ptx.{instruction_name(self)}>"

    def __call__(self, *args: Any, pred: Any = None, preserve_dst: bool = False) -> Any:
        texts = _trailing_texts(args)
        if texts and not self._tokens:
            return _call_printed_form(self._family, args[: len(args) - len(texts)], texts)
        candidates = [
            (entry, chosen)
            for entry in entries(self._family)
            if isinstance(chosen := _assign(entry, self._tokens), dict)
        ]
        return _emit_first(candidates, list(args), pred, preserve_dst)


def _trailing_texts(args: tuple[Any, ...]) -> list[str]:
    texts: list[str] = []
    for arg in reversed(args):
        if isinstance(arg, StringImm):
            arg = str(arg.value)
        if not isinstance(arg, str):
            break
        texts.insert(0, arg)
    return texts


def _call_printed_form(family: str, values: tuple[Any, ...], texts: list[str]) -> Any:
    *modifiers, marks_text = texts
    marks = [mark for mark in marks_text.split(",") if mark]
    args: list[Any] = list(values)
    pred = args.pop() if "pred" in marks and args else None
    for mark in marks:
        number = mark[1:]
        if mark[0] == "s" and number.isdigit():
            args.insert(int(number), SINK)
        elif mark[0] == "p" and number.isdigit() and int(number) < len(args):
            args[int(number)] = PredArg(args[int(number)])
    candidates = []
    for entry in entries(family):
        if len(entry.slots) != len(modifiers):
            continue
        if all(
            text in slot.choices or (text == "" and slot.optional)
            for slot, text in zip(entry.slots, modifiers)
        ):
            names = [slot.name for slot in entry.slots]
            candidates.append((entry, {n: t for n, t in zip(names, modifiers) if t}))
    if not candidates:
        for index, text in enumerate(modifiers):
            before = tuple(t for t in modifiers[:index] if t)
            if text and not any(
                isinstance(_assign(entry, (*before, text)), dict) for entry in entries(family)
            ):
                raise AttributeError(_refuse_modifier(family, text, before))
        raise ValueError(f"no form of {family} has the modifiers {tuple(modifiers)}")
    return _emit_first(candidates, args, pred, "keep" in marks)


def _emit_first(
    candidates: list[tuple[InstructionEntry, dict[str, str]]],
    args: list[Any],
    pred: Any,
    preserve_dst: bool,
) -> Any:
    """Emit the first form that takes the operands."""
    errors: list[tuple[InstructionEntry, Exception]] = []
    for entry, chosen in candidates:
        try:
            call = _build(entry, chosen, args, pred, preserve_dst)
        except ValueError as error:
            errors.append((entry, error))
            continue
        return emit_void(call) if _builder.IRBuilderIsInScope() else call
    if len(errors) == 1:
        raise errors[0][1]
    reasons = "\n".join(f"  {entry.name}: {error}" for entry, error in errors)
    raise ValueError(
        f"no ptx instruction matches these operands; candidates rejected it as:\n{reasons}"
    )


def _build(
    entry: InstructionEntry,
    chosen: dict[str, str],
    args: list[Any],
    pred: Any,
    preserve_dst: bool,
) -> Any:
    missing = [s.name for s in entry.slots if not s.optional and s.name not in chosen]
    if missing:
        raise ValueError(f"{entry.name}: missing required modifier(s): {', '.join(missing)}")
    if preserve_dst and pred is None:
        raise ValueError(f"{entry.name}: preserve_dst=True requires pred=...")
    modifiers = {slot.name: chosen.get(slot.name, "") for slot in entry.slots}
    values, marks = _bind(entry, args, modifiers)
    if pred is not None:
        values.append(_operands.predicate(entry, pred))
        marks.insert(0, "pred")
        if preserve_dst:
            marks.insert(1, "keep")
    texts = [StringImm(text) for text in (*modifiers.values(), ",".join(marks))]
    return Call(Op.get(entry.op_name), [*values, *texts], ty=PrimType("void"))


def _bind(
    entry: InstructionEntry, args: list[Any], modifiers: dict[str, str]
) -> tuple[list[Any], list[str]]:
    problem: ValueError | None = None
    for counts in entry.lane_counts(len(args), modifiers):
        values: list[Any] = []
        marks: list[str] = []
        rest = iter(enumerate(args))
        try:
            for slot, count in zip(entry.operands, counts):
                for _, (index, value) in zip(range(count), rest):
                    if isinstance(value, Sink):
                        if not slot.sink:
                            raise ValueError(
                                f"{entry.name}: operand {slot.name!r} cannot be {value!r}"
                            )
                        marks.append(f"s{index}")
                        continue
                    values.append(_convert(entry, slot, value, modifiers))
                    if slot.kind == "reg" and not slot.written:
                        if slot.token(modifiers) == "pred":
                            marks.append(f"p{index}")
        except ValueError as error:
            problem = problem or error
            continue
        return values, marks
    if problem is not None:
        raise problem
    shown: list[str] = []
    wanted = 0
    for slot in entry.operands:
        if slot.literal is not None:
            continue
        count = min(lanes_under(slot, modifiers), default=1)
        wanted += count
        shown.append(slot.name if count < 2 else f"{slot.name}[{count}]")
    raise ValueError(
        f"{entry.name} expects {wanted} operand(s) ({', '.join(shown)}), got {len(args)}"
    )


def _convert(
    entry: InstructionEntry, slot: OperandSlot, value: Any, modifiers: dict[str, str]
) -> Any:
    if slot.kind == "imm":
        return _operands.immediate(entry, slot, value)
    if slot.kind in ("addr", "ptr"):
        return _operands.address(entry, slot, value, modifiers)
    if slot.written:
        return _operands.destination(entry, slot, value, modifiers)
    return _operands.source(entry, slot, value, modifiers)


class PTXNamespace:
    """``T.ptx``."""

    SINK = SINK

    @staticmethod
    def addr(base: Any, byte_offset: Any) -> AddrArg:
        """The address ``byte_offset`` bytes behind ``base``."""
        return AddrArg(base, byte_offset)

    @staticmethod
    def pred(value: Any) -> PredArg:
        """An integer as an operand that is a predicate."""
        return PredArg(value)

    def __getattr__(self, name: str) -> InstructionChain:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        family = _token(name)
        if family not in families():
            raise AttributeError(
                f"{name!r} is not a ptx instruction; known families: {', '.join(families())}"
            )
        return InstructionChain(family)

    def __getitem__(self, text: str) -> InstructionChain:
        family, *tokens = text.split(".")
        if family not in families():
            raise KeyError(
                f"{text!r} does not start with a ptx instruction family; "
                f"known: {', '.join(families())}"
            )
        chain = InstructionChain(family)
        try:
            for token in tokens:
                chain = chain._with(token)
        except AttributeError as error:
            raise KeyError(str(error)) from None
        return chain

    def __dir__(self) -> list[str]:
        return ["SINK", "addr", "pred", *(_attribute(name) for name in families())]

    def __repr__(self) -> str:
        return f"<T.ptx: {len(families())} instruction families>"


def instruction_name(instruction: Any) -> str:
    """The text of an instruction: a chain, or the text itself."""
    if isinstance(instruction, InstructionChain):
        return ".".join((instruction._family, *instruction._tokens))
    if isinstance(instruction, str):
        return instruction
    raise TypeError(f"Expected a T.ptx instruction or its text, got {type(instruction).__name__}")


def instruction_forms(instruction: Any) -> list[InstructionEntry]:
    """The forms that an instruction may have."""
    family, *tokens = instruction_name(instruction).split(".")
    return [e for e in entries(family) if isinstance(_assign(e, tokens), dict)]


__all__ = [
    "SINK",
    "AddrArg",
    "InstructionChain",
    "PTXNamespace",
    "PredArg",
    "instruction_forms",
    "instruction_name",
]
