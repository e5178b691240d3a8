"""Checks of values used as an index, and of numbers that are stored."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..._native._launcher import BufferBase
from ...base import dtype as dt
from .._numbers import as_bool, as_index, as_number, check_width, number_to_dtype
from .._types import INTEGERS, element_of
from .arithmetic import Arithmetic, converted, no_value, number_value

if TYPE_CHECKING:
    from ..trace import Trace

Dtype = type[dt.dtype]


def index_value(builder: Trace, index: Any, at: int) -> int:
    """The value of an index: an int or an integer scalar; a 1-tuple counts as its element."""
    if type(index) is tuple or isinstance(index, list):
        if len(index) != 1:
            raise ValueError(
                f"Only single index is supported, cannot use a multi-dimensional index of {len(index)}! "
                "vc.unravel_index((row, column), buffer.shape) makes one of several."
            )
        index = index[0]
    if isinstance(index, Arithmetic):
        if index._builder is not builder:
            raise RuntimeError("The index belongs to a different kernel: each kernel is traced by itself!")
        if not index._type:
            raise TypeError(f"Index must be an integer scalar: {no_value(index)}")
        if index.var_type not in INTEGERS and index.var_type is not dt.bool_:
            cure = " Its first component is its .x." if dt.is_vector(index.var_type) else ""
            raise TypeError(f"Index must be an integer scalar, not of type '{index.var_type.name}'!{cure}")
        if index.var_type in INTEGERS and index.var_type.item_size < 4:
            return converted(index, dt.int32, at)
        return number_value(index, at)
    number = as_index(index)
    if number is None:
        hint = " vd.reduce.mapped_io_index() is None outside of a reduction's map." if index is None else ""
        raise TypeError(f"Index must be a ShaderVariable or int type, not {type(index).__name__}!{hint}")
    return builder.literal(number, number_to_dtype(number))


def full_slice(index: slice) -> None:
    """ValueError unless the slice is `[:]`."""
    if index.start is not None or index.stop is not None or index.step is not None:
        raise ValueError("Only full slice (:) is supported for assignment!")


def storable_number(value: Any, t: Dtype) -> int | float | complex:
    """A Python value that may be stored in a variable of dtype `t`; TypeError if it may not."""
    number = as_number(value)
    if number is None:
        truth = as_bool(value)
        if truth is None:
            hint = " A kernel reads the buffers that it is given as arguments." if isinstance(value, BufferBase) else ""
            raise TypeError(
                f"Cannot set variable of type '{t.name}' to a value of type '{type(value).__name__}'!{hint}"
            )
        number = int(truth)
    if t is dt.bool_ and number not in (0, 1):
        raise TypeError(f"Cannot set variable of type 'bool_' to ({number}), which is neither true (1) nor false (0)!")
    if isinstance(number, complex) and not dt.is_complex(t):
        raise TypeError(f"Cannot set variable of type '{t.name}' to the complex number ({number})!")
    if isinstance(number, float) and element_of(t) in INTEGERS:
        if not number.is_integer():
            raise TypeError(f"Cannot set variable of type '{t.name}' to ({number}), which is not an integer!")
        number = int(number)
    if isinstance(number, int):
        number_to_dtype(number)  # more than 64 bits overflow
        check_width(number, t, f"Cannot set variable of type '{t.name}' to ({number}), which does not fit")
    return number
