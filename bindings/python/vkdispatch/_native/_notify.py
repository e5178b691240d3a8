"""Calls into Python when a ticket's work is done.

The library makes each call once, on a thread of its own, with none of its locks held. The C function lives as long as the
process; the interpreter's end waits for all calls, since no thread may come into Python after it.
"""

from __future__ import annotations

import atexit
import itertools
import os
import threading
from collections.abc import Callable
from typing import Any

from . import _raw as raw
from ._load import ffi

_pending: dict[int, Callable[[], None]] = {}
_keys = itertools.count(1)
_delivered = threading.Condition()


@ffi.callback("vd_ticket_fn")
def _deliver(status: Any, message: Any, user: Any) -> None:
    # cffi prints exceptions: nothing may unwind into C.
    key = int(ffi.cast("uintptr_t", user))
    try:
        _pending[key]()
    finally:
        with _delivered:
            del _pending[key]
            _delivered.notify_all()


def notify(context: Any, ticket: int, call: Callable[[], None]) -> None:
    """Have `call()` called once, on another thread, when the work is done or has failed. It must return soon."""
    key = next(_keys)
    _pending[key] = call
    try:
        raw.vd_ticket_notify(context, ticket, _deliver, ffi.cast("void *", key))
    except BaseException:
        del _pending[key]
        raise


def _end() -> None:
    with _delivered:
        _delivered.wait_for(lambda: not _pending)


atexit.register(_end)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pending.clear)
