"""A launch as the raw layer takes it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import _native
from .buffer import Buffer

_WHOLE = _native.enums.VD_WHOLE_SIZE


def launch_desc(
    queue: int, threads: Sequence[int], bindings: Sequence[tuple[Buffer, int, int]], values: bytes
) -> tuple[Any, list]:
    """A vd_launch_desc, and the objects that must live as long as it is used. A binding's size of 0 is to the end of
    its buffer."""
    from .._native._load import ffi

    c_bindings = ffi.new("vd_binding[]", [(b._live_pointer(), offset, size or _WHOLE) for b, offset, size in bindings])
    c_values = ffi.from_buffer(values) if values else ffi.NULL
    desc = _native.raw.vd_launch_desc(
        queue=queue,
        invocations=list(threads),
        bindings=c_bindings,
        binding_count=len(bindings),
        values=c_values,
        values_size=len(values),
    )
    return desc, [c_bindings, c_values, values]
