"""Functions of Python that graphs call.

The library calls them on threads of its own or of the driver, which take the interpreter's lock; entries called through cffi
have let go of it, and so do prepared launches once there is such a function.

A graph owns its functions, so that the garbage collector sees what they refer to: mostly the graph itself. What a graph that is
reset or freed leaves in flight owns them from then on.
"""

from __future__ import annotations

import ctypes
import itertools
import time
import weakref
from collections.abc import Callable
from typing import Any

from . import _hot as hot
from . import _raw as raw
from ._load import ffi


class _Function:
    """A function, to which a weak reference is possible whatever it is."""

    __slots__ = ("__weakref__", "run")

    def __init__(self, run: Callable[[], Any]):
        self.run = run


#: The functions that a graph of the library or work in flight may call, by their numbers.
_known: dict[int, weakref.ref[_Function]] = {}
#: Functions among them that no graph owns.
_in_flight: dict[int, _Function] = {}
_numbers = itertools.count(1)


def _c_functions(
    known: dict[int, weakref.ref[_Function]], in_flight: dict[int, _Function], ffi: Any, sleep: Callable[[float], None]
) -> tuple[Any, Any]:
    """The two C functions, which live as long as the process and use no name of a module: the library may call them when the
    interpreter has cleared its modules."""

    @ffi.callback("vd_graph_fn")
    def call(user: Any) -> None:
        number = int(ffi.cast("uintptr_t", user))
        while number in known:
            found = in_flight.get(number) or known[number]()
            if found is not None:
                found.run()  # cffi prints exceptions of the function: nothing may unwind into C
                return
            sleep(0.0001)  # a thread that collects garbage has cleared the reference, and calls let_go() next

    @ffi.callback("vd_free_fn")
    def free(user: Any) -> None:
        number = int(ffi.cast("uintptr_t", user))
        known.pop(number, None)
        in_flight.pop(number, None)

    for function in (call, free):
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(function))
    return call, free


_call, _free = _c_functions(_known, _in_flight, ffi, time.sleep)


class Functions:
    """The functions that a graph calls."""

    def __init__(self) -> None:
        self._own: dict[int, _Function] = {}
        self._known, self._in_flight = _known, _in_flight  # at the interpreter's end there may be no module left

    def record(self, graph: Any, function: Callable[[], Any]) -> int:
        """Record a call of the function; it is kept until neither the graph nor work in flight needs it."""
        hot.unlock_launches()  # the driver may hold up a launch until the function has returned
        number = next(_numbers)
        self._own[number] = kept = _Function(function)
        _known[number] = weakref.ref(kept)
        try:
            return raw.vd_graph_call(graph, _call, ffi.cast("void *", number), _free)
        except BaseException:
            _known.pop(number, None)
            self._own.pop(number, None)
            raise

    def let_go(self) -> None:
        """Before the library's graph is reset or freed: leave them to work in flight."""
        own, self._own = self._own, {}
        for number, function in own.items():
            self._in_flight[number] = function
            if number not in self._known:  # the library was done with it before
                self._in_flight.pop(number, None)
