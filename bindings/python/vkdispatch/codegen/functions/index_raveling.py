"""Flat indices and coordinates. The names are the reverse of NumPy's: ravel_index makes coordinates.

Indices are uint32.

Example:
    @vd.shader("out.size")
    def transposed(out: Buff[f32], x: Buff[f32]):
        i = vc.global_invocation_id().x
        place = vc.ravel_index(i, (2, 3))  # row and column
        out[vc.unravel_index(place.swizzle("yx"), (3, 2))] = x[i]

    out = vd.empty((3, 2))
    transposed(out, vd.arange(6, dtype=vd.float32))
    assert out.read(0).tolist() == [[0, 3], [1, 4], [2, 5]]
"""

from __future__ import annotations

from typing import Any

from ...base import dtype as dt
from ...base.errors import WrongTypeError
from .._numbers import as_index
from .._types import INTEGERS
from ..variables.variables import ShaderVariable
from .casts import to_dtype

_AXES = (dt.uint32, dt.uvec2, dt.uvec3)


def _parts(x: Any, what: str) -> list[Any]:
    """A shape or index as a list of ints and integer scalars, slowest axis first; the total of an ivec4 is left out."""
    if isinstance(x, ShaderVariable):
        t = x.var_type
        if not x._type or not dt.is_integer_dtype(t):
            raise ValueError(f"{what} must be made of integers, not '{t.name}'!")
        return [x[i] for i in range(min(t.child_count, 3))] if dt.is_vector(t) else [x]
    number = as_index(x)
    if number is not None:
        return [number]
    if not isinstance(x, (tuple, list)):
        raise WrongTypeError(f"{what} must be an integer vector or a tuple of ints, not {type(x).__name__}!")
    parts = []
    for part in x:
        is_variable = isinstance(part, ShaderVariable) and part._type and part.var_type in INTEGERS
        number = None if is_variable else as_index(part)
        if not is_variable and number is None:
            raise ValueError(f"{what} must be made of integers, not {type(part).__name__}!")
        parts.append(part if is_variable else number)
    return parts


def ravel_index(index: Any, shape: Any) -> ShaderVariable:
    """The coordinates of a flat index in a shape of two or three axes, as a uvec2 or uvec3 with the slowest axis in x."""
    axes = _parts(shape, "A shape")
    if len(axes) not in (2, 3):
        raise ValueError(f"A shape must have 2 or 3 axes, not {len(axes)}!")
    flat = _parts(index, "An index")
    if len(flat) != 1 or isinstance(index, (tuple, list)):
        raise WrongTypeError("A flat index must be an int or an integer scalar!")
    rest, coordinates = flat[0], []
    for size in reversed(axes[1:]):
        coordinates.append(rest % size)
        rest = rest // size
    coordinates.append(rest)
    return to_dtype(_AXES[len(axes) - 1], *reversed(coordinates))


def unravel_index(index: Any, shape: Any) -> ShaderVariable | Any:
    """The flat index of coordinates in a shape. One coordinate is its own flat index."""
    coordinates, axes = _parts(index, "An index"), _parts(shape, "A shape")
    if not 1 <= len(coordinates) <= 3:
        raise ValueError(f"An index must have 1 to 3 coordinates, not {len(coordinates)}!")
    if len(coordinates) == 1:
        return index
    if len(coordinates) > len(axes):
        raise ValueError(f"An index of {len(coordinates)} coordinates does not fit a shape of {len(axes)} axes!")
    flat = coordinates[0]
    for coordinate, size in zip(coordinates[1:], axes[1:], strict=False):
        flat = flat * size + coordinate
    return flat
