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
from collections.abc import Callable
from typing import Any, overload

from ..._native import enums as e
from ..variables.variables import ShaderVariable
from ._apply import Value, floating, named


def _function(name: str, op: int, fold: Callable[[float], float], doc: str) -> Callable[[Value], Value]:
    def function(x: Value) -> Value:
        return floating(name, op, fold, x)

    return named(name, doc, function, __name__)


def _sinh(x: float) -> float:
    try:
        return math.sinh(x)
    except OverflowError:
        return math.copysign(math.inf, x)


def _atanh(x: float) -> float:
    return math.copysign(math.inf, x) if x in (-1, 1) else math.atanh(x)


sin = _function("sin", e.VD_OP_SIN, math.sin, "Sine of an angle in radians.")
cos = _function("cos", e.VD_OP_COS, math.cos, "Cosine of an angle in radians.")
tan = _function("tan", e.VD_OP_TAN, math.tan, "Tangent of an angle in radians.")
asin = _function("asin", e.VD_OP_ASIN, math.asin, "The angle from -pi/2 to pi/2 with sine x.")
acos = _function("acos", e.VD_OP_ACOS, math.acos, "The angle from 0 to pi with cosine x.")
atan = _function("atan", e.VD_OP_ATAN, math.atan, "The angle from -pi/2 to pi/2 with tangent x.")
sinh = _function("sinh", e.VD_OP_SINH, _sinh, "Hyperbolic sine.")
cosh = _function("cosh", e.VD_OP_COSH, math.cosh, "Hyperbolic cosine.")
tanh = _function("tanh", e.VD_OP_TANH, math.tanh, "Hyperbolic tangent.")
asinh = _function("asinh", e.VD_OP_ASINH, math.asinh, "Inverse hyperbolic sine.")
acosh = _function("acosh", e.VD_OP_ACOSH, math.acosh, "Inverse hyperbolic cosine.")
atanh = _function("atanh", e.VD_OP_ATANH, _atanh, "Inverse hyperbolic tangent.")
radians = _function("radians", e.VD_OP_RADIANS, math.radians, "Degrees as radians.")
degrees = _function("degrees", e.VD_OP_DEGREES, math.degrees, "Radians as degrees.")


@overload
def atan2(y: float, x: float) -> float: ...
@overload
def atan2(y: Any, x: Any) -> ShaderVariable: ...
def atan2(y: Any, x: Any) -> Any:
    """The angle of the point (x, y), from -pi to pi."""
    return floating("atan2", e.VD_OP_ATAN2, math.atan2, y, x)


@overload
def arctan2(y: float, x: float) -> float: ...
@overload
def arctan2(y: Any, x: Any) -> ShaderVariable: ...
def arctan2(y: Any, x: Any) -> Any:
    """As atan2()."""
    return atan2(y, x)
