"""Warnings about maps that have no effect, or whose result is not used."""

from __future__ import annotations

from typing import Any

from .. import _native
from ..base.remarks import warn_of
from ..codegen._types import SHARED, STORAGE, space_of
from ..codegen.mapping import MappingFunction

_e = _native.enums

_LOST = {
    "input": "never sets op.register, so that zeros are transformed",
    "output": "writes to no buffer and to no image",
}
_CURES = {
    "input": "op.register[:] = value, or op.read_from_buffer(buffer)",
    "kernel": "op.register[:] = value",
    "output": "buffer[op.io_index] = value, op.write_to_buffer(buffer), or image.store(place, value)",
}


class MapWatch:
    """The accesses of a map over all elements that it is traced for: it may leave out some of them."""

    def __init__(self, part: str, mapping: MappingFunction):
        self._part = part
        self._mapping = mapping
        self._done = self._returned = False

    def trace(self, builder: Any, op: Any, arguments: list[Any]) -> None:
        """Write the map for an element, and note whether it stores."""
        core = builder.emit
        own = {op.register._value}  # the register and its components

        def emit(code: int, type: int, immediate: int, location: int, *operands: int) -> int:
            value = core(code, type, immediate, location, *operands)
            if code == _e.VD_OP_INDEX and operands[0] in own:
                own.add(value)
            elif code == _e.VD_OP_STORE or code in _e.ATOMIC_OPS:
                into = operands[0]
                self._done |= space_of(into) in (STORAGE, SHARED) if self._part == "output" else into in own
            elif code == _e.VD_OP_IMAGE_STORE:
                self._done |= self._part == "output"
            return value

        builder.emit = emit
        try:
            _, returned = self._mapping.written(*arguments)
        finally:
            builder.emit = core
        self._done |= op._moved
        self._returned |= returned is not None and returned is not op.register

    def tell(self) -> None:
        """Warn of a map that did nothing for any element. A kernel's may leave the spectrum as it is."""
        name = getattr(self._mapping.mapping_function, "__name__", "map")
        said = [] if self._done or self._part == "kernel" else [_LOST[self._part]]
        if self._returned:
            said.append("returns a value, which is not taken")
        if said:
            cure = _CURES[self._part]
            warn_of(self._mapping.mapping_function, f"{self._part} map '{name}' {', and '.join(said)}! Write {cure}.")
