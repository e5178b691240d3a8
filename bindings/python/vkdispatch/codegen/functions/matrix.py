"""Functions of square float32 matrices.

Example:
    @vd.shader("out.size")
    def inverted(out: Buff[m2]):
        m = out[0].to_register()
        out[0] = vc.inverse(vc.transpose(m))

    matrix = vd.Buffer(1, vd.mat2)
    matrix.write(np.array([[[2, 0], [0, 4]]], np.float32))
    inverted(matrix)
    assert np.allclose(matrix.read(0), [[[0.5, 0], [0, 0.25]]])
"""

from __future__ import annotations

from typing import Any

from ..._native import enums as e
from ...base import dtype as dt
from ...base.errors import WrongTypeError
from .._operators import by_columns
from ..hazards import reads_of
from ..variables.arithmetic import same_trace
from ..variables.variables import ShaderVariable

_MATRIX_OF: dict[type[dt.dtype] | None, type[dt.dtype]] = {dt.vec2: dt.mat2, dt.vec3: dt.mat3, dt.vec4: dt.mat4}


def _matrix(name: str, x: Any) -> ShaderVariable:
    if not isinstance(x, ShaderVariable) or not dt.is_matrix(x.var_type):
        raise WrongTypeError(f"{name}() takes a matrix variable!")
    return x


def _unary(name: str, op: int, x: Any, scalar: bool = False) -> ShaderVariable:
    x = _matrix(name, x)
    b = x._builder
    return x._expression(x.var_type.scalar if scalar else x.var_type, b.emit(op, 0, 0, b.location(), x._value))


def matrix_comp_mult(x: Any, y: Any) -> ShaderVariable:
    """The product of two matrices component by component."""
    x, y = _matrix("matrix_comp_mult", x), _matrix("matrix_comp_mult", y)
    if x.var_type is not y.var_type:
        raise ValueError(
            f"matrix_comp_mult() takes two matrices of one size, not {x.var_type.name} and {y.var_type.name}!"
        )
    same_trace(x, y)
    b = x._builder
    product = by_columns(e.VD_OP_MUL, x.var_type)
    return ShaderVariable(b, x.var_type, product(b, x._value, y._value, b.location()), reads=reads_of(x, y))


def outer_product(x: Any, y: Any) -> ShaderVariable:
    """The matrix whose column j is x * y[j]."""
    types = {v.var_type if isinstance(v, ShaderVariable) else None for v in (x, y)}
    found = _MATRIX_OF.get(types.pop()) if len(types) == 1 else None
    if found is None:
        raise ValueError("outer_product() takes two float32 vectors of one size!")
    same_trace(x, y)
    b = x._builder
    value = b.emit(e.VD_OP_OUTER, 0, 0, b.location(), x._value, y._value)
    return ShaderVariable(b, found, value, reads=reads_of(x, y))


def transpose(x: Any) -> ShaderVariable:
    """Columns become rows."""
    return _unary("transpose", e.VD_OP_TRANSPOSE, x)


def determinant(x: Any) -> ShaderVariable:
    """The determinant."""
    return _unary("determinant", e.VD_OP_DETERMINANT, x, scalar=True)


def inverse(x: Any) -> ShaderVariable:
    """The inverse matrix."""
    return _unary("inverse", e.VD_OP_INVERSE, x)
