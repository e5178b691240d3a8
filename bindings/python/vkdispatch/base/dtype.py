"""The element types of buffers, arguments and registers, and the rules by which they combine.

A dtype is a class, compared by identity and never instantiated: it serves as an annotation (``Buff[float32]``), as a
generic argument and as a value. Storage is tight (scalar block layout): a ``vec3`` takes 12 bytes on every backend.

Under an operator two of them meet in the larger one, and an integer beside a float takes the float's type. Two that have no
common type are a ValueError.

Example:
    assert vd.float32.item_size == 4 and vd.vec3.item_size == 12 and vd.vec3.scalar is vd.float32
    assert f32 is vd.float32 and c64 is vd.complex64  # short names of vkdispatch.codegen.abbreviations
"""

from __future__ import annotations

import functools
from typing import Any, Protocol, TypeAlias, TypeGuard

from ..compat import numpy_compat as npc


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
        raise TypeError(f"{cls.name or cls.__name__} is a type, it has no instances")

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

# The order of promotion: of two scalars, the later one wins.
_RANK = {
    t: i for i, t in enumerate((uint8, int8, uint16, int16, uint32, int32, uint64, int64, float16, float32, float64))
}
_FLOATS = (float16, float32, float64)
# Bytes are fractions of 255 rather than halves of anything.
_FLOAT_OF_SIZE = {1: float32, 2: float16, 4: float32, 8: float64}

#: Every dtype by name.
ALL_DTYPES: dict[str, type[dtype]] = {t.name: t for t in (*_SCALARS, *_COMPLEXES, *_VECTORS.values(), *_MATRICES)}


def is_dtype(x: Any) -> TypeGuard[type[dtype]]:
    """Whether `x` is a dtype class."""
    return isinstance(x, type) and issubclass(x, dtype)


def is_scalar(x: Any) -> TypeGuard[type[dtype]]:
    """Whether `x` is an integer or float dtype."""
    return isinstance(x, type) and issubclass(x, _Scalar)


def is_complex(x: Any) -> TypeGuard[type[dtype]]:
    """Whether `x` is a complex dtype."""
    return isinstance(x, type) and issubclass(x, _Complex)


def is_vector(x: Any) -> TypeGuard[type[dtype]]:
    """Whether `x` is a vector dtype."""
    return isinstance(x, type) and issubclass(x, _Vector)


def is_matrix(x: Any) -> TypeGuard[type[dtype]]:
    """Whether `x` is a matrix dtype."""
    return isinstance(x, type) and issubclass(x, _Matrix)


def _element(x: Any) -> Any:
    return x if is_scalar(x) else getattr(x, "scalar", None)


def is_float_dtype(x: Any) -> TypeGuard[type[dtype]]:
    """Whether `x` is a float scalar, or a vector or matrix of them; False for complex types."""
    return is_dtype(x) and not is_complex(x) and _element(x) in _FLOATS


def is_integer_dtype(x: Any) -> TypeGuard[type[dtype]]:
    """Whether `x` is an integer scalar or a vector of them; False for complex types."""
    return is_dtype(x) and not is_complex(x) and _element(x) in _RANK and _element(x) not in _FLOATS


def is_signed_integer_dtype(x: Any) -> TypeGuard[type[dtype]]:
    """Whether `x` is a signed integer scalar or a vector of them."""
    return is_integer_dtype(x) and _element(x) in (int8, int16, int32, int64)


@functools.lru_cache(maxsize=1024)
def same_bits(a: type[dtype], b: type[dtype]) -> bool:
    """Whether memory of one dtype means the same numbers as the other: vectors and complex numbers are made of scalars, and
    signed and unsigned integers agree where both are not negative."""

    x, y = scalar_of(a), scalar_of(b)
    return x.item_size == y.item_size and is_float_dtype(x) == is_float_dtype(y)


def scalar_of(t: type[dtype]) -> type[dtype]:
    """The integer or float type that a dtype is made of."""
    while t.child_type is not None:
        t = t.child_type
    return t


