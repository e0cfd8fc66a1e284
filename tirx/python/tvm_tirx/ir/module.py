# SPDX-License-Identifier: Apache-2.0
"""Modules: functions by name."""

from __future__ import annotations

from typing import Any

from tvm_ffi import register_object

from .._ffi_functions import Functions
from .attrs import DictAttrs
from .base import Node, Scriptable
from .expr import GlobalVar

_ir = Functions("ir.")


@register_object("ir.IRModule")
class IRModule(Scriptable, Node):
    """A set of functions. Keys may be names or GlobalVars; names are unique."""

    def __init__(self, functions: Any = None, attrs: Any = None, global_infos: Any = None) -> None:
        by_var: dict[Any, Any] = {}
        for key, value in dict(functions or {}).items():
            by_var[GlobalVar(key) if isinstance(key, str) else key] = value
        if not isinstance(attrs, DictAttrs):
            attrs = DictAttrs(dict(attrs or {}))
        self.__init_handle_by_constructor__(_ir.IRModule, by_var, attrs, dict(global_infos or {}))

    @staticmethod
    def from_expr(expr: Any, functions: Any = None) -> IRModule:
        """A module of one function, under its global_symbol, else "main"."""
        module = _ir.Module_FromExpr(expr)
        for key, value in dict(functions or {}).items():
            module.update_func(key, value)
        return module

    def _var(self, var: Any) -> GlobalVar:
        return self.get_global_var(var) if isinstance(var, str) else var

    def __contains__(self, var: Any) -> bool:
        name = var if isinstance(var, str) else var.name_hint
        return bool(_ir.Module_ContainGlobalVar(self, name))

    def __getitem__(self, var: Any) -> Any:
        """The function; ValueError with the candidates when there is none."""
        return _ir.Module_Lookup(self, self._var(var))

    def __setitem__(self, var: Any, val: Any) -> None:
        if isinstance(var, str):
            var = self.get_global_var(var) if var in self else GlobalVar(var)
        _ir.Module_Add(self, var, val, True)

    def functions_items(self) -> Any:
        """Pairs of GlobalVar and function, sorted by name."""
        return sorted(self.functions.items(), key=lambda item: str(item[0].name_hint))

    def get_global_var(self, name: str) -> GlobalVar:
        """The variable of the name; ValueError with the candidates when there is none."""
        return _ir.Module_GetGlobalVar(self, name)

    def get_global_vars(self) -> Any:
        """All variables, sorted by name."""
        return sorted(_ir.Module_GetGlobalVars(self), key=lambda var: str(var.name_hint))

    def update(self, other: Any) -> None:
        """Add or replace the functions of another module or of a dict."""
        if isinstance(other, dict):
            other = IRModule(other)
        for var, function in other.functions.items():
            _ir.Module_UpdateFunction(self, var, function)

    def update_func(self, var: Any, func: Any) -> None:
        """Replace one function, or add it."""
        if isinstance(var, str):
            self[var] = func
        else:
            _ir.Module_UpdateFunction(self, var, func)

    def update_global_info(self, name: str, global_info: Any) -> None:
        """Replace the global infos of a name."""
        _ir.Module_UpdateGlobalInfo(self, name, global_info)

    def clone(self) -> IRModule:
        """A module of its own with the same functions."""
        return _ir.Module_Clone(self)

    def get_attr(self, attr_key: str) -> Any:
        """An attribute, None when absent."""
        return self.attrs.get(attr_key)

    def with_attr(self, attr_key: str, attr_value: Any) -> IRModule:
        """A copy with one attribute set."""
        return _ir.Module_WithAttr(self, attr_key, attr_value)

    def with_attrs(self, attr_map: Any) -> IRModule:
        """A copy with attributes set."""
        module: Any = self
        for key, value in attr_map.items():
            module = module.with_attr(key, value)
        return module

    def without_attr(self, attr_key: str) -> IRModule:
        """A copy without an attribute."""
        return _ir.Module_WithoutAttr(self, attr_key)
