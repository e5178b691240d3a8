"""The program's arrays, bytes and numbers as the bytes of a buffer, and arrays that its bytes are read into."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import Any

from ... import _native
from ...compat import numpy_compat as npc
from .. import dtype as dt
from ..context import Handle
from ..host_values import element_of, note_fractions, pack_numbers
from ._dlpack_tensor import tensor_on_host

#: Formats of memory that holds bytes, not numbers.
_BYTES = ("B", "b", "c")


def offers_dlpack_alone(data: Any) -> bool:
    """Whether an object is a tensor of DLPack, and neither an array, bytes nor an object of the library's."""
    if npc.is_array_like(data) or npc.is_bytes_like(data) or isinstance(data, (Handle, list, tuple)):
        return False
    if not hasattr(data, "__dlpack__") or hasattr(data, "__array__") and npc.numpy_module() is not None:
        return False
    try:
        memoryview(data)
    except TypeError:
        return hasattr(data, "__dlpack_device__") and not getattr(data, "_has_buffer", False)
    return False


def host_data(data: Any, what: str) -> Any:
    """The program's data; a tensor that offers DLPack alone as an array. `what` names the call in messages."""
    return tensor_on_host(data, what) if offers_dlpack_alone(data) else data


def host_bytes(data: Any, var_type: type[dt.dtype], room: int, what: str) -> tuple[Any, int]:
    """`data` as an object with contiguous bytes, and their number. `room` is the bytes that a single number fills; `what`
    names the call in messages."""
    np = npc.numpy_module()
    data = _typed(data)
    if np is not None and isinstance(data, (np.number, np.bool_)) and not isinstance(data, np.longdouble):
        return _converted(data.item(), var_type, room, what)
    if np is not None and isinstance(data, np.ndarray):
        native = np.ascontiguousarray(data)
        if not native.dtype.isnative:
            native = native.astype(native.dtype.newbyteorder("="))
        return native, data.nbytes
    if npc.is_bytes_like(data):
        view = memoryview(data)
        return (view if view.c_contiguous else bytes(view)), view.nbytes
    if isinstance(data, npc.CompatArray):
        return data.tobytes(), data.nbytes
    if data is None or isinstance(data, (str, Handle)):
        cure = "; copy_from() takes a buffer" if isinstance(data, Handle) and hasattr(data, "read") else ""
        raise TypeError(f"{what}: Expected an array-like or bytes-like object (got {type(data).__name__}{cure})")
    if np is not None and hasattr(data, "__array__"):
        return host_bytes(np.asarray(data), var_type, room, what)
    try:
        view = memoryview(data)
        return (view if view.c_contiguous else bytes(view)), view.nbytes
    except TypeError:
        return _converted(data, var_type, room, what)


def dtype_of(data: Any) -> Any:
    """The dtype of what host_bytes() takes byte by byte; None for bytes, and for numbers, which it converts."""
    data = _typed(data)
    return npc.array_dtype(data) if npc.is_array_like(data) else None


def _typed(data: Any) -> Any:
    """A memoryview or array of Python's whose elements are numbers, as NumPy's array over them; all else as it is."""
    if not isinstance(data, (memoryview, array)) or memoryview(data).format in _BYTES:
        return data
    np = npc.numpy_module()
    if np is None:
        return data
    try:
        return np.asarray(data)
    except ValueError:  # a format that NumPy does not have
        return data


def _check_out(out: Any, var_type: type[dt.dtype], size: int, what: str, of: str) -> None:
    """Raise for an array that a read of `size` bytes cannot fill, and for one whose elements are other numbers than those of
    `of`, since nothing is converted. `what` names the call."""
    if not npc.is_array_like(out):
        raise TypeError(f"{what}: out must be an array (got {type(out).__name__})")
    if npc.array_nbytes(out) != size:
        raise ValueError(f"{what}: out has {npc.array_nbytes(out)} bytes, {of} {size}")
    flags = getattr(out, "flags", None)
    if flags is not None and not flags.writeable:
        raise ValueError(f"{what}: out is read-only")
    if flags is not None and not flags.c_contiguous:
        raise ValueError(f"{what}: out has strides {out.strides}, and a read fills an array in C order without gaps")
    given = npc.array_dtype(out)
    try:
        given_type = dt.from_numpy_dtype(given)
    except ValueError:
        return  # records: no numbers of ours
    same = given_type is dt.uint8 or getattr(given, "isnative", True) and dt.same_bits(given_type, var_type)
    if not same:
        raise ValueError(
            f"{what}: out has elements of {given}, {of} of {var_type.name}; nothing is converted (read() makes a new array, "
            "and astype converts)"
        )


def fill_out(read: Callable[[int, Any], None], part: Any, queues: range, out: Any, what: str, of: str) -> None:
    """Fill the program's array by `read(queue, out)` of a buffer or view, with the elements of each queue after the other."""
    count = len(queues)
    _check_out(out, part.var_type, count * part.nbytes, what, of if count == 1 else f"{of} in {count} queues")
    parts = [out] if count == 1 else _native.memory.parts_out(out, count)
    for queue, memory in zip(queues, parts, strict=True):
        read(queue, memory)


def _converted(data: Any, var_type: type[dt.dtype], room: int, what: str) -> tuple[bytes, int]:
    """Numbers and nested sequences as elements of the buffer; one number fills it."""
    flat = npc.flatten(data)
    note_fractions(flat, var_type, "the buffer", what)
    if not isinstance(data, (list, tuple)):
        flat = flat * (room // element_of(var_type).itemsize)
    try:
        packed = pack_numbers(flat, var_type, "the buffer", what)
    except ValueError as error:
        said = str(error).removeprefix(f"{what}: ")
        raise TypeError(
            f"{what}: Expected an array-like or bytes-like object (got {type(data).__name__}: {said})"
        ) from None
    return packed, len(packed)
