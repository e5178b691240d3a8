"""Buffers as other libraries take them: by DLPack, by CUDA's array interface, and by the buffer protocol."""

from __future__ import annotations

from typing import Any

from ... import _native
from .. import dtype as dt
from ..context import wait_in_slices
from ..streams import stream_handle
from ..words import bracketed
from . import _dlpack_export

_enums = _native.enums


class Exchanged:
    """The part of a buffer that other libraries look at."""

    context: Any
    var_type: Any
    shape: tuple[int, ...]
    mem_size: int
    is_writable: bool
    _pointer: Any
    _check_alive: Any
    copy: Any

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        """The memory as CuPy, Numba and torch take it, version 3, on the CUDA backend alone.

        Waits until the queue is idle, since not every library orders its work after `stream`; vd.on_stream() and DLPack do without.
        """
        if self.context.backend != "cuda":
            raise AttributeError(f"__cuda_array_interface__ is CUDA's, and the buffer belongs to {self.context.name}")
        self._check_alive()
        element = self.var_type.scalar or self.var_type
        if element is dt.complex32 or self.context.queue_count > 1:
            raise AttributeError(
                "__cuda_array_interface__ has no complex numbers of halves, and no replicas for several queues"
            )
        with _native.naming("Buffer.__cuda_array_interface__"):
            wait_in_slices(self.context, 0)
        kind = "b" if element is dt.bool_ else "c" if dt.is_complex(element) else element.name[0]
        stream = _native.raw.vd_context_get_queue_native(self.context._pointer, 0, "CUstream")
        return {
            "shape": self.shape + self.var_type.true_numpy_shape,
            "typestr": f"{'|' if element.item_size == 1 else '<'}{kind}{element.item_size}",
            "data": (self._address(), not self.is_writable),
            "strides": None,
            "stream": stream,
            "version": 3,
        }

    def _address(self) -> int:
        handle, offset = _native.raw.vd_buffer_get_native(self._pointer, "address", 0)
        return handle + offset

    def __dlpack_device__(self) -> tuple[int, int]:
        """DLPack's number for the memory's device: CUDA's, else the CPU's, where the others have a copy."""
        self._check_alive()
        if self.context.backend == "cuda" and self.context.queue_count == 1:
            return 2, _native.raw.vd_context_get_native(self.context._pointer, 0, "CUdevice")
        return 1, 0

    def __dlpack__(
        self,
        *,
        stream: Any = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        """A capsule of DLPack over the memory, which lives as long as the consumer's tensor.

        On CUDA `stream` is the consumer's, which then waits for the buffer's queue: None and 1 are CUDA's default stream, 2 is the
        thread's, -1 is none. On the host this waits until the queues are idle. Of other backends' buffers, and of those with
        replicas, it is a copy on the CPU. BufferError if `copy=False` forbids a copy that is needed.
        """
        self._check_alive()
        device = self.__dlpack_device__()
        wanted = device if dl_device is None else (int(dl_device[0]), int(dl_device[1]))
        in_place = self.context.backend in ("host", "cuda") and self.context.queue_count == 1
        if wanted not in (device, (1, 0)):
            raise BufferError(
                f"Buffer.__dlpack__: dl_device {wanted} is neither the buffer's device {device} nor the CPU (1, 0)"
            )
        if wanted != device or not in_place:
            if copy is False:
                raise BufferError(
                    f"Buffer.__dlpack__: the buffer of {self.context.name} is exported by a copy on the CPU, which copy=False forbids"
                )
            return _dlpack_export.host_capsule(self, max_version)
        if self.context.backend == "cuda":
            self._order_consumer(stream)
        elif stream is not None and stream != -1:
            raise ValueError(f"Buffer.__dlpack__: stream {bracketed(stream)} must be None on the CPU")
        versioned = _dlpack_export.wanted_version(max_version)
        if not self.is_writable and not versioned and not copy:
            raise BufferError(
                "Buffer.__dlpack__: the buffer is read-only, which only DLPack 1.0 can say (max_version=(1, 0))"
            )
        source = self.copy() if copy else self
        if self.context.backend == "host":
            with _native.naming("Buffer.__dlpack__"):
                wait_in_slices(self.context, 0)
        elif copy:
            self._order_consumer(stream)
        return _dlpack_export.export(source, versioned, bool(copy))

    def _order_consumer(self, stream: Any) -> None:
        """Let a consumer's stream of DLPack wait for what was submitted so far."""
        if stream is None:
            stream = 1
        if isinstance(stream, bool) or not isinstance(stream, int) or stream < -1 or stream == 0:
            raise ValueError(
                f"Buffer.__dlpack__: stream {bracketed(stream)} must be None, -1 (no order), 1 or 2 (CUDA's default streams) or a handle; "
                "0 could mean either"
            )
        if stream != -1:
            with _native.naming("Buffer.__dlpack__"):
                _native.raw.vd_context_signal_stream(self.context._pointer, _enums.VD_QUEUE_ALL, stream_handle(stream))
