"""Times of a sequence's operations: recorded by a profile of the library around each submission."""

from __future__ import annotations

import itertools
from typing import Any

from .. import _native
from .home import Home

_enums = _native.enums
_numbers = itertools.count(1)
_ON_DEVICE = (_enums.VD_SPAN_LAUNCH, _enums.VD_SPAN_COPY, _enums.VD_SPAN_FILL)
# Calls and nodes beside those of an operation: an operation of many objects has a node for each.
_ROOM = 1 << 16


class Stamps:
    """The times of the last submission: one at its begin, and one after each operation, in nanoseconds of the host's clock."""

    def __init__(self, home: Home, most: int):
        self._home = home
        #: Operations that may be recorded.
        self.most = most
        self._prefix = f"kp {next(_numbers)}: "
        self._profile: Any = None
        self._count = 0
        self._times: list[int] = []

    def label(self, graph: Any, first: int, number: int) -> None:
        """Name the nodes from the first one on as those of an operation."""
        raw = _native.raw
        for node in range(first, raw.vd_graph_get_info(graph).node_count):
            raw.vd_graph_set_label(graph, node, f"{self._prefix}{number}")

    def begin(self, count: int) -> None:
        """Record what is submitted from now on: `count` operations."""
        raw = _native.raw
        self._count = count
        self._profile = raw.vd_profile_create(self._home.pointer, raw.vd_profile_desc(capacity=_ROOM))

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
        begins: list[int] = []
        ends: dict[int, int] = {}
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
        times = [at]
        for number in range(self._count):
            at = max(at, ends.get(number, at))
            times.append(at)
        return times
