"""Functions of Python that graphs call.

The library calls them on threads of its own or of the driver, which take the interpreter's lock; entries called through cffi
have let go of it, and so do prepared launches once there is such a function.

A graph owns its functions, and those of graphs that were added to it, so that the garbage collector sees what they refer to:
mostly the graph itself. What the last of its graphs leaves in flight when it is reset or freed owns a function from then on.
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


class _Owned:
    """A function that graphs own. When the last of them lets go, work in flight may still need it."""

    def __init__(self, address: int, handle: Any) -> None:
        self._address, self._handle = address, handle
        self._known, self._in_flight = _known, _in_flight  # at the interpreter's end there may be no module left

    def __del__(self) -> None:
        self._in_flight[self._address] = self._handle
        if self._address not in self._known:  # the library was done with it before
            self._in_flight.pop(self._address, None)


class Functions:
    """The functions that a graph calls."""

    def __init__(self) -> None:
        self._own: dict[int, _Owned] = {}

    def record(self, graph: Any, function: Callable[[], Any]) -> int:
        """Record a call of the function; it is kept until neither the graph nor work in flight needs it."""
        hot.unlock_launches()  # the driver may hold up a launch until the function has returned
        handle = ffi.new_handle(function)
        address = int(ffi.cast("uintptr_t", handle))
        _known.add(address)
        self._own[address] = _Owned(address, handle)
        try:
            return raw.vd_graph_call(graph, _call, handle, _free)
        except BaseException:
            _known.discard(address)
            self._own.pop(address, None)
            raise

    def add_those_of(self, other: Functions) -> None:
        """Own the functions of a graph that is added to this object's, too."""
        self._own.update(other._own)

    def leave_to_work_in_flight(self) -> None:
        """Before the library's graph is reset or freed: this object owns them no longer."""
        self._own = {}
