"""Types of elements, and data of the program's as the bytes of one of them.

NumPy is used where it is there; without it lists, bytes and buffers are taken, and data() gives a memoryview.
"""

from __future__ import annotations

import array
import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..base import dtype as dt
from ..base.words import bracketed
from ..compat import numpy_compat as npc
from .enums import DataTypes
from .errors import invalid


class Element(NamedTuple):
    """The type of an element."""

    name: str  # NumPy's
    data_type: Any  # a member of DataTypes
    code: str  # NumPy's kind and size, as in "f4"
    size: int
    format: str  # of a memoryview; "" where it has none
    var_type: Any  # the package's dtype
    custom: Any = None  # NumPy's dtype of records

    @property
    def typestr(self) -> str:
        """NumPy's description, in the machine's order of bytes."""
        return ("|" if self.size == 1 else "<") + self.code

    @property
    def reflected(self) -> str:
        """The name that reflection has for the scalar: "f32"."""
        return _REFLECTED.get(self.code, "")


_REFLECTED = {f"{kind}{size}": f"{kind}{8 * size}" for kind in "fiu" for size in (1, 2, 4, 8)} | {"b1": "u8"}
_D = DataTypes
ELEMENTS = {
    element.name: element
    for element in (
        Element("float32", _D.float, "f4", 4, "f", dt.float32),
        Element("int32", _D.int, "i4", 4, "i", dt.int32),
        Element("uint32", _D.uint, "u4", 4, "I", dt.uint32),
        Element("float64", _D.double, "f8", 8, "d", dt.float64),
        Element("bool", _D.bool, "b1", 1, "?", dt.uint8),
        Element("int16", _D.short, "i2", 2, "h", dt.int16),
        Element("uint16", _D.ushort, "u2", 2, "H", dt.uint16),
        Element("int8", _D.char, "i1", 1, "b", dt.int8),
        Element("uint8", _D.uchar, "u1", 1, "B", dt.uint8),
        Element("int64", _D.long, "i8", 8, "q", dt.int64),
        Element("uint64", _D.ulong, "u8", 8, "Q", dt.uint64),
        Element("float16", _D.half, "f2", 2, "e", dt.float16),
        Element("complex64", _D.complex64, "c8", 8, "", dt.complex64),
        Element("complex128", _D.complex128, "c16", 16, "", dt.complex128),
    )
}
FLOAT = ELEMENTS["float32"]
#: Types of an image's channels.
IMAGE_ELEMENTS = ("float32", "uint32", "int32", "uint16", "int16", "uint8", "int8", "float16")


@dataclass(frozen=True)
class Data:
    """Elements as contiguous bytes."""

    bytes: Any  # anything with the buffer protocol
    count: int
    shape: tuple[int, ...]
    element: Element


def element_of(dtype: Any, what: str) -> Element:
    """The element of NumPy's dtype, by equality: '<f4' is float32; of a member of DataTypes, or of the package's dtype.
    RuntimeError for what no tensor has."""
    dtype = _named(dtype, what)
    np = npc.numpy_module()
    if np is None:
        name = dtype if isinstance(dtype, str) else getattr(dtype, "__name__", str(dtype))
        if name not in ELEMENTS:
            raise invalid(f"{what}: no valid dtype supported ({name})")
        return ELEMENTS[name]
    try:
        kind = np.dtype(dtype)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{what}: dtype {bracketed(dtype)} is none: {error}") from None
    native = kind.newbyteorder("=")
    if native.names is not None and not native.hasobject:
        try:
            described = native.descr
        except ValueError as error:
            raise invalid(f"{what}: no valid dtype supported ({kind}): {error}") from None
        if not described or not native.itemsize:
            raise invalid(f"{what}: no valid dtype supported ({kind}): its records have no bytes")
        return Element(str(native), _D.custom, f"V{native.itemsize}", native.itemsize, "", None, native)
    if native.name in ELEMENTS:
        return ELEMENTS[native.name]
    raise _no_dtype(kind, what)


def _no_dtype(kind: Any, what: str) -> Exception:
    return invalid(f"{what}: no valid dtype supported ({kind}); tensors take {', '.join(ELEMENTS)} and records")


def _named(dtype: Any, what: str) -> Any:
    """The name of a member of DataTypes or of the package's dtype, which NumPy takes for objects; anything else as it is."""
    if isinstance(dtype, DataTypes):
        return next((element.name for element in ELEMENTS.values() if element.data_type is dtype), dtype)
    if not dt.is_dtype(dtype):
        return dtype
    if dtype.name not in ELEMENTS:
        raise _no_dtype(dtype.name, what)
    return dtype.name


