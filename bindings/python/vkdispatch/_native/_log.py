"""The log callback in Python.

The library calls it with no lock of its own held, and entries called through cffi have let go of the interpreter's lock, so
taking that lock here cannot end in a deadlock. The C function lives as long as the process: a message may be on its way
while the callback is being changed.
"""

from __future__ import annotations

import atexit
import contextlib
import threading
from collections.abc import Callable
from typing import Any

from . import _raw as raw
from ._load import ffi

_callback: Callable[[int, str], None] | None = None
#: Functions that see each message before the callback, whoever's that is.
watchers: list[Callable[[int, str], None]] = []
#: The receiver whose messages count, as its `user`. Where another takes its place, both are there for a moment.
_serial = 0
_receiver = 0
#: Receivers that the library may still call, among them those that another thread is about to remove.
_known: set[int] = set()
#: Whether this thread is in a callback, as `callback`.
_inside = threading.local()
#: Whether the interpreter is going down: no thread may call into Python then.
_ending = False
#: Held while nothing of the library that waits is called: a callback may come here, too.
_lock = threading.RLock()


@ffi.callback("vd_log_fn")
def _receive(message: Any, user: Any) -> None:
    # cffi prints exceptions of the callback: nothing may unwind into C.
    callback = _callback
    if callback is not None and int(ffi.cast("uintptr_t", user)) == _serial:
        outer, _inside.callback = getattr(_inside, "callback", False), True
        try:
            text = ffi.string(message.text).decode("utf-8", "replace")
            for watcher in watchers:
                watcher(message.level, text)
            callback(message.level, text)
        finally:
            _inside.callback = outer


def set_callback(callback: Callable[[int, str], None] | None) -> None:
    """Send messages to `callback(level, text)`, from the log's level on; None restores the library's own way."""
    global _callback
    with _lock:
        _callback = callback
        before = _replace(callback is not None)
    _remove(before)


def callback() -> Callable[[int, str], None] | None:
    """The function that gets messages; None where the library writes them itself."""
    return _callback


def set_level(level: int) -> None:
    """Drop messages below a level, on their way to standard error or to the callback."""
    with _lock:
        raw.vd_log_set_level(level)
        before = _replace(_receiver != 0)
    _remove(before)


def _replace(on: bool) -> int:
    """Listen anew, or no more; the receiver that must go."""
    global _serial, _receiver
    before = _receiver
    on = on and not _ending
    added = raw.vd_log_add(raw.vd_log_get_level(), _receive, ffi.cast("void *", _serial + 1)) if on else 0
    if added:
        _known.add(added)
    _serial, _receiver = _serial + 1, added
    return before


def _remove(receiver: int) -> None:
    if not receiver:
        return
    # Another thread may have removed it first: the library has then waited here for its callbacks all the same.
    with contextlib.suppress(ValueError):
        raw.vd_log_remove(receiver)
    # A callback that removes a receiver does not wait for the others: the end has to.
    if not getattr(_inside, "callback", False):
        _known.discard(receiver)


def _end() -> None:
    # A thread that came into Python from the library after the interpreter's end would be ended there, in the midst of a
    # function of the library's that lets nothing unwind: the process would abort.
    global _ending
    _ending = True
    set_callback(None)
    for receiver in list(_known):
        _remove(receiver)


atexit.register(_end)
