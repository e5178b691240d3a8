"""Conversions of a value of one type to another inside an expression: the explicit ones that operators insert."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from .._native import enums as e
from ..base import dtype as dt
from ._types import BOOL, DTYPE_OF, TYPE_OF, element_of

if TYPE_CHECKING:
    from .trace import Trace

#: (writer, value, location) -> value; None where nothing is to be done.
Conversion = Callable[["Trace", int, int], int] | None

_cache: dict[tuple[int, int], Conversion] = {}


def conversion(source: int, target: int) -> Conversion:
    """The conversion of a value of type number `source` to `target`; ValueError if there is no implicit one.

    Scalars convert, splat to vectors and to all components of matrices, and become the real part of complex numbers.
    """
    key = (source, target)
    try:
        return _cache[key]
    except KeyError:
        pass
    found = _cache[key] = _make(source, target)
    return found


def _make(source: int, target: int) -> Conversion:
    if source == target:
        return None
    a, b = DTYPE_OF[source], DTYPE_OF.get(target, dt.int32)
    if dt.is_scalar(a):
        element = _convert_to(TYPE_OF[element_of(b)] if target != BOOL else BOOL, source)
        if dt.is_scalar(b):
            return element
        if dt.is_complex(b):
            return _then(
                element, lambda w, v, at: w.emit(e.VD_OP_CONSTRUCT, target, 0, at, v, w.literal(0, b.child_type))
            )
        if dt.is_vector(b):
            return _then(element, lambda w, v, at: w.emit(e.VD_OP_CONSTRUCT, target, 0, at, v))
        column = TYPE_OF[b.child_type]

        def splat_matrix(w: Trace, v: int, at: int) -> int:
            one = w.emit(e.VD_OP_CONSTRUCT, column, 0, at, v)
            return w.emit(e.VD_OP_CONSTRUCT, target, 0, at, *[one] * b.child_count)

        return _then(element, splat_matrix)
    same_shape = (
        a.child_count == b.child_count and dt.is_vector(a) == dt.is_vector(b) and dt.is_complex(a) == dt.is_complex(b)
    )
    if same_shape and not dt.is_matrix(a):
        return _convert_to(target, source)
    raise ValueError(f"Cannot convert type '{a.name}' to type '{b.name}'!")


def _convert_to(target: int, source: int) -> Conversion:
    if source == target:
        return None
    return lambda w, v, at: w.emit(e.VD_OP_CONVERT, target, 0, at, v)


def _then(first: Conversion, second: Callable[[Trace, int, int], int]) -> Conversion:
    if first is None:
        return second
    return lambda w, v, at: second(w, first(w, v, at), at)
