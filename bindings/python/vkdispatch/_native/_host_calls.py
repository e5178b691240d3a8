"""Functions of Python that graphs call.

The library calls them on threads of its own or of the driver, which take the interpreter's lock; entries called through cffi
have let go of it, and so do prepared launches once there is such a function. The two C functions live as long as the process.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from . import _hot as hot
from . import _raw as raw
from ._load import ffi

_functions: dict[int, Callable[[], Any]] = {}
_numbers = itertools.count(1)


@ffi.callback("vd_graph_fn")
def _call(user: Any) -> None:
    # cffi prints exceptions of the function: nothing may unwind into C.
    _functions[int(ffi.cast("uintptr_t", user))]()


@ffi.callback("vd_free_fn")
def _free(user: Any) -> None:
    _functions.pop(int(ffi.cast("uintptr_t", user)), None)


def record(graph: Any, function: Callable[[], Any]) -> int:
    """Record a call of the function; it is kept until neither the graph nor work in flight needs it."""
    hot.unlock_launches()  # the driver may hold up a launch until the function has returned
    number = next(_numbers)
    _functions[number] = function
    try:
        return raw.vd_graph_call(graph, _call, ffi.cast("void *", number), _free)
    except BaseException:
        _functions.pop(number, None)
        raise
