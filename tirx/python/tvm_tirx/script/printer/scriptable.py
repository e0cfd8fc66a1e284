# SPDX-License-Identifier: Apache-2.0
"""Options of the printer."""

from __future__ import annotations

from typing import Any

from tvm_ffi import Object, register_object

from ..._ffi_functions import Functions

_printer = Functions("script.printer.")
_script = Functions("script.")

_DEFAULTS: dict[str, Any] = {
    "name": None,
    "show_meta": False,
    "int_dtype": "int32",
    "float_dtype": "void",
    "verbose_expr": False,
    "indent_spaces": 4,
    "print_line_numbers": False,
    "num_context_lines": -1,
    "path_to_underline": None,
    "path_to_annotate": None,
    "obj_to_underline": None,
    "obj_to_annotate": None,
    "extra_config": None,
}


@register_object("script.PrinterConfig")
class PrinterConfig(Object):
    """How a node is printed.

    name: of the object; must be its global_symbol when it has one. show_meta: executable imports.
    int_dtype, float_dtype: the dtypes whose literals are bare ("void": none). verbose_expr,
    indent_spaces, print_line_numbers. num_context_lines: lines around underlined text (-1: all).
    path_to_underline, obj_to_underline: what gets carets. path_to_annotate, obj_to_annotate: what
    gets a comment. extra_config: keys ir.prefix, tirx.prefix, ir.comment_imports, ir.int_dtype,
    ir.float_dtype."""

    def __init__(self, **options: Any) -> None:
        for name in options:
            if name not in _DEFAULTS and name != "render_invisible_path_info":
                raise TypeError(f"script() got an unexpected keyword argument {name!r}")
        chosen = {**_DEFAULTS, **options}
        extra = {
            "ir.int_dtype": chosen["int_dtype"],
            "ir.float_dtype": chosen["float_dtype"],
        }
        if chosen["show_meta"]:
            extra["ir.comment_imports"] = False
        extra.update(chosen["extra_config"] or {})
        name = chosen["name"]
        self.__init_handle_by_constructor__(
            _script.PrinterConfig,
            {
                "binding_names": [] if name is None else [name],
                "show_meta": chosen["show_meta"],
                "verbose_expr": chosen["verbose_expr"],
                "indent_spaces": chosen["indent_spaces"],
                "print_line_numbers": chosen["print_line_numbers"],
                "num_context_lines": chosen["num_context_lines"],
                "render_invisible_path_info": chosen.get("render_invisible_path_info", True),
                "path_to_underline": list(chosen["path_to_underline"] or ()),
                "path_to_annotate": dict(chosen["path_to_annotate"] or {}),
                "obj_to_underline": list(chosen["obj_to_underline"] or ()),
                "obj_to_annotate": dict(chosen["obj_to_annotate"] or {}),
                "extra_config": extra,
            },
        )


def script(node: Any, **options: Any) -> str:
    """The TVMScript text of a node."""
    return str(_printer.Script(node, PrinterConfig(**options) if options else None))


def short_repr(node: Any) -> str:
    """The text of `script`; type and address when it can't be printed."""
    try:
        return str(_printer.Script(node, None))
    except Exception:
        return f"{type(node).__name__}(0x{node.__chandle__():x})"
