"""Tensors of DLPack 1.x that other libraries give, and their elements on the host."""

from __future__ import annotations

import ctypes
import weakref
from typing import Any

from ... import _native
from ...compat import numpy_compat as npc
from .. import dtype as dt
from ..words import shown
from ._dlpack_export import VERSION
from ._elements import array_over, scalar_of

_enums = _native.enums

CPU, CUDA, CUDA_HOST, CUDA_MANAGED = 1, 2, 3, 13
DEVICES = {1: "CPU", 2: "CUDA", 3: "CUDA host", 4: "OpenCL", 7: "Vulkan", 8: "Metal", 10: "ROCm", 13: "CUDA managed"}
_INT, _UINT, _FLOAT, _COMPLEX, _BOOL = 0, 1, 2, 5, 6
_READ_ONLY = 1


class _Device(ctypes.Structure):
    _fields_ = (("type", ctypes.c_int32), ("number", ctypes.c_int32))


class _DataType(ctypes.Structure):
    _fields_ = (("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16))


class _Tensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device", _Device),
        ("ndim", ctypes.c_int32),
        ("dtype", _DataType),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


class _Managed(ctypes.Structure):
    _fields_ = (("tensor", _Tensor), ("manager", ctypes.c_void_p), ("deleter", ctypes.c_void_p))


class _Versioned(ctypes.Structure):
    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("manager", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", _Tensor),
    )


_FORMS: tuple[tuple[bytes, bytes, Any], ...] = (
    (b"dltensor_versioned", b"used_dltensor_versioned", _Versioned),
    (b"dltensor", b"used_dltensor", _Managed),
)
_python = ctypes.pythonapi
_is_valid = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_char_p)(("PyCapsule_IsValid", _python))
_get_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(("PyCapsule_GetPointer", _python))
_set_name = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_char_p)(("PyCapsule_SetName", _python))


class Given:
    """The tensor in a capsule that another library gave. `what` names the call in messages."""

    def __init__(self, capsule: Any, what: str = "from_dlpack"):
        for name, used, form in _FORMS:
            if type(capsule).__name__ == "PyCapsule" and _is_valid(capsule, name):
                self._capsule, self._used = capsule, used
                self._address = _get_pointer(capsule, name)
                managed = form.from_address(self._address)
                break
        else:
            raise TypeError(
                f"{what}: {shown(capsule)} has no __dlpack__, and is no capsule of DLPack, or one that was used before"
            )
        if form is _Versioned and managed.major != VERSION[0]:
            raise BufferError(
                f"{what}: the tensor is of DLPack {managed.major}.{managed.minor}, and {VERSION[0]}.x is known"
            )
        self._deleter = managed.deleter
        self.read_only = form is _Versioned and bool(managed.flags & _READ_ONLY)
        tensor = managed.tensor
        self.device = (int(tensor.device.type), int(tensor.device.number))
        if not 0 <= tensor.ndim <= _enums.VD_MAX_DIMS:
            raise ValueError(f"{what}: the tensor's ndim ({tensor.ndim}) is outside 0 to {_enums.VD_MAX_DIMS}")
        if tensor.ndim and not tensor.shape:
            raise ValueError(f"{what}: the tensor has {tensor.ndim} dimensions, and its shape is null")
        self.shape = tuple(int(tensor.shape[i]) for i in range(tensor.ndim))
        self.strides = tuple(int(tensor.strides[i]) for i in range(tensor.ndim)) if tensor.strides else None
        self.address = (tensor.data or 0) + tensor.byte_offset
        self.var_type = _dtype_of(tensor.dtype, what)
        self.count = npc.prod(self.shape)
        if any(n < 0 for n in self.shape):
            raise ValueError(f"{what}: the tensor's shape {self.shape} is negative")
        if self.strides is not None and any(n > 1 and s < 0 for n, s in zip(self.shape, self.strides, strict=True)):
            raise ValueError(
                f"{what}: the tensor has the strides {self.strides}, and a buffer's elements lie in rising order: copy it "
                "with the library that it is from"
            )
        if self.count and not self.address:
            raise ValueError(f"{what}: the tensor's pointer is null")
        steps = zip(self.shape, self.strides or (), strict=False)
        last = sum((n - 1) * s for n, s in steps) if self.strides else self.count - 1
        if self.count and self.address + (last + 1) * self.var_type.item_size > 1 << 64:
            raise ValueError(
                f"{what}: the tensor's memory ends past the last address (shape {self.shape}, strides {self.strides}, "
                f"byte_offset {tensor.byte_offset})"
            )

    @property
    def contiguous(self) -> bool:
        """Whether its elements lie without gaps."""
        expected = 1
        for count, stride in zip(reversed(self.shape), reversed(self.strides or ()), strict=False):
            if count != 1 and stride != expected:
                return False
            expected *= count
        return True

    def take(self) -> Any:
        """Take the tensor out of its capsule; calling the result gives it back, once."""
        _set_name(self._capsule, self._used)
        address, deleter = self._address, self._deleter
        if not deleter:
            return lambda: None
        return lambda: ctypes.CFUNCTYPE(None, ctypes.c_void_p)(deleter)(address)


