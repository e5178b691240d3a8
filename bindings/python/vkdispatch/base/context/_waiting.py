"""Waiting for queues, so that an interrupt from the keyboard arrives meanwhile."""

from __future__ import annotations

import threading
from typing import Any

from ... import _native
from ..errors import WrongTypeError
from ._choice import context_for
from ._context import Context, current_context
from ._devices import as_integer

_enums = _native.enums
_FOREVER = _enums.VD_WAIT_FOREVER
# The longest time for which a wait delays an interrupt from the keyboard, in nanoseconds.
_SLICE = 50_000_000
# Writes of so few bytes find room unless hundreds are on their way, and are not worth a question.
_SMALL_WRITE = 32 << 10


def queue_wait_idle(
    queue_index: int | None = None, context: Context | None = None, timeout: float | None = None
) -> bool:
    """Wait until a queue, or every one, has done all work submitted before. False if `timeout` seconds ran out."""
    ctx = context_for(context, "queue_wait_idle")
    if timeout is not None:
        timeout = _seconds(timeout)
    if queue_index is None:
        queue = _enums.VD_QUEUE_ALL
    else:
        queue = as_integer(queue_index, "queue_wait_idle: queue_index")
        if not 0 <= queue < ctx.queue_count:
            raise ValueError(f"queue_wait_idle: queue_index ({queue}) is outside 0 to {ctx.queue_count - 1}")
    try:
        if timeout is not None:
            status = _native.raw.vd_context_wait_idle(ctx._pointer, queue, min(int(timeout * 1e9), _FOREVER))
            return status != _enums.VD_TIMEOUT
        wait_in_slices(ctx, queue)
        return True
    except _native.Error:
        with _native.naming("queue_wait_idle"):
            raise


def _seconds(timeout: Any) -> float:
    """A timeout; infinite is no timeout worth the name, but a number."""
    try:
        seconds = float(timeout) if not isinstance(timeout, (str, bytes)) else -1.0
    except (TypeError, ValueError, OverflowError):
        seconds = -1.0
    if not seconds >= 0:  # nor not-a-number
        error = ValueError if isinstance(timeout, (int, float)) else WrongTypeError
        raise error(f"queue_wait_idle: timeout ({timeout!r}) must be a number of seconds that is not negative")
    return min(seconds, 1e9)


def wait_in_slices(context: Context, queue: int) -> None:
    """Wait until `queue` is idle. In slices, so that an interrupt from the keyboard arrives between two of them."""
    if context._waiter is None:
        raise RuntimeError("The context was destroyed")
    context._waiter.wait_idle(queue, _SLICE)


def hears_interrupts() -> bool:
    """Whether signals arrive on the calling thread: on the main one alone. The others leave waiting to the library's calls."""
    return threading.get_ident() == threading.main_thread().ident


def wait_interruptibly(context: Context, queue: int) -> None:
    """Before a call that waits for `queue` inside the library, where an interrupt cannot arrive: wait here instead."""
    if hears_interrupts():
        wait_in_slices(context, queue)


def wait_before_write(context: Context, queue: int | None, size: int) -> None:
    """Before a write of `size` bytes to a queue, or to every one, that would wait for earlier work inside the library: wait here."""
    if size <= _SMALL_WRITE or not hears_interrupts():
        return
    pointer, target, timeout = context._pointer, _enums.VD_QUEUE_ALL if queue is None else queue, 0
    if pointer is None:
        raise RuntimeError("The context was destroyed")
    while _native.raw.vd_context_wait_writable(pointer, target, size, timeout) == _enums.VD_TIMEOUT:
        timeout = _SLICE


class Signal:
    """The completion of some work on a queue of a context, the current one's first queue unless given."""

    def __init__(self, ptr_addr: Any = None, context: Context | None = None, queue: int = 0):
        #: The ticket to wait for; None means everything submitted to the queue so far.
        self.ticket: int | None = ptr_addr
        self._context = context or current_context()
        self._queue = queue

    def wait(self, wait_for_timestamp: bool = True, queue_index: int | None = None) -> None:
        """Wait until the work is done; with `wait_for_timestamp` False it is enough that it was submitted."""
        if wait_for_timestamp:
            while not self._poll(queue_index, _SLICE):
                pass

    def try_wait(self, wait_for_timestamp: bool = True, queue_index: int | None = None) -> bool:
        """Whether wait() would return at once."""
        return not wait_for_timestamp or self._poll(queue_index, 0)

    def _poll(self, queue_index: int | None, timeout: int) -> bool:
        raw = _native.raw
        self._context.check_alive("Signal")
        if self.ticket is None:
            queue = self._queue if queue_index is None else queue_index
            status = raw.vd_context_wait_idle(self._context._pointer, queue, timeout)
        else:
            status = raw.vd_ticket_wait(self._context._pointer, self.ticket, timeout)
        return status != _enums.VD_TIMEOUT

    def free(self) -> None:
        """Nothing to give back."""
