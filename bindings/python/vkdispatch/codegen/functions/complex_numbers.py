"""Complex numbers from angles, and their products.

Angles are in radians.

Example:
    @vd.shader("out.size")
    def turn(out: Buff[c64], angle: Const[f32]):
        i = vc.global_invocation_id().x
        out[i] = vc.mult_complex(out[i], vc.complex_from_euler_angle(angle))

    out = vd.asbuffer(np.array([1, 2j], np.complex64))
    turn(out, np.pi / 2)
    assert np.allclose(out.read(0), [1j, -2], atol=1e-6)
"""

from __future__ import annotations

import math
from typing import Any

from ..._native import enums as e
from ...base import dtype as dt
from .._numbers import as_number, fits_half
from ..global_builder import active
from ..variables.variables import ShaderVariable
from ._apply import emit, variables_in
from .casts import to_complex64


def _adopted(number: complex, t: type[dt.dtype]) -> type[dt.dtype]:
    return dt.complex64 if t is dt.complex32 and not fits_half(number) else t


def mult_complex(arg1: Any, arg2: Any) -> ShaderVariable:
    """The product of two complex numbers: each part is one fused multiply-add on top of a product."""
    types, args = [], []
    for x in (arg1, arg2):
        if isinstance(x, ShaderVariable):
            if not dt.is_complex(x.var_type):
                raise TypeError(f"mult_complex() takes complex variables and numbers, not '{x.var_type.name}'!")
            types.append(x.var_type)
        else:
            number = as_number(x)
            if number is None:
                raise TypeError(f"mult_complex() takes complex variables and numbers, not {type(x).__name__}!")
            x = number
        args.append(x)
    variables = variables_in(tuple(args))
    if not variables:
        return to_complex64(complex(args[0]) * complex(args[1]))
    t = types[0] if len(types) == 1 else dt.cross_type(*types)
    for x in args:
        if not isinstance(x, ShaderVariable):
            t = _adopted(x, t)
    return emit(e.VD_OP_MUL, t, variables, tuple(args))


def complex_from_euler_angle(angle: Any) -> ShaderVariable:
    """cos(angle) + i sin(angle)."""
    if not isinstance(angle, ShaderVariable):
        number = as_number(angle)
        if number is None or isinstance(number, complex):
            raise TypeError(f"complex_from_euler_angle() takes a variable or a number, not {type(angle).__name__}!")
        builder = active()
        return ShaderVariable(
            builder, dt.complex64, builder.literal(complex(math.cos(number), math.sin(number)), dt.complex64)
        )
    if not dt.is_scalar(angle.var_type):
        raise TypeError(f"complex_from_euler_angle() takes a real scalar, not '{angle.var_type.name}'!")
    t = dt.make_floating_dtype(angle.var_type)
    return emit(e.VD_OP_CIS, t, [angle], (angle,), dt.complex_from_float(t))
