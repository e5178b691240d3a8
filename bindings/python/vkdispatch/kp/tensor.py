"""Tensors: elements in a buffer.

Example:
    manager = kp.Manager()
    t = manager.tensor_t(np.arange(4, dtype=np.int32))
    t.data()[1] = 7  # the host's data
    assert t.data().base is t and t.data_type() is kp.DataTypes.int
    stored = manager.tensor([1, 2, 3, 4], kp.MemoryTypes.storage)  # on the device alone
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from .. import _native
from ..base.buffer import Buffer
from ..base.context import Handle
from ..compat import numpy_compat as npc
from .elements import Data, Element, float_data, typed_data
from .enums import MemoryTypes
from .errors import invalid
from .home import Home
from .host_memory import HostMemory, Pages
from .log import logger
from .memory import Memory, share_or_mirror

if TYPE_CHECKING:
    import numpy.typing as npt

_WHOLE = _native.enums.VD_WHOLE_SIZE
_MOST_BYTES = 2**63 - 1


class Tensor(Memory):
    """Elements of one type, in the device's memory and, except for storage, in the host's."""

    _shape: tuple[int, ...]
    _buffer: Any = None
    _has_buffer = True  # for the package's messages, which import nothing of kp
    #: The class of tensors that are made by calling this one, as Kompute 0.5 has it.
    _constructed: type[Tensor]

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        return object.__new__(Tensor._constructed if cls is Tensor else cls)

    @classmethod
    def _of(cls, home: Home, data: Data | None, element: Element, shape: tuple[int, ...], kind: Any, what: str) -> Any:
        refuse_zero_sized(shape, what)
        count = math.prod(shape)
        if count * element.size > _MOST_BYTES:
            raise invalid(
                f"{what}: {count} elements of {element.size} bytes are more than memory has ({_MOST_BYTES} bytes)"
            )
        self = cls._new(home, element, count, kind)
        self._shape = shape
        with _native.naming(what):
            self._allocate(home, data)
        return self

    def _allocate(self, home: Home, data: Data | None) -> None:
        raw, kind = _native.raw, self._kind
        if kind is MemoryTypes.host:
            self._host = HostMemory(home, self._bytes, Pages(home, self._bytes))
            self._device = self._host.buffer
        else:
            self._device = raw.vd_buffer_create(home.pointer, raw.vd_buffer_desc(size=self._bytes))
            if kind is MemoryTypes.deviceAndHost:
                self._mirrored = not share_or_mirror(self, home, self._device)
        if self._host is not None:
            self._host.fill(data.bytes if data is not None else b"")
        elif kind is MemoryTypes.storage and data is not None:
            raw.vd_buffer_write(self._device, 0, data.bytes, 0)
        else:
            self._has_contents = False
            if data is not None:
                self._host = HostMemory(home, self._bytes)
                self._host.fill(data.bytes)

    def _clear_device(self) -> None:
        _native.raw.vd_buffer_fill_pattern(self._device, 0, _WHOLE, b"\0", 0)

    @property
    def shape(self) -> tuple[int, ...]:
        """The lengths of the axes that the data had; data() is flat."""
        return self._shape

    @property
    def buffer(self) -> Buffer:
        """The device's memory as a buffer of the package's, for vd.fft, vd.reduce and kernels."""
        self._check("buffer")
        for host in self._in_place():
            with self._home.lock:
                self._home.shown.add(self)
            if not host.shared:
                host.push(0)
        if self._element.var_type is None:
            raise invalid("Tensor.buffer: the tensor has elements of no dtype that a Buffer has")
        if self._buffer is None:
            buffer = Buffer.__new__(_Shared)
            Handle.__init__(buffer, self._home.context)
            buffer._describe(self._shape, self._element.var_type, None)
            with _native.naming("Tensor.buffer"):
                buffer._take(self._need_contents())
            self._buffer = buffer
        return self._buffer

    def __dlpack__(self, **kwargs: Any) -> Any:
        """The device's memory as a capsule of DLPack; see vd.Buffer."""
        return self.buffer.__dlpack__(**kwargs)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.buffer.__dlpack_device__()

    def numpy(self) -> npt.NDArray[Any]:
        """A copy of the host's data as an array of NumPy's, as 0.6 has it."""
        return npc.require_numpy("Tensor.numpy").array(self.data())

    def map_data_from_host(self) -> None:
        """Bring the memory of a staging tensor to the host: data() is that memory already. Others are an error in the log."""
        self._may_map("map_data_from_host")

    def map_data_into_host(self) -> None:
        """Bring the host's data to the memory of a staging tensor, which it is already. Others are an error in the log."""
        self._may_map("map_data_into_host")

    def _may_map(self, method: str) -> bool:
        if self._kind is not MemoryTypes.host:
            logger.error("Tensor.%s: mapping data is supported for staging tensors only", method)
        return self._kind is MemoryTypes.host

    def _convert(self, data: Any, what: str) -> Data:
        if self._element.name == "float32":
            return float_data(data, what)
        return typed_data(data, what, self.dtype)

    def _discard(self) -> None:
        if self._buffer is not None:
            self._buffer.destroy()
            self._buffer = None
        _native.raw.vd_buffer_discard(self._device)

    def _upload(self, graph: Any) -> None:
        if self._mirrored:
            host = self._need_host()
            _native.raw.vd_graph_copy(graph, host.buffer, host.first, self._give_contents(graph), 0, self._bytes)

    def _download(self, graph: Any) -> None:
        if self._mirrored:
            host = self._need_host()
            _native.raw.vd_graph_copy(graph, self._need_contents(graph), 0, host.buffer, host.first, self._bytes)

    def _binding(self, graph: Any) -> dict[str, Any]:
        return {"buffer": self._need_contents(graph), "offset": 0, "size": _WHOLE}


def refuse_zero_sized(shape: tuple[int, ...], what: str) -> None:
    """RuntimeError for a shape without elements."""
    if 0 in shape:
        raise invalid(f"{what}: a zero-sized tensor cannot be made (its shape is {shape})")


class _Shared(Buffer):
    """A buffer over a tensor's memory, which the tensor gives back."""

    def _destroy(self) -> None:
        self._bind = None


_Shared.__name__ = "Tensor.buffer"  # in messages
