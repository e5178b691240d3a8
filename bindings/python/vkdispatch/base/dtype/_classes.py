"""The element types: one class each, and tables of them."""

from __future__ import annotations

from typing import Any

from ...compat import numpy_compat as npc


class _DtypeMeta(type):
    """Gives the dtype classes a short repr and attributes that are computed on demand."""

    name: str
    dimentions: int
    scalar: Any
    host: Any

    def __repr__(cls) -> str:
        return f"<dtype {cls.name}>" if cls.name else f"<class '{cls.__module__}.{cls.__qualname__}'>"

    @property
    def dimensions(cls) -> int:
        """The number of axes of one element; 0.1 spells it `dimentions`."""
        return cls.dimentions

    @property
    def numpy(cls) -> Any:
        """The NumPy dtype of one scalar of this type; None without NumPy or without a counterpart."""
        np = npc.numpy_module()
        base = cls if cls.scalar is None else cls.scalar
        if np is None or base.host is None or base.host is npc.COMPLEX32:
            return None
        return np.dtype(base.host.name)


class dtype(metaclass=_DtypeMeta):
    """Base class of every element type."""

    name: str = ""
    item_size: int = 0
    glsl_type: str = ""
    dimentions: int = 0
    format_str: str = ""
    child_type: Any = None
    child_count: int = 0
    scalar: Any = None
    shape: tuple = (1,)
    numpy_shape: tuple = (1,)
    true_numpy_shape: tuple = ()
    alignment: int = 0
    host: Any = None

    def __new__(cls, *args: Any, **kwargs: Any):
        name = cls.name or cls.__name__
        raise TypeError(f"{name} is a type, it has no instances: in a kernel value.to_dtype(vd.{name}) converts")

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__()
        if kwargs:
            cls._describe(**kwargs)  # type: ignore[attr-defined]


class _Scalar(dtype):
    """Integers and floats."""

    @classmethod
    def _describe(cls, glsl: str, fmt: str) -> None:
        cls.name = cls.__name__
        cls.host = npc.host_dtype(cls.name.rstrip("_"))
        cls.item_size = cls.alignment = cls.host.itemsize
        cls.glsl_type = glsl
        cls.format_str = fmt


class bool_(_Scalar, glsl="bool", fmt="%d"):
    """Truth, a byte in memory: 1 or 0 when written, true where it is not 0 when read."""


class int8(_Scalar, glsl="int8_t", fmt="%d"):
    """8-bit signed integer."""


class uint8(_Scalar, glsl="uint8_t", fmt="%u"):
    """8-bit unsigned integer."""


class int16(_Scalar, glsl="int16_t", fmt="%d"):
    """16-bit signed integer."""


class uint16(_Scalar, glsl="uint16_t", fmt="%u"):
    """16-bit unsigned integer."""


class int32(_Scalar, glsl="int", fmt="%d"):
    """32-bit signed integer."""


class uint32(_Scalar, glsl="uint", fmt="%u"):
    """32-bit unsigned integer."""


class int64(_Scalar, glsl="int64_t", fmt="%lld"):
    """64-bit signed integer."""


class uint64(_Scalar, glsl="uint64_t", fmt="%llu"):
    """64-bit unsigned integer."""


class float16(_Scalar, glsl="float16_t", fmt="%f"):
    """16-bit float."""


class float32(_Scalar, glsl="float", fmt="%f"):
    """32-bit float."""


class float64(_Scalar, glsl="double", fmt="%lf"):
    """64-bit float."""


def _tuple_format(child: type[dtype], count: int) -> str:
    return "(" + ", ".join([child.format_str] * count) + ")"


class _Complex(dtype):
    """Pairs of floats that multiply as complex numbers."""

    @classmethod
    def _describe(cls, child: type[dtype], glsl: str) -> None:
        cls.name = cls.__name__
        cls.host = npc.host_dtype(cls.name)
        cls.item_size = 2 * child.item_size
        cls.alignment = child.item_size
        cls.glsl_type = glsl
        cls.format_str = _tuple_format(child, 2)
        cls.child_type = child
        cls.child_count = 2
        cls.shape = (2,)


class complex32(_Complex, child=float16, glsl="f16vec2"):
    """Complex number of two 16-bit floats."""


class complex64(_Complex, child=float32, glsl="vec2"):
    """Complex number of two 32-bit floats."""


class complex128(_Complex, child=float64, glsl="dvec2"):
    """Complex number of two 64-bit floats."""


