"""Lengths, products and directions of vectors. A scalar counts as a vector of one component.

Vectors are of floats, and of the same length.

Example:
    @vd.shader("out.size")
    def lengths(out: Buff[f32], x: Buff[v3]):
        i = vc.global_invocation_id().x
        unit = vc.normalize(x[i])
        out[i] = vc.length(x[i]) + vc.dot(vc.cross(unit, x[i]), unit) + vc.distance(unit, unit)

    vectors, out = vd.Buffer(1, vd.vec3), vd.empty(1)
    vectors.write(np.array([[2, 3, 6]], np.float32))
    lengths(out, vectors)
    assert abs(out.read(0)[0] - 7) < 1e-5
"""

from __future__ import annotations

from typing import Any, overload

from ..._native import enums as e
from ...base import dtype as dt
from .._types import element_of
from ..variables.variables import ShaderVariable
from ._apply import component_wise, cross_of, emit, folded, operand, variables_in


def _floating(name: str, args: tuple) -> type[dt.dtype]:
    return dt.make_floating_dtype(component_wise(name, cross_of(variables_in(args))))


@overload
def length(x: float) -> float: ...
@overload
def length(x: Any) -> ShaderVariable: ...
def length(x: Any) -> Any:
    """The length of a vector."""
    x = operand(x)
    if not isinstance(x, ShaderVariable):
        return folded("length", lambda v: float(abs(v)), (x,))
    t = _floating("length", (x,))
    return emit(e.VD_OP_LENGTH, t, [x], (x,), element_of(t))


@overload
def distance(x: float, y: float) -> float: ...
@overload
def distance(x: Any, y: Any) -> ShaderVariable: ...
def distance(x: Any, y: Any) -> Any:
    """The length of y - x."""
    args = (operand(x), operand(y))
    if not variables_in(args):
        return folded("distance", lambda v, w: float(abs(w - v)), args)
    t = _floating("distance", args)
    return emit(e.VD_OP_DISTANCE, t, variables_in(args), args, element_of(t))


@overload
def dot(x: float, y: float) -> float: ...
@overload
def dot(x: Any, y: Any) -> ShaderVariable: ...
def dot(x: Any, y: Any) -> Any:
    """The sum of the products of the components."""
    args = (operand(x), operand(y))
    variables = variables_in(args)
    if not variables:
        return folded("dot", lambda v, w: float(v * w), args)
    t = component_wise("dot", cross_of(variables))
    return emit(e.VD_OP_DOT, t, variables, args, element_of(t))


def cross(x: Any, y: Any) -> ShaderVariable:
    """The vector that is perpendicular to two vectors of three float components."""
    args = (operand(x), operand(y))
    for v in args:
        t = v.var_type if isinstance(v, ShaderVariable) else None
        if not dt.is_vector(t) or t.child_count != 3 or not dt.is_float_dtype(t):
            raise ValueError("cross() takes two vectors of three float components!")
    variables = variables_in(args)
    return emit(e.VD_OP_CROSS, cross_of(variables), variables, args)


def normalize(x: Any) -> ShaderVariable:
    """The vector of length 1 in the direction of x."""
    x = operand(x)
    if not isinstance(x, ShaderVariable):
        raise ValueError("normalize() takes a variable, not a number!")
    t = _floating("normalize", (x,))
    return emit(e.VD_OP_NORMALIZE, t, [x], (x,))
