"""Types of pyshader: scalars, vectors and matrices, which also convert values in a shader, arrays and structs."""

from __future__ import annotations

from typing import Any

from ..base import dtype as dt
from ..codegen.functions.casts import to_dtype
from ..codegen.functions.control_flow import all as all_of
from ..codegen.variables.variables import ShaderVariable


class ShaderType:
    """A type of values. In a shader `f32(x)` converts, and `vec3(a, b)` puts components together."""

    def __init__(self, name: str, dtype: type[dt.dtype] | None):
        self.name = self.__name__ = name
        #: The dtype of vkdispatch; None of `void`.
        self.dtype = dtype

    def __call__(self, *args: Any) -> Any:
        if self.dtype is None:
            raise TypeError("void has no values")
        if self.dtype is dt.bool_ and len(args) == 1:
            return all_of(args[0]) if isinstance(args[0], ShaderVariable) else bool(args[0])
        return to_dtype(self.dtype, *args)

    def __repr__(self) -> str:
        return self.name


class Array:
    """An array in memory: Array(f32), or Array(f32, 4) inside of a Struct."""

    def __init__(self, subtype: Any, length: int | None = None):
        self.subtype = as_type(subtype, "Array")
        if length is not None and (isinstance(length, bool) or not isinstance(length, int) or length < 1):
            raise TypeError(f"Array: the length is a whole number from 1 on (got {length!r})")
        self.length = length

    def __repr__(self) -> str:
        return f"Array({self.subtype!r})" if self.length is None else f"Array({self.subtype!r}, {self.length})"


class Struct:
    """Named values that lie in memory one behind the other: Struct(weight=f32, place=vec3)."""

    def __init__(self, **fields: Any):
        if not fields:
            raise TypeError("Struct: a struct has at least one field")
        self.fields = {name: as_type(kind, f"Struct, field '{name}'") for name, kind in fields.items()}

    def __repr__(self) -> str:
        return f"Struct({', '.join(f'{name}={kind!r}' for name, kind in self.fields.items())})"


_DTYPES = {
    "boolean": dt.bool_, "i16": dt.int16, "i32": dt.int32, "i64": dt.int64, "u8": dt.uint8, "u16": dt.uint16, "u32": dt.uint32,
    "u64": dt.uint64, "f16": dt.float16, "f32": dt.float32, "f64": dt.float64,
    "vec2": dt.vec2, "vec3": dt.vec3, "vec4": dt.vec4, "ivec2": dt.ivec2, "ivec3": dt.ivec3, "ivec4": dt.ivec4,
    "uvec2": dt.uvec2, "uvec3": dt.uvec3, "uvec4": dt.uvec4, "mat2": dt.mat2, "mat3": dt.mat3, "mat4": dt.mat4,
}  # fmt: skip
#: All types that have a name.
TYPES = {name: ShaderType(name, t) for name, t in _DTYPES.items()} | {"void": ShaderType("void", None)}


def as_type(kind: Any, what: str) -> Any:
    """A type, which may be given by its name; TypeError for anything else."""
    if isinstance(kind, str) and kind in TYPES:
        kind = TYPES[kind]
    if isinstance(kind, ShaderType) and kind.dtype is not None or isinstance(kind, Array | Struct):
        return kind
    raise TypeError(f"{what}: {kind!r} is not a type of values, such as f32, vec3 or Array(f32)")
