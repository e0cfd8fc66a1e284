# SPDX-License-Identifier: Apache-2.0
"""What all nodes share: printing, structural equality, JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tvm_ffi import Object, register_object

from .._ffi_functions import Functions

_ir = Functions("ir.")
_printer = Functions("script.printer.")


class Scriptable:
    """Adds printing as TVMScript."""

    __slots__ = ()

    def script(self, **options: Any) -> str:
        """The TVMScript text of the node.

        Options: name, show_meta, int_dtype, float_dtype, verbose_expr, indent_spaces,
        print_line_numbers, num_context_lines, path_to_underline, path_to_annotate,
        obj_to_underline, obj_to_annotate, extra_config; see ``script.printer.PrinterConfig``.
        """
        from ..script.printer.scriptable import script

        return script(self, **options)

    def show(self, style: str | None = None, **options: Any) -> None:
        """Print the text of `script`, highlighted when Pygments is installed."""
        from ..script.printer.highlight import cprint

        cprint(self.script(**options), style=style)

    def __repr__(self) -> str:
        from ..script.printer.scriptable import short_repr

        return short_repr(self)


class Node(Object):
    """Base of the objects of the program."""

    if TYPE_CHECKING:
        # The fields of the native object.
        def __getattr__(self, name: str) -> Any: ...


@register_object("ir.EnvFunc")
class EnvFunc(Node):
    """A global function, known by its name."""

    def __call__(self, *args: Any) -> Any:
        return self.func(*args)

    @staticmethod
    def get(name: str) -> EnvFunc:
        """The global function of the name; ValueError when there is none."""
        return _ir.EnvFuncGet(name)


def save_json(node: Any) -> str:
    """The node, and all below it, as JSON text."""
    from tvm_ffi import serialization

    return serialization.to_json_graph_str(node, {"tvm_tirx_version": _version()})


def load_json(json_str: str) -> Any:
    """The node that `save_json` wrote. ValueError for text that is not of this form."""
    from tvm_ffi import serialization

    return serialization.from_json_graph_str(json_str)


def _version() -> str:
    from ..libinfo import __version__

    return __version__


def structural_equal(lhs: Any, rhs: Any, map_free_vars: bool = False) -> bool:
    """Whether two nodes are the same program; names and locations don't matter.

    With ``map_free_vars``, variables that are defined nowhere inside may differ consistently."""
    import tvm_ffi

    return bool(tvm_ffi.structural_equal(lhs, rhs, map_free_vars))


def structural_hash(node: Any, map_free_vars: bool = False) -> int:
    """A hash that goes with `structural_equal`."""
    import tvm_ffi

    return int(tvm_ffi.structural_hash(node, map_free_vars))


def assert_structural_equal(lhs: Any, rhs: Any, map_free_vars: bool = False) -> None:
    """Raise ValueError with both texts, underlined where they differ first, unless equal."""
    _ir.AssertStructuralEqual(lhs, rhs, map_free_vars)


__all__ = [
    "EnvFunc",
    "Node",
    "Scriptable",
    "assert_structural_equal",
    "load_json",
    "save_json",
    "structural_equal",
    "structural_hash",
]
