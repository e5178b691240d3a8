"""The hot entries: from the extension where it is built, else over cffi. VKDISPATCH_NO_EXTENSION=1 asks for the latter."""

from __future__ import annotations

import os

from . import _errors
from ._load import ffi, lib

try:
    if os.environ.get("VKDISPATCH_NO_EXTENSION"):
        raise ImportError("not wanted")
    from . import _vdhot
    from ._vdhot import *
    from ._vdhot import start_launcher

    #: Whether the extension is in use.
    EXTENSION = True
except ImportError:
    from ._hot_cffi import *

    EXTENSION = False


def _address(name: str) -> int:
    return int(ffi.cast("uintptr_t", ffi.addressof(lib, name)))


if EXTENSION:
    _vdhot.start(_errors.raise_status, _address("vd_last_error"), *(_address(name) for name in _vdhot.ENTRIES))
    _used = ("vd_last_error", "vd_plan_launch_now", "vd_context_wait_idle", "vd_graph_submit")
    start_launcher(_errors.raise_status, *map(_address, _used))
