"""The graph of a sequence's operations, and what each run of it needs."""

from __future__ import annotations

import weakref
from typing import Any

from .. import _native
from ..execution_pipeline.command_graph import CommandGraph
from .home import CONTEXT_CURE, Home
from .operations import Recorded, copy_mirrors, in_place_of


class BuiltGraph:
    """Operations as a graph of the library's."""

    def __init__(self, home: Home, recorded: list[Recorded], user: Any):
        self.graph = CommandGraph(context=home.context)
        self.graph._context_cure = CONTEXT_CURE
        #: Operations whose push constants each run reads anew, each with its node.
        self.lives: list[tuple[Any, int]] = []
        self._record(recorded, user)
        used, read, written = _reached([one.operation for one in recorded], home)
        #: Memory whose host's bytes a run may read or write. Bytes that are sent to the device before the work have been
        #: read when eval_async() returns.
        self.touched: weakref.WeakSet[Any] = weakref.WeakSet(
            mem for mem, _ in (*written, *(reached for reached in read if reached[1].shared))
        )
        with home.lock:
            for mem in self.touched:
                mem._add_user(user._runs)
        #: Memory that the graph gives its first contents, which others wait for until it was submitted.
        self.given: list[Any] = [mem for mem in used if mem._is_given_by(self.native)]
        carrier = user._runs.carrier
        carrier.plan(read, written)
        #: Whether a run does no more than to submit and to wait.
        self.plain = carrier.idle and not (self.lives or user._stamps or home.watches_faults)

    @property
    def native(self) -> Any:
        """The library's graph. It is not kept here: the graph lets go of it when its context ends."""
        return self.graph._graphs()[0]

    def _record(self, recorded: list[Recorded], user: Any) -> None:
        stamps = user._stamps
        if stamps is not None:
            stamps.begin_graph()
        for one in recorded:
            operation = one.operation
            with _native.naming(type(operation).__name__):
                live = operation._build(self.graph, self.native, one, user)
            if live is not None:
                self.lives.append((operation, live))
            if stamps is not None:
                stamps.end_operation(self.native, type(operation).__name__)
        with _native.naming("OpCopy"):
            copy_mirrors(self.native, [one.operation for one in recorded])

    def read_lives(self) -> None:
        """Give the graph the push constants that live arrays have now."""
        for operation, node in self.lives:
            _native.raw.vd_graph_set_values(self.native, node, 0, operation._live_bytes())

    def take_first_contents(self) -> None:
        """Note that the graph was submitted, which gives memory its first contents."""
        for mem in self.given:
            mem._take_contents()
        self.given = []

    def need_first_contents(self) -> None:
        """Give that memory its contents now: nobody sees when the program submits the graph."""
        for mem in self.given:
            mem._need_contents()
        self.given = []


def _reached(operations: list[Any], home: Home) -> tuple[list[Any], list[Any], list[Any]]:
    """The objects that operations use, and the host's memory that they read and write, once they have made their mirrors."""
    used, read, written = [], [], []
    for operation in operations:
        used += operation._used()
        read += operation._host_read()
        written += operation._host_written()
    if any(operation._uses_anything for operation in operations):
        with home.lock:
            shown = in_place_of(list(home.shown))
        read += shown
        written += shown
    return used, read, written