def vector_size(x: Any) -> int:
    """The number of components of a vector dtype."""
    if not is_vector(x):
        raise ValueError(f"Expected a vector type (got {x!r})!")
    return x.child_count


def to_vector(scalar: type[dtype], count: int) -> type[dtype]:
    """The vector of `count` times `scalar`; for 1 the scalar itself."""
    if not is_scalar(scalar):
        raise ValueError(f"Unsupported dtype ({scalar!r}) for a vector!")
    if count not in (1, 2, 3, 4):
        raise ValueError(f"Unsupported vector size ({count}): 1 to 4 are supported!")
    if count == 1:
        return scalar
    if (scalar, count) not in _VECTORS:
        raise ValueError(f"Unsupported dtype ({scalar.name}) for a vector!")
    return _VECTORS[scalar, count]


def complex_from_float(x: type[dtype]) -> type[dtype]:
    """The complex dtype whose parts are the float dtype `x`."""
    for t in _COMPLEXES:
        if t.child_type is x:
            return t
    raise ValueError(f"Unsupported dtype ({x!r}): expected a float type!")


def make_floating_dtype(x: type[dtype]) -> type[dtype]:
    """The float type of the same width as `x`, component by component; floats, matrices and complex types stay."""
    if is_float_dtype(x) or is_complex(x) or is_matrix(x):
        return x
    if is_scalar(x):
        return _FLOAT_OF_SIZE[x.item_size]
    if is_vector(x):
        return _VECTORS[make_floating_dtype(x.scalar), x.child_count]
    raise ValueError(f"Unsupported dtype ({x!r})!")


def cross_scalar_scalar(a: type[dtype], b: type[dtype]) -> type[dtype]:
    """The type of arithmetic on two scalars: the one of higher rank; truth counts as int32, 1 or 0."""
    a, b = (int32 if t is bool_ else t for t in (a, b))
    if a not in _RANK or b not in _RANK:
        raise ValueError(f"Cannot cross types ({a!r}) and ({b!r}): both must be scalars!")
    return a if _RANK[a] >= _RANK[b] else b


def cross_vector_scalar(a: type[dtype], b: type[dtype]) -> type[dtype]:
    """The type of arithmetic on a vector and a scalar."""
    if not is_vector(a) or not is_scalar(b):
        raise ValueError(f"Cannot cross types ({a!r}) and ({b!r}): expected a vector and a scalar!")
    return to_vector(cross_scalar_scalar(a.scalar, b), a.child_count)


def cross_vector_vector(a: type[dtype], b: type[dtype]) -> type[dtype]:
    """The type of arithmetic on two vectors of one size."""
    if not is_vector(a) or not is_vector(b):
        raise ValueError(f"Cannot cross types ({a!r}) and ({b!r}): both must be vectors!")
    if a.child_count != b.child_count:
        raise ValueError(f"Cannot cross vectors of different sizes ({a.name} and {b.name})!")
    return to_vector(cross_scalar_scalar(a.scalar, b.scalar), a.child_count)


def cross_vector(a: type[dtype], b: type[dtype]) -> type[dtype]:
    """The type of arithmetic where at least one side is a vector."""
    if is_complex(a) or is_complex(b):
        raise ValueError("Cannot cross vector and complex types!")
    if is_vector(a) and is_vector(b):
        return cross_vector_vector(a, b)
    if is_vector(a) and is_scalar(b):
        return cross_vector_scalar(a, b)
    if is_scalar(a) and is_vector(b):
        return cross_vector_scalar(b, a)
    raise ValueError(f"Cannot cross types ({a!r}) and ({b!r})!")


def cross_matrix(a: type[dtype], b: type[dtype]) -> type[dtype]:
    """The type of component-wise arithmetic where at least one side is a matrix; a scalar keeps the matrix."""
    if is_matrix(a) and is_matrix(b):
        if a is not b:
            raise ValueError(f"Cannot cross matrices of different sizes ({a.name} and {b.name})!")
        return a
    if is_matrix(a) and is_scalar(b):
        return a
    if is_scalar(a) and is_matrix(b):
        return b
    raise ValueError(f"Cannot cross types ({a!r}) and ({b!r})!")


