"""Short ways to make a buffer of each element type.

Each takes a shape and makes what vd.Buffer(shape, dtype) does.

Example:
    points = vd.buffer_v3(10)  # ten vec3, of 12 bytes each
    assert points.dtype is vd.vec3 and points.read(0).shape == (10, 3)
"""

from __future__ import annotations

from collections.abc import Sequence

from . import dtype as dt
from .buffer import Buffer

_Shape = int | Sequence[int]


def buffer_u32(shape: _Shape) -> Buffer:
    """A new buffer of uint32."""
    return Buffer(shape, dt.uint32)


def buffer_uv2(shape: _Shape) -> Buffer:
    """A new buffer of uvec2."""
    return Buffer(shape, dt.uvec2)


def buffer_uv3(shape: _Shape) -> Buffer:
    """A new buffer of uvec3."""
    return Buffer(shape, dt.uvec3)


def buffer_uv4(shape: _Shape) -> Buffer:
    """A new buffer of uvec4."""
    return Buffer(shape, dt.uvec4)


def buffer_i32(shape: _Shape) -> Buffer:
    """A new buffer of int32."""
    return Buffer(shape, dt.int32)


def buffer_iv2(shape: _Shape) -> Buffer:
    """A new buffer of ivec2."""
    return Buffer(shape, dt.ivec2)


def buffer_iv3(shape: _Shape) -> Buffer:
    """A new buffer of ivec3."""
    return Buffer(shape, dt.ivec3)


def buffer_iv4(shape: _Shape) -> Buffer:
    """A new buffer of ivec4."""
    return Buffer(shape, dt.ivec4)


def buffer_f32(shape: _Shape) -> Buffer:
    """A new buffer of float32."""
    return Buffer(shape, dt.float32)


def buffer_v2(shape: _Shape) -> Buffer:
    """A new buffer of vec2."""
    return Buffer(shape, dt.vec2)


def buffer_v3(shape: _Shape) -> Buffer:
    """A new buffer of vec3."""
    return Buffer(shape, dt.vec3)


def buffer_v4(shape: _Shape) -> Buffer:
    """A new buffer of vec4."""
    return Buffer(shape, dt.vec4)


def buffer_c64(shape: _Shape) -> Buffer:
    """A new buffer of complex64."""
    return Buffer(shape, dt.complex64)


def buffer_u16(shape: _Shape) -> Buffer:
    """A new buffer of uint16."""
    return Buffer(shape, dt.uint16)


def buffer_uhv2(shape: _Shape) -> Buffer:
    """A new buffer of uhvec2."""
    return Buffer(shape, dt.uhvec2)


def buffer_uhv3(shape: _Shape) -> Buffer:
    """A new buffer of uhvec3."""
    return Buffer(shape, dt.uhvec3)


def buffer_uhv4(shape: _Shape) -> Buffer:
    """A new buffer of uhvec4."""
    return Buffer(shape, dt.uhvec4)


def buffer_i16(shape: _Shape) -> Buffer:
    """A new buffer of int16."""
    return Buffer(shape, dt.int16)


def buffer_ihv2(shape: _Shape) -> Buffer:
    """A new buffer of ihvec2."""
    return Buffer(shape, dt.ihvec2)


def buffer_ihv3(shape: _Shape) -> Buffer:
    """A new buffer of ihvec3."""
    return Buffer(shape, dt.ihvec3)


def buffer_ihv4(shape: _Shape) -> Buffer:
    """A new buffer of ihvec4."""
    return Buffer(shape, dt.ihvec4)


def buffer_f16(shape: _Shape) -> Buffer:
    """A new buffer of float16."""
    return Buffer(shape, dt.float16)


def buffer_hv2(shape: _Shape) -> Buffer:
    """A new buffer of hvec2."""
    return Buffer(shape, dt.hvec2)


def buffer_hv3(shape: _Shape) -> Buffer:
    """A new buffer of hvec3."""
    return Buffer(shape, dt.hvec3)


def buffer_hv4(shape: _Shape) -> Buffer:
    """A new buffer of hvec4."""
    return Buffer(shape, dt.hvec4)


def buffer_f64(shape: _Shape) -> Buffer:
    """A new buffer of float64."""
    return Buffer(shape, dt.float64)


def buffer_dv2(shape: _Shape) -> Buffer:
    """A new buffer of dvec2."""
    return Buffer(shape, dt.dvec2)


def buffer_dv3(shape: _Shape) -> Buffer:
    """A new buffer of dvec3."""
    return Buffer(shape, dt.dvec3)


def buffer_dv4(shape: _Shape) -> Buffer:
    """A new buffer of dvec4."""
    return Buffer(shape, dt.dvec4)


def buffer_c32(shape: _Shape) -> Buffer:
    """A new buffer of complex32."""
    return Buffer(shape, dt.complex32)


def buffer_c128(shape: _Shape) -> Buffer:
    """A new buffer of complex128."""
    return Buffer(shape, dt.complex128)


def buffer_i64(shape: _Shape) -> Buffer:
    """A new buffer of int64."""
    return Buffer(shape, dt.int64)


def buffer_u64(shape: _Shape) -> Buffer:
    """A new buffer of uint64."""
    return Buffer(shape, dt.uint64)


def buffer_m2(shape: _Shape) -> Buffer:
    """A new buffer of mat2."""
    return Buffer(shape, dt.mat2)


def buffer_m3(shape: _Shape) -> Buffer:
    """A new buffer of mat3."""
    return Buffer(shape, dt.mat3)


def buffer_m4(shape: _Shape) -> Buffer:
    """A new buffer of mat4."""
    return Buffer(shape, dt.mat4)
