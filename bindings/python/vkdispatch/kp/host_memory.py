"""Memory of the host that copies of the device reach, or that kernels use where it is."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

from .. import _native
from .errors import wrong_state
from .home import Home

_enums = _native.enums
_WHOLE = _enums.VD_WHOLE_SIZE
_SHARED = _enums.VD_MAP_READ | _enums.VD_MAP_WRITE | _enums.VD_MAP_SHARED
# Mirrors of this many bytes at most share a buffer: so many of them, whose uses the library still keeps apart.
_SMALL = 4096
_SHARERS = 8
_ALIGNMENT = 64


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


class Pages:
    """A buffer of the library's in memory of the host, or an image there, and the bytes that the program sees of it."""

    __slots__ = ("address", "buffer", "left", "next", "owner", "pointer", "shared", "size")

    def __init__(self, home: Home, size: int, buffer: Any = None):
        raw = _native.raw
        self.buffer: Any = buffer
        if buffer is None:
            desc = raw.vd_buffer_desc(size=size, flags=_enums.VD_BUFFER_HOST)
            self.buffer = raw.vd_buffer_create(home.pointer, desc)
        self.shared = True
        try:
            _, owner = raw.vd_buffer_map(self.buffer, 0, _WHOLE, _SHARED, 0)
            pointer = raw.vd_mapping_get_info(owner).data
        except _native.UnsupportedError:
            self.shared = False
            owner = pointer = raw.ffi.new("char[]", size)
        self._take(size, owner, pointer)

    def _take(self, size: int, owner: Any, pointer: Any) -> None:
        raw = _native.raw
        self.size = size
        self.owner: Any = owner
        self.pointer = raw.ffi.cast("char *", pointer)
        self.address = int(raw.ffi.cast("uintptr_t", pointer))
        # Shared pages: the mirrors that may still come, and the first byte of the next one. A byte is given out once.
        self.left, self.next = _SHARERS, 0

    @classmethod
    def of_image(cls, image: Any, size: int) -> Pages | None:
        """The texels of an image where they are; None if the host does not reach them, or there are gaps between rows."""
        raw = _native.raw
        try:
            _, mapping = raw.vd_image_map(image, 0, _SHARED, 0)
        except _native.UnsupportedError:
            return None
        info = raw.vd_mapping_get_info(mapping)
        if info.size != size:
            return None
        pages = object.__new__(cls)
        pages.buffer, pages.shared = None, True
        pages._take(size, mapping, info.data)
        return pages

    @staticmethod
    def of_mirror(home: Home, size: int) -> tuple[Pages, int]:
        """Pages with room for a mirror, and its first byte there."""
        if size > _SMALL:
            return Pages(home, size), 0
        step = -(-size // _ALIGNMENT) * _ALIGNMENT
        with home.lock:
            pages: Pages | None = home.shared_pages
            if pages is None or not pages.left or pages.next + size > pages.size:
                pages = home.shared_pages = Pages(home, step * _SHARERS)
            first = pages.next
            pages.next += step
            pages.left -= 1
            if not pages.left:
                home.shared_pages = None
        return pages, first


class HostMemory:
    """Memory of the host's for a tensor or an image: its mirror, or with `pages` what host and device both use.

    `shared` tells whether host and device use the very same bytes. Where they do not, as on a GPU of OpenCL's, push() and
    pull() copy between the bytes that the program sees and those that the device does.
    """

    __slots__ = ("_pages", "_views", "first", "known_to_device", "newer_on_device", "size")

    def __init__(self, home: Home, size: int, pages: Pages | None = None):
        self.size = size
        self._pages: Pages | None
        self._pages, self.first = Pages.of_mirror(home, size) if pages is None else (pages, 0)
        #: Whether work writes the device's bytes that were not pulled since. Without `shared` only.
        self.newer_on_device = False
        #: Whether the device's bytes are those of the program, once or now. Without `shared` only.
        self.known_to_device = False
        self._views: Views | None = None

    @property
    def _held(self) -> Pages:
        pages = self._pages
        if pages is None:
            raise wrong_state("memory of the host's was destroyed with its object")
        return pages

    @property
    def buffer(self) -> Any:
        """The library's buffer, of which the memory is `size` bytes from byte `first` on; None for an image's texels."""
        return self._held.buffer

    @property
    def shared(self) -> bool:
        """Whether host and device use the same bytes."""
        return self._held.shared

    @property
    def address(self) -> int:
        """The first byte's address."""
        return self._held.address + self.first

    @property
    def _pointer(self) -> Any:
        return self._held.pointer + self.first

    def show(self, view: Any) -> None:
        """Note an array over the memory, which keeps it."""
        if self._views is None:
            self._views = Views()
        self._views.add(view)

    def fill(self, data: Any) -> None:
        """Put bytes at the begin, and zeros after them."""
        raw = _native.raw
        source = raw.ffi.from_buffer(data)
        raw.ffi.memmove(self._pointer, source, len(source))
        if len(source) < self.size:
            self.clear(len(source))

    def clear(self, first: int = 0) -> None:
        """Put zeros."""
        _native.raw.ffi.buffer(self._pointer, self.size)[first:] = bytes(self.size - first)

    def memory(self) -> Any:
        """The bytes as a writable buffer that keeps them."""
        return _native.memory.memory_at(self._pointer, self.size, self._held.owner)

    def copy_from(self, other: HostMemory) -> None:
        """Copy another memory's bytes, of the same size."""
        _native.raw.ffi.memmove(self._pointer, other._pointer, self.size)

    def let_go(self) -> None:
        """Give the memory up: now, or with the last array over it."""
        if self._views:
            _outliving.add(self)
            self._views.when_empty = self._release
        if not self._views:  # the last one may have gone meanwhile
            self._release()

    def _release(self) -> None:
        _outliving.discard(self)
        self._pages = None

    def push(self, queue: int) -> None:
        """Give the device the program's bytes, where the two are not the same: unless work that was not awaited writes there."""
        if self.newer_on_device:
            return
        _native.raw.vd_buffer_write(self.buffer, self.first, self.memory(), queue)
        self.known_to_device = True

    def pull(self, queue: int) -> None:
        """Give the program the device's bytes, unless it gave the memory up meanwhile."""
        pages = self._pages
        if pages is not None:
            memory = _native.memory.memory_at(pages.pointer + self.first, self.size, pages.owner)
            _native.raw.vd_buffer_read(pages.buffer, self.first, queue, memory)
        self.newer_on_device = False


# Memory that was given up and has arrays over it: nothing else of the program's needs to refer to it.
_outliving: set[HostMemory] = set()
