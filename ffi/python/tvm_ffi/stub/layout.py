# SPDX-License-Identifier: Apache-2.0
"""Whether reflection tells every byte of a type, so that another language can reproduce it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from .utils import NamedTypeSchema, ObjectInfo

OBJECT_HEADER_ALIGNMENT = 8
_ROOT = "ffi.Object"
_HEADER_SIZE = 24

OpaqueReason = Literal[
    "layout-unknown",
    "parent-opaque",
    "field-overlap",
    "uncovered-bytes",
    "unrenderable-field",
    "by-directive",
    "no-mirror",
]


def align_up(value: int, alignment: int) -> int:
    """The smallest multiple of ``alignment`` that is not below ``value``."""
    return (value + alignment - 1) // alignment * alignment


@dataclass(frozen=True)
class ByteRange:
    """Bytes ``[start, end)`` of an object."""

    start: int
    end: int

    def __str__(self) -> str:
        return f"[{self.start}, {self.end})"

    def to_json_obj(self) -> list[int]:
        return [self.start, self.end]


@dataclass(frozen=True)
class FieldBytes:
    """Where a field lies, in bytes from the start of the object."""

    name: str
    offset: int
    size: int
    alignment: int

    @property
    def end(self) -> int:
        return self.offset + self.size

    def to_json_obj(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "offset": self.offset,
            "size": self.size,
            "alignment": self.alignment,
        }


@dataclass
class Verdict:
    """Whether a type is complete (all its bytes are known) or opaque, with the evidence."""

    type_key: str
    verdict: Literal["complete", "opaque"]
    reason: OpaqueReason | None
    detail: str
    parent_type_key: str | None
    ancestors: list[str]
    total_size: int | None
    is_final: bool | None
    alignment: int | None = None
    own_bytes: ByteRange | None = None
    fields: list[FieldBytes] = field(default_factory=list)
    uncovered: list[ByteRange] = field(default_factory=list)
    padding: list[ByteRange] = field(default_factory=list)

    __hash__ = None  # type: ignore[assignment]

    @property
    def is_complete(self) -> bool:
        return self.verdict == "complete"

    def to_json_obj(self) -> dict[str, Any]:
        """The verdict as data for JSON."""
        return {
            "verdict": self.verdict,
            "reason": self.reason,
            "detail": self.detail,
            "parent": self.parent_type_key,
            "ancestors": self.ancestors,
            "total_size": self.total_size,
            "is_final": self.is_final,
            "own_bytes": self.own_bytes.to_json_obj() if self.own_bytes else None,
            "fields": [entry.to_json_obj() for entry in self.fields],
            "uncovered": [entry.to_json_obj() for entry in self.uncovered],
            "padding": [entry.to_json_obj() for entry in self.padding],
        }


def _gaps(verdict: Verdict, own: ByteRange) -> str | None:
    """Sorts the bytes between fields into padding and uncovered ones; text for an overlap."""
    position = own.start
    for entry in sorted(verdict.fields, key=lambda item: (item.offset, item.end)):
        if entry.offset < position:
            span = ByteRange(entry.offset, entry.end)
            return f"field '{entry.name}' at {span} starts before byte {position}"
        if entry.offset > position:
            only_alignment = align_up(position, entry.alignment) == entry.offset
            target = verdict.padding if only_alignment else verdict.uncovered
            target.append(ByteRange(position, entry.offset))
        position = entry.end
    if position > own.end:
        return f"fields end at byte {position}, behind the {own.end} bytes of the type"
    if position < own.end:
        only_alignment = align_up(position, verdict.alignment or 1) == own.end
        has_own = bool(verdict.fields)
        target = verdict.padding if only_alignment and has_own else verdict.uncovered
        target.append(ByteRange(position, own.end))
    return None


def _classify_one(
    info: ObjectInfo,
    parent: Verdict | None,
    forced_opaque: AbstractSet[str],
    unmirrored: AbstractSet[str],
    field_renderable: Callable[[NamedTypeSchema], bool] | None,
) -> Verdict:
    key = info.type_key or ""
    verdict = Verdict(
        key,
        "complete",
        None,
        "",
        info.parent_type_key,
        list(info.ancestors),
        info.total_size,
        info.is_final,
    )
    verdict.fields = [
        FieldBytes(entry.name, entry.offset or 0, entry.size or 0, entry.alignment or 1)
        for entry in info.fields
    ]

    def opaque(reason: OpaqueReason, detail: str) -> Verdict:
        verdict.verdict, verdict.reason, verdict.detail = "opaque", reason, detail
        return verdict

    if key == _ROOT:
        size = info.total_size or _HEADER_SIZE
        verdict.total_size = size
        verdict.alignment = OBJECT_HEADER_ALIGNMENT
        verdict.own_bytes = ByteRange(size, size)
        verdict.detail = f"object header [0, {size}): owned by the C ABI"
        return verdict
    if key in forced_opaque:
        return opaque("by-directive", "declared opaque by a directive")
    if info.total_size is None:
        return opaque("layout-unknown", "no metadata of its own: total_size is unknown")
    if parent is not None and not parent.is_complete:
        return opaque("parent-opaque", f"parent '{parent.type_key}' is opaque ({parent.reason})")
    start = _HEADER_SIZE
    if parent is not None and parent.total_size is not None:
        start = parent.total_size
        first = min((entry.offset for entry in verdict.fields), default=start)
        if any(gap.end == start and gap.start <= first < start for gap in parent.padding):
            # The child uses the tail padding of its parent.
            start = first
    own = ByteRange(start, info.total_size)
    verdict.own_bytes = own
    inherited = parent.alignment if parent is not None else None
    verdict.alignment = max(
        [inherited or OBJECT_HEADER_ALIGNMENT, *(entry.alignment for entry in verdict.fields)]
    )
    overlap = _gaps(verdict, own)
    if overlap is not None:
        return opaque("field-overlap", overlap)
    if verdict.uncovered:
        spans = ", ".join(map(str, verdict.uncovered))
        return opaque(
            "uncovered-bytes", f"bytes {spans} of {own} are not accounted for by reflected fields"
        )
    if field_renderable is not None:
        for entry in info.fields:
            if not field_renderable(entry):
                return opaque(
                    "unrenderable-field", f"field `{entry.name}` has no form in the target"
                )
    if key in unmirrored:
        return opaque("no-mirror", "the target has no struct for this type")
    verdict.detail = f"reflected fields fill {own} exactly"
    if verdict.padding:
        verdict.detail += f" (alignment padding {', '.join(map(str, verdict.padding))})"
    return verdict


def classify(
    infos: Mapping[str, ObjectInfo],
    *,
    forced_opaque: AbstractSet[str] = frozenset(),
    unmirrored: AbstractSet[str] = frozenset(),
    field_renderable: Callable[[NamedTypeSchema], bool] | None = None,
) -> dict[str, Verdict]:
    """The verdict on every type.

    Parameters
    ----------
    infos
        Type key -> facts; ancestors of the types are looked up here as well.
    forced_opaque, unmirrored
        Type keys that are opaque by a directive, or because the target lacks a struct for them.
    field_renderable
        Whether the target can write a field.
    """
    verdicts: dict[str, Verdict] = {}
    for key, info in sorted(infos.items(), key=lambda item: (len(item[1].ancestors), item[0])):
        parent = verdicts.get(info.parent_type_key or "")
        verdicts[key] = _classify_one(info, parent, forced_opaque, unmirrored, field_renderable)
    return verdicts


def coverage_report(verdicts: Mapping[str, Verdict]) -> dict[str, Any]:
    """Type key -> verdict as data for JSON, sorted."""
    return {key: verdicts[key].to_json_obj() for key in sorted(verdicts)}


def coverage_text(verdicts: Mapping[str, Verdict]) -> str:
    """The report as the text of a JSON file."""
    return json.dumps(coverage_report(verdicts), indent=2) + "\n"


def write_coverage_report(path: Path, verdicts: Mapping[str, Verdict]) -> None:
    """Writes the report as JSON."""
    path.write_text(coverage_text(verdicts), encoding="utf-8")
