"""Powers, roots and logarithms. exp, log, sqrt and pow take complex numbers too."""

from __future__ import annotations

import cmath
import math
from typing import Any

from ..._native import enums as e
from ._apply import complex_function, floating, has_complex, operand


def _log(function: Any) -> Any:
    return lambda x: -math.inf if x == 0 else function(x)


def exp(x: Any) -> Any:
    """e to the power of x."""
    x = operand(x)
    if has_complex((x,)):
        return complex_function(e.VD_OP_EXP, cmath.exp, x)
    return floating("exp", e.VD_OP_EXP, math.exp, x)


def exp2(x: Any) -> Any:
    """2 to the power of x."""
    return floating("exp2", e.VD_OP_EXP2, lambda v: math.pow(2.0, v), x)


def log(x: Any) -> Any:
    """Natural logarithm."""
    x = operand(x)
    if has_complex((x,)):
        return complex_function(e.VD_OP_LOG, cmath.log, x)
    return floating("log", e.VD_OP_LOG, _log(math.log), x)


def log2(x: Any) -> Any:
    """Logarithm to base 2."""
    return floating("log2", e.VD_OP_LOG2, _log(math.log2), x)


def _pow(x: float, y: float) -> float:
    try:
        return math.pow(x, y)
    except ValueError:
        if x != 0:
            return math.nan
        odd = float(y).is_integer() and y % 2 == 1
        return math.copysign(math.inf, x) if odd else math.inf
    except OverflowError:
        return -math.inf if x < 0 and y % 2 == 1 else math.inf


def pow(x: Any, y: Any) -> Any:
    """x to the power of y."""
    x, y = operand(x), operand(y)
    if has_complex((x, y)):
        return complex_function(e.VD_OP_POW, lambda v, w: complex(v) ** w, x, y)
    return floating("pow", e.VD_OP_POW, _pow, x, y)


def sqrt(x: Any) -> Any:
    """Square root; of a complex number the one whose real part is not negative."""
    x = operand(x)
    if has_complex((x,)):
        return complex_function(e.VD_OP_SQRT, cmath.sqrt, x)
    return floating("sqrt", e.VD_OP_SQRT, math.sqrt, x)


def inversesqrt(x: Any) -> Any:
    """1 / sqrt(x)."""
    return floating("inversesqrt", e.VD_OP_RSQRT, lambda v: math.inf if v == 0 else 1.0 / math.sqrt(v), x)
