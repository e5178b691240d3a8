"""The block of constants and variables that a launch gives: where each value goes, and how it becomes bytes."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from .. import _native
from ..compat import numpy_compat as npc
from . import dtype as dt
from .host_values import element_of, note_fractions, pack_numbers

_VALUE_KINDS = (_native.enums.VD_ARGUMENT_CONSTANT, _native.enums.VD_ARGUMENT_VARIABLE)


@dataclass
class Member:
    """A value of the block. `field` is the dataclass field that it comes from, if any."""

    name: str
    argument: str
    field: str | None
    var_type: type[dt.dtype]
    offset: int
    variable: bool


def pack_value(value: Any, var_type: type[dt.dtype], name: str, of: str = "") -> bytes:
    """The bytes of one value: a number fills a vector or matrix; a fraction for an integer type gives a warning. `of` says in
    messages whose value it is."""
    target = f"'{name}'{of}"
    if callable(value):
        raise ValueError(f"Cannot use a function as the value of {target}!")
    count = var_type.item_size // element_of(var_type).itemsize
    flat = npc.flatten(value)
    if dt.is_complex(var_type) and len(flat) == 2:
        flat = [complex(*flat)]
    if len(flat) == 1:
        flat = flat * count
    if len(flat) != count:
        raise ValueError(f"Expected {count} value(s) for {target} of type {var_type.name} (got {len(flat)})!")
    packed = pack_numbers(flat, var_type, target)
    note_fractions(flat, var_type, target)
    return packed


def pack_values(values: Sequence[Any], var_type: type[dt.dtype], name: str) -> bytes:
    """The bytes of one value for each instance."""
    if not dt.is_complex(var_type) and var_type.item_size == element_of(var_type).itemsize:
        flat = npc.flatten(values)
        if len(flat) == len(values) and not any(map(callable, flat)):
            packed = pack_numbers(flat, var_type, f"'{name}'")
            note_fractions(flat, var_type, f"'{name}'")
            return packed
    return b"".join(pack_value(value, var_type, name) for value in values)


class ValuesLayout:
    """The members of a kernel's block of values, in the order of its arguments."""

    def __init__(self, description: Any, of: str = ""):
        self._of = of
        self.size: int = description._info.values_size
        self.members: list[Member] = []
        arguments = list(zip(description._arguments, description._types, strict=True))
        at = 0
        for info in description.shader_arg_infos:
            fields = list(info.shader_name) if isinstance(info.shader_name, dict) else [None]
            for field in fields:
                argument, var_type = arguments[at]
                at += 1
                if argument.kind in _VALUE_KINDS:
                    name = info.shader_name[field] if field is not None else info.shader_name
                    variable = argument.kind == _native.enums.VD_ARGUMENT_VARIABLE
                    self.members.append(Member(name, info.name, field, var_type, argument.offset, variable))

    def pack(self, values: Iterable[Any]) -> bytes:
        """The block, of one value for each member: the general way."""
        block = bytearray(self.size)
        for member, value in zip(self.members, values, strict=True):
            name = member.argument if member.field is None else member.name
            data = pack_value(value, member.var_type, name, self._of)
            block[member.offset : member.offset + len(data)] = data
        return bytes(block)

    def scalar_packer(self) -> Callable[..., bytes] | None:
        """A function of all values that makes the block, where every member is a real scalar; else None."""
        order = sorted(self.members, key=lambda m: m.offset)
        if not order or order != self.members or not all(dt.is_scalar(m.var_type) for m in order):
            return None
        code, at = "=", 0
        for member in order:
            code += f"{member.offset - at}x" if member.offset > at else ""
            code += member.var_type.host.struct_format
            at = member.offset + member.var_type.item_size
        code += f"{self.size - at}x" if self.size > at else ""
        return struct.Struct(code).pack


def pack_by_name(description: Any, values: dict[str, Any]) -> bytes:
    """The block, of values by their names in the core; what is not named is zero."""
    layout = ValuesLayout(description)
    block = bytearray(layout.size)
    for member in layout.members:
        if member.name in values:
            data = pack_value(values[member.name], member.var_type, member.name)
            block[member.offset : member.offset + len(data)] = data
    return bytes(block)
