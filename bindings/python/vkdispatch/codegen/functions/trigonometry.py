"""Angles and their functions.

Angles are in radians, but for `degrees` and `radians`, which convert. Integers count as float32.

Example:
    @vd.shader("out.size")
    def identity(out: Buff[f32]):
        i = vc.global_invocation_id().x
        x = out[i].to_register()
        out[i] = vc.atan2(vc.sin(x), vc.cos(x)) + vc.degrees(vc.radians(x)) + vc.atanh(vc.tanh(x)) - 3 * x

    out = vd.asbuffer(np.array([0.5, 1], np.float32))
    identity(out)
    assert np.allclose(out.read(0), 0, atol=1e-4) and vc.cos(0) == 1
"""

from __future__ import annotations

import math
from typing import Any, overload

from ..variables.variables import ShaderVariable
from ._apply import Value, floating


def _sinh(x: float) -> float:
    try:
        return math.sinh(x)
    except OverflowError:
        return math.copysign(math.inf, x)


def _atanh(x: float) -> float:
    return math.copysign(math.inf, x) if x in (-1, 1) else math.atanh(x)


# ops: generated from src/ir/ops.inc; do not edit


def radians(x: Value) -> Value:
    """Degrees as radians."""
    return floating("radians", 121, math.radians, x)  # VD_OP_RADIANS


def degrees(x: Value) -> Value:
    """Radians as degrees."""
    return floating("degrees", 122, math.degrees, x)  # VD_OP_DEGREES


def sin(x: Value) -> Value:
    """Sine of an angle in radians."""
    return floating("sin", 130, math.sin, x)  # VD_OP_SIN


def cos(x: Value) -> Value:
    """Cosine of an angle in radians."""
    return floating("cos", 131, math.cos, x)  # VD_OP_COS


def tan(x: Value) -> Value:
    """Tangent of an angle in radians."""
    return floating("tan", 132, math.tan, x)  # VD_OP_TAN


def asin(x: Value) -> Value:
    """The angle from -pi/2 to pi/2 with sine x."""
    return floating("asin", 133, math.asin, x)  # VD_OP_ASIN


def acos(x: Value) -> Value:
    """The angle from 0 to pi with cosine x."""
    return floating("acos", 134, math.acos, x)  # VD_OP_ACOS


def atan(x: Value) -> Value:
    """The angle from -pi/2 to pi/2 with tangent x."""
    return floating("atan", 135, math.atan, x)  # VD_OP_ATAN


@overload
def atan2(y: float, x: float) -> float: ...
@overload
def atan2(y: Any, x: Any) -> ShaderVariable: ...
def atan2(y: Any, x: Any) -> Any:
    """The angle of the point (x, y), from -pi to pi."""
    return floating("atan2", 136, math.atan2, y, x)  # VD_OP_ATAN2


def sinh(x: Value) -> Value:
    """Hyperbolic sine."""
    return floating("sinh", 137, _sinh, x)  # VD_OP_SINH


def cosh(x: Value) -> Value:
    """Hyperbolic cosine."""
    return floating("cosh", 138, math.cosh, x)  # VD_OP_COSH


def tanh(x: Value) -> Value:
    """Hyperbolic tangent."""
    return floating("tanh", 139, math.tanh, x)  # VD_OP_TANH


def asinh(x: Value) -> Value:
    """Inverse hyperbolic sine."""
    return floating("asinh", 140, math.asinh, x)  # VD_OP_ASINH


def acosh(x: Value) -> Value:
    """Inverse hyperbolic cosine."""
    return floating("acosh", 141, math.acosh, x)  # VD_OP_ACOSH


def atanh(x: Value) -> Value:
    """Inverse hyperbolic tangent."""
    return floating("atanh", 142, _atanh, x)  # VD_OP_ATANH


# end of ops


@overload
def arctan2(y: float, x: float) -> float: ...
@overload
def arctan2(y: Any, x: Any) -> ShaderVariable: ...
def arctan2(y: Any, x: Any) -> Any:
    """The same as atan2()."""
    return atan2(y, x)
