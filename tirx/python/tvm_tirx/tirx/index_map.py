# SPDX-License-Identifier: Apache-2.0
"""Renamings of coordinates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tvm_ffi import Object, register_object

from .._ffi_functions import Functions
from ..ir.base import Scriptable
from ..ir.expr import Var

_tirx = Functions("tirx.")


@register_object("tirx.IndexMap")
class IndexMap(Scriptable, Object):
    """``final_indices`` in terms of ``initial_indices``."""

    def __init__(
        self, initial_indices: Any, final_indices: Any, inverse_index_map: Any = None
    ) -> None:
        self.__init_handle_by_constructor__(
            _tirx.IndexMap, initial_indices, final_indices, inverse_index_map
        )

    @staticmethod
    def from_func(
        mapping_function: Callable,
        ndim: int | None = None,
        inverse_index_map: Any = None,
        *,
        index_dtype: str = "int64",
    ) -> IndexMap:
        """The map that a Python function of indices describes."""
        import inspect

        names: list[str] = []
        for name, parameter in inspect.signature(mapping_function).parameters.items():
            if parameter.kind is parameter.VAR_POSITIONAL:
                if ndim is None:
                    raise ValueError("ndim is needed for a function of *indices")
                names += [f"{name}_{i}" for i in range(ndim - len(names))]
            elif parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
                names.append(name)
            else:
                raise TypeError("An index map function has positional parameters only")
        variables = [Var(name, index_dtype) for name in names]
        result = mapping_function(*variables)
        final = list(result) if isinstance(result, (tuple, list)) else [result]
        final = [_as_index(value, index_dtype) for value in final]
        if callable(inverse_index_map) and not isinstance(inverse_index_map, IndexMap):
            inverse_index_map = IndexMap.from_func(
                inverse_index_map, ndim=len(final), index_dtype=index_dtype
            )
        return IndexMap(variables, final, inverse_index_map)

    def map_indices(self, indices: Any, analyzer: Any = None) -> Any:
        """The final indices for given initial ones."""
        return _tirx.IndexMapMapIndices(self, indices, analyzer)

    def map_shape(self, shape: Any, analyzer: Any = None) -> Any:
        """The shape after the renaming."""
        return _tirx.IndexMapMapShape(self, shape, analyzer)

    def inverse(self, shape: Any, analyzer: Any = None) -> IndexMap:
        """The map back; RuntimeError unless it is bijective on the shape."""
        return _tirx.IndexMapInverse(self, list(shape), analyzer)


def _as_index(value: Any, dtype: str) -> Any:
    from ..ir.prim.op import cast

    return cast(value, dtype) if isinstance(value, int) else value
