# SPDX-License-Identifier: Apache-2.0
"""Runs functions that need no rewriting.

A body that holds only loops and stores to elements means the same to Python as to the script:
``for`` asks the iteration specification for its variable, ``A[i] = v`` calls ``A.__setitem__``.
Such a function is built by running the code that Python compiled when it read the definition, with
``range`` replaced; no tree is made. What can't be shown to be of this form, and every error, goes
the general way (``rewrite.py``), so that both ways give the same program and the same messages.
"""

from __future__ import annotations

import dis
import re
import sys
from collections.abc import Mapping
from types import CodeType, FunctionType
from typing import Any

from ..._ffi_functions import Functions
from ...ir import expr as _expr
from .protocol import for_, range_, running_directly, setitem
from .rewrite import RESERVED_NAMES

_b = Functions("script.ir_builder.")

# Words and signs that the rewriter looks at. In a text without them Python's code is right.
_SPECIAL = re.compile(
    r"\b(?:if|else|while|assert|return|with|try|raise|del|global|nonlocal|import|class|lambda|and"
    r"|or|not|is|in\s*\[|yield|await|async|match|pass|break|continue|constexpr|let)\b"
    r"|==|!=|:=|;|^\s*\w+\s*:",
    re.MULTILINE,
)
_HEADER_END = re.compile(r"\)[^\n()]*:[ \t]*(?:#[^\n]*)?\n")
_AUGMENTED = re.compile(r"(?:[-+*/%&|^@]|<<|>>)=")
_DECORATOR = re.compile(r"\s*@(\w+)\.function\b[^\n]*\n\s*def\b")

_ALLOWED = frozenset(
    "RESUME CACHE NOP COPY_FREE_VARS MAKE_CELL EXTENDED_ARG LOAD_FAST LOAD_CONST LOAD_GLOBAL "
    "LOAD_DEREF LOAD_ATTR LOAD_METHOD PUSH_NULL PRECALL CALL KW_NAMES BINARY_OP BINARY_SUBSCR "
    "UNARY_NEGATIVE UNARY_INVERT STORE_SUBSCR STORE_FAST UNPACK_SEQUENCE BUILD_TUPLE BUILD_LIST "
    "BUILD_SLICE BUILD_MAP BUILD_CONST_KEY_MAP LIST_EXTEND GET_ITER FOR_ITER JUMP_BACKWARD COPY "
    "SWAP COMPARE_OP RETURN_VALUE".split()
)


def _codes(names: frozenset[str]) -> frozenset[int]:
    return frozenset(dis.opmap[name] for name in names if name in dis.opmap)


# The layout of the code below is that of 3.11; other versions take the general way.
_SUPPORTED = sys.version_info[:2] == (3, 11)
_ALLOWED_CODES = _codes(_ALLOWED)


class Plan:
    """What the code of one function needs while it runs, by instruction (half the byte offset)."""

    __slots__ = ("code", "loops", "namespace", "stores")

    def __init__(self, code: CodeType, namespace: dict[str, Any]) -> None:
        self.code = code
        self.namespace = namespace
        self.loops: dict[int, tuple[Any, int]] = {}  # FOR_ITER: names of the targets, location
        self.stores: dict[int, int] = {}  # STORE_SUBSCR: location


# Plans of the functions that run now, by the id of their code.
_running: dict[int, Plan] = running_directly


def plan(function: FunctionType, text: str, is_namespace: Any) -> Plan | None:
    """How to run ``function``, whose source lines are ``text``; None when it must be rewritten."""
    code = function.__code__
    if not _SUPPORTED or code.co_flags & 0x2C or code.co_kwonlyargcount or code.co_cellvars:
        return None
    decorator = _DECORATOR.match(text)
    if decorator is None or not is_namespace(decorator.group(1)):
        return None
    header = _HEADER_END.search(text, decorator.end())
    if header is None or _SPECIAL.search(text, header.end()):
        return None
    if not _ALLOWED_CODES.issuperset(code.co_code[::2]):
        return None
    if any(isinstance(value, CodeType) for value in code.co_consts):
        return None
    for name in code.co_varnames:
        if name in RESERVED_NAMES or is_namespace(name):
            return None
    known = function.__globals__
    namespace = {name: known[name] for name in code.co_names if name in known}
    if "range" in namespace:
        return None
    namespace["range"] = range_
    namespace["__builtins__"] = known.get("__builtins__", __builtins__)
    result = Plan(code, namespace)
    return result if _read(result, text, _AUGMENTED.search(text) is not None) else None


