"""Short names for kernels: `from vkdispatch.codegen.abbreviations import *` shadows no builtin."""

from ..base import dtype as _dt
from . import arguments as _arguments
from .arguments import Const as Const  # noqa: PLC0414 (a checker takes it as ours)
from .arguments import Var as Var  # noqa: PLC0414

Buff = _arguments.Buffer
Img1 = _arguments.Image1D
Img2 = _arguments.Image2D
Img3 = _arguments.Image3D

f16 = _dt.float16
f32 = _dt.float32
f64 = _dt.float64
i8 = _dt.int8
u8 = _dt.uint8
i16 = _dt.int16
u16 = _dt.uint16
i32 = _dt.int32
u32 = _dt.uint32
i64 = _dt.int64
u64 = _dt.uint64
c32 = _dt.complex32
c64 = _dt.complex64
c128 = _dt.complex128
hv2 = _dt.hvec2
hv3 = _dt.hvec3
hv4 = _dt.hvec4
v2 = _dt.vec2
v3 = _dt.vec3
v4 = _dt.vec4
dv2 = _dt.dvec2
dv3 = _dt.dvec3
dv4 = _dt.dvec4
ihv2 = _dt.ihvec2
ihv3 = _dt.ihvec3
ihv4 = _dt.ihvec4
iv2 = _dt.ivec2
iv3 = _dt.ivec3
iv4 = _dt.ivec4
uhv2 = _dt.uhvec2
uhv3 = _dt.uhvec3
uhv4 = _dt.uhvec4
uv2 = _dt.uvec2
uv3 = _dt.uvec3
uv4 = _dt.uvec4
m2 = _dt.mat2
m3 = _dt.mat3
m4 = _dt.mat4