class _Vector(dtype):
    """Two to four scalars, without padding."""

    @classmethod
    def _describe(cls, child: type[dtype], glsl: str) -> None:
        count = int(cls.__name__[-1])
        cls.name = cls.__name__
        cls.item_size = count * child.item_size
        cls.alignment = child.item_size
        cls.glsl_type = f"{glsl}{count}"
        cls.dimentions = 1
        cls.format_str = _tuple_format(child, count)
        cls.child_type = cls.scalar = child
        cls.child_count = count
        cls.shape = cls.numpy_shape = cls.true_numpy_shape = (count,)


class hvec2(_Vector, child=float16, glsl="f16vec"):
    """Two 16-bit floats."""


class hvec3(_Vector, child=float16, glsl="f16vec"):
    """Three 16-bit floats."""


class hvec4(_Vector, child=float16, glsl="f16vec"):
    """Four 16-bit floats."""


class vec2(_Vector, child=float32, glsl="vec"):
    """Two 32-bit floats."""


class vec3(_Vector, child=float32, glsl="vec"):
    """Three 32-bit floats."""


class vec4(_Vector, child=float32, glsl="vec"):
    """Four 32-bit floats."""


class dvec2(_Vector, child=float64, glsl="dvec"):
    """Two 64-bit floats."""


class dvec3(_Vector, child=float64, glsl="dvec"):
    """Three 64-bit floats."""


class dvec4(_Vector, child=float64, glsl="dvec"):
    """Four 64-bit floats."""


class ihvec2(_Vector, child=int16, glsl="i16vec"):
    """Two 16-bit signed integers."""


class ihvec3(_Vector, child=int16, glsl="i16vec"):
    """Three 16-bit signed integers."""


class ihvec4(_Vector, child=int16, glsl="i16vec"):
    """Four 16-bit signed integers."""


class ivec2(_Vector, child=int32, glsl="ivec"):
    """Two 32-bit signed integers."""


class ivec3(_Vector, child=int32, glsl="ivec"):
    """Three 32-bit signed integers."""


class ivec4(_Vector, child=int32, glsl="ivec"):
    """Four 32-bit signed integers."""


class uhvec2(_Vector, child=uint16, glsl="u16vec"):
    """Two 16-bit unsigned integers."""


class uhvec3(_Vector, child=uint16, glsl="u16vec"):
    """Three 16-bit unsigned integers."""


class uhvec4(_Vector, child=uint16, glsl="u16vec"):
    """Four 16-bit unsigned integers."""


class uvec2(_Vector, child=uint32, glsl="uvec"):
    """Two 32-bit unsigned integers."""


class uvec3(_Vector, child=uint32, glsl="uvec"):
    """Three 32-bit unsigned integers."""


class uvec4(_Vector, child=uint32, glsl="uvec"):
    """Four 32-bit unsigned integers."""


class _Matrix(dtype):
    """Square matrices of 32-bit floats, stored as columns without padding."""

    @classmethod
    def _describe(cls, child: type[dtype]) -> None:
        count = child.child_count
        cls.name = cls.glsl_type = cls.__name__
        cls.item_size = count * child.item_size
        cls.alignment = child.alignment
        cls.dimentions = 2
        row = "[" + ", ".join([child.scalar.format_str] * count) + "]"
        cls.format_str = "\n".join([row] * count)
        cls.child_type = child
        cls.child_count = count
        cls.scalar = child.scalar
        cls.shape = cls.numpy_shape = cls.true_numpy_shape = (count, count)


class mat2(_Matrix, child=vec2):
    """2x2 matrix: two columns of vec2."""


class mat3(_Matrix, child=vec3):
    """3x3 matrix: three columns of vec3."""


class mat4(_Matrix, child=vec4):
    """4x4 matrix: four columns of vec4."""


_SCALARS = (bool_, int8, uint8, int16, uint16, int32, uint32, int64, uint64, float16, float32, float64)
_COMPLEXES = (complex32, complex64, complex128)
_VECTOR_CLASSES = (
    (hvec2, hvec3, hvec4), (vec2, vec3, vec4), (dvec2, dvec3, dvec4),
    (ihvec2, ihvec3, ihvec4), (ivec2, ivec3, ivec4), (uhvec2, uhvec3, uhvec4), (uvec2, uvec3, uvec4),
)  # fmt: skip
_MATRICES = (mat2, mat3, mat4)
_VECTORS = {(v.child_type, v.child_count): v for family in _VECTOR_CLASSES for v in family}

#: Every dtype by name.
ALL_DTYPES: dict[str, type[dtype]] = {t.name: t for t in (*_SCALARS, *_COMPLEXES, *_VECTORS.values(), *_MATRICES)}
