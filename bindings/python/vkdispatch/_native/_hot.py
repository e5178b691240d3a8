"""The hot entries: from the extension where it is in use, else over cffi."""

from __future__ import annotations

from . import _errors
from ._extension import EXTENSION
from ._load import lib

if EXTENSION:
    from . import _vdhot
    from ._vdhot import *
    from ._vdhot import start_launcher
else:
    from ._hot_cffi import *


if EXTENSION:
    _vdhot.start(_errors.raise_status, lib.address("vd_last_error"), *(lib.address(name) for name in _vdhot.ENTRIES))
    _used = (
        *("vd_last_error", "vd_plan_try_launch", "vd_context_wait_idle", "vd_graph_submit", "vd_ticket_wait"),
        *("vd_plan_retain", "vd_plan_release", "vd_buffer_retain", "vd_buffer_release"),
    )
    start_launcher(_errors.raise_status, *map(lib.address, _used))

keep_lock = True


def unlock_launches() -> None:
    """Let launches let go of the interpreter's lock from now on; prepared ones do, others must not use these entries."""
    global keep_lock
    keep_lock = False
    if EXTENSION:
        _vdhot.unlock_launches()
