"""Functions of Python that graphs call.

The library calls them on threads of its own or of the driver, which take the interpreter's lock; entries called through cffi
have let go of it, and so do prepared launches once there is such a function.

A graph owns its functions, so that the garbage collector sees what they refer to: mostly the graph itself. What a graph that is
reset or freed leaves in flight owns them from then on.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from . import _hot as hot
from . import _raw as raw
from ._load import ffi

#: The addresses of the handles of functions that a graph of the library or work in flight may call. A call takes the function from
#: its handle, and not from a weak reference: the collector clears those before it calls finalizers, which may wait for a call.
_known: set[int] = set()
#: Handles among them that no graph owns.
_in_flight: dict[int, Any] = {}


def _c_functions(known: set[int], in_flight: dict[int, Any], ffi: Any) -> tuple[Any, Any]:
    """The two C functions, which live as long as the process and use no name of a module: the library may call them when the
    interpreter has cleared its modules."""

    @ffi.callback("vd_graph_fn")
    def call(user: Any) -> None:
        ffi.from_handle(user)()  # cffi prints exceptions of the function: nothing may unwind into C

    @ffi.callback("vd_free_fn")
    def free(user: Any) -> None:
        address = int(ffi.cast("uintptr_t", user))
        known.discard(address)
        in_flight.pop(address, None)

    for function in (call, free):
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(function))
    return call, free


_call, _free = _c_functions(_known, _in_flight, ffi)


class Functions:
    """The functions that a graph calls."""

    def __init__(self) -> None:
        self._own: dict[int, Any] = {}
        self._known, self._in_flight = _known, _in_flight  # at the interpreter's end there may be no module left

    def record(self, graph: Any, function: Callable[[], Any]) -> int:
        """Record a call of the function; it is kept until neither the graph nor work in flight needs it."""
        hot.unlock_launches()  # the driver may hold up a launch until the function has returned
        handle = ffi.new_handle(function)
        address = int(ffi.cast("uintptr_t", handle))
        self._own[address] = handle
        _known.add(address)
        try:
            return raw.vd_graph_call(graph, _call, handle, _free)
        except BaseException:
            _known.discard(address)
            self._own.pop(address, None)
            raise

    def leave_to_work_in_flight(self) -> None:
        """Before the library's graph is reset or freed: this object owns them no longer."""
        own, self._own = self._own, {}
        for address, handle in own.items():
            self._in_flight[address] = handle
            if address not in self._known:  # the library was done with it before
                self._in_flight.pop(address, None)

    def __del__(self) -> None:
        # The library's graph may live longer, and other graphs have its calls, too.
        self.leave_to_work_in_flight()
