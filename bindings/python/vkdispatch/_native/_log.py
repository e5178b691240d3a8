"""The log callback in Python.

The library calls it with no lock of its own held, and entries called through cffi have let go of the interpreter's lock, so
taking that lock here cannot end in a deadlock. The C function lives as long as the process: a message may be on its way
while the callback is being changed.
"""

from __future__ import annotations

import atexit
from collections.abc import Callable
from typing import Any

from ._load import ffi, lib

_callback: Callable[[int, str], None] | None = None


@ffi.callback("vd_log_fn")
def _receive(message: Any, user: Any) -> None:
    # What the callback raises is printed by cffi: nothing may unwind into C.
    callback = _callback
    if callback is not None:
        callback(message.level, ffi.string(message.text).decode("utf-8", "replace"))


def set_callback(callback: Callable[[int, str], None] | None) -> None:
    """Send messages to `callback(level, text)`; None restores the library's own way."""
    global _callback
    _callback = callback
    lib.vd_log_set_callback(_receive if callback is not None else ffi.NULL, ffi.NULL)


# No thread may call into Python once the interpreter is going down.
atexit.register(lambda: set_callback(None))
