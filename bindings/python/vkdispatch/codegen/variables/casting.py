"""Conversions of numbers and variables to a value of another type."""

from __future__ import annotations

from typing import Any, NoReturn

from ..._native import enums as e
from ...base import dtype as dt
from .._numbers import as_number, number_to_dtype
from .._types import TYPE_OF
from ..hazards import Read, reads_of
from .arithmetic import Arithmetic, no_value, number_value

Dtype = type[dt.dtype]


def cast(builder: Any, var_type: Dtype, args: tuple) -> tuple[int, tuple[Read, ...]]:
    """The core's value of a type made of variables and numbers, and its reads."""
    values = tuple([_argument(x, builder) for x in args])
    value = cast_value(builder, var_type, values)
    if len(values) == 1 and var_type in _COUNTS and getattr(values[0], "_value", None) in builder.hazards.numbers:
        builder.hazards.numbers.add(value)
    return value, reads_of(*values)


# The types to which the invocation's number may be converted without a change.
_COUNTS = (dt.uint32, dt.int32, dt.uint64, dt.int64)


def _argument(x: Any, builder: Any) -> Any:
    if isinstance(x, Arithmetic):
        if x._builder is not builder:
            raise RuntimeError("The variables belong to different kernels: each kernel is traced by itself!")
        if not x._type:
            raise no_value(x)
        return x._counted()
    number = as_number(x)
    if number is None:
        raise TypeError(f"Only variables and numbers can be converted, not {type(x).__name__}!")
    if isinstance(number, int):
        number_to_dtype(number)  # more than 64 bits overflow
    return number


def cast_value(builder: Any, t: Dtype, args: tuple) -> int:
    """The core's value of dtype `t` made of variables and Python numbers."""
    at = builder.location()
    if not args:
        return builder.emit(e.VD_OP_ZERO, TYPE_OF[t], 0, 0)
    if dt.is_complex(t):
        return _complex(builder, t, args, at)
    if dt.is_matrix(t):
        return _matrix(builder, t, args, at)
    if dt.is_vector(t):
        return _vector(builder, t, args, at)
    if len(args) != 1:
        raise ValueError(f"{article_and_name(t).capitalize()} is made of one value, not {len(args)}!")
    return _scalar(builder, t, args[0], at)


def article_and_name(t: Dtype) -> str:
    """The type's name in a sentence."""
    return f"{'an' if t.name[0] == 'i' else 'a'} {t.name}"


def _scalar(builder: Any, t: Dtype, x: Any, at: int) -> int:
    """A scalar, or the first component of a vector or complex number."""
    if not isinstance(x, Arithmetic):
        if isinstance(x, complex):
            raise TypeError(f"The complex number ({x}) cannot become {article_and_name(t)}!")
        return builder.literal(x, t)
    source = x.var_type
    if dt.is_matrix(source):
        _refuse(source, t)
    value = number_value(x, at)
    if source.child_type is not None:
        value = builder.emit(e.VD_OP_INDEX, 0, 0, at, value, builder.literal(0, dt.uint32))
        source = source.child_type
    return _convert(builder, source, t, value, at)


def _convert(builder: Any, source: Dtype, t: Dtype, value: int, at: int, count: int = 1) -> int:
    """A scalar, or a vector of `count` of them, with another scalar type."""
    return value if source is t else builder.emit(e.VD_OP_CONVERT, TYPE_OF[dt.to_vector(t, count)], 0, at, value)


def _parts(builder: Any, element: Dtype, args: tuple, at: int) -> tuple[list[int], int]:
    """All arguments with scalars of one type, and how many components they have."""
    parts, count = [], 0
    for x in args:
        t = x.var_type if isinstance(x, Arithmetic) else None
        if t is None or t.child_type is None:
            parts.append(_scalar(builder, element, x, at))
            count += 1
            continue
        if dt.is_matrix(t):
            raise TypeError("A matrix cannot stand among components!")
        value = x._value if dt.is_vector(t) else x.swizzle("xy")._value
        n, source = t.child_count, t.child_type
        parts.append(_convert(builder, source, element, value, at, n))
        count += n
    return parts, count


def _vector(builder: Any, t: Dtype, args: tuple, at: int) -> int:
    n = t.child_count
    if len(args) == 1:
        x = args[0]
        source = x.var_type if isinstance(x, Arithmetic) else None
        if source is None and not isinstance(x, complex):
            return builder.literal(x, t)
        if source is t:
            return x._value
        if source is not None and source.child_type is None:
            return builder.emit(e.VD_OP_CONSTRUCT, TYPE_OF[t], 0, at, _scalar(builder, t.scalar, x, at))
        if dt.is_vector(source) and source.child_count > n:
            args = (x.swizzle("xyzw"[:n]),)
        elif dt.is_matrix(source):
            _refuse(source, t)
    parts, count = _parts(builder, t.scalar, args, at)
    if count != n:
        raise ValueError(f"{article_and_name(t).capitalize()} is made of {n} components, not {count}!")
    return parts[0] if len(parts) == 1 else builder.emit(e.VD_OP_CONSTRUCT, TYPE_OF[t], 0, at, *parts)


def _complex(builder: Any, t: Dtype, args: tuple, at: int) -> int:
    if len(args) > 2:
        raise ValueError(f"Must give one of two arguments for complex init, not {len(args)}!")
    x = args[0]
    if len(args) == 1:
        if not isinstance(x, Arithmetic):
            return builder.literal(x, t)
        source = x.var_type
        if source is t:
            return x._value
        if dt.is_complex(source):
            return builder.emit(e.VD_OP_CONVERT, TYPE_OF[t], 0, at, x._value)
        if dt.is_vector(source) and source.child_count == 2:
            return builder.emit(
                e.VD_OP_CONSTRUCT, TYPE_OF[t], 0, at, *[_scalar(builder, t.child_type, x[i], at) for i in (0, 1)]
            )
    parts = []
    for x in args:
        if isinstance(x, Arithmetic) and x.var_type.child_type is not None:
            _refuse(x.var_type, t)
        parts.append(_scalar(builder, t.child_type, x, at))
    if len(parts) == 1:
        parts.append(builder.literal(0, t.child_type))
    return builder.emit(e.VD_OP_CONSTRUCT, TYPE_OF[t], 0, at, *parts)


def _matrix(builder: Any, t: Dtype, args: tuple, at: int) -> int:
    n = t.child_count
    if len(args) == 1:
        x = args[0]
        source = x.var_type if isinstance(x, Arithmetic) else None
        if source is t:
            return x._value
        if dt.is_matrix(source):
            return builder.emit(e.VD_OP_CONSTRUCT, TYPE_OF[t], 0, at, x._value)
        if source is None or source.child_type is None:
            return builder.emit(e.VD_OP_CONSTRUCT, TYPE_OF[t], 0, at, _scalar(builder, t.scalar, x, at))
    parts, count = _parts(builder, t.scalar, args, at)
    whole_columns = len(parts) == n and all(
        isinstance(x, Arithmetic) and dt.is_vector(x.var_type) and x.var_type.child_count == n for x in args
    )
    if not whole_columns and len(parts) != n * n or count != n * n:
        raise ValueError(f"A {t.name} is made of 1 scalar, {n} columns or {n * n} scalars, not {len(parts)} values!")
    return builder.emit(e.VD_OP_CONSTRUCT, TYPE_OF[t], 0, at, *parts)


def _refuse(source: Dtype, target: Dtype) -> NoReturn:
    raise TypeError(f"{article_and_name(source).capitalize()} cannot become {article_and_name(target)}!")
