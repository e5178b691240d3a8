"""Powers, roots and logarithms. exp, log, sqrt and pow take complex numbers too.

Integers count as float32. Bounds of the errors are in docs/ir.md.

Example:
    @vd.shader("out.size")
    def roots(out: Buff[f32]):
        i = vc.global_invocation_id().x
        out[i] = vc.sqrt(vc.pow(out[i], 2)) + vc.log2(vc.exp2(out[i])) + vc.log(vc.exp(out[i])) * vc.inversesqrt(4.0)

    out = vd.asbuffer(np.array([1, 2], np.float32))
    roots(out)
    assert np.allclose(out.read(0), [2.5, 5]) and vc.sqrt(4) == 2
"""

from __future__ import annotations

import cmath
import math
from typing import Any, overload

from ..variables.variables import ShaderVariable
from ._apply import Complex, Value, complex_function, floating, has_complex, operand


def _exp2(x: float) -> float:
    return math.pow(2.0, x)


def _log(x: float) -> float:
    return -math.inf if x == 0 else math.log(x)


def _log2(x: float) -> float:
    return -math.inf if x == 0 else math.log2(x)


def _inversesqrt(x: float) -> float:
    return math.inf if x == 0 else 1.0 / math.sqrt(x)


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


def _complex_pow(x: complex, y: complex) -> complex:
    return complex(x) ** y


# ops: generated from src/ir/ops.inc; do not edit


def sqrt(x: Complex) -> Complex:
    """Square root; of a complex number the one whose real part is not negative."""
    x = operand(x)
    if has_complex((x,)):
        return complex_function(123, cmath.sqrt, x)
    return floating("sqrt", 123, math.sqrt, x)  # VD_OP_SQRT


def inversesqrt(x: Value) -> Value:
    """1 / sqrt(x)."""
    return floating("inversesqrt", 124, _inversesqrt, x)  # VD_OP_RSQRT


def exp(x: Complex) -> Complex:
    """e to the power of x."""
    x = operand(x)
    if has_complex((x,)):
        return complex_function(125, cmath.exp, x)
    return floating("exp", 125, math.exp, x)  # VD_OP_EXP


def exp2(x: Value) -> Value:
    """2 to the power of x."""
    return floating("exp2", 126, _exp2, x)  # VD_OP_EXP2


def log(x: Complex) -> Complex:
    """Natural logarithm."""
    x = operand(x)
    if has_complex((x,)):
        return complex_function(127, cmath.log, x)
    return floating("log", 127, _log, x)  # VD_OP_LOG


def log2(x: Value) -> Value:
    """Logarithm to base 2."""
    return floating("log2", 128, _log2, x)  # VD_OP_LOG2


@overload
def pow(x: float, y: float) -> float: ...
@overload
def pow(x: Any, y: Any) -> ShaderVariable: ...
def pow(x: Any, y: Any) -> Any:
    """x to the power of y."""
    x, y = operand(x), operand(y)
    if has_complex((x, y)):
        return complex_function(129, _complex_pow, x, y)
    return floating("pow", 129, _pow, x, y)  # VD_OP_POW


# end of ops
