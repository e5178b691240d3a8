"""CUDA streams of other libraries: what stands for one, and the one that a thread's work goes to."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from numbers import Number
from typing import Any

from .. import _native
from .._native._launcher import STREAM, mark_thread
from .words import bracketed

#: CUDA's default stream, whose own number, 0, means none here.
LEGACY_STREAM = 1
_ATTRIBUTES = ("cuda_stream", "ptr", "handle", "stream")
_MOST_NESTED = 4


class _Thread(threading.local):
    stream = 0
    capturing = False
    #: Objects that a captured graph needs as long as it is launched; None outside of a capture.
    kept: list | None = None


_thread = _Thread()


def stream_handle(stream: Any, what: str = "stream") -> int:
    """The number of a stream: an int, or an object of torch, CuPy, Numba or cuda-python that stands for one."""
    found = _number_of(stream, _MOST_NESTED)
    if found is None:
        raise TypeError(
            f"{what} {bracketed(stream)} must be a CUDA stream: an int, or an object with __cuda_stream__, .cuda_stream, .ptr, "
            ".handle or .stream"
        )
    if not 0 <= found < 1 << 64:
        raise ValueError(f"{what} ({found}) is no handle of a stream")
    return found or LEGACY_STREAM


def _number_of(stream: Any, depth: int) -> int | None:
    if isinstance(stream, int) and not isinstance(stream, bool):
        return stream
    if isinstance(stream, (Number, str, bytes, bytearray)) or stream is None or depth == 0:  # int() would take them
        return None
    own = getattr(stream, "__cuda_stream__", None)
    if own is not None:
        found = own() if callable(own) else own
        return _number_of(found[-1] if isinstance(found, tuple) else found, depth - 1)
    for name in _ATTRIBUTES:
        inner = getattr(stream, name, None)
        if inner is not None and not callable(inner):
            found = _number_of(inner, depth - 1)
            if found is not None:
                return found
    try:
        return int(stream)
    except (TypeError, ValueError):
        return None


def current_stream() -> int:
    """The stream that this thread's work goes to; 0 is the queues' own."""
    return _thread.stream


_NOTHING = contextlib.nullcontext()


def beside_stream(context: Any, queue: int | None) -> Any:
    """Order a transfer by a queue, or by every one, with the stream that this thread's work goes to: a context manager."""
    return _beside(context, queue, _thread.stream) if _thread.stream and not _thread.capturing else _NOTHING


@contextlib.contextmanager
def _beside(context: Any, queue: int | None, stream: int) -> Iterator[None]:
    raw = _native.raw
    for each in context.queues(-2 if queue is None else queue):
        raw.vd_context_wait_stream(context._pointer, each, stream)
    yield
    raw.vd_context_signal_stream(context._pointer, _native.enums.VD_QUEUE_ALL if queue is None else queue, stream)


def copy_order() -> Any:
    """The order of this thread's copies and fills: on the stream that its work goes to; None where that is none."""
    return _native.raw.vd_order_desc(stream=_thread.stream) if _thread.stream else None


def note_captured(*needed: Any) -> None:
    """Keep what work of this thread needs, if that is captured."""
    if _thread.kept is not None:
        _thread.kept.extend(needed)


@contextlib.contextmanager
def sending_to(stream: int, kept: list | None = None) -> Iterator[None]:
    """Send this thread's work to a stream inside the block; 0 is the queues' own. May be nested.

    Where the stream is captured, `kept` takes what the captured graph needs.
    """
    before = _thread.stream, _thread.capturing, _thread.kept
    _thread.stream, _thread.capturing, _thread.kept = stream, kept is not None, kept
    mark_thread(STREAM, stream != 0)
    try:
        yield
    finally:
        _thread.stream, _thread.capturing, _thread.kept = before
        mark_thread(STREAM, before[0] != 0)
