"""Shapes, axes and ranges as callers give them, checked."""

from __future__ import annotations

import operator
from typing import Any

from ..base.errors import WrongTypeError
from ..base.words import bracketed

_END = 1 << 64


def normal_shape(buffer_shape: Any) -> tuple[int, ...]:
    """A shape as a tuple of positive ints."""
    try:
        shape = (buffer_shape,) if isinstance(buffer_shape, int) else tuple(buffer_shape)
        dims = tuple(operator.index(n) for n in shape)
    except TypeError:
        raise WrongTypeError(f"buffer_shape {bracketed(buffer_shape)} must be integers!") from None
    if not 1 <= len(dims) <= 8 or any(n < 1 for n in dims):
        raise ValueError(f"buffer_shape {bracketed(buffer_shape)} must have one to eight positive dimensions!")
    if max(dims) >= _END:
        raise ValueError(f"buffer_shape {bracketed(buffer_shape)} has a length ({max(dims)}) of more than 64 bits!")
    return dims


def normal_axis(axis: Any, rank: int, called: str = "") -> int:
    """An axis as a number from 0; None is the last one. Errors begin with `called`."""
    if axis is None:
        return rank - 1
    try:
        number = operator.index(axis)
    except TypeError:
        several = " fftn() takes several." if isinstance(axis, tuple | list) else ""
        raise WrongTypeError(f"{called}axis {bracketed(axis)} must be an integer!{several}") from None
    if not -rank <= number < rank:
        raise ValueError(f"{called}axis ({number}) is not an axis of {rank} dimension(s)!")
    return number % rank


def normal_range(
    signal_range: Any, length: int, name: str = "input_signal_range", whole: int | None = None
) -> tuple[int | None, int | None]:
    """A range of positions that are read or written; None if it has no end. An end of `whole` means `length`, too: a
    half spectrum's range may be given as that of the line."""
    if signal_range is None:
        return (None, None)
    try:
        low, high = (None if end is None else operator.index(end) for end in signal_range)
    except (TypeError, ValueError):
        raise ValueError(f"{name} {bracketed(signal_range)} must be two integers or None!") from None
    if high is not None and high == whole:
        high = length
    if not 0 <= (low or 0) <= (length if high is None else high) <= length:
        raise ValueError(f"{name} {bracketed(signal_range)} is not a range of 0 to {length}!")
    if (low or 0) == (length if high is None else high):
        raise ValueError(f"{name} {bracketed(signal_range)} is empty!")
    return (low or None, None if high == length else high)
