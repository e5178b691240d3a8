"""The rules by which element types combine under operators and functions."""

from __future__ import annotations

from ._classes import _VECTORS, bool_, dtype, float16, float32, float64, int32
from ._kinds import (
    _RANK,
    complex_from_float,
    is_complex,
    is_dtype,
    is_float_dtype,
    is_matrix,
    is_scalar,
    is_vector,
    to_vector,
)

# Bytes are fractions of 255 rather than halves of anything.
_FLOAT_OF_SIZE = {1: float32, 2: float16, 4: float32, 8: float64}


def make_floating_dtype(x: type[dtype]) -> type[dtype]:
    """The float type of the same width as `x`, component by component; floats, matrices and complex types stay."""
    if is_float_dtype(x) or is_complex(x) or is_matrix(x):
        return x
    if is_scalar(x):
        return _FLOAT_OF_SIZE[x.item_size]
    if is_vector(x):
        return _VECTORS[make_floating_dtype(x.scalar), x.child_count]
    raise ValueError(f"Unsupported dtype ({x!r})!")


def cross_scalar_scalar(a: type[dtype], b: type[dtype]) -> type[dtype]:
    """The type of arithmetic on two scalars: the one of higher rank; truth counts as int32, 1 or 0."""
    a, b = (int32 if t is bool_ else t for t in (a, b))
    if a not in _RANK or b not in _RANK:
        raise ValueError(f"Cannot cross types ({a!r}) and ({b!r}): both must be scalars!")
    return a if _RANK[a] >= _RANK[b] else b


def cross_vector_scalar(a: type[dtype], b: type[dtype]) -> type[dtype]:
    """The type of arithmetic on a vector and a scalar."""
    if not is_vector(a) or not is_scalar(b):
        raise ValueError(f"Cannot cross types ({a!r}) and ({b!r}): expected a vector and a scalar!")
    return to_vector(cross_scalar_scalar(a.scalar, b), a.child_count)


def cross_vector_vector(a: type[dtype], b: type[dtype]) -> type[dtype]:
    """The type of arithmetic on two vectors of one size."""
    if not is_vector(a) or not is_vector(b):
        raise ValueError(f"Cannot cross types ({a!r}) and ({b!r}): both must be vectors!")
    if a.child_count != b.child_count:
        raise ValueError(f"Cannot cross vectors of different sizes ({a.name} and {b.name})!")
    return to_vector(cross_scalar_scalar(a.scalar, b.scalar), a.child_count)


def cross_vector(a: type[dtype], b: type[dtype]) -> type[dtype]:
    """The type of arithmetic where at least one side is a vector."""
    if is_complex(a) or is_complex(b):
        raise ValueError("Cannot cross vector and complex types!")
    if is_vector(a) and is_vector(b):
        return cross_vector_vector(a, b)
    if is_vector(a) and is_scalar(b):
        return cross_vector_scalar(a, b)
    if is_scalar(a) and is_vector(b):
        return cross_vector_scalar(b, a)
    raise ValueError(f"Cannot cross types ({a!r}) and ({b!r})!")


def cross_matrix(a: type[dtype], b: type[dtype]) -> type[dtype]:
    """The type of component-wise arithmetic where at least one side is a matrix; a scalar keeps the matrix."""
    if is_matrix(a) and is_matrix(b):
        if a is not b:
            raise ValueError(f"Cannot cross matrices of different sizes ({a.name} and {b.name})!")
        return a
    if is_matrix(a) and is_scalar(b):
        return a
    if is_scalar(a) and is_matrix(b):
        return b
    raise ValueError(f"Cannot cross types ({a!r}) and ({b!r})!")


def _cross_complex(a: type[dtype], b: type[dtype]) -> type[dtype]:
    parts = []
    for t in (a, b):
        if is_complex(t):
            parts.append(t.child_type)
        elif is_scalar(t):
            parts.append(make_floating_dtype(t))
        else:
            raise ValueError(f"Cannot cross types ({a!r}) and ({b!r})!")
    return complex_from_float(cross_scalar_scalar(*parts))


def cross_type(a: type[dtype], b: type[dtype]) -> type[dtype]:
    """The type of component-wise arithmetic on `a` and `b`; ValueError where they do not combine."""
    if not is_dtype(a) or not is_dtype(b):
        raise ValueError(f"Cannot cross types ({a!r}) and ({b!r})!")
    if is_matrix(a) or is_matrix(b):
        return cross_matrix(a, b)
    if is_vector(a) or is_vector(b):
        return cross_vector(a, b)
    if is_complex(a) or is_complex(b):
        return _cross_complex(a, b)
    return cross_scalar_scalar(a, b)


def cross_multiply_type(a: type[dtype], b: type[dtype]) -> type[dtype]:
    """The same as cross_type, except that a float32 matrix and a vector of its size, in either order, give the
    vector."""
    if is_matrix(a) and is_vector(b):
        matrix, vector = a, b
    elif is_vector(a) and is_matrix(b):
        matrix, vector = b, a
    else:
        return cross_type(a, b)
    if vector is not matrix.child_type:
        raise ValueError(f"Cannot multiply types ({a.name}) and ({b.name})!")
    return vector