def _cross_complex(a: type[dtype], b: type[dtype]) -> type[dtype]:
    parts = []
    for t in (a, b):
        if is_complex(t):
            parts.append(t.child_type)
        elif is_scalar(t):
            parts.append(make_floating_dtype(t))
        else:
            raise ValueError(f"Cannot cross types ({a!r}) and ({b!r})!")
    return complex_from_float(cross_scalar_scalar(*parts))


def cross_type(a: type[dtype], b: type[dtype]) -> type[dtype]:
    """The type of component-wise arithmetic on `a` and `b`; ValueError where they do not combine."""
    if not is_dtype(a) or not is_dtype(b):
        raise ValueError(f"Cannot cross types ({a!r}) and ({b!r})!")
    if is_matrix(a) or is_matrix(b):
        return cross_matrix(a, b)
    if is_vector(a) or is_vector(b):
        return cross_vector(a, b)
    if is_complex(a) or is_complex(b):
        return _cross_complex(a, b)
    return cross_scalar_scalar(a, b)


def cross_multiply_type(a: type[dtype], b: type[dtype]) -> type[dtype]:
    """As cross_type, and a float32 matrix times a vector of its size, on either side, is that vector."""
    if is_matrix(a) and is_vector(b):
        matrix, vector = a, b
    elif is_vector(a) and is_matrix(b):
        matrix, vector = b, a
    else:
        return cross_type(a, b)
    if vector is not matrix.child_type:
        raise ValueError(f"Cannot multiply types ({a.name}) and ({b.name})!")
    return vector


def from_numpy_dtype(x: Any) -> type[dtype]:
    """The dtype of a NumPy dtype or type, a HostDType or a name; ValueError where there is none."""
    try:
        name = npc.host_dtype_name(x)
    except (TypeError, ValueError):
        name = None
    found = ALL_DTYPES.get("bool_" if name == "bool" else name) if name else None
    if found is None or found.host is None:
        known = ", ".join(name for name, known in ALL_DTYPES.items() if known.host is not None)
        raise ValueError(f"Unsupported dtype ({x})! Supported are {known}.")
    return found


class NumpyDtype(Protocol):
    """A dtype of NumPy's, as type checkers see it."""

    @property
    def name(self) -> str:
        """What ours is called, too."""

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""


#: What may be given for a dtype: a class of ours or NumPy's, a name, or a dtype of NumPy's.
DTypeLike: TypeAlias = type[Any] | str | NumpyDtype


def as_dtype(x: Any, what: str = "dtype") -> type[dtype]:
    """`x` as a dtype: one of these, its name, or NumPy's of that name. TypeError for all else, with `what` as its name."""
    if is_dtype(x) and x.item_size:
        return x
    if isinstance(x, str) and x in ALL_DTYPES:
        return ALL_DTYPES[x]
    hint = "vd.float32 is one"
    if any(x is t for t in (int, float, complex, bool)):
        hint = f"how wide Python's {x.__name__} is on a device is yours to say: {_WIDTHS[x]}"
    else:
        try:
            return from_numpy_dtype(x)
        except ValueError:
            pass
    from .host_values import shown

    raise TypeError(f"{what} must be a dtype (got {shown(x)}; {hint})")


_WIDTHS = {
    int: "vd.int32 or vd.int64",
    float: "vd.float32 or vd.float64",
    complex: "vd.complex64 or vd.complex128",
    bool: "vd.bool_, a byte each, is NumPy's",
}


def to_numpy_dtype(x: type[dtype]) -> Any:
    """The NumPy dtype of a scalar or complex dtype; a HostDType for complex32, and for all of them without NumPy."""
    if not is_dtype(x) or x.host is None:
        raise ValueError(f"Unsupported dtype ({x!r})!")
    if x.host is npc.COMPLEX32 or npc.numpy_module() is None:
        return x.host
    return x.numpy
