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

from ..._native import enums as e
from ...base import dtype as dt
from .._numbers import as_number, number_to_dtype
from .._types import TYPE_OF
from ..global_builder import active
from ..hazards import reads_of
from ..variables.arithmetic import no_value, number_value
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
    values = tuple([_argument(x, builder) for x in args])
    value = cast_value(builder, var_type, values)
    if len(values) == 1 and var_type in _COUNTS and getattr(values[0], "_value", None) in builder.hazards.numbers:
        builder.hazards.numbers.add(value)
    return ShaderVariable(builder, var_type, value, reads=reads_of(*values))


# What the invocation's number may be converted to, and stay it.
_COUNTS = (dt.uint32, dt.int32, dt.uint64, dt.int64)


def _argument(x: Any, builder: Any) -> Any:
    if isinstance(x, ShaderVariable):
        if x._builder is not builder:
            raise RuntimeError("The variables belong to different kernels: each kernel is traced by itself!")
        if not x._type:
            raise no_value(x)
        return x._counted()
    number = as_number(x)
    if number is None:
        raise TypeError(f"Only variables and numbers can be converted, not {type(x).__name__}!")
    if isinstance(number, int):
        number_to_dtype(number)  # more than 64 bits overflow
    return number


def cast_value(builder: Any, t: Dtype, args: tuple) -> int:
    """The core's value of dtype `t` made of variables and Python numbers."""
    at = builder.location()
    if not args:
        return builder.emit(e.VD_OP_ZERO, TYPE_OF[t], 0, 0)
    if dt.is_complex(t):
        return _complex(builder, t, args, at)
    if dt.is_matrix(t):
        return _matrix(builder, t, args, at)
    if dt.is_vector(t):
        return _vector(builder, t, args, at)
    if len(args) != 1:
        raise ValueError(f"{_a(t).capitalize()} is made of one value, not {len(args)}!")
    return _scalar(builder, t, args[0], at)


def _a(t: Dtype) -> str:
    """The type's name in a sentence."""
    return f"{'an' if t.name[0] == 'i' else 'a'} {t.name}"


def _scalar(builder: Any, t: Dtype, x: Any, at: int) -> int:
    """A scalar, or the first component of a vector or complex number."""
    if not isinstance(x, ShaderVariable):
        if isinstance(x, complex):
            raise TypeError(f"The complex number ({x}) cannot become {_a(t)}!")
        return builder.literal(x, t)
    source = x.var_type
    if dt.is_matrix(source):
        _refuse(source, t)
    value = number_value(x, at)
    if source.child_type is not None:
        value = builder.emit(e.VD_OP_INDEX, 0, 0, at, value, builder.literal(0, dt.uint32))
        source = source.child_type
    return _convert(builder, source, t, value, at)


def _convert(builder: Any, source: Dtype, t: Dtype, value: int, at: int, count: int = 1) -> int:
    """A scalar, or a vector of `count` of them, with another scalar type."""
    return value if source is t else builder.emit(e.VD_OP_CONVERT, TYPE_OF[dt.to_vector(t, count)], 0, at, value)


def _parts(builder: Any, element: Dtype, args: tuple, at: int) -> tuple[list[int], int]:
    """All arguments with scalars of one type, and how many components they have."""
    parts, count = [], 0
    for x in args:
        t = x.var_type if isinstance(x, ShaderVariable) else None
        if t is None or t.child_type is None:
            parts.append(_scalar(builder, element, x, at))
            count += 1
            continue
        if dt.is_matrix(t):
            raise TypeError("A matrix cannot stand among components!")
        value = x._value if dt.is_vector(t) else x.swizzle("xy")._value
        n, source = t.child_count, t.child_type
        parts.append(_convert(builder, source, element, value, at, n))
        count += n
    return parts, count


