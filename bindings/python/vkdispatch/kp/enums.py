"""The enumerations, with the numbers that Kompute gives them."""

from __future__ import annotations

import enum
from typing import Any

from ..base.words import bracketed


class _Number(enum.Enum):
    """A member that int() and operator.index() take, and that equals no number."""

    def __int__(self) -> Any:
        return self.value

    def __index__(self) -> Any:
        return self.value


def _made(name: str, members: dict[str, int]) -> Any:
    make: Any = _Number
    return make(name, members, module="vkdispatch.kp")


# By the functional form, since names of members are names of Python's types.
DataTypes: Any = _made(
    "DataTypes",
    {
        "bool": 0,
        "int": 1,
        "uint": 2,
        "float": 3,
        "double": 4,
        "custom": 5,
        "short": 6,
        "ushort": 7,
        "char": 8,
        "uchar": 9,
        "long": 10,
        "ulong": 11,
        "half": 12,
        "complex64": 13,
        "complex128": 14,
    },
)
DataTypes.__doc__ = "The type of an element."

MemoryTypes: Any = _made(
    "MemoryTypes",
    {"device": 0, "host": 1, "storage": 2, "deviceAndHost": 3, "staging": 1},
)
MemoryTypes.__doc__ = "The place of a tensor's or an image's memory. `staging` is another name of `host`."

#: Their name in 0.5 to 0.9.
TensorTypes = MemoryTypes


def memory_type_of(value: Any, what: str) -> Any:
    """A member of MemoryTypes; a number is a TypeError, as in Kompute."""
    if not isinstance(value, MemoryTypes):
        raise TypeError(
            f"{what}: incompatible function arguments: memory_type {bracketed(value)} must be one of MemoryTypes"
        )
    return value
