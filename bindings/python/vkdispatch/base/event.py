"""Points in the work of a context, and results that are not there yet.

Both can be asked (`done()`), waited for (`wait()`, `result()`, with a timeout in seconds) and awaited in asyncio. A failure of the
work is raised by every wait for that work, and by the first wait for later work unless it was raised before.

Example:
    numbers = vd.zeros(1000)
    numbers.fill(7)
    before = numbers.read_async()  # a copy of what is there now
    numbers.fill(8)
    after = numbers.read_async(after=vd.Event())
    assert before.result(timeout=10)[999] == 7 and after.result()[0] == 8
    event = vd.Event()  # all work so far
    assert event.wait(timeout=10) and event.done()
    assert 0 <= event.elapsed < 10  # seconds
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator, Iterable
from typing import Any, Generic, TypeVar, cast

from .. import _native
from .context import Context, context_for
from .errors import WrongTypeError
from .semaphore import SemaphorePoint, order_fields, points
from .timeouts import end_of, seconds_of, wait_until
from .words import shown

_enums = _native.enums
T = TypeVar("T")


class Event:
    """The point at which all work is done that was submitted so far: to queue `index`, or to every queue."""

    def __init__(self, index: int | None = None, context: Context | None = None):
        ctx = context_for(context, "Event")
        queues = ctx.queues(-2 if index is None else index, "Event: index")
        pointer, last = ctx._live_pointer("Event"), _native.raw.vd_context_get_last_ticket
        self._set(ctx, tuple(last(pointer, queue) for queue in queues))

    def _set(self, context: Context, tickets: tuple[int, ...]) -> None:
        #: The context whose work it is about.
        self.context: Context = context
        #: The library's tickets, one for each queue.
        self.tickets: tuple[int, ...] = tuple(ticket for ticket in tickets if ticket)
        # Seconds of the host's clock: when it was made, and when the work was first seen to be done.
        self._made = time.perf_counter()
        self._ended: float | None = None
        # Whether a wait has found that the work succeeded.
        self._succeeded = False

    @classmethod
    def of(cls, context: Context, tickets: Iterable[int]) -> Event:
        """The point at which the work of these tickets is done."""
        event = cls.__new__(cls)
        event._set(context, tuple(tickets))
        return event

    def done(self) -> bool:
        """Whether wait() would return at once, or raise."""
        if self._ended is None:
            pointer, is_done = self._live_pointer(), _native.raw.vd_ticket_is_done
            if not all(is_done(pointer, ticket) for ticket in self.tickets):
                return False
            self._note_end()
        return True

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until the work is done; False if `timeout` seconds ran out.

        Raises the failure of the work each time, and a failure of earlier work unless it was raised before.
        """
        return self._wait_until(None if timeout is None else seconds_of(timeout, "Event.wait"), "Event.wait")

    def _live_pointer(self) -> Any:
        pointer = self.context._pointer
        if pointer is None:
            raise RuntimeError("The context was destroyed")
        return pointer

    def _wait_until(self, seconds: float | None, method: str) -> bool:
        if self._succeeded:
            return True
        pointer = self._live_pointer()
        end, wait = end_of(seconds), _native.raw.vd_ticket_wait

        def ends(ticket: int) -> bool:
            return wait_until(end, lambda left: wait(pointer, ticket, left) != _enums.VD_TIMEOUT)

        with _native.naming(method):
            try:
                ended = all(ends(ticket) for ticket in self.tickets)
            except _native.Error:
                self.done()  # notes the end, if it is that of all tickets
                raise
        if ended:
            self._note_end()
            self._succeeded = True
        return ended

    def _note_end(self) -> None:
        if self._ended is None:
            self._ended = time.perf_counter()

    @property
    def elapsed(self) -> float:
        """Seconds of the host's clock from the making of the event until its work was done; the seconds so far if it is not.

        The end is when wait(), done(), a function of call_when_done() or this first saw it: wait right away for an exact one.
        """
        self.done()
        return (time.perf_counter() if self._ended is None else self._ended) - self._made

    def call_when_done(self, call: Callable[[], Any]) -> None:
        """Have `call()` called once when the work is done or has failed, on another thread. It must return soon.

        The function hears nothing of a failure: the next wait for the event, or another wait, a read or a map, raises it.
        """
        from .._native import _notify

        if not callable(call):
            raise WrongTypeError(f"Event.call_when_done: call must be a function (got {shown(call)})")
        pointer = self._live_pointer()
        left = [len(self.tickets) or 1]

        def count() -> None:
            left[0] -= 1  # one at a time: the interpreter's lock is held
            if not left[0]:
                self._note_end()
                call()

        for ticket in self.tickets or (0,):
            _notify.notify(pointer, ticket, count)

    def __await__(self) -> Generator[Any, None, None]:
        import asyncio

        loop = asyncio.get_running_loop()
        waiter = loop.create_future()

        def wake() -> None:
            if not waiter.done():
                waiter.set_result(None)

        def tell() -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(wake)

        if not self.done():
            self.call_when_done(tell)
            yield from waiter
        self._wait_until(None, "Event")  # raises its failure

    def __repr__(self) -> str:
        return f"<Event, {self._state()}>"

    def _state(self) -> str:
        """The state in the words of repr(), which must not raise."""
        try:
            return "done" if self.done() else "not done"
        except RuntimeError:
            return "of a destroyed context" if self.context._pointer is None else "not known here"


