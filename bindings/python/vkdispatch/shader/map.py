"""Functions that are written into other kernels: maps of reductions and transforms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..codegen.mapping import MappingFunction, map_function


def map(func: Callable | None = None, return_type: Any = None, input_types: Sequence[Any] | None = None) -> Any:
    """Make a MappingFunction of a function; its types come from its annotations unless given. Also a decorator."""
    if func is None:
        return lambda f: map_function(f, return_type, input_types)
    return map_function(func, return_type, input_types)


__all__ = ["MappingFunction", "map"]
