"""Calls into Python when a ticket's work is done.

The library makes each call once, on a thread of its own, with none of its locks held. The interpreter's end waits for all
calls, and until their threads have left Python, since none may come into it after that.
"""

from __future__ import annotations

import atexit
import itertools
import os
import threading
from collections.abc import Callable
from typing import Any

from . import _raw as raw
from ._calls import TICKET, end_calls, start_calls
from ._load import ffi

_pending: dict[int, Callable[[], None]] = {}
_keys = itertools.count(1)
_delivered = threading.Condition()


def _deliver(key: int, _status: int, _message: bytes) -> None:
    # Exceptions are printed: nothing may unwind into C.
    try:
        _pending[key]()
    finally:
        with _delivered:
            del _pending[key]
            _delivered.notify_all()


_function: Any = ffi.cast("vd_ticket_fn", start_calls(TICKET, _deliver))


def notify(context: Any, ticket: int, call: Callable[[], None]) -> None:
    """Have `call()` called once, on another thread, when the work is done or has failed. It must return soon."""
    key = next(_keys)
    _pending[key] = call
    try:
        raw.vd_ticket_notify_end(context, ticket, _function, ffi.cast("void *", key))
    except BaseException:
        del _pending[key]
        raise


def _end() -> None:
    with _delivered:
        _delivered.wait_for(lambda: not _pending)
    end_calls(False)


def _forget() -> None:
    global _delivered
    _pending.clear()
    _delivered = threading.Condition()  # a thread of the parent's may have held it


atexit.register(_end)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
