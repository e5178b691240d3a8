"""Angles and their functions."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ..._native import enums as e
from ._apply import floating, named


def _function(name: str, op: int, fold: Callable[[float], float], doc: str) -> Callable[[Any], Any]:
    def function(x: Any) -> Any:
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


def atan2(y: Any, x: Any) -> Any:
    """The angle of the point (x, y), from -pi to pi."""
    return floating("atan2", e.VD_OP_ATAN2, math.atan2, y, x)


def arctan2(y: Any, x: Any) -> Any:
    """As atan2()."""
    return atan2(y, x)