def float_data(data: Any, what: str) -> Data:
    """Whatever NumPy can turn into float32, flattened; anything else is a TypeError."""
    if data is None or isinstance(data, (dict, set, str, bytes)):
        raise TypeError(f"{what}: data {bracketed(data)} cannot become float32: incompatible function arguments")
    np = npc.numpy_module()
    if np is None:
        return _listed(data, FLOAT, what)
    try:
        floats = np.asarray(data, dtype=np.float32)
    except (TypeError, ValueError, OverflowError) as error:
        raise TypeError(f"{what}: data cannot become float32: incompatible function arguments ({error})") from None
    return _of_array(floats, FLOAT)


def typed_data(data: Any, what: str, dtype: Any = None) -> Data:
    """An array in its own dtype, or in that which is asked for."""
    if data is None or isinstance(data, (dict, set, str)):
        raise TypeError(f"{what}: data {bracketed(data)} is no array: incompatible function arguments")
    dtype = _named(dtype, what)
    np = npc.numpy_module()
    if np is None:
        if dtype is None:
            dtype = _format_name(data, what)
        return _listed(data, element_of(dtype, what), what)
    try:
        given = np.asarray(data) if dtype is None else np.asarray(data, dtype=dtype)
        if dtype is not None:
            _refuse_wrapped(data, given)
    except (TypeError, ValueError, OverflowError) as error:
        raise TypeError(f"{what}: data is no array: incompatible function arguments ({error})") from None
    if dtype is None and given.dtype == object:
        raise TypeError(f"{what}: data is no array of numbers: incompatible function arguments")
    element = element_of(given.dtype, what)
    return _of_array(given, element)


def one_element(convert: Callable[[Any, str], Data], value: Any, what: str) -> Data:
    """A number as `convert` makes elements of a list. A TypeError for one that only infinity could stand for."""
    np = npc.numpy_module()
    if np is None:
        return convert([value], what)
    with np.errstate(over="ignore"):
        made = convert([value], what)
    if made.element.code[0] in "fc":
        try:
            finite = bool(np.isfinite(np.asarray(value)).all())
        except TypeError:  # an integer of more than 64 bits
            finite = True
        if finite and not np.isfinite(np.frombuffer(made.bytes, made.element.typestr)).all():
            raise TypeError(f"{what}: value {bracketed(value)} is too large for {made.element.name}")
    return made


def _refuse_wrapped(data: Any, given: Any) -> None:
    """OverflowError for integers past the range of a type, which NumPy 1 wraps and later ones refuse by themselves."""
    np = npc.numpy_module()
    if np.__version__.startswith("1.") and given.dtype.kind in "iu" and not isinstance(data, np.ndarray):
        plain = np.asarray(data)
        if plain.dtype.kind in "iu" and not np.array_equal(plain, given):
            raise OverflowError(f"integers do not fit {given.dtype}")


def _of_array(given: Any, element: Element) -> Data:
    np = npc.numpy_module()
    native = element.custom if element.custom is not None else np.dtype(element.typestr)
    flat = np.ascontiguousarray(given, dtype=native).reshape(-1)
    return Data(flat.view(np.uint8) if flat.size else b"", flat.size, tuple(given.shape), element)


def _format_name(data: Any, what: str) -> str:
    form = getattr(data, "format", None) or getattr(data, "typecode", None)
    for element in ELEMENTS.values():
        if form and element.format == form:
            return element.name
    raise TypeError(f"{what}: without NumPy data must be a memoryview or an array.array, or dtype is given")


def _listed(data: Any, element: Element, what: str) -> Data:
    """Numbers of lists and buffers, without NumPy."""
    if isinstance(data, (memoryview, array.array)):
        data = data.tolist()
    try:
        values = npc.flatten(data) if isinstance(data, (list, tuple, range)) else [data]
        packed = struct.pack(f"={len(values)}{element.format}", *(_number(v, element) for v in values))
    except (TypeError, ValueError, OverflowError, RecursionError, struct.error) as error:
        raise TypeError(f"{what}: data cannot become {element.name}: {error}") from None
    return Data(packed, len(values), (len(values),), element)


def _number(value: Any, element: Element) -> Any:
    return float(value) if element.code[0] == "f" else int(value)


def view_of(memory: Any, element: Element) -> Any:
    """Memory as a memoryview of elements, for programs without NumPy."""
    view: Any = memoryview(memory).cast("B")
    return view.cast(element.format) if element.format else view
