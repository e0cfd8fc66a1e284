# SPDX-License-Identifier: Apache-2.0
"""The syntax of markers, and colours of the terminal."""

from __future__ import annotations

from dataclasses import dataclass

DOC_URL = "https://tvm.apache.org/ffi/packaging/stubgen.html"

TERM_RESET = "\033[0m"
TERM_BOLD = "\033[1m"
TERM_BLACK = "\033[30m"
TERM_RED = "\033[31m"
TERM_GREEN = "\033[32m"
TERM_YELLOW = "\033[33m"
TERM_BLUE = "\033[34m"
TERM_MAGENTA = "\033[35m"
TERM_CYAN = "\033[36m"
TERM_WHITE = "\033[37m"

# Kinds of blocks between a begin and an end marker. Other kinds of ``CodeBlock`` are the name of a
# directive, and None for text between the markers.
BLOCK_KINDS = ("global", "object", "import-section", "__all__", "export", "helpers")
STUB_BLOCK_KINDS = str | None

# Directives that steer the run; every target adds its own.
PIPELINE_DIRECTIVE_KINDS = frozenset({"prefix", "skip", "ty-map"})

# Types that the package itself wraps; never scaffolded.
BUILTIN_TYPE_KEYS = {
    "ffi.BigInt",
    "ffi.Bytes",
    "ffi.Error",
    "ffi.Function",
    "ffi.Object",
    "ffi.OpaquePyObject",
    "ffi.SmallBytes",
    "ffi.SmallStr",
    "ffi.String",
    "ffi.Tensor",
}

# Native name of a method -> name in the stub, where they differ.
FN_NAME_MAP: dict[str, str] = {}


@dataclass(frozen=True)
class MarkerSyntax:
    """How markers look in a language: its token for comments, then ``tvm-ffi-stubgen(...)``."""

    comment: str

    @property
    def _start(self) -> str:
        return f"{self.comment} tvm-ffi-stubgen("

    def directive(self, name: str) -> str:
        """Start of the line of a directive."""
        return f"{self._start}{name}):"

    @property
    def begin(self) -> str:
        return self.directive("begin")

    @property
    def end(self) -> str:
        return f"{self._start}end)"

    @property
    def ty_map(self) -> str:
        return self.directive("ty-map")

    @property
    def import_object(self) -> str:
        return self.directive("import-object")

    @property
    def skip_file(self) -> str:
        return f"{self._start}skip-file)"

    @property
    def prefix(self) -> str:
        return self._start


PYTHON_SYNTAX = MarkerSyntax("#")
RUST_SYNTAX = MarkerSyntax("//")
SYNTAX_BY_EXT = {".py": PYTHON_SYNTAX, ".pyi": PYTHON_SYNTAX, ".rs": RUST_SYNTAX}