def _vector(builder: Any, t: Dtype, args: tuple, at: int) -> int:
    n = t.child_count
    if len(args) == 1:
        x = args[0]
        source = x.var_type if isinstance(x, ShaderVariable) else None
        if source is None and not isinstance(x, complex):
            return builder.literal(x, t)
        if source is t:
            return x._value
        if source is not None and source.child_type is None:
            return builder.emit(e.VD_OP_CONSTRUCT, TYPE_OF[t], 0, at, _scalar(builder, t.scalar, x, at))
        if dt.is_vector(source) and source.child_count > n:
            args = (x.swizzle("xyzw"[:n]),)
        elif dt.is_matrix(source):
            _refuse(source, t)
    parts, count = _parts(builder, t.scalar, args, at)
    if count != n:
        raise ValueError(f"{_a(t).capitalize()} is made of {n} components, not {count}!")
    return parts[0] if len(parts) == 1 else builder.emit(e.VD_OP_CONSTRUCT, TYPE_OF[t], 0, at, *parts)


def _complex(builder: Any, t: Dtype, args: tuple, at: int) -> int:
    if len(args) > 2:
        raise ValueError(f"Must give one of two arguments for complex init, not {len(args)}!")
    x = args[0]
    if len(args) == 1:
        if not isinstance(x, ShaderVariable):
            return builder.literal(x, t)
        source = x.var_type
        if source is t:
            return x._value
        if dt.is_complex(source):
            return builder.emit(e.VD_OP_CONVERT, TYPE_OF[t], 0, at, x._value)
        if dt.is_vector(source) and source.child_count == 2:
            return builder.emit(
                e.VD_OP_CONSTRUCT, TYPE_OF[t], 0, at, *[_scalar(builder, t.child_type, x[i], at) for i in (0, 1)]
            )
    parts = []
    for x in args:
        if isinstance(x, ShaderVariable) and x.var_type.child_type is not None:
            _refuse(x.var_type, t)
        parts.append(_scalar(builder, t.child_type, x, at))
    if len(parts) == 1:
        parts.append(builder.literal(0, t.child_type))
    return builder.emit(e.VD_OP_CONSTRUCT, TYPE_OF[t], 0, at, *parts)


def _matrix(builder: Any, t: Dtype, args: tuple, at: int) -> int:
    n = t.child_count
    if len(args) == 1:
        x = args[0]
        source = x.var_type if isinstance(x, ShaderVariable) else None
        if source is t:
            return x._value
        if dt.is_matrix(source):
            return builder.emit(e.VD_OP_CONSTRUCT, TYPE_OF[t], 0, at, x._value)
        if source is None or source.child_type is None:
            return builder.emit(e.VD_OP_CONSTRUCT, TYPE_OF[t], 0, at, _scalar(builder, t.scalar, x, at))
    parts, count = _parts(builder, t.scalar, args, at)
    whole_columns = len(parts) == n and all(
        isinstance(x, ShaderVariable) and dt.is_vector(x.var_type) and x.var_type.child_count == n for x in args
    )
    if not whole_columns and len(parts) != n * n or count != n * n:
        raise ValueError(f"A {t.name} is made of 1 scalar, {n} columns or {n * n} scalars, not {len(parts)} values!")
    return builder.emit(e.VD_OP_CONSTRUCT, TYPE_OF[t], 0, at, *parts)


def _refuse(source: Dtype, target: Dtype) -> NoReturn:
    raise TypeError(f"{_a(source).capitalize()} cannot become {_a(target)}!")


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

    return named(name, f"{_a(t).capitalize()} made of numbers and variables; see to_dtype().", function, __name__)


def _complex_cast(name: str, t: Dtype) -> Callable[..., ShaderVariable]:
    def function(*args: Any) -> ShaderVariable:
        if not 1 <= len(args) <= 2:
            raise ValueError(f"Must give one of two arguments for complex init, not {len(args)}!")
        return to_dtype(t, *args)

    return named(name, f"{_a(t).capitalize()} of its real part, or both parts.", function, __name__)


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
