"""Functions of OpHost while they run: the sequence that calls one, noted for the thread that runs it."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from .errors import wrong_state

if TYPE_CHECKING:
    from .home import Home

_thread = threading.local()


@contextlib.contextmanager
def in_host_function(runs: Any) -> Iterator[None]:
    """While OpHost calls a function of a sequence's: data() does not wait for its Manager's work, of which that is part."""
    before = getattr(_thread, "runs", None)
    _thread.runs = runs
    try:
        yield
    finally:
        _thread.runs = before


def is_in_host_function(home: Home | None = None) -> bool:
    """Whether the thread is in a function that OpHost calls, of this Manager's or of any."""
    found = getattr(_thread, "runs", None)
    return found is not None and home in (None, found.home)


def is_in_host_function_of(runs: Any) -> bool:
    """Whether the thread is in a function that OpHost calls for the sequence with these runs."""
    return getattr(_thread, "runs", None) is runs


def refuse_in_host_function(method: str) -> None:
    """RuntimeError in a function of OpHost, whose own work a wait may wait for: nothing is lost by it."""
    if is_in_host_function():
        raise wrong_state(
            f"Sequence.{method}: called in a callback, a function of OpHost, which runs and awaits nothing"
        )
