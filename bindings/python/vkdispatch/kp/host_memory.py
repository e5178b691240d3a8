"""Memory of the host that copies of the device reach, or that kernels use where it is."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

from .. import _native
from .home import Home

_enums = _native.enums
_WHOLE = _enums.VD_WHOLE_SIZE
_SHARED = _enums.VD_MAP_READ | _enums.VD_MAP_WRITE | _enums.VD_MAP_SHARED


class Views(dict):
    """The arrays that were given out and are alive. Calling it with a dead reference removes one."""

    def __init__(self) -> None:
        super().__init__()
        self.when_empty: Callable[[], None] | None = None

    def add(self, view: Any) -> None:
        """Note an array."""
        reference = weakref.ref(view, self)
        self[id(reference)] = reference

    def __call__(self, reference: Any) -> None:
        self.pop(id(reference), None)
        if not self and self.when_empty is not None:
            self.when_empty()


class HostMemory:
    """A buffer in memory of the host, and its address.

    `shared` tells whether host and device use the very same bytes. Where they do not, as on a GPU of OpenCL's, push() and
    pull() copy between the bytes that the program sees and those that the device does.
    """

    def __init__(self, home: Home, size: int, buffer: Any = None):
        raw = _native.raw
        self._home = home
        self.size = size
        #: The library's buffer.
        self.buffer: Any = buffer
        if buffer is None:
            desc = raw.vd_buffer_desc(size=size, flags=_enums.VD_BUFFER_HOST)
            self.buffer = raw.vd_buffer_create(home.pointer, desc)
        self.shared = True
        #: Whether work writes the device's bytes that were not pulled since. Without `shared` only.
        self.newer_on_device = False
        self.owner: Any
        try:
            _, self.owner = raw.vd_buffer_map(self.buffer, 0, _WHOLE, _SHARED, 0)
            pointer = raw.vd_mapping_get_info(self.owner).data
        except _native.UnsupportedError:
            self.shared = False
            self.owner = pointer = raw.ffi.new("char[]", size)
        self._pointer = pointer
        #: The first byte's address.
        self.address = int(raw.ffi.cast("uintptr_t", pointer))
        self.views = Views()

    def fill(self, data: Any) -> None:
        """Put bytes at the begin, and zeros after them."""
        raw = _native.raw
        source = raw.ffi.from_buffer(data)
        raw.ffi.memmove(self._pointer, source, len(source))
        if len(source) < self.size:
            self.clear(len(source))

    def clear(self, first: int = 0) -> None:
        """Put zeros."""
        _native.raw.ffi.buffer(_native.raw.ffi.cast("char *", self._pointer), self.size)[first:] = bytes(
            self.size - first
        )

    def memory(self) -> Any:
        """The bytes as a writable buffer that keeps them."""
        return _native.memory.memory_at(self._pointer, self.size, self.owner)

    def copy_from(self, other: HostMemory) -> None:
        """Copy another memory's bytes, of the same size."""
        _native.raw.ffi.memmove(self._pointer, other._pointer, self.size)

    def let_go(self) -> None:
        """Give the memory up: now, or with the last array over it."""
        if self.views:
            self.views.when_empty = self._release
        else:
            self._release()

    def _release(self) -> None:
        self.buffer = self.owner = None

    def push(self, queue: int) -> None:
        """Give the device the program's bytes, where the two are not the same: unless work that was not awaited writes there."""
        if self.newer_on_device:
            return
        _native.raw.vd_buffer_write(self.buffer, 0, self.memory(), queue)

    def pull(self, queue: int) -> None:
        """Give the program the device's bytes."""
        self.newer_on_device = False
        _native.raw.vd_buffer_read(self.buffer, 0, queue, self.memory())
