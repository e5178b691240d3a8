"""The parts of NumPy that the package needs, with and without NumPy.

NumPy is optional: without it, arrays are CompatArray objects over plain bytes.
"""

from __future__ import annotations

import builtins
import cmath
import functools
import math
import struct
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

try:
    import numpy as _np
except ImportError:  # pragma: no cover: runs where NumPy is absent
    _np = None  # type: ignore[assignment]

#: Whether NumPy can be imported.
HAS_NUMPY: bool = _np is not None

pi: float = math.pi


def numpy_module() -> Any:
    """The numpy module, or None."""
    return _np if HAS_NUMPY else None


def require_numpy(feature: str) -> Any:
    """The numpy module; RuntimeError naming `feature` without it."""
    np = numpy_module()
    if np is None:
        raise RuntimeError(f"{feature} needs NumPy, which is not installed")
    return np


@dataclass(frozen=True)
class HostDType:
    """An element type on the host; `struct_format` is the struct module's code of one element."""

    name: str
    itemsize: int
    struct_format: str
    kind: str  # bool, int, uint, float or complex

    def __str__(self) -> str:
        return self.name


BOOL = HostDType("bool", 1, "?", "bool")
INT8 = HostDType("int8", 1, "b", "int")
UINT8 = HostDType("uint8", 1, "B", "uint")
INT16 = HostDType("int16", 2, "h", "int")
UINT16 = HostDType("uint16", 2, "H", "uint")
INT32 = HostDType("int32", 4, "i", "int")
UINT32 = HostDType("uint32", 4, "I", "uint")
INT64 = HostDType("int64", 8, "q", "int")
UINT64 = HostDType("uint64", 8, "Q", "uint")
FLOAT16 = HostDType("float16", 2, "e", "float")
FLOAT32 = HostDType("float32", 4, "f", "float")
FLOAT64 = HostDType("float64", 8, "d", "float")
COMPLEX32 = HostDType("complex32", 4, "ee", "complex")
COMPLEX64 = HostDType("complex64", 8, "ff", "complex")
COMPLEX128 = HostDType("complex128", 16, "dd", "complex")

_HOST_DTYPES = {
    t.name: t
    for t in (
        BOOL,
        INT8,
        UINT8,
        INT16,
        UINT16,
        INT32,
        UINT32,
        INT64,
        UINT64,
        FLOAT16,
        FLOAT32,
        FLOAT64,
        COMPLEX32,
        COMPLEX64,
        COMPLEX128,
    )
}


def host_dtype(name: str) -> HostDType:
    """The host dtype called `name`."""
    if name not in _HOST_DTYPES:
        raise ValueError(f"Unsupported dtype ({name})!")
    return _HOST_DTYPES[name]


def host_dtype_name(x: Any) -> str:
    """The name of a HostDType, a NumPy dtype or type, or a name."""
    if isinstance(x, HostDType):
        return x.name
    if isinstance(x, str) and x in _HOST_DTYPES:
        return x
    if numpy_module() is not None and x is not None:
        try:
            return _numpy_name(x)
        except TypeError:  # of what cannot be hashed, too
            pass
    raise ValueError(f"Unsupported dtype ({x})!")


@functools.lru_cache(maxsize=128)
def _numpy_name(x: Any) -> str:
    """The name of a NumPy dtype or type, which NumPy puts together anew each time."""
    return _np.dtype(x).name


def dtype_itemsize(x: Any) -> int:
    """Bytes of one element."""
    return host_dtype(host_dtype_name(x)).itemsize


def dtype_kind(x: Any) -> str:
    """bool, int, uint, float or complex."""
    return host_dtype(host_dtype_name(x)).kind


def dtype_struct_format(x: Any) -> str:
    """The struct module's code of one element."""
    return host_dtype(host_dtype_name(x)).struct_format


def prod(values: Iterable[int]) -> int:
    """The product as a Python int; 1 of nothing."""
    return int(math.prod(int(v) for v in values))


def ceil(x: float) -> int:
    """The smallest integer that is not below `x`."""
    return math.ceil(x)


def round(x: float) -> int:
    """The nearest integer, halves to even."""
    return builtins.round(x)


def angle(x: complex) -> float:
    """The phase of a complex number."""
    return cmath.phase(x)