def _read(result: Plan, text: str, augmented: bool) -> bool:
    """Find loops and stores; False when the code does something else too."""
    code = result.code
    raw = code.co_code
    ops, args = raw[::2], raw[1::2]
    code_of = dis.opmap
    loops, stores = _places(ops, code_of["FOR_ITER"]), _places(ops, code_of["STORE_SUBSCR"])
    updates = 0
    if augmented:
        # In-place operators are those from 13 on.
        updates = sum(args[index] >= 13 for index in _places(ops, code_of["BINARY_OP"]))
    if (
        ops.count(code_of["RETURN_VALUE"]) != 1
        or ops.count(code_of["JUMP_BACKWARD"]) != len(loops)
        or ops.count(code_of["COPY"]) != 2 * updates
        or ops.count(code_of["SWAP"]) != 2 * updates
        or any(args[index] in (2, 3) for index in _places(ops, code_of["COMPARE_OP"]))
    ):
        return False
    positions: list[Any] = list(code.co_positions())  # type: ignore[attr-defined]
    lines = text.split("\n")
    targets: list[str] = []
    get_iter = code_of["GET_ITER"]
    for index in loops:
        found = _targets(code, ops, args, index + 1)
        # FOR_ITER and GET_ITER have the place of the whole loop; before them comes the value of
        # the specification.
        before = ops.rfind(get_iter, 0, index) - 1
        line, end_line, _, end_column = positions[before]
        if found is None or line is None or end_line is None or end_column is None:
            return False
        targets += found
        header = lines[line - code.co_firstlineno]
        location = _pack(line, len(header) - len(header.lstrip()), end_line, end_column)
        result.loops[index] = (found[0] if len(found) == 1 else tuple(found), location)
    begin = 0
    for index in stores:
        # The target comes last in the code; the value ends with what comes before it.
        line, last, column, right = positions[index]
        if line is None or last is None or column is None or right is None:
            return False
        spot = positions[index]
        for place in range(index - 1, begin, -1):
            spot = positions[place]
            if spot[0] != line or spot[1] != last or spot[2] < column or spot[3] > right:
                break
        end_line, end_column = spot[1], spot[3]
        if end_line is None or end_column is None:
            return False
        result.stores[index] = _pack(line, column, end_line, end_column)
        begin = index + 1
    known = {*code.co_varnames[: code.co_argcount], *targets}
    return ops.count(code_of["STORE_FAST"]) == len(targets) and known == set(code.co_varnames)


def _places(ops: bytes, op: int) -> list[int]:
    """The indices at which an operation stands."""
    found = []
    index = ops.find(op)
    while index >= 0:
        found.append(index)
        index = ops.find(op, index + 1)
    return found


def _targets(code: CodeType, ops: bytes, args: bytes, index: int) -> list[str] | None:
    """The names that a loop stores its value in; None for anything else."""
    store, unpack = dis.opmap["STORE_FAST"], dis.opmap["UNPACK_SEQUENCE"]
    count = 1
    if ops[index] == unpack:
        count = args[index]
        index += 1
        while ops[index] == 0:
            index += 1
    if any(ops[index + i] != store for i in range(count)):
        return None
    return [code.co_varnames[args[index + i]] for i in range(count)]


def _pack(line: int, column: int, end_line: int, end_column: int) -> int:
    lines = max(end_line - line, 0)
    if line > 0x7FFFFF or column >= 0xFFF or lines > 0xFFF or end_column >= 0xFFFF:
        return min(line, 0x7FFFFF) << 40 | 1 << 28
    return line << 40 | (column + 1) << 28 | lines << 16 | (end_column + 1)


def run(result: Plan, function: FunctionType, values: list[Any]) -> None:
    """Run the body with the parameters ``values`` inside the current builder."""
    made = FunctionType(
        result.code, result.namespace, function.__name__, None, function.__closure__
    )
    key = id(result.code)
    _running[key] = result
    try:
        made(*values)
    finally:
        del _running[key]


def store_item(target: Any, index: Any, value: Any) -> None:
    """``target[index] = value`` in ordinary Python: allowed in a function that runs directly."""
    frame = sys._getframe(2)
    found = _running.get(id(frame.f_code))
    if found is None:
        raise TypeError(f"{type(target).__name__!r} object does not support item assignment")
    setitem(target, index, value, found.stores[frame.f_lasti >> 1])


_expr._store_item = store_item


class _Loop:
    """Gives the loop variable once, and ends the loop when it is asked again."""

    __slots__ = ("_frame", "_open")

    def __init__(self, frame: Any) -> None:
        self._frame = frame
        self._open = False

    def __iter__(self) -> _Loop:
        return self

    def __next__(self) -> Any:
        if self._open:
            _b.EndBlock()
            raise StopIteration
        self._open = True
        caller = sys._getframe(1)
        names, location = _running[id(caller.f_code)].loops[caller.f_lasti >> 1]
        return for_(self._frame, names, location)


def iterate(loop: Any) -> Any:
    """``iter(loop)`` of a loop frame: allowed in a ``for`` of a function that runs directly."""
    caller = sys._getframe(2)
    found = _running.get(id(caller.f_code))
    get_iter = dis.opmap["GET_ITER"]
    if found is None or caller.f_code.co_code[caller.f_lasti] != get_iter:
        raise TypeError(f"{type(loop).__name__!r} object is not iterable")
    return _Loop(loop)


def evaluated_annotations(
    function: FunctionType, cells: Mapping[str, Any]
) -> dict[str, Any] | None:
    """The annotations as values; texts are evaluated. None when that fails."""
    found: dict[str, Any] = {}
    scope: dict[str, Any] | None = None
    for name, value in function.__annotations__.items():
        if isinstance(value, str):
            if scope is None:
                from .build import cell_values

                scope = cell_values(cells)
            try:
                value = eval(value, function.__globals__, scope)
            except Exception:
                return None
            if isinstance(value, str):
                return None
        found[name] = value
    return found
