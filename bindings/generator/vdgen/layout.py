"""Sizes and offsets on a 64-bit target, worked out from the header alone; the generated asserts prove them."""

from __future__ import annotations

from dataclasses import dataclass

from . import model

SCALARS = {
    "char": 1,
    "int8_t": 1,
    "uint8_t": 1,
    "int16_t": 2,
    "uint16_t": 2,
    "int32_t": 4,
    "uint32_t": 4,
    "float": 4,
    "int64_t": 8,
    "uint64_t": 8,
    "double": 8,
}
POINTER = 8
#: Types that exist beside the header's own.
BUILTIN = {*SCALARS, "void"}


@dataclass
class Place:
    """Offset and size of a field."""

    field: model.Field
    offset: int
    size: int


@dataclass
class StructLayout:
    size: int
    align: int
    places: list[Place]
    #: Bytes skipped for alignment: (field before or None, offset, bytes).
    gaps: list[tuple[str, int, int]]


def size_and_align(header: model.Header, type_: model.Type) -> tuple[int, int]:
    """Bytes and alignment of a field's type."""
    count = 1 if type_.array is None else type_.array
    if type_.ptr:
        return POINTER * count, POINTER
    name = header.resolve(type_.name)
    if name in SCALARS:
        return SCALARS[name] * count, SCALARS[name]
    found = header.find(name)
    if isinstance(found, model.Enum):
        return 4 * count, 4
    if isinstance(found, model.Struct):
        inner = struct_layout(header, found)
        return inner.size * count, inner.align
    if isinstance(found, model.Callback):
        return POINTER * count, POINTER
    raise KeyError(type_.name)


def struct_layout(header: model.Header, struct: model.Struct) -> StructLayout:
    """Offsets by the rules of the System V and AAPCS64 ABIs, which agree on everything in the subset."""
    at, widest = 0, 1
    places: list[Place] = []
    gaps: list[tuple[str, int, int]] = []
    for field in struct.fields:
        size, align = size_and_align(header, field.type)
        widest = max(widest, align)
        skipped = -at % align
        if skipped:
            gaps.append((field.name, at, skipped))
        at += skipped
        places.append(Place(field, at, size))
        at += size
    tail = -at % widest
    if tail:
        gaps.append(("", at, tail))
    return StructLayout(at + tail, widest, places, gaps)
