"""Timeouts in seconds, and waits that an interrupt from the keyboard can end."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from ..compat import numpy_compat as npc
from .errors import WrongTypeError
from .words import bracketed

# The longest time for which a wait delays an interrupt, in nanoseconds.
_SLICE = 50_000_000


def seconds_of(timeout: Any, what: str) -> float:
    """A timeout as a number of seconds that a clock can add."""
    said = f"{what}: timeout {bracketed(timeout)} must be a number of seconds that is not negative, or None"
    if not npc.is_real_scalar(timeout):
        raise WrongTypeError(said)
    if not timeout >= 0:
        raise ValueError(said)
    return float(min(timeout, 1e9))


def end_of(seconds: float | None) -> float | None:
    """The moment at which so many seconds are over; None is never."""
    return None if seconds is None else time.monotonic() + seconds


def wait_until(end: float | None, wait: Callable[[int], bool]) -> bool:
    """Call `wait(nanoseconds)` until it is True; False once `end` has passed. It is called at least once."""
    while True:
        left = _SLICE if end is None else max(0, min(_SLICE, int((end - time.monotonic()) * 1e9)))
        if wait(left):
            return True
        if end is not None and time.monotonic() >= end:
            return False
