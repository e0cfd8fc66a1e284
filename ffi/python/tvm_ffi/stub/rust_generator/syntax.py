# SPDX-License-Identifier: Apache-2.0
"""Which texts of directives are identifiers, paths and types of Rust."""

from __future__ import annotations

import re

from . import consts as C

_IDENT = r"(?:r#)?[^\W\d]\w*"
_TOKEN = re.compile(rf"\s*(?:({_IDENT})|(\d+)|(::|[<>,()\[\];]|\*const\b|\*mut\b))")
# Names that generated code uses without a path, and the types that the language has.
_TAKEN_NAMES = frozenset(
    "Clone Copy Err Into None Ok Option Self Some TryFrom bool char f32 f64 i128 i16 i32 i64 i8 "
    "isize str u128 u16 u32 u64 u8 usize".split()
)


def is_identifier(text: str) -> bool:
    """Whether Rust takes the text as a name: no keyword, unless it is raw."""
    if re.fullmatch(_IDENT, text) is None or text == "_":
        return False
    if text.startswith("r#"):
        return text[2:] not in C.RUST_NOT_RAW_IDENTIFIERS and text != "r#_"
    return text not in C.RUST_KEYWORDS


def is_new_type_name(text: str) -> bool:
    """Whether a file may define a type of this name."""
    return is_identifier(text) and text not in _TAKEN_NAMES


def is_path(text: str) -> bool:
    """Whether the text is a path without type arguments, such as ``crate::kinds::Kind``."""
    first, *rest = text.removeprefix("::").split("::")
    if text.startswith("::") or first not in ("crate", "self", "super"):
        return all(map(is_identifier, (first, *rest)))
    while first == "super" and rest and rest[0] == "super":
        first, *rest = rest
    return bool(rest) and all(map(is_identifier, rest))


def is_use(text: str) -> bool:
    """Whether ``use text;`` is Rust: a path, which may end in ``*``, ``as name`` or ``{..}``."""
    head, _, leaf = text.rpartition("::")
    group = re.fullmatch(r"(.*?)::\{(.*)\}", text)
    if group is not None:
        parts = [part.strip() for part in group[2].split(",") if part.strip()]
        return is_path(group[1]) and bool(parts) and all(map(_is_use_leaf, parts))
    if leaf == "*":
        return is_path(head)
    path, _, alias = text.partition(" as ")
    return is_path(path) and (not alias or alias == "_" or is_identifier(alias.strip()))


def _is_use_leaf(text: str) -> bool:
    return text == "self" or is_use(text)


def is_type(text: str) -> bool:
    """Whether the text is a type of Rust that a field can have: a path with type arguments, a
    pointer, an array, a tuple."""
    tokens = []
    at = 0
    text = text.rstrip()
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            return False
        tokens.append(match[0].strip())
        at = match.end()
    parser = _TypeParser(tokens)
    try:
        parser.type()
    except _NoType:
        return False
    return not parser.tokens


class _NoType(Exception):
    """The tokens are no type."""


class _TypeParser:
    """Takes a type off the front of tokens."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens
        self.depth = 0

    def _next(self) -> str:
        return self.tokens[0] if self.tokens else ""

    def _take(self, *wanted: str) -> str:
        token = self._next()
        if not token or (wanted and token not in wanted):
            raise _NoType
        return self.tokens.pop(0)

    def type(self) -> None:
        self.depth += 1
        if self.depth > 64:
            raise _NoType
        token = self._next()
        if token in ("*const", "*mut"):
            self._take()
            self.type()
        elif token == "[":
            self._take()
            self.type()
            self._take(";")
            if not self._take().isdecimal():
                raise _NoType
            self._take("]")
        elif token == "(":
            self._take()
            self._types_until(")")
        else:
            self._path()
        self.depth -= 1

    def _types_until(self, end: str) -> int:
        count = 0
        while self._next() != end:
            self.type()
            count += 1
            if self._next() != end:
                self._take(",")
        self._take(end)
        return count

    def _path(self) -> None:
        parts = []
        if self._next() == "::":
            parts.append(self._take())
        parts.append(self._take())
        while self._next() == "::":
            parts += [self._take(), self._take()]
        if not is_path("".join(parts)):
            raise _NoType
        if self._next() == "<":
            self._take()
            if self._types_until(">") == 0:
                raise _NoType
