"""Buffers over the memory of CUDA arrays, by `__cuda_array_interface__`."""

from __future__ import annotations

import math
import sys
from typing import Any

from ... import _native
from ...compat import numpy_compat as npc
from .. import dtype as dt
from ..context import Context, context_for
from ..streams import stream_handle
from ..words import bracketed
from ._buffer import Buffer
from ._dlpack_tensor import on_other_device
from ._external import ExternalMemory

_KINDS = {"f": "float", "i": "int", "u": "uint", "c": "complex"}
_NATIVE_ORDER = "<" if sys.byteorder == "little" else ">"


def from_cuda_array(
    obj: Any,
    var_type: type[dt.dtype] | None = None,
    require_contiguous: bool = True,
    writable: bool | None = None,
    keepalive: bool = True,
    *,
    context: Context | None = None,
) -> Buffer:
    """A buffer over the memory of a CUDA array: an object with `__cuda_array_interface__`. Nothing is copied.

    Work on the buffer comes after what the array's stream has been given so far. The array is kept alive as long as the buffer's
    memory is used, unless `keepalive` is False. `var_type` may be another dtype of as many bytes, with the array's last axis for
    the components of a vector. RuntimeError on other backends than CUDA.
    """
    target = context_for(context, "from_cuda_array")
    if target.backend != "cuda":
        raise RuntimeError(f"from_cuda_array works on the CUDA backend alone, not on '{target.backend}'")
    interface = _interface_of(obj)
    other = other_device(obj, target)
    if other:
        raise ValueError(f"from_cuda_array: the array is {other}; vd.from_dlpack() copies it through the CPU")
    shape, address, read_only = interface["shape"], interface["data"][0], bool(interface["data"][1])
    found = _dtype_of(interface["typestr"])
    dims, var_type = _with_dtype(tuple(int(n) for n in shape), found, var_type)
    if require_contiguous and not is_contiguous(shape, interface.get("strides"), found.item_size):
        raise ValueError(
            f"from_cuda_array: the array has strides {interface['strides']}, and a buffer has no gaps: copy it into a "
            "contiguous array"
        )
    if writable and read_only:
        raise ValueError("from_cuda_array: writable=True, and the array is read-only")
    if len(dims) > _native.enums.VD_MAX_DIMS:
        raise ValueError(f"from_cuda_array: the array has {len(dims)} axes, more than {_native.enums.VD_MAX_DIMS}")
    if not address:
        raise _native._errors.InvalidError("from_cuda_array: the array's pointer is null", _native.enums.VD_ERR_INVALID)
    stream = interface.get("stream")
    if stream is not None and (isinstance(stream, bool) or not isinstance(stream, int) or stream == 0):
        raise ValueError(f"from_cuda_array: stream {bracketed(stream)} must be None, 1, 2 or a handle")
    memory = ExternalMemory(
        _native.enums.VD_MEMORY_KIND_CUDA,
        int(address),
        None,
        not read_only if writable is None else bool(writable),
        obj if keepalive else None,
        0 if stream is None else stream_handle(stream),
        iface=interface,
    )
    buffer: Buffer = Buffer(dims or (1,), var_type, memory, context=target)
    buffer.cuda_source = obj if keepalive else None
    return buffer


def other_device(obj: Any, context: Context) -> str:
    """The device of an array that offers DLPack too, in the words of a message, if it is another CUDA device than the
    context's; "" for others."""
    if not hasattr(obj, "__dlpack_device__"):
        return ""
    kind, number = (int(part) for part in obj.__dlpack_device__())
    return on_other_device(kind, number, context)


def _interface_of(obj: Any) -> dict:
    interface = getattr(obj, "__cuda_array_interface__", None)
    if interface is None:
        raise TypeError(
            f"from_cuda_array: an object with __cuda_array_interface__ is needed (got {type(obj).__name__})"
        )
    if not isinstance(interface, dict):
        raise TypeError(f"from_cuda_array: __cuda_array_interface__ must be a dict (got {type(interface).__name__})")
    for name in ("shape", "typestr", "data"):
        if name not in interface:
            raise ValueError(f"from_cuda_array: __cuda_array_interface__ has no '{name}'")
    data = interface["data"]
    if not isinstance(data, tuple) or len(data) != 2 or not npc.is_integer_scalar(data[0]):
        raise ValueError(f"from_cuda_array: data {bracketed(data)} must be a pointer and whether it is read-only")
    if not 0 <= data[0] < 1 << 64:
        raise ValueError(f"from_cuda_array: data's pointer ({data[0]}) is no address")
    shape = interface["shape"]
    if not isinstance(shape, (tuple, list)) or not all(npc.is_integer_scalar(n) for n in shape):
        raise ValueError(f"from_cuda_array: shape {bracketed(shape)} must be a tuple of integers")
    if interface.get("mask") is not None:
        raise ValueError("from_cuda_array: the array has a mask, and a buffer has none")
    return interface


def _dtype_of(typestr: Any) -> type[dt.dtype]:
    """The dtype of a typestr such as "<f4"."""
    text = str(typestr)
    order, kind, bits = text[:1], _KINDS.get(text[1:2]), text[2:]
    if kind is None or not bits.isdigit() or order not in (_NATIVE_ORDER, "|", "="):
        raise ValueError(f"from_cuda_array: Unsupported typestr ({text})")
    found = dt.ALL_DTYPES.get(f"{kind}{8 * int(bits)}")
    if found is None:
        raise ValueError(f"from_cuda_array: Unsupported typestr ({text})")
    # A complex number of numpy's is named by all of its bytes.
    return found if kind != "complex" else {8: dt.complex64, 16: dt.complex128}[int(bits)]


def _with_dtype(
    shape: tuple[int, ...], found: type[dt.dtype], wanted: type[dt.dtype] | None
) -> tuple[tuple[int, ...], type[dt.dtype]]:
    """The shape in elements of another dtype than the array's."""
    if wanted is None or wanted is found:
        return shape, found
    wanted = dt.as_dtype(wanted, "from_cuda_array: var_type")
    if wanted.item_size == found.item_size and not wanted.child_count:
        raise ValueError(f"from_cuda_array: var_type is {wanted.name}, and the array is of {found.name}")
    size, last = found.item_size, list(shape)
    components = math.prod(wanted.true_numpy_shape)
    if last and last[-1] * size == wanted.item_size and found is (wanted.scalar or wanted) and components == last[-1]:
        return tuple(last[:-1]), wanted
    if dt.is_complex(wanted) and found is wanted.child_type and last and last[-1] == 2:
        return tuple(last[:-1]), wanted
    raise ValueError(
        f"from_cuda_array: var_type is {wanted.name} of {wanted.item_size} bytes, and the array of shape {shape} is of {found.name}"
    )


def is_contiguous(shape: Any, strides: Any, size: int) -> bool:
    """Whether strides in bytes are those of an array without gaps."""
    if strides is None:
        return True
    expected = size
    for count, stride in zip(reversed(tuple(shape)), reversed(tuple(strides)), strict=True):
        if count != 1 and stride != expected:
            return False
        expected *= count
    return True
