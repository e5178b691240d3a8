"""Sequences: operations that are recorded once and run as often as wanted, as one graph of the library's.

Example:
    manager = kp.Manager()
    a, b = manager.tensor([1, 2]), manager.tensor([0, 0])
    sequence = manager.sequence(total_timestamps=3)
    sequence.record(kp.OpSyncDevice([a])).record(kp.OpCopy([a, b])).record(kp.OpSyncLocal([b]))
    sequence.eval()  # waits
    sequence.eval_async()  # the same again
    sequence.eval_await()
    assert b.data().tolist() == [1, 2] and len(sequence.get_timestamps()) == 4
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator
from itertools import pairwise
from typing import Any

from .. import _native
from .._native._launcher import Evaluator
from ..base.event import Event
from ..base.pointers import address_of
from ..base.words import bracketed
from ..execution_pipeline.command_graph import CommandGraph
from .built_graph import BuiltGraph
from .errors import invalid, unsigned, wrong_state
from .home import Child, Home
from .host_function import is_in_host_function_of, refuse_in_host_function
from .host_memory import HostMemory
from .log import logger
from .operations import OpBase, OpRecordVd, Recorded
from .runs import SLICE, Runs, named, text_of
from .timestamps import Stamps

_enums = _native.enums
_FOREVER = _enums.VD_WAIT_FOREVER


class Sequence(Child):
    """Operations on a queue. A Manager makes it; one thread at a time uses it."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise TypeError("Sequence: No constructor defined! A Manager makes it")

    @classmethod
    def _new(cls, home: Home, queue: int, stamps: int) -> Sequence:
        self = cls.__new__(cls)
        self._start(home, queue, stamps)
        return self

    def _start(self, home: Home, queue: int, stamps: int) -> None:
        self._home = home
        self._alive = True
        self._operations: list[Recorded] = []
        # Operations of the graph that was built last.
        self._ran: list[Recorded] = []
        self._first = 0  # of the operations that run
        self._recording = False
        self._built: BuiltGraph | None = None
        # Changes that make a graph stale are counted, also while it is built: by another thread, or by a function that building calls.
        self._changes = 0
        self._builders: list[int] = []  # threads that build, each as often as it does
        self._changed_by_builder = False
        self._stamps = Stamps(home, stamps) if stamps else None
        self._runs = Runs(home, home.queues[queue])

    # ---- Recording

    def record(self, op: Any) -> Sequence:
        """Append an operation. The first one after an eval begins anew; rerecord() brings the earlier ones back."""
        self._check("record")
        if not isinstance(op, OpBase):
            raise TypeError(f"Sequence.record: op {bracketed(op)} is no OpBase: incompatible function arguments")
        self._settle("record", "called when sequence still running")
        first = self._first if self._recording else len(self._operations)
        self._check_stamps("record", len(self._operations) - first + 1)
        taken = op._take(self._home)
        self._first = first
        self._operations.append(taken)
        self._recording = True
        self._forget_graph()
        return self

    def _check_stamps(self, method: str, count: int) -> None:
        if self._stamps is not None and count > self._stamps.most:
            raise invalid(
                f"Sequence.{method}: the sequence has {self._stamps.most} timestamps (total_timestamps), and would have {count} "
                "operations"
            )

    def record_vd(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Sequence:
        """Record what a function launches: transforms, reductions and kernels of the package, on `tensor.buffer`."""
        return self.record(OpRecordVd(function, args, kwargs))

    def begin(self) -> Sequence:
        """Begin to record: operations that were recorded before do not run."""
        self._check("begin")
        self._settle("begin", "called when sequence still running")
        if not self._recording:
            self._first, self._recording = len(self._operations), True
            self._forget_graph()
        return self

    def end(self) -> Sequence:
        """End recording."""
        self._check("end")
        self._recording = False
        return self

    def clear(self) -> None:
        """Forget all operations, and end recording."""
        self._check("clear")
        if self._runs.unawaited:
            self._settle("clear", "")
        self._operations, self._first, self._recording = [], 0, False
        self._forget_graph()

    def rerecord(self) -> None:
        """Record all operations again, each with the values that it took first."""
        self._check("rerecord")
        self._settle("rerecord", "called when sequence still running")
        self._check_stamps("rerecord", len(self._operations))
        self._first = 0
        self._recording = bool(self._operations)
        self._forget_graph()

    def _forget_graph(self) -> None:
        """Have the graph built anew at the next submission."""
        self._changes += 1
        self._changed_by_builder = self._changed_by_builder or threading.get_ident() in self._builders
        self._built = None

    def _refuse_while_building(self, method: str) -> None:
        """RuntimeError in a function that the thread calls while it builds this very graph."""
        if threading.get_ident() in self._builders:
            raise wrong_state(
                f"Sequence.{method}: {self!r} is being built: a function of record_vd must not use its own sequence's graph, or run it"
            )

    def _build(self) -> BuiltGraph:
        """The operations' graph, built where it is stale."""
        built = self._built
        if built is not None:
            return built
        self._builders.append(threading.get_ident())
        try:
            for _ in range(2):  # what another thread changes again counts from the next submission on
                changes, self._changed_by_builder = self._changes, False
                self._home.check("Sequence")
                self._ran = self._operations[self._first :]
                built = BuiltGraph(self._home, self._ran, self)
                if changes == self._changes:
                    self._built = built
                if changes == self._changes or self._changed_by_builder:
                    break
        except _native.Error as error:
            raise self._explained(error) from None
        finally:
            self._builders.remove(threading.get_ident())
        assert built is not None
        return built

    # ---- Running

    def eval(self, op: Any = None) -> Sequence:
        """Run what is recorded, or `op` alone, and wait."""
        built, runs = self._built, self._runs
        evaluator = None if built is None or op is not None else built.graph._evaluator
        if built is None or evaluator is None or runs.pending:
            self._begin_run("eval", op)
            runs.unawaited = True  # where an interrupt ends the wait, the next call waits for the rest
            self._submit()
            self._await(None)
            return self
        try:
            ticket = evaluator.run(SLICE)
            if ticket:
                runs.submitted = time.perf_counter()
                runs.unawaited = True  # where an interrupt ends the wait, the next call waits for the rest
                runs.add(ticket, built.touched)
        except _native.Error as error:
            named.rename(error)
            raise self._explained(error) from None
        except BaseException:
            # The interrupt from the keyboard may hide the ticket of the run: one behind it is waited for.
            self._keep(runs.submit_nothing(), built)
            raise
        if ticket or runs.raised:
            self._await(None)
        return self

    def eval_async(self, op: Any = None) -> Sequence:
        """Submit what is recorded, or `op` alone, and return at once."""
        self._begin_run("eval_async", op)
        self._home.keep_running(self)
        self._submit()
        self._runs.unawaited = op is None
        return self

    def _begin_run(self, method: str, op: Any) -> None:
        self._check(method)
        self._refuse_while_building(method)
        if op is not None and not isinstance(op, OpBase):
            raise TypeError(f"Sequence.{method}: op {bracketed(op)} is no OpBase: incompatible function arguments")
        self._settle(method, "called when an eval async was called without successful wait")
        refuse_in_host_function(method)
        if op is not None:
            taken = op._take(self._home)
            self._operations, self._first = [taken], 0
            self._forget_graph()
        self._recording = False

    def _submit(self) -> None:
        built, runs = self._build(), self._runs
        built.read_lives()
        if self._stamps is not None:
            self._stamps.begin()
        owed: list[HostMemory] = []
        runs.begin()
        try:
            runs.carrier.send(owed)
            with named:
                runs.add(self._submit_built(built), built.touched)
            runs.timed_out = False
        except BaseException as error:
            if runs.submitted_ticket():  # an interrupt from the keyboard behind the submission
                built.take_first_contents()
                self._keep(runs.submitted_ticket(), built)
            else:
                runs.carrier.take_back(owed)
            if isinstance(error, _native.Error):
                raise self._explained(error) from None
            raise
        if built.plain and built.graph._evaluator is None:
            built.graph._evaluator = self._make_evaluator(built.native)

    def _submit_built(self, built: BuiltGraph) -> int:
        if not built.given:
            return self._runs.submit(built.native)
        with self._home.first_contents:
            ticket = self._runs.submit(built.native)
            built.take_first_contents()
        return ticket

    def _keep(self, ticket: int, built: BuiltGraph) -> None:
        """Have the next call, or whoever needs its data, wait for work that an interrupt left."""
        if ticket not in self._runs.tickets:
            self._runs.add(ticket, built.touched)
        self._runs.unawaited = True
        self._home.keep_running(self)

    def _explained(self, error: _native.Error) -> _native.Error:
        """The error of a submission: which object of which operation was destroyed, if that is why."""
        self._home.note(error)
        if error.status != _enums.VD_ERR_STATE or not self._home.usable:
            return error
        for number, recorded in enumerate(self._ran):
            for place, mem in enumerate(recorded.operation._used()):
                if not mem.is_init():
                    operation = type(recorded.operation).__name__
                    return wrong_state(
                        f"Sequence: operation {number} ({operation}) uses object {place} of its list, and this {mem._noun()} was "
                        "destroyed"
                    )
        return error

    def _make_evaluator(self, native: Any) -> Evaluator:
        owner = native, self._runs.order, self._home.pointer
        return Evaluator(*(0 if one is None else address_of(one) for one in owner), owner)

    def _settle(self, method: str, message: str) -> None:
        """Before new work: after a timed-out wait it comes behind the old; an eval_async() that nobody awaits is awaited."""
        if not self._runs.pending or self._runs.timed_out:
            return
        if self._runs.unawaited:
            self._await(None)
            return
        raise wrong_state(f"Sequence.{method} {message}; eval_await() waits for it")

    # ---- Waiting

    def eval_await(self, wait: Any = None) -> Sequence:
        """Wait for all submitted work, `wait` nanoseconds at most. When the time runs out, timed_out() and is_running() are
        True, and a warning tells it."""
        self._check("eval_await")
        limit = None if wait is None else unsigned(wait, "Sequence.eval_await: wait")
        if limit is not None and limit > _FOREVER:
            raise TypeError(
                f"Sequence.eval_await: wait ({limit}) does not fit in 64 bits: incompatible function arguments"
            )
        if not self._runs.pending:
            logger.warning("Sequence.eval_await: nothing is running")
            return self
        if not self._await(limit):
            names = ", ".join(type(one.operation).__name__ for one in self._ran)
            elapsed = time.perf_counter() - self._runs.submitted
            logger.warning("Sequence.eval_await: the time ran out %.6f s after the submission of %s", elapsed, names)
        return self

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait for all submitted work; False if `timeout_s` seconds ran out."""
        self._check("wait")
        if timeout_s is not None and not isinstance(timeout_s, (int, float)):
            raise TypeError(
                f"Sequence.wait: timeout_s {bracketed(timeout_s)} must be a number: incompatible function arguments"
            )
        if timeout_s is not None and not timeout_s >= 0:
            raise invalid(f"Sequence.wait: timeout_s {bracketed(timeout_s)} must be a number of seconds from 0 on")
        return self._await(None if timeout_s is None else int(min(timeout_s, _FOREVER // 10**9) * 1e9))

    def _await(self, limit: int | None) -> bool:
        """Wait for all submitted work; whether it is done."""
        refuse_in_host_function("wait")
        try:
            return self._runs.finish(limit)
        except BaseException:
            if self._runs.pending:  # an interrupt from the keyboard
                self._home.keep_running(self)
            raise

    def _keeps_data(self) -> bool:
        """Whether data() has to wait for it, or to bring bytes."""
        return self._runs.needed

    def done(self) -> bool:
        """Whether no submitted work is left to wait for. Changes no state."""
        self._check("done")
        return self._runs.wait(0)

    def __await__(self) -> Generator[Any, None, Any]:
        """Wait as eval_await() does, while other coroutines run; the result is the sequence."""
        self._check("await")
        yield from Event.of(self._home.context, self._runs.tickets).__await__()
        self._await(None)
        return self

    # ---- Looking

    def is_recording(self) -> bool:
        """Whether operations were recorded that were not submitted."""
        return self._recording

    def is_running(self) -> bool:
        """Whether submitted work was not awaited, even where the device has finished it."""
        return bool(self._runs.pending)

    def is_init(self) -> bool:
        """Whether it was neither destroyed, nor its Manager."""
        return self._alive

    def timed_out(self) -> bool:
        """Whether the last wait ran out of time."""
        return self._runs.timed_out

    @property
    def ticket(self) -> int:
        """The library's ticket of the last submission that was not awaited; 0 if there is none."""
        pending = self._runs.pending
        return pending[-1].ticket if pending else 0

    @property
    def graph(self) -> CommandGraph:
        """The graph of what is recorded."""
        self._check("graph")
        self._refuse_while_building("graph")
        built = self._build()
        try:
            built.need_first_contents()
        except _native.Error as error:
            raise self._explained(error) from None
        return built.graph

    def get_timestamps(self) -> list[int]:
        """The times of the last submission, in nanoseconds: one at the begin, and one after each operation."""
        return self._times("get_timestamps")

    def _times(self, method: str) -> list[int]:
        self._check(method)
        if self._stamps is None:
            raise wrong_state(
                f"Sequence.{method}: Timestamp latching not enabled; Manager.sequence takes total_timestamps"
            )
        self._runs.wait(None)  # in slices, which an interrupt from the keyboard ends
        return self._stamps.read()

    def get_timings(self) -> list[tuple[str, int]]:
        """The name of each operation of the last submission, and the nanoseconds that it took."""
        times = self._times("get_timings")
        names = self._stamps.names if self._stamps is not None else ()
        return [(name, end - begin) for name, (begin, end) in zip(names, pairwise(times), strict=True)]

    # ---- Life

    def _check(self, method: str) -> None:
        if not self._alive:
            raise wrong_state(f"Sequence.{method}: the Sequence was destroyed, or its Manager was")
        self._home.raise_faults(f"Sequence.{method}")

    def destroy(self) -> None:
        """Wait for its work, and let go of its operations. Doing it again is only a warning."""
        if not self._alive:
            logger.warning("Sequence.destroy: the Sequence was destroyed before")
            return
        if self._runs.pending or is_in_host_function_of(self._runs):  # which may run before it has a ticket
            refuse_in_host_function("destroy")
        self._close()

    def _close(self, waits: bool = True) -> None:
        if not self._alive:
            return
        try:
            if waits and self._runs.pending and self._home.usable:
                self._await(None)
        except Exception as error:  # noqa: BLE001 - whatever a function of OpHost raised
            logger.error("Sequence.destroy: %s", text_of(error))
        except BaseException:
            if not self._runs.pending:  # raised by a function of OpHost, and no interrupt of the wait
                self._end_life()
            raise
        self._end_life()

    def _end_life(self) -> None:
        self._alive = self._recording = False
        self._operations, self._ran, self._first = [], [], 0
        self._forget_graph()

    def __del__(self) -> None:
        if hasattr(self, "_runs"):
            self._runs.lose()

    def __repr__(self) -> str:
        if not self._alive:
            return "<kp.Sequence: destroyed>"
        state = "recording" if self._recording else "running" if self._runs.pending else "idle"
        return f"<kp.Sequence: {len(self._operations)} operations, {state}>"
