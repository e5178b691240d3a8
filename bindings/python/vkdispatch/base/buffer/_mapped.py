"""Memory of a buffer that the host uses where it is."""

from __future__ import annotations

import time
from typing import Any

from ... import _native
from ...compat import numpy_compat as npc
from ..context import hears_interrupts
from ..words import shown
from ._elements import array_over

_enums = _native.enums
_MODES = {
    "r": _enums.VD_MAP_READ,
    "w": _enums.VD_MAP_WRITE,
    "rw": _enums.VD_MAP_READ | _enums.VD_MAP_WRITE,
}


class Mapping:
    """A buffer's memory as an array, from `Buffer.map()` until the end of a `with` block, or until `end()`.

    Work that conflicts with it is a RuntimeError meanwhile, and so is a block of a mapping that was ended. The array stays
    valid after the end, but what is written to it then may be lost.
    """

    def __init__(self, buffer: Any, mode: str, queue: int, wait: bool):
        flags = _MODES.get(mode) if isinstance(mode, str) else None
        if flags is None:
            raise ValueError(f"Buffer.map: mode must be 'r', 'w' or 'rw' (got {shown(mode)})")
        raw = _native.raw
        with _native.naming("Buffer.map"):
            pointer = buffer._live_pointer()
            self._mapping: Any = _map(pointer, flags, queue, wait)
            info = raw.vd_mapping_get_info(self._mapping)
        memory = _native.memory.memory_at(info.data, info.size, self._mapping)
        array = array_over(memory, buffer.var_type, buffer.shape)
        if mode == "r":
            if npc.numpy_module() is None:
                array = array.toreadonly()
            else:
                array.flags.writeable = False
        #: The memory: NumPy's array of the buffer's shape, or a memoryview of its bytes without NumPy.
        self.array: Any = array
        self._ended = False

    def end(self) -> None:
        """End the mapping: later work sees what was written. Ending twice is no error."""
        self._ended = True
        _native.raw.vd_mapping_end(self._mapping)

    def __enter__(self) -> Any:
        if self._ended:
            raise _native._errors.StateError(
                "Mapping: it was ended; Buffer.map() makes another one", _enums.VD_ERR_STATE
            )
        return self.array

    def __exit__(self, *exc: object) -> None:
        self.end()


def _map(pointer: Any, flags: int, queue: int, wait: bool) -> Any:
    raw = _native.raw
    whole = _enums.VD_WHOLE_SIZE
    status, mapping = raw.vd_buffer_map(pointer, 0, whole, flags | _enums.VD_MAP_NO_WAIT, queue)
    if status == _enums.VD_OK:
        return mapping
    if not wait:
        raise _native._errors.StateError("work in flight is in the way, and wait=False", _enums.VD_ERR_WOULD_BLOCK)
    if not hears_interrupts():
        return raw.vd_buffer_map(pointer, 0, whole, flags, queue)[1]
    # Interrupts do not arrive within a call of the library.
    begin = time.perf_counter()
    while status != _enums.VD_OK:
        time.sleep(min((time.perf_counter() - begin) / 64, 0.005))
        status, mapping = raw.vd_buffer_map(pointer, 0, whole, flags | _enums.VD_MAP_NO_WAIT, queue)
    return mapping