def exp_complex(x: complex) -> complex:
    """The complex exponential."""
    return cmath.exp(x)


def is_numpy_integer_scalar(x: Any) -> bool:
    """Whether `x` is a NumPy integer scalar."""
    return HAS_NUMPY and isinstance(x, _np.integer)


def is_integer_scalar(x: Any) -> bool:
    """Whether `x` is an int (bool counts) or a NumPy integer."""
    return isinstance(x, int) or is_numpy_integer_scalar(x)


def is_numpy_floating_instance(x: Any) -> bool:
    """Whether `x` is a NumPy float scalar."""
    return HAS_NUMPY and isinstance(x, _np.floating)


def is_real_scalar(x: Any) -> bool:
    """Whether `x` is an int, a float, or a NumPy integer or float; not a bool."""
    return not isinstance(x, bool) and (isinstance(x, float) or is_integer_scalar(x) or is_numpy_floating_instance(x))


def is_complex_scalar(x: Any) -> bool:
    """Whether `x` is a complex or a NumPy complex number of any size."""
    return isinstance(x, complex) or (HAS_NUMPY and isinstance(x, _np.complexfloating))


def is_host_dtype(x: Any) -> bool:
    """Whether `x` is a HostDType."""
    return isinstance(x, HostDType)


def is_array_like(x: Any) -> bool:
    """Whether `x` is a NumPy array or a CompatArray; lists and other packages' arrays are not."""
    return isinstance(x, CompatArray) or (HAS_NUMPY and isinstance(x, _np.ndarray))


def is_bytes_like(x: Any) -> bool:
    """Whether `x` is bytes, a bytearray or a memoryview."""
    return isinstance(x, (bytes, bytearray, memoryview))


def ensure_bytes(x: Any) -> bytes:
    """`x` as bytes; TypeError unless it is bytes-like."""
    if not is_bytes_like(x):
        raise TypeError(f"Expected a bytes-like object (got {type(x).__name__})")
    return bytes(x)


def _packer(dtype: Any, count: int) -> struct.Struct:
    code = dtype_struct_format(dtype)
    return struct.Struct("=" + (f"{count}{code}" if len(code) == 1 else code * count))


