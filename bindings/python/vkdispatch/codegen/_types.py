"""The library's type numbers of the dtypes, and the bits of literals."""

from __future__ import annotations

import math
import struct

from ..base import dtype as dt

# A type number as vkdispatch.h lays it out: scalar kind, shape, columns, rows, and the space of a reference.
_KIND: dict[type[dt.dtype], int] = {
    dt.bool_: 0x1, dt.int8: 0x2, dt.uint8: 0x6,
    dt.int16: 0x3, dt.int32: 0x4, dt.int64: 0x5,
    dt.uint16: 0x7, dt.uint32: 0x8, dt.uint64: 0x9,
    dt.float16: 0xA, dt.float32: 0xB, dt.float64: 0xC,
}  # fmt: skip
_VECTOR, _COMPLEX, _MATRIX = 1 << 8, 2 << 8, 3 << 8

NONE = 0x0
BOOL = 0x1
U32 = 0x8
I32 = 0x4

SHARED, STORAGE = 2, 3


def _number(t: type[dt.dtype]) -> int:
    n = t.child_count
    if dt.is_scalar(t):
        return _KIND[t]
    if dt.is_complex(t):
        return _KIND[t.child_type] | _COMPLEX
    if dt.is_vector(t):
        return _KIND[t.child_type] | _VECTOR | n << 12
    return _KIND[t.scalar] | _MATRIX | n << 12 | n << 16


#: dtype -> type number.
TYPE_OF: dict[type[dt.dtype], int] = {t: _number(t) for t in dt.ALL_DTYPES.values()}
#: type number -> dtype; under operators a bool shows itself as int32.
DTYPE_OF: dict[int, type[dt.dtype]] = {n: t for t, n in TYPE_OF.items()} | {BOOL: dt.int32}

SCALARS = tuple(_KIND)


def memory_type(t: type[dt.dtype]) -> int:
    """The type number that a dtype has in buffers, shared arrays and values: of truth that of a byte."""
    return TYPE_OF[dt.uint8] if t is dt.bool_ else TYPE_OF[t]


INTEGERS = tuple(t for t in SCALARS if dt.is_integer_dtype(t))
SIGNED = (dt.int8, dt.int16, dt.int32, dt.int64)

# Smallest and largest value of the integers.
LIMITS: dict[type[dt.dtype], tuple[int, int]] = {
    t: (-(1 << (8 * t.item_size - 1)), (1 << (8 * t.item_size - 1)) - 1)
    if t in SIGNED
    else (0, (1 << 8 * t.item_size) - 1)
    for t in INTEGERS
}
_FLOAT_CODE: dict[type[dt.dtype], str] = {dt.float16: "<e", dt.float32: "<f", dt.float64: "<d"}


def element_of(t: type[dt.dtype]) -> type[dt.dtype]:
    """The scalar that a scalar, vector, complex or matrix dtype is made of."""
    if dt.is_complex(t):
        return t.child_type
    return t.scalar or t


def space_of(value: int) -> int:
    """The space that a value refers to; 0 if it is no reference."""
    return value >> 60 & 7


def float_bits(x: float, t: type[dt.dtype]) -> int:
    """The bit pattern of `x` as the float dtype `t`; too large becomes infinity."""
    try:
        raw = struct.pack(_FLOAT_CODE[t], x)
    except OverflowError:
        raw = struct.pack(_FLOAT_CODE[t], math.copysign(math.inf, x))
    return int.from_bytes(raw, "little")


def scalar_bits(x: float, t: type[dt.dtype]) -> int:
    """The bit pattern of the number `x` as the scalar dtype `t`: integers wrap, fractions are cut off and saturate."""
    if t in _FLOAT_CODE:
        try:
            return float_bits(float(x), t)
        except OverflowError:
            return float_bits(math.copysign(math.inf, x), t)
    if t is dt.bool_:
        return int(x != 0)
    if isinstance(x, float):
        low, high = LIMITS[t]
        x = 0 if math.isnan(x) else low if x <= low else high if x >= high else int(x)
    return x & ((1 << 8 * t.item_size) - 1)
