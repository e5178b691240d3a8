"""Shapes of buffers."""

from __future__ import annotations

import operator
from typing import Any

from ... import _native
from ...compat import numpy_compat as npc
from ..words import shown

_enums = _native.enums
#: Elements that a buffer may have. What memory there is decides long before.
_MAX_ELEMENTS = 1 << 48
_MAX_DIMS = _enums.VD_MAX_DIMS


def reshaped(shape: Any, size: int, method: str) -> tuple[int, ...]:
    """A shape of `size` elements, in which one dimension may be -1: what is left."""
    if npc.is_array_like(shape):
        shape = shape.tolist()
    given = tuple(shape) if isinstance(shape, (list, tuple)) else (shape,)
    unknown = [i for i, n in enumerate(given) if npc.is_integer_scalar(n) and n == -1]
    dims = normal_shape(tuple(1 if i in unknown else n for i, n in enumerate(given)))
    if len(unknown) == 1 and size % npc.prod(dims) == 0:
        at = unknown[0]
        return (*dims[:at], size // npc.prod(dims), *dims[at + 1 :])
    if unknown or npc.prod(dims) != size:
        raise ValueError(f"{method}: {size} elements do not make the shape {given}")
    return dims


def normal_shape(shape: Any) -> tuple[int, ...]:
    """A shape as a tuple of int; TypeError, ValueError before anything is allocated."""
    if npc.is_array_like(shape):
        shape = shape.tolist()
    dims = tuple(shape) if isinstance(shape, (list, tuple)) else (shape,)
    try:
        dims = tuple(operator.index(n) for n in dims)
    except TypeError:
        raise TypeError(f"A buffer's shape is made of integers (got {shown(shape)})") from None
    if len(dims) > _MAX_DIMS:
        raise ValueError(f"A buffer has at most {_MAX_DIMS} dimensions (got {len(dims)})")
    if any(n < 0 for n in dims):
        raise ValueError(f"A buffer's dimensions are not negative (got {dims})")
    count = npc.prod(dims)
    if count > _MAX_ELEMENTS:
        raise ValueError(f"A buffer has at most {_MAX_ELEMENTS} elements (got {count})")
    if count == 0:
        raise _native._errors.InvalidError(
            f"A buffer of zero elements cannot be made (shape {dims})", _enums.VD_ERR_INVALID
        )
    return dims
