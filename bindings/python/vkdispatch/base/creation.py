"""Buffers with first contents, as NumPy makes arrays. Without a dtype numbers are float32, and those of arange() of
ints are int32.

Shapes are those of vd.Buffer; dtypes are the package's, NumPy's, or their names. A number that the dtype cannot hold is an
OverflowError or a warning, as in a write.

Example:
    assert (vd.zeros((2, 2)).read(0) == 0).all() and (vd.ones(3, "int32").read(0) == 1).all()
    assert list(vd.arange(2, 8, 3).read(0)) == [2, 5] and vd.arange(3).dtype is vd.int32
    assert vd.full(2, 7, np.uint16).read(0).sum() == 14 and vd.empty((4, 5)).shape == (4, 5)
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any

from ..compat import numpy_compat as npc
from . import dtype as dt
from .buffer import Buffer
from .context import Context
from .host_values import pack_numbers
from .words import shown

_Shape = int | Sequence[int]
# NumPy makes the numbers from this count on.
_LONG = 64


def empty(
    shape: _Shape, dtype: dt.DTypeLike | None = None, *, label: str | None = None, context: Context | None = None
) -> Buffer:
    """A new buffer whose contents are undefined; `dtype` is float32 unless given."""
    return Buffer(shape, dt.float32 if dtype is None else dtype, label=label, context=context)


def full(
    shape: _Shape,
    fill_value: Any,
    dtype: dt.DTypeLike | None = None,
    *,
    label: str | None = None,
    context: Context | None = None,
) -> Buffer:
    """A new buffer with every scalar set to the number `fill_value`.

    `dtype` is float32 unless given, complex64 of a complex number.
    """
    if dtype is None and any(isinstance(number, complex) for number in npc.flatten(fill_value)):
        dtype = dt.complex64
    buffer = empty(shape, dtype, label=label, context=context)
    buffer.fill(fill_value)
    return buffer


def zeros(
    shape: _Shape, dtype: dt.DTypeLike | None = None, *, label: str | None = None, context: Context | None = None
) -> Buffer:
    """A new buffer of zeros; `dtype` is float32 unless given."""
    return full(shape, 0, dtype, label=label, context=context)


def ones(
    shape: _Shape, dtype: dt.DTypeLike | None = None, *, label: str | None = None, context: Context | None = None
) -> Buffer:
    """A new buffer of ones; `dtype` is float32 unless given."""
    return full(shape, 1, dtype, label=label, context=context)


def arange(
    start: Any,
    stop: Any = None,
    step: Any = None,
    dtype: dt.DTypeLike | None = None,
    *,
    label: str | None = None,
    context: Context | None = None,
) -> Buffer:
    """A new buffer with the numbers from `start` to before `stop` in steps, or from 0 to before the only number given.

    `dtype` is int32 of ints unless given, else float32.
    """
    if stop is None:
        start, stop = 0, start
    step = 1 if step is None else step
    given = (("start", start), ("stop", stop), ("step", step))
    numbers = [_real(value, name) for name, value in given]
    first, end, by = numbers
    if by == 0:
        raise ValueError("arange: step (0) must not be zero")
    of_ints = all(isinstance(number, int) for number in numbers)
    count = _count(first, end, by, of_ints)
    if count < 1:
        raise ValueError(f"arange: no number is between start ({first}) and stop ({end}) in steps of {by}")
    wanted = dt.as_dtype(dtype, "arange: dtype") if dtype is not None else dt.int32 if of_ints else dt.float32
    if not dt.is_scalar(wanted) or wanted is dt.bool_:
        raise ValueError(f"arange: dtype ({wanted.name}) must be that of an integer or a float")
    buffer = Buffer(count, wanted, label=label, context=context)
    np = npc.numpy_module()
    last = first + (count - 1) * by
    if np is None or count < _LONG or wanted.numpy is None:
        sequence = [first + i * by for i in range(count)]
        buffer.write([int(number) for number in sequence] if dt.is_integer_dtype(wanted) else sequence)
    else:
        pack_numbers((first, last), wanted, "arange")  # both ends fit, or say that they do not
        if of_ints and max(first, last) >= 1 << 63:  # past NumPy's int64
            array = np.fromiter((first + i * by for i in range(count)), wanted.numpy, count)
        else:
            array = (first + by * np.arange(count, dtype=np.int64 if of_ints else np.float64)).astype(wanted.numpy)
        buffer.write(array)
    return buffer


def _count(first: float, end: float, by: float, of_ints: bool) -> int:
    """The number of values from `first` up to `end`."""
    if of_ints:
        return int(-((first - end) // by))
    count = (end - first) / by
    if not math.isfinite(count):
        raise ValueError(
            f"arange: from start ({first}) to stop ({end}) in steps of {by} are more numbers than can be counted"
        )
    return math.ceil(count)


def _real(value: Any, name: str) -> int | float:
    if isinstance(value, bool):
        value = int(value)
    try:
        return operator.index(value)
    except TypeError:
        pass
    try:
        if isinstance(value, (str, bytes)):
            raise TypeError
        number = float(value)
    except (TypeError, ValueError):
        raise TypeError(f"arange: {name} must be a number (got {shown(value)})") from None
    if not math.isfinite(number):
        raise ValueError(f"arange: {name} ({number}) must be finite")
    return number
