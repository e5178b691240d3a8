"""Construction of the language's math functions: on variables they emit an op, on numbers alone they compute."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar

from ...base import dtype as dt
from ...base.errors import WrongTypeError
from .._numbers import as_number, literal_dtype
from .._types import BOOL
from ..hazards import reads_of
from ..variables.arithmetic import component_wise, converted, no_value, note_never_negative, same_trace
from ..variables.variables import ShaderVariable

Dtype = type[dt.dtype]
#: The argument of a math function: a variable or a number.
Operand = Any
#: Either a variable or a number, and the result is of the same kind.
Value = TypeVar("Value", ShaderVariable, float)
Complex = TypeVar("Complex", ShaderVariable, float, complex)


def operand(x: Any) -> Any:
    """`x` if it is a variable, else as a Python number; ValueError if it is neither."""
    if isinstance(x, ShaderVariable):
        if not x._type:
            raise no_value(x)
        return x._counted()
    number = as_number(x)
    if number is None:
        raise WrongTypeError(f"Argument must be a ShaderVariable or number, not {type(x).__name__}!")
    return number


def variables_in(args: tuple) -> list[ShaderVariable]:
    """The variables among arguments, which belong to one kernel."""
    found = [x for x in args if isinstance(x, ShaderVariable)]
    for x in found[1:]:
        same_trace(found[0], x)
    return found


def has_complex(args: tuple) -> bool:
    """Whether a complex variable is among the arguments, or a Python complex number."""
    return any(isinstance(x, complex) or isinstance(x, ShaderVariable) and dt.is_complex(x.var_type) for x in args)


def complex_function(op: int, fold: Callable[..., complex], *args: Any) -> Any:
    """A function of complex numbers: all variables and numbers are converted to one complex type."""
    variables = variables_in(args)
    if not variables:
        try:
            return fold(*args)
        except (ValueError, OverflowError, ZeroDivisionError):
            return complex(math.nan, math.nan)
    t = cross_of(variables)
    for x in args:
        if not isinstance(x, ShaderVariable):
            t = dt.cross_type(t, literal_dtype(x, t))
    return emit(op, t, variables, args)


def cross_of(variables: list[ShaderVariable]) -> Dtype:
    """The common type of variables."""
    t = variables[0].var_type
    for x in variables[1:]:
        t = dt.cross_type(t, x.var_type)
    return t


def value_as(x: Any, t: Dtype, builder: Any, at: int) -> int:
    """A variable or number as a value of dtype `t`."""
    if isinstance(x, ShaderVariable):
        return converted(x, t, at)
    if isinstance(x, complex) and not dt.is_complex(t):
        raise TypeError(f"The complex number ({x}) cannot stand beside values of type '{t.name}'!")
    return builder.literal(x, t)


def emit(
    op: int, t: Dtype, variables: list[ShaderVariable], args: tuple, result: Dtype | None = None
) -> ShaderVariable:
    """An op on arguments that all become `t`; the result is `t` too unless said."""
    builder = variables[0]._builder
    at = builder.location()
    value = builder.emit(op, 0, 0, at, *[value_as(x, t, builder, at) for x in args])
    return ShaderVariable(
        builder, result or t, value, reads=variables[0]._reads if len(variables) == 1 else reads_of(*variables)
    )


def floating(name: str, op: int, fold: Callable[..., Any] | None, *args: Any) -> Any:
    """A function whose result is floating: all variables are converted to one float type, which numbers adopt."""
    args = tuple([operand(x) for x in args])
    variables = variables_in(args)
    if not variables:
        return folded(name, fold, args)
    t = dt.make_floating_dtype(component_wise(name, cross_of(variables)))
    return emit(op, t, variables, args)


def keeping(name: str, op: int, fold: Callable[..., Any] | None, *args: Any) -> Any:
    """A function that leaves integers integers: variables and numbers are converted as under an operator."""
    args = tuple([operand(x) for x in args])
    variables = variables_in(args)
    if not variables:
        return folded(name, fold, args)
    t = cross_of(variables)
    for x in args:
        if not isinstance(x, ShaderVariable):
            t = dt.cross_type(t, literal_dtype(x, t))
    result = emit(op, component_wise(name, t), variables, args)
    if name in ("max", "clamp"):
        _note_floor(name, *args)
    return result


def _note_floor(name: str, a: Any, b: Any, *high: Any) -> None:
    """A warning where max() or clamp() is to keep an unsigned number from falling below 0, which it never does."""
    x, floor = (b, a) if name == "max" and isinstance(b, ShaderVariable) else (a, b)
    if isinstance(x, ShaderVariable) and isinstance(floor, int) and floor == 0:
        said = ", ".join([x.name, "0", *(h.name if isinstance(h, ShaderVariable) else str(h) for h in high)])
        note_never_negative(x, f"{name}({said})", f"min({x.name}, {said.rpartition(', ')[2]})" if high else x.name)


def tested(name: str, op: int, fold: Callable[..., Any] | None, x: Any) -> Any:
    """A function of a scalar whose result is true or false."""
    x = operand(x)
    if not isinstance(x, ShaderVariable):
        return folded(name, fold, (x,))
    t = x.var_type
    if not dt.is_scalar(t):
        raise TypeError(f"{name}() takes scalars, not '{t.name}'!")
    builder, at = x._builder, x._builder.location()
    value = builder.emit(op, 0, 0, at, converted(x, dt.make_floating_dtype(t), at))
    return x._expression(dt.int32, value, BOOL)


def folded(name: str, fold: Callable[..., Any] | None, args: tuple) -> Any:
    """The function on numbers alone, with nan where it has no value; a pole is the function's own matter."""
    if fold is None:
        raise TypeError(f"{name}() takes a variable, not numbers alone!")
    for x in args:
        if isinstance(x, complex):
            raise TypeError(f"The complex number ({x}) is no argument of this function!")
    try:
        return fold(*args)
    except OverflowError:
        return math.inf
    except (ValueError, ZeroDivisionError):
        return math.nan


F = TypeVar("F", bound=Callable)


def named(name: str, doc: str, function: F, module: str) -> F:
    """Give a made function its name and doc line."""
    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    function.__module__ = module
    return function
