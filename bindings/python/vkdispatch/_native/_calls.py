"""C functions for the library to call, on threads of its own, which call Python.

From the extension if it is built. Without it a call that is just returning could meet the interpreter's end.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from ._extension import EXTENSION

#: Kinds of functions: a vd_free_fn, a vd_ticket_fn.
RELEASE, TICKET = 0, 1

if EXTENSION:
    from ._vdhot import end_calls, forget_calls, start_calls

    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=forget_calls)
else:
    _kept: dict[int, Any] = {}

    def start_calls(kind: int, function: Callable[..., object]) -> int:
        """The address of a function of that kind, which calls `function(user)`, of a ticket `function(user, status, message)`.
        It lives as long as the process."""
        from ._load import ffi

        def call(*given: Any) -> None:
            number = int(ffi.cast("uintptr_t", given[-1]))
            if kind == TICKET:
                function(number, given[0], ffi.string(given[1]))
            else:
                function(number)

        _kept[kind] = ffi.callback(("vd_free_fn", "vd_ticket_fn")[kind], call)
        return int(ffi.cast("uintptr_t", _kept[kind]))

    def end_calls(leave_out: bool) -> None:
        """Wait until no thread is inside a call; `leave_out` leaves out later ones. Only the extension can."""
