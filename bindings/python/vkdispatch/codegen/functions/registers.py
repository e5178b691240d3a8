"""Registers: variables of one invocation. `register[:] = value` stores into one.

An expression is written where it is used, each time; a register holds what it was given. Rebinding its name (`acc = acc +
1`) makes another expression and leaves the register alone; `acc += 1` and `acc[:] = ...` store.

Example:
    @vd.shader("out.size")
    def powers(out: Buff[f32]):
        i = vc.global_invocation_id().x
        product = vc.new_float_register(1, var_name="product")
        with vc.for_block(i):
            product *= 2
        pair = vc.new(v2, product, 1)
        out[i] = pair.x + pair.y

    out = vd.empty(4)
    powers(out)
    assert list(out.read(0)) == [2, 3, 5, 9]
"""

from __future__ import annotations

from typing import Any, Protocol

from ...base import dtype as dt
from ..global_builder import active
from ..variables.variables import ShaderVariable
from ._apply import named
from .casts import complex_type_of, to_dtype

Dtype = type[dt.dtype]


def new_register(var_type: Dtype, *args: Any, var_name: str | None = None) -> ShaderVariable:
    """Declare a register of type `var_type` here, holding to_dtype(var_type, *args).

    Inside a loop it is set anew each time. `var_name` is its name in the printed source.
    """
    builder = active()
    if not dt.is_dtype(var_type):
        var_type = dt.as_dtype(var_type, "A register's type")
    if not args:
        return builder.new_register(var_type, None, var_name)
    first = to_dtype(var_type, *args)
    if first._reads:
        builder.hazards.note_use(builder, first._reads)
    return builder.new_register(var_type, first._value, var_name)


def new_complex_register(*args: Any, var_name: str | None = None) -> ShaderVariable:
    """A register of a complex number, in the width that to_complex(*args) has; complex64 without arguments."""
    return new_register(complex_type_of(*args) if args else dt.complex64, *args, var_name=var_name)


class NewRegister(Protocol):
    """A function that declares a register of a fixed type."""

    def __call__(self, *args: Any, var_name: str | None = None) -> ShaderVariable: ...


def _register(name: str, t: Dtype) -> NewRegister:
    def function(*args: Any, var_name: str | None = None) -> ShaderVariable:
        return new_register(t, *args, var_name=var_name)

    return named(name, f"A register of type {t.name}; see new_register().", function, __name__)


new_float16_register = _register("new_float16_register", dt.float16)
new_float_register = _register("new_float_register", dt.float32)
new_float64_register = _register("new_float64_register", dt.float64)
new_bool_register = _register("new_bool_register", dt.bool_)
new_int8_register = _register("new_int8_register", dt.int8)
new_uint8_register = _register("new_uint8_register", dt.uint8)
new_int16_register = _register("new_int16_register", dt.int16)
new_int_register = _register("new_int_register", dt.int32)
new_int64_register = _register("new_int64_register", dt.int64)
new_uint16_register = _register("new_uint16_register", dt.uint16)
new_uint_register = _register("new_uint_register", dt.uint32)
new_uint64_register = _register("new_uint64_register", dt.uint64)
new_complex32_register = _register("new_complex32_register", dt.complex32)
new_complex64_register = _register("new_complex64_register", dt.complex64)
new_complex128_register = _register("new_complex128_register", dt.complex128)
new_hvec2_register = _register("new_hvec2_register", dt.hvec2)
new_hvec3_register = _register("new_hvec3_register", dt.hvec3)
new_hvec4_register = _register("new_hvec4_register", dt.hvec4)
new_vec2_register = _register("new_vec2_register", dt.vec2)
new_vec3_register = _register("new_vec3_register", dt.vec3)
new_vec4_register = _register("new_vec4_register", dt.vec4)
new_dvec2_register = _register("new_dvec2_register", dt.dvec2)
new_dvec3_register = _register("new_dvec3_register", dt.dvec3)
new_dvec4_register = _register("new_dvec4_register", dt.dvec4)
new_ihvec2_register = _register("new_ihvec2_register", dt.ihvec2)
new_ihvec3_register = _register("new_ihvec3_register", dt.ihvec3)
new_ihvec4_register = _register("new_ihvec4_register", dt.ihvec4)
new_ivec2_register = _register("new_ivec2_register", dt.ivec2)
new_ivec3_register = _register("new_ivec3_register", dt.ivec3)
new_ivec4_register = _register("new_ivec4_register", dt.ivec4)
new_uhvec2_register = _register("new_uhvec2_register", dt.uhvec2)
new_uhvec3_register = _register("new_uhvec3_register", dt.uhvec3)
new_uhvec4_register = _register("new_uhvec4_register", dt.uhvec4)
new_uvec2_register = _register("new_uvec2_register", dt.uvec2)
new_uvec3_register = _register("new_uvec3_register", dt.uvec3)
new_uvec4_register = _register("new_uvec4_register", dt.uvec4)
new_mat2_register = _register("new_mat2_register", dt.mat2)
new_mat3_register = _register("new_mat3_register", dt.mat3)
new_mat4_register = _register("new_mat4_register", dt.mat4)

# Short forms.
new = new_register
new_float = new_float_register
new_int = new_int_register
new_uint = new_uint_register
new_vec2 = new_vec2_register
new_vec3 = new_vec3_register
new_vec4 = new_vec4_register
new_ivec2 = new_ivec2_register
new_ivec3 = new_ivec3_register
new_ivec4 = new_ivec4_register
new_uvec2 = new_uvec2_register
new_uvec3 = new_uvec3_register
new_uvec4 = new_uvec4_register
