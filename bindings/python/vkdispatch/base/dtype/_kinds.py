"""The kind of number of an element type, and its parts."""

from __future__ import annotations

import functools
from typing import Any, TypeGuard

from ._classes import (
    _COMPLEXES,
    _VECTORS,
    _Complex,
    _Matrix,
    _Scalar,
    _Vector,
    dtype,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)

# The order of promotion: of two scalars, the later one wins.
_RANK = {
    t: i for i, t in enumerate((uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, float32, float64))
}
_FLOATS = (float16, float32, float64)


def is_dtype(x: Any) -> TypeGuard[type[dtype]]:
    """Whether `x` is a dtype class."""
    return isinstance(x, type) and issubclass(x, dtype)


def is_scalar(x: Any) -> TypeGuard[type[dtype]]:
    """Whether `x` is an integer or float dtype."""
    return isinstance(x, type) and issubclass(x, _Scalar)


def is_complex(x: Any) -> TypeGuard[type[dtype]]:
    """Whether `x` is a complex dtype."""
    return isinstance(x, type) and issubclass(x, _Complex)


def is_vector(x: Any) -> TypeGuard[type[dtype]]:
    """Whether `x` is a vector dtype."""
    return isinstance(x, type) and issubclass(x, _Vector)


def is_matrix(x: Any) -> TypeGuard[type[dtype]]:
    """Whether `x` is a matrix dtype."""
    return isinstance(x, type) and issubclass(x, _Matrix)


def _element(x: Any) -> Any:
    return x if is_scalar(x) else getattr(x, "scalar", None)


def is_float_dtype(x: Any) -> TypeGuard[type[dtype]]:
    """Whether `x` is a float scalar, or a vector or matrix of them; False for complex types."""
    return is_dtype(x) and not is_complex(x) and _element(x) in _FLOATS


def is_integer_dtype(x: Any) -> TypeGuard[type[dtype]]:
    """Whether `x` is an integer scalar or a vector of them; False for complex types."""
    return is_dtype(x) and not is_complex(x) and _element(x) in _RANK and _element(x) not in _FLOATS


def is_signed_integer_dtype(x: Any) -> TypeGuard[type[dtype]]:
    """Whether `x` is a signed integer scalar or a vector of them."""
    return is_integer_dtype(x) and _element(x) in (int8, int16, int32, int64)


@functools.lru_cache(maxsize=1024)
def same_bits(a: type[dtype], b: type[dtype]) -> bool:
    """Whether memory of one dtype means the same numbers as the other: vectors and complex numbers are made of scalars, and
    signed and unsigned integers agree where both are not negative."""

    x, y = scalar_of(a), scalar_of(b)
    return x.item_size == y.item_size and is_float_dtype(x) == is_float_dtype(y)


def scalar_of(t: type[dtype]) -> type[dtype]:
    """The integer or float type that a dtype is made of."""
    while t.child_type is not None:
        t = t.child_type
    return t


def vector_size(x: Any) -> int:
    """The number of components of a vector dtype."""
    if not is_vector(x):
        raise ValueError(f"Expected a vector type (got {x!r})!")
    return x.child_count


def to_vector(scalar: type[dtype], count: int) -> type[dtype]:
    """The vector of `count` times `scalar`; for 1 the scalar itself."""
    if not is_scalar(scalar):
        raise ValueError(f"Unsupported dtype ({scalar!r}) for a vector!")
    if count not in (1, 2, 3, 4):
        raise ValueError(f"Unsupported vector size ({count}): 1 to 4 are supported!")
    if count == 1:
        return scalar
    if (scalar, count) not in _VECTORS:
        raise ValueError(f"Unsupported dtype ({scalar.name}) for a vector!")
    return _VECTORS[scalar, count]


def complex_from_float(x: type[dtype]) -> type[dtype]:
    """The complex dtype whose parts are the float dtype `x`."""
    for t in _COMPLEXES:
        if t.child_type is x:
            return t
    raise ValueError(f"Unsupported dtype ({x!r}): expected a float type!")
