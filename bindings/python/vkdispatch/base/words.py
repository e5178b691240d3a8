"""Values of the program in the words of a message."""

from __future__ import annotations

from typing import Any

from .._native._launcher import BufferBase
from ..compat import numpy_compat as npc

#: Characters of a value's own text that a message has room for.
_SHOWN = 120


def shown(value: Any) -> str:
    """A value in one line of a message: buffers and arrays by type and shape."""
    if isinstance(value, BufferBase):
        return f"{type(value).__name__} of {value.var_type.name}, shape {value.shape}"
    if npc.is_array_like(value) and value.shape:
        return f"array of {npc.array_dtype(value)}, shape {tuple(value.shape)}"
    try:
        text = " ".join(repr(value).split())
    except (ValueError, RecursionError):  # an integer of more digits than Python prints, lists of lists of lists
        text = f"a {type(value).__name__} that is too long to show"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def bracketed(value: Any) -> str:
    """The same in parentheses, as a message names a value: a tuple has its own."""
    text = shown(value)
    return text if text.startswith("(") and text.endswith(")") and isinstance(value, tuple) else f"({text})"


def tensor_cure(given: Any, name: str = "tensor") -> str:
    """The end of a message about what is no buffer, where it is a tensor of kp's, which has one; "" for others."""
    return f" {name}.buffer is one." if getattr(given, "_has_buffer", False) else ""