def _dtype_of(given: _DataType, what: str) -> type[dt.dtype]:
    code, bits, lanes = int(given.code), int(given.bits), int(given.lanes)
    if code == _BOOL and bits == 8 and lanes == 1:
        return dt.bool_
    kind = {_INT: "int", _UINT: "uint", _FLOAT: "float", _COMPLEX: "complex"}.get(code)
    found: type[dt.dtype] | None = None
    if kind == "complex":
        found = {32: dt.complex32, 64: dt.complex64, 128: dt.complex128}.get(bits)
    elif kind is not None:
        found = dt.ALL_DTYPES.get(f"{kind}{bits}")
    if found is not None and lanes != 1:
        try:
            found = dt.to_vector(found, lanes)
        except ValueError:
            found = None
    if found is None:
        raise BufferError(f"{what}: elements of type code {code}, {bits} bits and {lanes} lane(s) are not supported")
    return found


def ask(x: Any, **wanted: Any) -> Any:
    """Have a producer make a capsule; those of before DLPack 1.0 take `stream` alone."""
    given = {name: value for name, value in wanted.items() if value is not None}
    try:
        return x.__dlpack__(max_version=VERSION, **given)
    except TypeError:
        old = {name: value for name, value in given.items() if name == "stream"}
        if given.get("copy") is True or "dl_device" in given:
            raise
        return x.__dlpack__(**old)


def copied_to_cpu(x: Any, why: str) -> Any:
    """A capsule of a copy on the CPU, which the producer makes. `why` begins the message if it makes none."""
    try:
        return ask(x, dl_device=(CPU, 0), copy=True)
    except (TypeError, BufferError):
        raise BufferError(
            f"{why}, and {type(x).__name__} cannot copy it to the CPU: do that with its own library"
        ) from None


def tensor_on_host(x: Any, what: str) -> Any:
    """The elements of an object that offers DLPack as an array over its memory, or over a copy on the CPU: NumPy's, else an
    array of compat. `what` names the call in messages."""
    kind = int(x.__dlpack_device__()[0])
    where = f"{what}: the tensor is in memory of {DEVICES.get(kind, kind)}"
    given = Given(ask(x) if kind in (CPU, CUDA_HOST) else copied_to_cpu(x, where), what)
    if given.device[0] not in (CPU, CUDA_HOST):
        raise BufferError(f"{where}: copy it to the CPU with the library that it is from")
    np = npc.numpy_module()
    let_go = given.take()
    if np is not None and given.contiguous and given.count:
        memory = (ctypes.c_char * (given.count * given.var_type.item_size)).from_address(given.address)
        weakref.finalize(memory, let_go).atexit = False
        return array_over(memory, given.var_type, given.shape)
    try:
        data = bytearray(tensor_bytes(given)) if given.count else bytearray()
    finally:
        let_go()
    if np is not None:
        return array_over(data, given.var_type, given.shape)
    return npc.from_buffer(data, scalar_of(given.var_type).host, given.shape + given.var_type.true_numpy_shape)


def tensor_bytes(given: Given) -> Any:
    """The elements of a tensor of the CPU without gaps."""
    size = given.var_type.item_size
    if given.contiguous:
        return memoryview((ctypes.c_char * (given.count * size)).from_address(given.address)).cast("B")
    parts = bytearray()
    assert given.strides is not None
    for offset in row_offsets(given.shape, given.strides):
        parts += ctypes.string_at(given.address + offset * size, size)
    return parts


def row_offsets(shape: tuple[int, ...], strides: tuple[int, ...]) -> list[int]:
    offsets = [0]
    for count, stride in zip(shape, strides, strict=True):
        offsets = [offset + i * stride for offset in offsets for i in range(count)]
    return offsets


def on_other_device(kind: int, number: int, context: Any) -> str:
    """The place of a tensor on another CUDA device than the context's, in the words of a message; "" for others."""
    if kind != CUDA:
        return ""
    ordinal = _native.raw.vd_context_get_native(context._pointer, 0, "CUdevice")
    return "" if number == ordinal else f"on CUDA device {number}, and {context.name} on CUDA device {ordinal}"
