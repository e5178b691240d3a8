"""Owners of memory that buffers are aliases of: what is done for each when the library has stopped using the memory."""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Callable
from typing import Any

from ... import _native
from ..._native._calls import RELEASE, end_calls, start_calls
from ..context import at_end

_keys = itertools.count(1)
_kept: dict[int, Callable[[], object]] = {}
_function: Any = None
# Seconds without a call after which the end of the process waits for no more: tensors of other libraries keep the rest.
_QUIET = 0.05


def _released(key: int) -> None:
    found = _kept.pop(key, None)
    if found is not None:
        found()


def keep(let_go: Callable[[], object]) -> tuple[int, Any, Any]:
    """Have `let_go` called, once, when the library stops using some memory: a key, and what the library takes."""
    global _function
    from ..._native._load import ffi

    if _function is None:
        _function = ffi.cast("vd_free_fn", start_calls(RELEASE, _released))
        at_end(wait_for_all)
    key = next(_keys)
    _kept[key] = let_go
    return key, _function, ffi.cast("void *", key)


def forget(key: int) -> None:
    """Nothing uses that memory after all."""
    _kept.pop(key, None)


def wait_for_all() -> None:
    """At the end of the process, when no buffer is left: no thread may call into Python any later."""
    left, end = len(_kept), time.monotonic() + _QUIET
    while _kept and time.monotonic() < end:
        time.sleep(0.001)
        if len(_kept) < left:
            left, end = len(_kept), time.monotonic() + _QUIET
    end_calls(True)


def import_memory(context: Any, let_go: Callable[[], object], what: str, **fields: Any) -> Any:
    """A buffer of the library over memory that others own; `let_go` is called when the library stops using it, and not if
    this fails. `fields` are those of vd_buffer_import_desc."""
    key, release, user = keep(let_go)
    raw = _native.raw
    try:
        with _native.naming(what):
            return raw.vd_buffer_import(
                context._pointer, raw.vd_buffer_import_desc(release=release, user=user, **fields)
            )
    except BaseException:
        forget(key)
        raise


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_kept.clear)  # the parent's
