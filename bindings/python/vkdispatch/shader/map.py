"""Functions that are written into other kernels: maps of reductions and transforms.

Parameters and result are annotated with dtypes and arguments of kernels; what is missing or unknown is a ValueError that
names it.

Example:
    @vd.map
    def squared(x: Buff[f32]) -> f32:
        value = x[vd.reduce.mapped_io_index()]
        return value * value


    @vd.reduce.reduce(0, mapping_function=squared)
    def sum_of_squares(a: f32, b: f32) -> f32:
        return a + b

    assert sum_of_squares(vd.arange(4, dtype=vd.float32)).read(0)[0] == 14
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, overload

from ..codegen.mapping import MappingFunction, map_function


@overload
def map(func: Callable, return_type: Any = None, input_types: Sequence[Any] | None = None) -> MappingFunction: ...
@overload
def map(
    func: None = None, return_type: Any = None, input_types: Sequence[Any] | None = None
) -> Callable[[Callable], MappingFunction]: ...
def map(func: Callable | None = None, return_type: Any = None, input_types: Sequence[Any] | None = None) -> Any:
    """Make a MappingFunction of a function; its types come from its annotations unless given. Also a decorator."""
    if func is None:
        return lambda f: map_function(f, return_type, input_types)
    return map_function(func, return_type, input_types)


__all__ = ["MappingFunction", "map"]
