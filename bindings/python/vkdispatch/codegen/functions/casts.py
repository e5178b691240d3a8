"""Conversions between types. Floats become integers by cutting off the fraction, within the integer's range; integers wrap.

A number of parts that does not fit the type is a ValueError.

Example:
    @vd.shader("out.size")
    def truncated(out: Buff[i32], x: Buff[f32]):
        i = vc.global_invocation_id().x
        out[i] = vc.to_int(x[i]) + vc.to_int(vc.to_vec2(x[i], 1).y)

    out = vd.empty(2, vd.int32)
    truncated(out, vd.asbuffer(np.array([-1.75, 1e20], np.float32)))
    assert list(out.read(0))[0] == 0
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from ...base import dtype as dt
from .._numbers import as_number
from ..global_builder import active
from ..variables.casting import article_and_name, cast
from ..variables.variables import ShaderVariable
from ._apply import named

Dtype = type[dt.dtype]


def to_dtype(var_type: Dtype, *args: Any) -> ShaderVariable:
    """A value of type `var_type` made of numbers and variables.

    A scalar of a scalar; a vector of one scalar for all components, of a longer vector, or of as many components as it has; a
    complex number of its real part, or both parts; a matrix of its diagonal, its columns, its components column by column, or
    another matrix. Without arguments zero.
    """
    if not dt.is_dtype(var_type):
        var_type = dt.as_dtype(var_type, "to_dtype: the type")
    builder = next((x._builder for x in args if isinstance(x, ShaderVariable)), None) or active()
    value, reads = cast(builder, var_type, args)
    return ShaderVariable(builder, var_type, value, reads=reads)


def str_to_dtype(
    var_type: Dtype,
    value: str,
    parents: Any = None,
    lexical_unit: bool = False,
    settable: bool = False,
    register: bool = False,
) -> NoReturn:
    """Source text as a value. Kernels are printed in several languages, so there is no such thing."""
    raise NotImplementedError(
        "str_to_dtype: raw source text cannot be added to a kernel that is printed in several languages!"
    )


# ---- Complex numbers of the right width ------------------------------------------------------------------------------


def complex_type_of(*args: Any) -> Dtype:
    """The complex type that parts or values make by themselves: Python numbers a complex64."""
    if not 1 <= len(args) <= 2:
        raise ValueError(f"Must give one of two arguments for complex init, not {len(args)}!")
    found: Dtype | None = None
    for x in args:
        if isinstance(x, ShaderVariable):
            t = x.var_type
            if dt.is_vector(t) or dt.is_matrix(t):
                raise TypeError(f"to_complex() takes scalars and complex numbers, not '{t.name}'!")
            t = t if dt.is_complex(t) else dt.complex_from_float(dt.make_floating_dtype(t))
        elif as_number(x) is None:
            raise TypeError(f"Only variables and numbers can be converted, not {type(x).__name__}!")
        else:
            t = dt.complex64
        found = t if found is None else dt.cross_type(found, t)
    return found  # type: ignore[return-value]


def to_complex(*args: Any) -> ShaderVariable:
    """A complex number of its real part, or both parts, in the width that they have."""
    return to_dtype(complex_type_of(*args), *args)


def _cast(name: str, t: Dtype) -> Callable[..., ShaderVariable]:
    def function(*args: Any) -> ShaderVariable:
        return to_dtype(t, *args)

    return named(
        name, f"{article_and_name(t).capitalize()} made of numbers and variables; see to_dtype().", function, __name__
    )


def _complex_cast(name: str, t: Dtype) -> Callable[..., ShaderVariable]:
    def function(*args: Any) -> ShaderVariable:
        if not 1 <= len(args) <= 2:
            raise ValueError(f"Must give one of two arguments for complex init, not {len(args)}!")
        return to_dtype(t, *args)

    return named(name, f"{article_and_name(t).capitalize()} of its real part, or both parts.", function, __name__)


to_float16 = _cast("to_float16", dt.float16)
to_float = _cast("to_float", dt.float32)
to_float64 = _cast("to_float64", dt.float64)
to_bool = named(
    "to_bool", "Whether a number is not 0, as a bool_; see to_dtype().", _cast("to_bool", dt.bool_), __name__
)
to_int8 = _cast("to_int8", dt.int8)
to_uint8 = _cast("to_uint8", dt.uint8)
to_int16 = _cast("to_int16", dt.int16)
to_int = _cast("to_int", dt.int32)
to_int64 = _cast("to_int64", dt.int64)
to_uint16 = _cast("to_uint16", dt.uint16)
to_uint = _cast("to_uint", dt.uint32)
to_uint64 = _cast("to_uint64", dt.uint64)
to_complex32 = _complex_cast("to_complex32", dt.complex32)
to_complex64 = _complex_cast("to_complex64", dt.complex64)
to_complex128 = _complex_cast("to_complex128", dt.complex128)
to_hvec2 = _cast("to_hvec2", dt.hvec2)
to_hvec3 = _cast("to_hvec3", dt.hvec3)
to_hvec4 = _cast("to_hvec4", dt.hvec4)
to_vec2 = _cast("to_vec2", dt.vec2)
to_vec3 = _cast("to_vec3", dt.vec3)
to_vec4 = _cast("to_vec4", dt.vec4)
to_dvec2 = _cast("to_dvec2", dt.dvec2)
to_dvec3 = _cast("to_dvec3", dt.dvec3)
to_dvec4 = _cast("to_dvec4", dt.dvec4)
to_ihvec2 = _cast("to_ihvec2", dt.ihvec2)
to_ihvec3 = _cast("to_ihvec3", dt.ihvec3)
to_ihvec4 = _cast("to_ihvec4", dt.ihvec4)
to_ivec2 = _cast("to_ivec2", dt.ivec2)
to_ivec3 = _cast("to_ivec3", dt.ivec3)
to_ivec4 = _cast("to_ivec4", dt.ivec4)
to_uhvec2 = _cast("to_uhvec2", dt.uhvec2)
to_uhvec3 = _cast("to_uhvec3", dt.uhvec3)
to_uhvec4 = _cast("to_uhvec4", dt.uhvec4)
to_uvec2 = _cast("to_uvec2", dt.uvec2)
to_uvec3 = _cast("to_uvec3", dt.uvec3)
to_uvec4 = _cast("to_uvec4", dt.uvec4)
to_mat2 = _cast("to_mat2", dt.mat2)
to_mat3 = _cast("to_mat3", dt.mat3)
to_mat4 = _cast("to_mat4", dt.mat4)
