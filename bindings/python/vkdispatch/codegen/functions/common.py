"""Rounding, remainders, extremes and interpolation.

They work component by component, on numbers of Python too, and then give a number. Floats and integers mix as under an
operator; `min` and `max` give the other operand for a NaN. Complex numbers and
matrices are a TypeError that names the function.

Example:
    @vd.shader("out.size")
    def bump(out: Buff[f32]):
        x = out[vc.global_invocation_id().x].to_register()
        soft = vc.smoothstep(0, 1, vc.clamp(vc.abs(x), 0, 1))
        out[vc.global_invocation_id().x] = vc.select(x < 0, -soft, vc.mix(soft, vc.floor(x), vc.step(1, x)))

    out = vd.asbuffer(np.array([-0.5, 0.5, 3.5], np.float32))
    bump(out)
    assert list(out.read(0)) == [-0.5, 0.5, 3] and vc.max(2, 3) == 3 and vc.fract(1.25) == 0.25
"""

from __future__ import annotations

import builtins
import math
from typing import Any, overload

from ..._native import enums as e
from ...base import dtype as dt
from ...base.remarks import warn_caller
from .._numbers import as_number, literal_dtype, number_to_dtype
from ..global_builder import active
from ..hazards import reads_of
from ..variables.arithmetic import absolute, component_wise, number_value
from ..variables.variables import ShaderVariable
from ._apply import Value, cross_of, floating, folded, keeping, operand, tested, value_as, variables_in
from .control_flow import condition_value, truth_of


def comment(text: str, preceding_new_line: bool = True) -> None:
    """A comment in the printed source."""
    active().comment(str(text).replace("*/", "* /"))


def abs(x: Value) -> Value:
    """Absolute value; the modulus of a complex number."""
    x = operand(x)
    return absolute(x) if isinstance(x, ShaderVariable) else float(builtins.abs(x))


def sign(x: Value) -> Value:
    """-1, 0 or 1, in the type of x."""
    x = operand(x)
    if not isinstance(x, ShaderVariable):
        return folded("sign", lambda v: v if math.isnan(v) else float((v > 0) - (v < 0)), (x,))
    component_wise("sign", x.var_type)
    builder, at = x._builder, x._builder.location()
    return x._expression(x.var_type, builder.emit(e.VD_OP_SIGN, 0, 0, at, number_value(x, at)))


def _floor(x: float) -> float:
    return float(math.floor(x)) if math.isfinite(x) else float(x)


def _ceil(x: float) -> float:
    return float(math.ceil(x)) if math.isfinite(x) else float(x)


def _trunc(x: float) -> float:
    return float(math.trunc(x)) if math.isfinite(x) else float(x)


def _round(x: float) -> float:
    return float(builtins.round(x)) if math.isfinite(x) else float(x)


def _fract(x: float) -> float:
    return float(x - math.floor(x)) if math.isfinite(x) else math.nan


def _mix(x: float, y: float, a: float) -> float:
    return float(x + (y - x) * a)


def _step(edge: float, x: float) -> float:
    return 0.0 if x < edge else 1.0


def _fma(a: float, b: float, c: float) -> float:
    return float(a * b + c)


def _min(x: float, y: float) -> float:
    return float(y if math.isnan(x) else x if math.isnan(y) else builtins.min(x, y))


def _max(x: float, y: float) -> float:
    return float(y if math.isnan(x) else x if math.isnan(y) else builtins.max(x, y))


def _smoothstep(low: float, high: float, x: float) -> float:
    if low == high:
        return 0.0 if x < low else 1.0
    t = builtins.min(builtins.max((x - low) / (high - low), 0.0), 1.0)
    return t * t * (3.0 - 2.0 * t)


# ops: generated from src/ir/ops.inc; do not edit


@overload
def min(x: float, y: float) -> float: ...
@overload
def min(x: Any, y: Any) -> ShaderVariable: ...
def min(x: Any, y: Any) -> Any:
    """The smaller of two; of nan and a number the number."""
    return keeping("min", 42, _min, x, y)  # VD_OP_MIN


@overload
def max(x: float, y: float) -> float: ...
@overload
def max(x: Any, y: Any) -> ShaderVariable: ...
def max(x: Any, y: Any) -> Any:
    """The larger of two; of nan and a number the number."""
    return keeping("max", 43, _max, x, y)  # VD_OP_MAX


@overload
def fma(a: float, b: float, c: float) -> float: ...
@overload
def fma(a: Any, b: Any, c: Any) -> ShaderVariable: ...
def fma(a: Any, b: Any, c: Any) -> Any:
    """a * b + c, rounded once where the device can."""
    return floating("fma", 45, _fma, a, b, c)  # VD_OP_FMA


def floor(x: Value) -> Value:
    """The largest whole number that is not above x."""
    return floating("floor", 112, _floor, x)  # VD_OP_FLOOR


def ceil(x: Value) -> Value:
    """The smallest whole number that is not below x."""
    return floating("ceil", 113, _ceil, x)  # VD_OP_CEIL


def trunc(x: Value) -> Value:
    """x without its fraction."""
    return floating("trunc", 114, _trunc, x)  # VD_OP_TRUNC


def round(x: Value) -> Value:
    """The nearest whole number; the even one of two."""
    return floating("round", 115, _round, x)  # VD_OP_ROUND_EVEN


def fract(x: Value) -> Value:
    """x - floor(x)."""
    return floating("fract", 116, _fract, x)  # VD_OP_FRACT


