"""Times of a sequence's operations: recorded by a profile of the library around each submission."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from typing import Any

from .. import _native
from .home import Home

_enums = _native.enums
_numbers = itertools.count(1)
_ON_DEVICE = (_enums.VD_SPAN_LAUNCH, _enums.VD_SPAN_COPY, _enums.VD_SPAN_FILL)
# Calls of the program's that a profile has room for, beside the nodes of a submission.
_ROOM = 1 << 12


class Stamps:
    """The times of the last submission: one at its begin, and one after each operation, in nanoseconds of the host's clock."""

    def __init__(self, home: Home, most: int):
        self._home = home
        #: Operations that may be recorded.
        self.most = most
        self._prefix = f"kp {next(_numbers)}: "
        self._profile: Any = None
        #: Names of the operations of the last submission.
        self.names: list[str] = []
        self._times: list[int] = []
        # Nodes of the graph that is being built, and the operations that they belong to.
        self._nodes = 0
        self._known: int | None = None
        self._operations: list[str] = []
        # When functions of OpHost began and ended, by the number of the operation.
        self._calls: dict[int, tuple[int, int]] = {}

    def begin_graph(self) -> None:
        """Begin to tell the nodes of a new graph."""
        self._nodes, self._known, self._operations = 0, None, []

    def added(self, node: int) -> None:
        """Note the last node of the operation that is being built: to ask the graph takes as long as it has nodes."""
        self._known = node + 1

    def end_operation(self, graph: Any, name: str) -> None:
        """Label the nodes since the last operation's as those of this one."""
        raw = _native.raw
        count = raw.vd_graph_get_info(graph).node_count if self._known is None else self._known
        self._known = None
        for node in range(self._nodes, count):
            raw.vd_graph_set_label(graph, node, f"{self._prefix}{len(self._operations)}")
        self._nodes = count
        self._operations.append(name)

    def timed(self, function: Callable[[], None]) -> Callable[[], None]:
        """The function of the operation that is being built, which notes when it is called: no span of a profile tells it."""
        number = len(self._operations)

        def call() -> None:
            begin = time.perf_counter_ns()  # the clock of profiles
            function()
            self._calls[number] = begin, time.perf_counter_ns()

        return call

    def begin(self) -> None:
        """Record the graph's run, which is submitted from now on."""
        raw = _native.raw
        self.names = self._operations
        self._calls = {}
        self._profile = raw.vd_profile_create(self._home.pointer, raw.vd_profile_desc(capacity=self._nodes + _ROOM))

    def read(self) -> list[int]:
        """The times, once the work is done."""
        if self._profile is not None:
            profile, self._profile = self._profile, None
            self._times = self._collect(profile)
        return list(self._times)

    def _collect(self, profile: Any) -> list[int]:
        from .._native._load import ffi

        raw = _native.raw
        raw.vd_profile_stop(profile, _enums.VD_WAIT_FOREVER)
        begins = [begin for begin, _ in self._calls.values()]
        ends = {number: end for number, (_, end) in self._calls.items()}
        first_call = None
        for i in range(raw.vd_profile_get_info(profile).span_count):
            span = raw.vd_profile_get_span(profile, i)
            first_call = span.begin_ns if first_call is None else min(first_call, span.begin_ns)
            label = ffi.string(span.label).decode("utf-8", "replace")
            if span.kind in _ON_DEVICE and label.startswith(self._prefix):
                number = int(label[len(self._prefix) :])
                begins.append(span.begin_ns)
                ends[number] = max(ends.get(number, 0), span.end_ns)
        at = min(begins, default=first_call or 0)
        # A device's clock is known with an error, which is milliseconds on a busy device, but what comes before a call
        # ended before it began.
        latest = None
        for number in reversed(range(len(self.names))):
            if latest is not None and number in ends:
                ends[number] = min(ends[number], latest)
            if number in self._calls:
                latest = self._calls[number][0]
        times = [at]
        for number in range(len(self.names)):
            at = max(at, ends.get(number, at))
            times.append(at)
        return times