def pack_values(values: Iterable[Any], dtype: Any) -> bytes:
    """The bytes of a flat sequence of numbers."""
    kind = dtype_kind(dtype)
    flat: list = []
    for v in values:
        if kind == "complex":
            v = complex(v)
            flat += (v.real, v.imag)
        else:
            flat.append(float(v) if kind == "float" else bool(v) if kind == "bool" else int(v))
    width = 2 if kind == "complex" else 1
    return _packer(dtype, len(flat) // width).pack(*flat)


def unpack_values(data: Any, dtype: Any) -> list:
    """The numbers in `data`, as a flat list."""
    count, rest = divmod(len(memoryview(data).cast("B")), dtype_itemsize(dtype))
    if rest:
        raise ValueError(f"Byte count is not a multiple of the size of {host_dtype_name(dtype)}")
    flat = _packer(dtype, count).unpack(data)
    if dtype_kind(dtype) == "complex":
        return [complex(re, im) for re, im in zip(flat[0::2], flat[1::2])]
    return list(flat)


class CompatArray:
    """A dense C-ordered array over bytes: what reads return where there is no NumPy."""

    def __init__(self, buffer: bytes | bytearray | memoryview, dtype: Any, shape: Sequence[int]):
        self._dtype = host_dtype(host_dtype_name(dtype))
        self._shape = tuple(int(n) for n in shape)
        self._data = buffer if isinstance(buffer, bytearray) else bytearray(buffer)
        if prod(self._shape) * self._dtype.itemsize != len(self._data):
            raise ValueError(
                f"Shape {self._shape} of {self._dtype.name} takes {prod(self._shape) * self._dtype.itemsize} bytes, "
                f"not {len(self._data)}"
            )

    @property
    def dtype(self) -> HostDType:
        """The element type."""
        return self._dtype

    @property
    def shape(self) -> tuple:
        """Elements along each axis."""
        return self._shape

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self._shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return prod(self._shape)

    @property
    def nbytes(self) -> int:
        """The number of bytes."""
        return len(self._data)

    def reshape(self, *shape: Any) -> CompatArray:
        """The same data in another shape of as many elements."""
        if len(shape) == 1 and not is_integer_scalar(shape[0]):
            shape = tuple(shape[0])
        if prod(shape) != self.size:
            raise ValueError(f"Cannot reshape {self.size} elements to {tuple(shape)}")
        return CompatArray(self._data, self._dtype, shape)

    def tobytes(self) -> bytes:
        """A copy of the data."""
        return bytes(self._data)

    def tolist(self) -> Any:
        """The elements as nested lists; a number for an array without axes."""
        flat = unpack_values(self._data, self._dtype)
        if not self._shape:
            return flat[0]
        for n in reversed(self._shape[1:]):
            flat = [flat[i : i + n] for i in range(0, len(flat), n)] if n else [[] for _ in range(self._shape[0])]
        return flat

    def __buffer__(self, flags: int) -> memoryview:
        return memoryview(self._data)

    def __len__(self) -> int:
        if not self._shape:
            raise TypeError("len() of an array without axes")
        return self._shape[0]

    def __getitem__(self, index: Any) -> Any:
        index = index if isinstance(index, tuple) else (index,)
        if len(index) > len(self._shape):
            raise IndexError(f"Too many indices ({len(index)}) for {len(self._shape)} axes")
        offset, shape = 0, self._shape
        for i in index:
            n = shape[0]
            if not is_integer_scalar(i):
                raise TypeError("A CompatArray is indexed by integers")
            if not -n <= i < n:
                raise IndexError(f"Index ({i}) is outside an axis of {n}")
            shape = shape[1:]
            offset += (int(i) % n) * prod(shape)
        size = self._dtype.itemsize
        part = bytes(self._data[offset * size : (offset + prod(shape)) * size])
        return CompatArray(part, self._dtype, shape) if shape else unpack_values(part, self._dtype)[0]

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        return f"CompatArray({self.tolist()!r}, dtype={self._dtype.name}, shape={self._shape})"


def _expect_array(x: Any) -> Any:
    if not is_array_like(x):
        raise TypeError(f"Expected an array-like object (got {type(x).__name__})")
    return x


def array_shape(x: Any) -> tuple:
    """The shape of an array."""
    return tuple(_expect_array(x).shape)


def array_dtype(x: Any) -> Any:
    """The dtype of an array, as the array states it."""
    return _expect_array(x).dtype


def array_nbytes(x: Any) -> int:
    """The bytes of an array."""
    return int(_expect_array(x).nbytes)


def as_contiguous_bytes(x: Any) -> bytes:
    """The elements of an array as bytes in C order."""
    return _expect_array(x).tobytes()


def from_buffer(data: Any, dtype: Any, shape: Sequence[int]) -> Any:
    """A writable array that owns a copy of `data`; complex32 is widened to complex64 where there is NumPy."""
    np = numpy_module()
    name = host_dtype_name(dtype)
    if np is None:
        return CompatArray(bytearray(data), name, shape)
    if name == "complex32":
        halves = np.frombuffer(data, dtype=np.float16).astype(np.float32)
        return halves.view(np.complex64).reshape(tuple(shape)).copy()
    return np.frombuffer(data, dtype=name).reshape(tuple(shape)).copy()


def flatten(x: Any) -> list:
    """The numbers of an array, a nested sequence or a number, as a flat list."""
    if isinstance(x, CompatArray):
        return unpack_values(x.tobytes(), x.dtype)
    if HAS_NUMPY and isinstance(x, (_np.ndarray, _np.generic)):
        return _np.asarray(x).ravel().tolist()
    if isinstance(x, (list, tuple)):
        return [v for part in x for v in flatten(part)]
    return [x]


def item_shape(x: Any) -> tuple | None:
    """The shape of an array or nested sequence, () of a number; None where rows differ in length."""
    if is_array_like(x):
        return tuple(x.shape)
    if isinstance(x, (list, tuple)):
        shapes = {item_shape(v) for v in x}
        if len(shapes) > 1 or None in shapes:
            return None
        inner = shapes.pop() if shapes else ()
        return None if inner is None else (len(x), *inner)
    return ()