class Future(Generic[T]):
    """The result of a transfer that is under way: of `read_async()` an array, of `write_async()` None."""

    def __init__(self, event: Event, finish: Callable[[], T]):
        #: The point at which the result is there.
        self.event: Event = event
        self._finish: Callable[[], T] | None = finish
        self._finishing = threading.Lock()
        self._result: Any = None
        # The failure that exception() told, which the next result() raises.
        self._told: _native.Error | None = None

    def done(self) -> bool:
        """Whether result() would return at once, or raise."""
        return self.event.done()

    def result(self, timeout: float | None = None) -> T:
        """The result, waited for. TimeoutError if `timeout` seconds ran out.

        Raises the failure of the work each time, and a failure of earlier work unless it was raised before.
        """
        seconds = None if timeout is None else seconds_of(timeout, "Future.result")
        if self._finish is None:
            return cast(T, self._result)
        told, self._told = self._told, None
        if told is not None:
            with _native.naming("Future.result"):
                raise told
        if not self.event._wait_until(seconds, "Future.result"):
            raise TimeoutError(f"Future.result: the transfer is not done after {timeout} s")
        return self._finished()

    def _finished(self) -> T:
        """The result of a transfer that is done, whatever became of the work before it: waits raise its failures."""
        with self._finishing:
            if self._finish is not None:
                self._result = self._finish()
                self._finish = None
        return cast(T, self._result)

    def exception(self, timeout: float | None = None) -> BaseException | None:
        """The failure of the work, waited for; None if it succeeded. The next result() raises it, too."""
        try:
            self.result(timeout)
        except _native.Error as error:
            self._told = _native._errors.again(error)  # without the traceback, which holds this call's objects
            return error
        return None

    def call_when_done(self, call: Callable[[], Any]) -> None:
        """Have `call()` called once when the transfer is done or has failed, on another thread. It must return soon.

        The function hears nothing of a failure: result() raises it.
        """
        self.event.call_when_done(call)

    def __await__(self) -> Generator[Any, None, T]:
        yield from self.event.__await__()
        return self.result()

    def __repr__(self) -> str:
        return f"<Future, {self.event._state()}>"


def order_after(after: Any, context: Context, method: str) -> Any:
    """The descriptor of an order after events, futures, points of semaphores or one of them; None after none. ValueError for
    those of another context."""
    given = after if isinstance(after, (list, tuple)) else (after,)
    tickets: list[int] = []
    waits: list[SemaphorePoint] = []
    for i, one in enumerate(given):
        event = one.event if isinstance(one, Future) else one
        if isinstance(one, SemaphorePoint):
            waits += points(one, f"{method}: after[{i}]")
            of = one.semaphore.context
        elif isinstance(event, Event):
            tickets += event.tickets
            of = event.context
        else:
            raise TypeError(
                f"{method}: after[{i}] must be a vd.Event, a future of a transfer or a point of a semaphore (got {shown(one)})"
            )
        if of is not context:
            kind = "a semaphore" if isinstance(one, SemaphorePoint) else "an event"
            raise ValueError(f"{method}: after[{i}] is {kind} of {of.name}, and the transfer is one of {context.name}")
    if not tickets and not waits:
        return None
    return _native.raw.vd_order_desc(waits=tickets or None, **order_fields(waits))
