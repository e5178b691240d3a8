"""Python and NumPy numbers in kernels: which objects count as numbers, and the type that a literal takes.

A literal has the type of its value (5.3 of the language: an int is a uint32 where it fits, a float a float32), but gives
way to 16-bit types that can hold it: ``half + 0.5`` stays half.
"""

from __future__ import annotations

import math
import numbers
from typing import Any

from ..base import dtype as dt
from ._types import LIMITS, element_of

_FLOAT16_MAX = 65504.0


def as_number(x: Any) -> int | float | complex | None:
    """`x` as a Python int, float or complex if it is a number, NumPy's included; None for all else, bools too."""
    kind = type(x)
    if kind is int or kind is float or kind is complex:
        return x
    if kind is bool or not isinstance(x, numbers.Number):
        return None
    if isinstance(x, numbers.Integral):
        return int(x)
    if isinstance(x, numbers.Rational):
        return None
    if isinstance(x, numbers.Real):
        return float(x)
    if isinstance(x, numbers.Complex):
        return complex(x)
    return None


def as_real(x: Any) -> int | float | None:
    """The same as as_number, without complex numbers."""
    number = as_number(x)
    return None if isinstance(number, complex) else number


def as_index(x: Any) -> int | None:
    """`x` as a Python int if it is one, NumPy's included; None for all else, bools too."""
    if type(x) is int:
        return x
    number = as_number(x)
    return number if type(number) is int else None


def as_bool(x: Any) -> bool | None:
    """`x` as a Python bool if it is one, NumPy's included; None for all else."""
    if x is True or x is False:
        return x
    return bool(x) if type(x).__name__ in ("bool_", "bool") and type(x).__module__ == "numpy" else None


def number_to_dtype(x: complex) -> type[dt.dtype]:
    """The dtype that a number has by itself."""
    if isinstance(x, int):
        if x >= 0:
            if x <= 0xFFFFFFFF:
                return dt.uint32
            if x <= 0xFFFFFFFFFFFFFFFF:
                return dt.uint64
        elif x >= -0x80000000:
            return dt.int32
        elif x >= -0x8000000000000000:
            return dt.int64
        raise OverflowError(f"Integer literal ({x}) does not fit 64 bits!")
    return dt.complex64 if isinstance(x, complex) else dt.float32


def check_width(x: int, t: type[dt.dtype], said: str) -> None:
    """OverflowError that begins with `said` for an int of more bits than an integer dtype has. -1 is all of its bits."""
    base = element_of(t)
    bits = 8 * base.item_size
    if base in LIMITS and not -(1 << bits - 1) <= x < 1 << bits:
        raise OverflowError(f"{said} {bits} bits!")


def fits_half(x: complex) -> bool:
    """Whether `x` is finite as a float16, or infinite or nan by itself."""
    if isinstance(x, complex):
        return fits_half(x.real) and fits_half(x.imag)
    return abs(x) <= _FLOAT16_MAX or isinstance(x, float) and not math.isfinite(x)


def literal_dtype(x: complex, peer: type[dt.dtype], dividing: bool = False) -> type[dt.dtype]:
    """The scalar or complex dtype that the number `x` takes beside a value of dtype `peer`.

    Its cross type with `peer` is the type of the operation. `dividing`: 16-bit integers do not draw a divisor to them,
    since the quotient would have the precision of a half.
    """
    own = number_to_dtype(x)
    base = dt.int32 if peer is dt.bool_ else element_of(peer)
    if own is dt.complex64:
        if base in LIMITS or dt.is_vector(peer) or dt.is_matrix(peer):
            raise TypeError(
                f"Python built-in complex numbers are not supported in arithmetic operations with {peer.name} values!"
            )
        own = dt.complex_from_float(base)
        return own if base is not dt.float16 or fits_half(x) else dt.complex64
    if base is dt.float16:
        if fits_half(x):
            return dt.float16
    elif base.item_size <= 2 and isinstance(x, int) and not dividing and LIMITS[base][0] <= x <= LIMITS[base][1]:
        return base
    if dt.is_complex(peer):
        return dt.float32 if base is dt.float16 else base
    return own