@overload
def step(edge: float, x: float) -> float: ...
@overload
def step(edge: Any, x: Any) -> ShaderVariable: ...
def step(edge: Any, x: Any) -> Any:
    """0 where x < edge, else 1."""
    return floating("step", 118, _step, edge, x)  # VD_OP_STEP


@overload
def smoothstep(edge0: float, edge1: float, x: float) -> float: ...
@overload
def smoothstep(edge0: Any, edge1: Any, x: Any) -> ShaderVariable: ...
def smoothstep(edge0: Any, edge1: Any, x: Any) -> Any:
    """0 below edge0, 1 above edge1, and a smooth curve between them."""
    return floating("smoothstep", 119, _smoothstep, edge0, edge1, x)  # VD_OP_SMOOTHSTEP


@overload
def mix(x: float, y: float, a: float) -> float: ...
@overload
def mix(x: Any, y: Any, a: Any) -> ShaderVariable: ...
def mix(x: Any, y: Any, a: Any) -> Any:
    """x + (y - x) * a."""
    return floating("mix", 120, _mix, x, y, a)  # VD_OP_MIX


@overload
def isnan(x: float) -> bool: ...
@overload
def isnan(x: Any) -> ShaderVariable: ...
def isnan(x: Any) -> Any:
    """Whether x is not a number."""
    return tested("isnan", 143, math.isnan, x)  # VD_OP_ISNAN


@overload
def isinf(x: float) -> bool: ...
@overload
def isinf(x: Any) -> ShaderVariable: ...
def isinf(x: Any) -> Any:
    """Whether x is infinite."""
    return tested("isinf", 144, math.isinf, x)  # VD_OP_ISINF


# end of ops


def round_even(x: Value) -> Value:
    """The same as round()."""
    return floating("round_even", e.VD_OP_ROUND_EVEN, _round, x)


def _mod(x: float, y: float) -> float:
    return float(x) % y


@overload
def mod(x: float, y: float) -> float: ...
@overload
def mod(x: Any, y: Any) -> ShaderVariable: ...
def mod(x: Any, y: Any) -> Any:
    """x - y * floor(x / y): the remainder with the sign of y."""
    if isinstance(x, ShaderVariable) and not isinstance(y, ShaderVariable) and as_number(y) == 0:
        warn_caller(f"mod({x.name}, 0) is no number: the divisor is zero ({x._builder._place()}).")
    return floating("mod", e.VD_OP_MOD, _mod, x, y)


@overload
def modf(x: float, y: float | None = None) -> tuple[float, float]: ...
@overload
def modf(x: Any, y: None = None) -> tuple[ShaderVariable, ShaderVariable]: ...
@overload
def modf(x: Any, y: Any) -> ShaderVariable: ...
def modf(x: Any, y: Any = None) -> Any:
    """Fraction and whole part of x, both with the sign of x. With a variable and two arguments the same as mod()."""
    x = operand(x)
    if y is not None and (isinstance(x, ShaderVariable) or isinstance(y, ShaderVariable)):
        return mod(x, y)
    if not isinstance(x, ShaderVariable):
        return folded("modf", math.modf, (x,))
    whole = trunc(x)
    return x.to_dtype(whole.var_type) - whole, whole


@overload
def clamp(x: float, min_val: float, max_val: float) -> float: ...
@overload
def clamp(x: Any, min_val: Any, max_val: Any) -> ShaderVariable: ...
def clamp(x: Any, min_val: Any, max_val: Any) -> Any:
    """x, but not below min_val nor above max_val."""
    return keeping("clamp", e.VD_OP_CLAMP, lambda v, low, high: _min(_max(v, low), high), x, min_val, max_val)


@overload
def clip(x: float, min_val: float, max_val: float) -> float: ...
@overload
def clip(x: Any, min_val: Any, max_val: Any) -> ShaderVariable: ...
def clip(x: Any, min_val: Any, max_val: Any) -> Any:
    """The same as clamp()."""
    return clamp(x, min_val, max_val)


@overload
def select(condition: bool, if_true: float, if_false: float) -> float: ...
@overload
def select(condition: Any, if_true: Any, if_false: Any) -> ShaderVariable: ...
def select(condition: Any, if_true: Any, if_false: Any) -> Any:
    """`if_true` if the condition holds, else `if_false`: values of any type, converted as under an operator.

    Two numbers keep their own type: `select(c, 1, 0)` is a uint32, `select(c, 1, -1)` an int32 and `select(c, 1.0, 0)`
    a float32; `vc.to_int(vc.select(c, 1, 0))` is another. Both are evaluated. With a Python condition and numbers alone
    it chooses at once. GLSL's mix() with a bool, NumPy's where().
    """
    args = (operand(if_true), operand(if_false))
    variables = variables_in(args)
    if not variables:
        if not isinstance(condition, ShaderVariable):
            return args[0] if truth_of(condition) else args[1]
        t = dt.cross_type(*[number_to_dtype(x) for x in args])
    elif len(variables) == 2 and variables[0].var_type is variables[1].var_type:
        t = variables[0].var_type
    else:
        t = cross_of(variables)
        for x in args:
            if not isinstance(x, ShaderVariable):
                t = dt.cross_type(t, literal_dtype(x, t))
    builder = variables[0]._builder if variables else condition._builder
    chosen = condition_value(builder, condition)
    at = builder.location()
    a, b = (value_as(x, t, builder, at) for x in args)
    value = builder.emit(e.VD_OP_SELECT, 0, 0, at, chosen, a, b)
    return ShaderVariable(builder, t, value, reads=reads_of(condition, *args))
