"""The program's arrays, bytes and numbers as the bytes of a buffer."""

from __future__ import annotations

from typing import Any

from ...compat import numpy_compat as npc
from .. import dtype as dt
from ..context import Handle
from ..host_values import element_of, note_fractions, pack_numbers
from ._dlpack_tensor import tensor_on_host


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
    """`data` as an object with contiguous bytes, and their number. `room` is the buffer's size, which a single number
    fills; `what` names the call in messages."""
    np = npc.numpy_module()
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
        raise TypeError(f"{what}: Expected an array-like or bytes-like object (got {type(data).__name__})")
    if np is not None and hasattr(data, "__array__"):
        return host_bytes(np.asarray(data), var_type, room, what)
    try:
        view = memoryview(data)
        return (view if view.c_contiguous else bytes(view)), view.nbytes
    except TypeError:
        return _converted(data, var_type, room, what)


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
