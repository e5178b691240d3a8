"""Pointers of the raw layer: their addresses, and those whose objects must not be released."""

from __future__ import annotations

from typing import Any


def address_of(pointer: Any) -> int:
    """The address that a pointer of the raw layer holds."""
    from .._native._load import ffi

    return int(ffi.cast("uintptr_t", pointer))


def let_go(pointer: Any) -> None:
    """Keep a handle of the raw layer from being released: in the child of a fork that would wait for threads that do
    not exist."""
    from .._native._load import ffi

    if isinstance(pointer, ffi.CData):
        ffi.gc(pointer, None)
