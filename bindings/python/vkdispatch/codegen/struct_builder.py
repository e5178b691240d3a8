"""Blocks of values that travel with a launch: uniform values and those that may change between submissions.

Example:
    values = vc.StructBuilder()
    values.register_element("scale", vd.float32)
    values.register_element("shifts", vd.vec3, 2)
    assert [element.name for element in values.build()] == ["scale", "shifts"] and values.size == 28
"""

from __future__ import annotations

from dataclasses import dataclass

from ..base.dtype import dtype


@dataclass
class StructElement:
    """A member of a block."""

    name: str
    dtype: type[dtype]
    count: int = 1


class StructBuilder:
    """Collects the members of a block."""

    def __init__(self) -> None:
        self.elements: list[StructElement] = []
        self.size = 0

    def register_element(self, name: str, dtype: type[dtype], count: int = 1) -> str:
        """Append a member; the result is its name."""
        self.elements.append(StructElement(name, dtype, count))
        self.size += dtype.item_size * count
        return name

    def build(self) -> list[StructElement]:
        """The members in order."""
        return list(self.elements)
