"""Packs named structs of values into bytes, in scalar block layout, for one instance after the other."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..base.context import get_context
from ..compat import numpy_compat as npc


class BufferUsage(enum.Enum):
    """The use of the bytes."""

    PUSH_CONSTANT = 0
    UNIFORM_BUFFER = 1


@dataclass
class BufferedStructEntry:
    """The offset and type of a field in an instance."""

    memory_slice: slice
    dtype: Any
    shape: tuple[int, ...]


def _aligned(value: int, alignment: int) -> int:
    return value + -value % alignment if alignment else value


class BufferBuilder:
    """Structs are registered once; then their fields are set and the bytes taken, as often as wanted."""

    def __init__(self, struct_alignment: int | None = None, usage: BufferUsage | None = None):
        if struct_alignment is None:
            if usage is None:
                raise ValueError("Either struct_alignment or usage is needed")
            if usage is BufferUsage.PUSH_CONSTANT:
                struct_alignment = 0
            else:
                struct_alignment = get_context().uniform_buffer_alignment
        self.struct_alignment: int = struct_alignment
        self.instance_bytes = 0
        self.instance_count = 0
        self.backing_buffer: bytearray | None = None
        self.element_map: dict[tuple[str, str], BufferedStructEntry] = {}

    def register_struct(self, name: str, elements: Sequence[Any]) -> tuple[int, int]:
        """Add a struct of StructElement; its offset and size in an instance."""
        start = _aligned(self.instance_bytes, self.struct_alignment)
        at = start
        for element in elements:
            at = _aligned(at, element.dtype.alignment)
            size = element.dtype.item_size * element.count
            shape = element.dtype.numpy_shape if element.count == 1 else (element.count, *element.dtype.numpy_shape)
            self.element_map[name, element.name] = BufferedStructEntry(slice(at, at + size), element.dtype, shape)
            at += size
        self.instance_bytes = _aligned(at, self.struct_alignment)
        self.backing_buffer = None
        return start, self.instance_bytes - start

    def prepare(self, instance_count: int) -> None:
        """Take zeroed room for `instance_count` instances."""
        if self.backing_buffer is None or instance_count != self.instance_count:
            self.instance_count = instance_count
            self.backing_buffer = bytearray(self.instance_bytes * instance_count)

    def set_item(self, key: tuple[str, str], value: Any) -> None:
        """Set a field: one value for all instances, or a sequence whose first axis is the instances."""
        if key not in self.element_map:
            raise ValueError(f"Invalid buffer element name '{key}'!")
        if self.backing_buffer is None:
            raise RuntimeError("The buffer was not prepared!")
        entry = self.element_map[key]
        width = npc.prod(entry.shape)
        shape = npc.item_shape(value)
        flat = npc.flatten(value)
        per_instance = self.instance_count > 1 and shape is not None and shape[:1] == (self.instance_count,)
        if self.instance_count > 1 and shape and not per_instance:
            raise ValueError(f"Expected {self.instance_count} values for '{key}' (got shape {shape})!")
        for i in range(self.instance_count):
            part = flat[i * len(flat) // self.instance_count : (i + 1) * len(flat) // self.instance_count]
            values = part if per_instance else flat
            if len(values) == 1:
                values = values * width
            if len(values) != width:
                raise ValueError(f"Expected {width} values for '{key}' (got {len(values)})!")
            data = npc.pack_values(values, _element(entry.dtype))
            start = i * self.instance_bytes
            self.backing_buffer[start + entry.memory_slice.start : start + entry.memory_slice.stop] = data

    def __setitem__(self, key: tuple[str, str], value: Any) -> None:
        self.set_item(key, value)

    def tobytes(self) -> bytes:
        """The bytes of all instances."""
        return bytes(self.backing_buffer or b"")

    def toints(self) -> Any:
        """The bytes as uint32 values."""
        data = self.tobytes()
        return npc.from_buffer(data, "uint32", (len(data) // 4,))

    def reset(self) -> None:
        """Forget every struct."""
        self.instance_bytes = self.instance_count = 0
        self.backing_buffer = None
        self.element_map.clear()

    def __repr__(self) -> str:
        rows = "".join(f"\n    {k}: {e.memory_slice.start}..{e.memory_slice.stop}" for k, e in self.element_map.items())
        return f"BufferBuilder: {self.instance_count} x {self.instance_bytes} bytes{rows}"


def _element(t: Any) -> npc.HostDType:
    return (t if t.scalar is None else t.scalar).host
