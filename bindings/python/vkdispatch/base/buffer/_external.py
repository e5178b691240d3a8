"""Memory that another library owns."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ... import _native
from .. import dtype as dt
from ..words import bracketed

_enums = _native.enums
# First characters of the format of numbers in the other byte order.
_FOREIGN_ORDERS = (">", "!") if sys.byteorder == "little" else ("<",)
# Names in the format of structs.
_FIELD_NAMES = re.compile(":[^:]*:")


@dataclass
class ExternalBufferInfo:
    """CUDA memory that another library owns: its address, and what keeps it alive."""

    writable: bool
    iface: dict
    keepalive: Any
    cuda_ptr: int


@dataclass
class ExternalMemory:
    """Memory that another library owns, as a buffer's constructor takes it."""

    kind: int
    address: int
    #: Bytes there; a buffer may be shorter. None where the caller vouches for them.
    size: int | None
    writable: bool
    #: Keeps the memory alive.
    owner: Any
    #: Stream whose work so far writes the memory; 0 is none.
    stream: int = 0
    #: Called when the memory is not used any more; None lets go of `owner` alone.
    let_go: Callable[[], object] | None = None
    #: The interface that it was found by.
    iface: dict = field(default_factory=dict)
    #: The vd_memory_fd of memory by a file descriptor.
    fd: Any = None
    #: Its name in messages.
    what: str = "Buffer: external_buffer"


def external_memory(given: Any, var_type: type[dt.dtype], backend: str) -> ExternalMemory:
    """The memory of `external_buffer=`: of an ExternalBufferInfo, or of an object with the buffer protocol."""
    if isinstance(given, ExternalMemory):
        return given
    if isinstance(given, ExternalBufferInfo):
        return ExternalMemory(
            _enums.VD_MEMORY_KIND_CUDA, given.cuda_ptr, None, given.writable, given.keepalive, iface=given.iface
        )
    from ..._native._load import ffi

    try:
        view = memoryview(given)
    except TypeError:
        raise TypeError(
            f"Buffer: external_buffer {bracketed(given)} must be an object with the buffer protocol, or an ExternalBufferInfo; "
            "vd.from_dlpack() and vd.from_cuda_array() take other arrays"
        ) from None
    if view.itemsize > 1 and view.format.startswith(_FOREIGN_ORDERS):
        raise ValueError(
            f"Buffer: external_buffer has elements in the other byte order (format {view.format!r}), which kernels do not read; "
            "vd.asbuffer() copies and converts them"
        )
    if "O" in _FIELD_NAMES.sub("", view.format):
        raise ValueError("Buffer: external_buffer has Python objects as elements, which kernels do not read")
    if not view.c_contiguous:
        raise ValueError("Buffer: external_buffer is not contiguous, so a buffer cannot be an alias of it")
    # Keeps the object from being resized, too.
    owner = ffi.from_buffer("char[]", view, require_writable=False)
    return ExternalMemory(
        _enums.VD_MEMORY_KIND_HOST, int(ffi.cast("uintptr_t", owner)), view.nbytes, not view.readonly, owner
    )
