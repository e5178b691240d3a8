"""Contexts of the library that tests of a process share, each below a vd.Context of its own.

A GPU's driver takes seconds to open one, and the more the more processes do so at a time.
"""

import contextlib
import gc
import os
import time

from vkdispatch import _native
from vkdispatch._native import _enums, raw

_open = raw.vd_context_create
#: Fields of a vd_context_desc that only tests of a context set.
_RARE = ("device_name", "cache_dir", "dummy_device", "watchdog_ns", "thread_count", "required_extensions")
_RARE += ("wished_extensions", "native")
_IDLE_NS = 60_000_000_000
_FREED_S = 10

#: Each by what was asked for.
_kept = {}


def _wish(desc):
    """The things asked for, as text; None where no other test asks for the same."""
    if desc.backend == _enums.VD_BACKEND_DUMMY or any(getattr(desc, name) for name in _RARE):
        return None
    counted = ((desc.devices, desc.device_count), (desc.queue_counts, desc.device_count))
    counted += ((desc.queue_families, desc.queue_family_count),)
    lists = [list(numbers[0:count]) if numbers else None for numbers, count in counted]
    options = {name: value for name, value in os.environ.items() if name.startswith("VKDISPATCH_")}
    return str((desc.backend, desc.flags, *lists, sorted(options.items())))


def _create(desc=None):
    wish = None if desc is None else _wish(desc)
    if wish is None:
        return _open(desc)
    if wish not in _kept:
        _kept[wish] = _open(desc)
    return _kept[wish]


@contextlib.contextmanager
def opening():
    """Contexts that are made inside the block are shared."""
    raw.vd_context_create = _create
    try:
        yield
    finally:
        raw.vd_context_create = _open


def left_behind(context):
    """The rest that a test left in a library's context: work, a failure that nobody waited for, or memory; "" if none."""
    try:
        if raw.vd_context_wait_idle(context, _enums.VD_QUEUE_ALL, _IDLE_NS) == _enums.VD_TIMEOUT:
            return "work that does not end"
    except _native.Error as error:
        return f"a failure: {error}"
    info = raw.vd_context_get_info(context)
    if info.memory_in_use:
        gc.collect()
        # The owner of imported memory is told by a thread of the library, which may let go of another buffer's memory.
        deadline = time.monotonic() + _FREED_S
        while (info := raw.vd_context_get_info(context)).memory_in_use and time.monotonic() < deadline:
            time.sleep(0.001)
    return "a lost device" if info.lost else f"{info.memory_in_use} bytes of memory" if info.memory_in_use else ""


def check():
    """Fail if a test left something behind; the next one gets a new context."""
    for wish, context in list(_kept.items()):
        if left := left_behind(context):
            del _kept[wish]
            raise AssertionError(f"{left} in a context that tests share ({wish})")


def close():
    """Let go of all."""
    _kept.clear()
