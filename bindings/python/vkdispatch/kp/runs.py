"""Runs of a sequence: work that was submitted, until it was awaited."""

from __future__ import annotations

import time
import weakref
from typing import Any, NamedTuple

from .. import _native
from ..execution_pipeline.command_graph import CommandGraph
from .carrier import Carrier
from .home import Home
from .log import logger

_enums = _native.enums
#: The longest time for which a wait delays an interrupt from the keyboard, in nanoseconds.
SLICE = 50_000_000
named = _native.naming("Sequence")


class Run(NamedTuple):
    """A submission that was not awaited."""

    ticket: int
    #: Memory whose host's bytes it may read or write.
    touched: weakref.WeakSet[Any]


class Runs:
    """The submissions of a sequence that were not awaited, in their order, and what a wait brings."""

    def __init__(self, home: Home, queue: int):
        self.home = home
        self.carrier = Carrier(queue)
        self.pending: list[Run] = []
        #: Exceptions of functions of OpHost in them.
        self.raised: list[BaseException] = []
        #: Whether the program, which called eval_async() without an operation, may never await them.
        self.unawaited = False
        #: Whether the last wait ran out of time.
        self.timed_out = False
        #: The time of the last submission.
        self.submitted = 0.0
        self.order = _native.raw.vd_submit_desc(queue=queue) if queue else None
        # The library puts the ticket of a submission here, where an interrupt from the keyboard does not hide it.
        self._out = _native.submission.ticket_memory()

    @property
    def tickets(self) -> list[int]:
        """Their tickets."""
        return [run.ticket for run in self.pending]

    # ---- Submitting

    def begin(self) -> None:
        """Begin a submission, whose ticket submitted_ticket() returns."""
        self.submitted = time.perf_counter()
        self._out[0] = 0

    def submit(self, native: Any) -> int:
        """Submit a graph of the library's; its ticket, which add() takes."""
        _native.submission.submit_graph(native, self.order, self._out)
        return int(self._out[0])

    def submitted_ticket(self) -> int:
        """The ticket of the submission since begin(); 0 if it failed."""
        return int(self._out[0])

    def submit_nothing(self) -> int:
        """Submit an empty graph, behind all work of the queue."""
        return self.submit(CommandGraph(context=self.home.context)._graphs()[0])

    def add(self, ticket: int, touched: weakref.WeakSet[Any]) -> None:
        """Note a submission."""
        self.pending.append(Run(ticket, touched))

    # ---- Waiting

    def finish(self, limit: int | None) -> bool:
        """Wait for all of them, `limit` nanoseconds at most; whether they are done. Raises what functions of OpHost raised."""
        try:
            done = self.wait(limit)
        except _native.Error as error:
            self.home.note(error)
            self._end()
            raise
        if not done:
            self.timed_out = True
            return False
        self.carrier.fetch()
        self._end()
        if self.raised:
            first, *others = self.raised
            self.raised.clear()
            for other in others:
                report_lost(other)
            raise first
        return True

    def wait(self, limit: int | None) -> bool:
        """Wait for all of them, and change no state; False if `limit` nanoseconds ran out."""
        with named:
            if limit is None:
                for run in self.pending:
                    self._wait_for_ticket(run.ticket)
                return True
            end = time.perf_counter_ns() + limit
            for run in self.pending:
                left = limit
                while not self._is_done(run.ticket, min(max(left, 0), SLICE)):
                    left = end - time.perf_counter_ns()
                    if left <= 0:
                        return False
        return True

    def _wait_for_ticket(self, ticket: int) -> None:
        while not self._is_done(ticket, SLICE):
            pass

    def _is_done(self, ticket: int, limit: int) -> bool:
        return bool(_native.raw.vd_ticket_wait(self.home.pointer, ticket, limit) != _enums.VD_TIMEOUT)

    def wait_for(self, mem: Any) -> None:
        """Wait for those that touch the memory, which stay unawaited for the program. The caller names its function in errors."""
        if not self.home.alive:
            return
        pending = list(self.pending)
        touching = [run.ticket for run in pending if mem in run.touched]
        for ticket in touching:
            self._wait_for_ticket(ticket)
        if touching:
            every = len(touching) == len(pending)  # then nothing needs them any more
            self.carrier.fetch(None if every else [*mem._mirror(), *mem._in_place()])

    @property
    def needed(self) -> bool:
        """Whether data() has to wait for them, or to bring bytes."""
        return self.carrier.owes or not self.wait(0)

    def _end(self) -> None:
        self.carrier.forget()
        self.pending = []
        self.unawaited = self.timed_out = False

    def lose(self) -> None:
        """Let go of them: nobody can ask for their bytes, and no call raises their exceptions."""
        self.carrier.forget()
        for error in self.raised:
            report_lost(error)


def text_of(error: BaseException) -> str:
    """The text of an exception, whose own may raise."""
    try:
        return str(error)
    except Exception as other:  # noqa: BLE001 - whatever the program's __str__ raises
        return f"<{type(error).__name__}, whose text cannot be shown: {type(other).__name__}>"


def report_lost(error: BaseException) -> None:
    """Log an exception of OpHost's that no call raises: another one was raised, or nobody waits."""
    logger.error("OpHost: an exception that no call raises: %s: %s", type(error).__name__, text_of(error))
