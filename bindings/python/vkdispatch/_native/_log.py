"""The log callback in Python.

The library calls it with no lock of its own held, and entries called through cffi have let go of the interpreter's lock, so
taking that lock here cannot end in a deadlock. The C function lives as long as the process: a message may be on its way
while the callback is being changed.
"""

from __future__ import annotations

import atexit
from collections.abc import Callable
from typing import Any

from . import _raw as raw
from ._load import ffi

_callback: Callable[[int, str], None] | None = None
_receiver = 0


@ffi.callback("vd_log_fn")
def _receive(message: Any, user: Any) -> None:
    # What the callback raises is printed by cffi: nothing may unwind into C.
    callback = _callback
    if callback is not None:
        callback(message.level, ffi.string(message.text).decode("utf-8", "replace"))


def set_callback(callback: Callable[[int, str], None] | None) -> None:
    """Send messages to `callback(level, text)`, from the log's level on; None restores the library's own way."""
    global _callback
    _callback = callback
    _listen(callback is not None)


def set_level(level: int) -> None:
    """Drop messages below a level, on their way to standard error or to the callback."""
    raw.vd_log_set_level(level)
    _listen(_receiver != 0)


def _listen(on: bool) -> None:
    global _receiver
    before, _receiver = _receiver, raw.vd_log_add(raw.vd_log_get_level(), _receive) if on else 0
    if before:
        raw.vd_log_remove(before)


# No thread may call into Python once the interpreter is going down.
atexit.register(lambda: set_callback(None))
