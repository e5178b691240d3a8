"""Memory by file descriptors, between Vulkan and CUDA, contexts and processes."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from ... import _native
from ...compat import numpy_compat as npc
from ..errors import WrongTypeError
from ..words import bracketed, shown
from ._external import ExternalMemory

_enums = _native.enums
_NONE = -1


@dataclass
class MemoryFd:
    """Memory of a device by a POSIX file descriptor. As a context manager it closes the descriptor that is left at the end.

    `export_fd()` of a buffer gives one. A program makes one of its own for memory of vkGetMemoryFdKHR() or
    cuMemExportToShareableHandle(); another process gets the descriptor by a socket, and the other fields as numbers.
    """

    #: The descriptor; -1 once `vd.from_fd()` or detach() has taken it.
    fd: int
    #: Bytes of all of the memory, as it was allocated.
    memory_size: int
    #: First byte of the buffer in the memory.
    offset: int = 0
    #: Bytes of the buffer; None is the rest of the memory.
    size: int | None = None
    #: The device's, which must be the same where it is imported; zeros are unknown.
    uuid: bytes = bytes(16)

    def detach(self) -> int:
        """The descriptor, which is the caller's from now on: to close, or for a library that closes it."""
        fd, self.fd = self.fd, _NONE
        return fd

    def close(self) -> None:
        """Close the descriptor. Once it is taken this does nothing."""
        fd = self.detach()
        if fd >= 0:
            os.close(fd)

    def __enter__(self) -> MemoryFd:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def exported(pointer: Any) -> MemoryFd:
    """The memory of a buffer of the library, by a new descriptor."""
    made = _native.raw.vd_buffer_export_fd(pointer)
    return MemoryFd(made.fd, made.memory_size, made.offset, made.size, bytes(made.uuid))


def memory_behind(memory: Any, read_only: bool, what: str) -> ExternalMemory:
    """A MemoryFd as a buffer's constructor takes it; the library closes the descriptor. `what` is the caller's name."""
    if not isinstance(memory, MemoryFd):
        raise WrongTypeError(f"{what}: memory must be a vd.MemoryFd (got {shown(memory)})")
    numbers = {"fd": memory.fd, "memory_size": memory.memory_size, "offset": memory.offset}
    if memory.size is not None:
        numbers["size"] = memory.size
    for name, number in numbers.items():
        if isinstance(number, bool) or not npc.is_integer_scalar(number):
            raise WrongTypeError(f"{what}: memory.{name} {bracketed(number)} must be an integer")
        limit = 1 << (31 if name == "fd" else 64)
        if not 0 <= number < limit:
            taken = ": it was taken or closed" if name == "fd" and number == _NONE else ""
            raise ValueError(f"{what}: memory.{name} ({number}) is outside 0 to {limit - 1}{taken}")
    if not isinstance(memory.uuid, bytes) or len(memory.uuid) != 16:
        raise ValueError(f"{what}: memory.uuid {bracketed(memory.uuid)} must be 16 bytes")
    size = max(0, memory.memory_size - memory.offset) if memory.size is None else memory.size
    described = _native.raw.vd_memory_fd(
        fd=memory.fd, memory_size=memory.memory_size, offset=memory.offset, size=size, uuid=list(memory.uuid)
    )
    return ExternalMemory(_enums.VD_MEMORY_KIND_FD, 0, size, not read_only, None, fd=described, what=f"{what}: memory")
