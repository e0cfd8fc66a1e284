# SPDX-License-Identifier: Apache-2.0
"""The C and C++ reference: a page a header, from the comments before its declarations."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

# A documentation comment and what follows it.
_COMMENT = re.compile(r"/\*[!*]\s(.*?)\*/\s*\n|((?:^[ \t]*///.*\n)+)", re.DOTALL | re.MULTILINE)
_C_COMMENT = re.compile(
    r"^/\* (.*?) \*/\n(?=TVM_FFI_DLL|typedef|static inline)", re.DOTALL | re.MULTILINE
)
_HIDDEN = re.compile(r"\bnamespace details?\s*\{")


@dataclass
class Entry:
    """One documented declaration."""

    declaration: str
    text: str


def _clean(comment: str) -> str:
    lines = [re.sub(r"^\s*(\*|///)? ?", "", line) for line in comment.strip().splitlines()]
    text = "\n".join(lines).strip()
    text = re.sub(r"\\(brief|note|return|returns|code|endcode|ref|sa)\b\s?", "", text)
    text = re.sub(r"\\t?param(?:\[\w+\])?\s+(\w+)", r"\n* `\1`:", text)
    return re.sub(r"\n{3,}", "\n\n", text)


def _declaration(source: str) -> str:
    """The head of the declaration at the start of ``source``, without its body."""
    if source.startswith("#ifndef"):  # a setting: its default follows
        source = source.split("\n", 1)[1]
    if source.startswith("#"):
        lines = source.split("\n", 1)[0].rstrip("\\").strip()
        return re.sub(r"\s+", " ", lines)
    depth, out = 0, []
    for character in source[:1200]:
        if character in "([":
            depth += 1
        elif character in ")]":
            depth -= 1
        if character in "{;" and depth == 0:
            break
        out.append(character)
    text = "".join(out).strip()
    # What initializes members, or deletes and defaults a function, is not part of the interface.
    text = re.sub(r"\)\s*(noexcept)?\s*:\s(?!:).*$", r") \1", text, flags=re.DOTALL).strip()
    for word in ("TVM_FFI_INLINE", "TVM_FFI_COLD_CODE", "TVM_FFI_NO_INLINE", "TVM_FFI_DLL"):
        text = re.sub(rf"\b{word}\b\s*", "", text)
    return re.sub(r"\n\s*", "\n    ", text)


def _public(source: str) -> str:
    """``source`` with the namespaces of implementation details cut out."""
    while True:
        found = _HIDDEN.search(source)
        if found is None:
            return source
        start = source.index("{", found.start())
        depth, end = 0, start
        for end in range(start, len(source)):
            depth += {"{": 1, "}": -1}.get(source[end], 0)
            if depth == 0:
                break
        source = source[: found.start()] + source[end + 1 :]


def entries(header: Path) -> tuple[str, list[Entry]]:
    """What the header is for, and its documented declarations in order."""
    source = _public(header.read_text(encoding="utf-8"))
    about, found = "", []
    pattern = _C_COMMENT if header.name in ("c_api.h", "c_env_api.h") else _COMMENT
    for match in pattern.finditer(source):
        comment = match[1] or match[2]
        text = _clean(comment)
        if "\\file" in text:
            about = re.sub(r"\\file \S+\s*", "", text).strip()
            continue
        after = source[match.end() :].lstrip(" ")
        if not after.strip() or after.startswith(("}", "\n", "//")):
            continue
        declaration = _declaration(after)
        if declaration and len(declaration) < 600:
            found.append(Entry(declaration, text))
    return about, found


def write(include: Path, out: Path) -> int:
    """Writes one page for each header with documented declarations; returns how many entries."""
    out.mkdir(parents=True, exist_ok=True)
    count, pages = 0, []
    for header in sorted(include.rglob("*.h")):
        name = str(header.relative_to(include))
        if "detail" in name:
            continue
        about, found = entries(header)
        if not found:
            continue
        lines = [f"# `<{name}>`", "", about, ""]
        for entry in found:
            language = "c" if name.endswith("c_api.h") or name.endswith("c_env_api.h") else "cpp"
            lines += [f"```{language}", entry.declaration, "```", "", entry.text, ""]
        page = re.sub(r"\W", "_", name.removesuffix(".h"))
        (out / f"{page}.md").write_text("\n".join(lines), encoding="utf-8")
        pages.append(page)
        count += len(found)
    index = [
        "# C and C++",
        "",
        "One page for each header of the include folder (`tvm-ffi-config --includedir`).",
        "",
        "```{toctree}",
        ":maxdepth: 1",
        "",
        *[f"cpp/{page}" for page in pages],
        "```",
        "",
    ]
    (out.parent / "cpp.md").write_text("\n".join(index), encoding="utf-8")
    return count
