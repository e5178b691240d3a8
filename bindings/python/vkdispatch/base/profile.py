"""When work ran: launches, copies and fills on the device, and the calls that gave them, on one clock.

Example:
    @vd.shader("x.size")
    def double(x: Buff[f32]):
        x[vc.global_invocation_id().x] *= 2

    numbers = vd.zeros(1000)
    with vd.profile(summary=False) as profile:
        double(numbers)
        numbers.read(0)
    assert [span.name for span in profile.spans if span.kind == "launch"] == ["double"]
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterable
from typing import IO, Any, NamedTuple

from .. import _native
from ..compat import numpy_compat as npc
from .context import Context, context_for

_enums = _native.enums
# The longest time for which a wait delays an interrupt from the keyboard, in nanoseconds.
_SLICE = 50_000_000
_MOST_SPANS = 1 << 24
_MOST_REPEATS = 100_000
_KINDS = {
    _enums.VD_SPAN_LAUNCH: "launch",
    _enums.VD_SPAN_COPY: "copy",
    _enums.VD_SPAN_FILL: "fill",
    _enums.VD_SPAN_CALL: "call",
    _enums.VD_SPAN_WRITE: "write",
    _enums.VD_SPAN_READ: "read",
    _enums.VD_SPAN_WAIT: "wait",
}
_ON_DEVICE = ("launch", "copy", "fill")
# Processes of a trace: the host's threads and the device's queues are their threads.
_HOST, _DEVICE = 1, 2


class Span(NamedTuple):
    """A time at which something ran, in nanoseconds of `time.perf_counter_ns()` on Linux."""

    #: "launch", "copy" and "fill" ran on the device; "call", "write", "read" and "wait" are calls of the library.
    kind: str
    #: The kernel, "copy" or "fill", or the entry of the library that was called.
    name: str
    #: The label of the graph's node, or the kernel that was launched by a call.
    label: str
    begin: int
    end: int
    #: Bytes of a copy, a fill, a write or a read.
    size: int
    #: The queue; of a call its thread's `native_id`.
    queue: int

    @property
    def duration(self) -> int:
        """Nanoseconds from begin to end."""
        return self.end - self.begin

    @property
    def on_device(self) -> bool:
        """Whether the device did it."""
        return self.kind in _ON_DEVICE


class Profile:
    """Records from the start of a `with` block to its end. `vd.profile()` makes one."""

    def __init__(self, path: Any = None, capacity: int = 65536, summary: bool = True, context: Context | None = None):
        if path is not None and not isinstance(path, (str, os.PathLike)):
            raise TypeError(f"vd.profile: path must be a path or None (got {type(path).__name__})")
        if not _is_count(capacity, _MOST_SPANS):
            raise ValueError(f"vd.profile: capacity ({capacity!r}) must be a number from 1 to {_MOST_SPANS}")
        self._path = path
        self._capacity = int(capacity)
        self._prints = summary
        self._context = None if context is None else context_for(context, "vd.profile")
        self._file: IO[str] | None = None
        self._pointer: Any = None
        #: The recorded spans by their begin; known at the end of the block.
        self.spans: list[Span] = []
        #: Spans for which there was no room, or whose work failed.
        self.lost: int = 0
        #: Nanoseconds by which a time of the device may be off on the host's clock, at most.
        self.clock_error: int = 0
        self._threads: dict[int, str] = {}

    def __enter__(self) -> Profile:
        if self._pointer is not None:
            raise RuntimeError("This profile records already; vd.profile() makes another one")
        context = context_for(self._context, "vd.profile")
        raw = _native.raw
        with _native.naming("vd.profile"):
            pointer = raw.vd_profile_create(context._pointer, raw.vd_profile_desc(capacity=self._capacity))
        if self._path is not None:
            self._file = open(self._path, "w", encoding="utf-8")  # an error comes before the work, not after it
        self._pointer = pointer
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if self._pointer is None:
            raise RuntimeError("This profile does not record: its `with` block has not begun, or has ended")
        try:
            self._stop(error is None)
            if self._file is not None:
                json.dump(self.trace(), self._file)
        finally:
            self._pointer = None
            file, self._file = self._file, None
            if file is not None:
                file.close()
        if self._prints and error is None:
            print(self.summary())

    def _stop(self, raises: bool) -> None:
        raw, pointer = _native.raw, self._pointer
        stop = raw.vd_profile_stop if raises else raw.vd_profile_end  # which leaves failures to waits
        try:
            with _native.naming("vd.profile"):
                while stop(pointer, _SLICE) == _enums.VD_TIMEOUT:
                    pass
        except _native.Error:
            if raises:
                raise
        finally:
            info = raw.vd_profile_get_info(pointer)
            self.lost, self.clock_error = info.lost_count, info.clock_error_ns
            self.spans = [self._span(i) for i in range(info.span_count)]
            self._threads = _names_of_threads()

    def _span(self, index: int) -> Span:
        from .._native._load import ffi

        span = _native.raw.vd_profile_get_span(self._pointer, index)
        name, label = (ffi.string(text).decode() for text in (span.name, span.label))
        return Span(_KINDS[span.kind], name, label, span.begin_ns, span.end_ns, span.size, span.queue)

    def trace(self) -> dict[str, Any]:
        """The spans as Perfetto and chrome://tracing read them: microseconds, a track for each thread and each queue."""
        events: list[dict[str, Any]] = []
        tracks = sorted({(_DEVICE if span.on_device else _HOST, span.queue) for span in self.spans})
        for process, title in ((_HOST, "host"), (_DEVICE, "device")):
            events.append({"ph": "M", "pid": process, "tid": 0, "name": "process_name", "args": {"name": title}})
        for process, thread in tracks:
            title = f"queue {thread}" if process == _DEVICE else self._threads.get(thread, f"thread {thread}")
            events.append({"ph": "M", "pid": process, "tid": thread, "name": "thread_name", "args": {"name": title}})
        for span in self.spans:
            args: dict[str, Any] = {"label": span.label} if span.label else {}
            if span.size:
                args["bytes"] = span.size
            events.append(
                {
                    "ph": "X",
                    "pid": _DEVICE if span.on_device else _HOST,
                    "tid": span.queue,
                    "cat": span.kind,
                    "name": span.name,
                    "ts": span.begin / 1000,
                    "dur": span.duration / 1000,
                    "args": args,
                }
            )
        other = {"lost_spans": self.lost, "clock_error_ns": self.clock_error}
        return {"traceEvents": events, "displayTimeUnit": "ns", "otherData": other}

    def summary(self) -> str:
        """A table of what the device did, by kernel: how often, and for how long, the longest first."""
        rows = _by_name(span for span in self.spans if span.on_device)
        whole = sum(sum(times) for _, times in rows) or 1
        lines = [f"{'times':>9} {'total ms':>11} {'median us':>11} {'longest us':>11} {'share':>7}  name"]
        for name, times in rows:
            total, share = sum(times), 100 * sum(times) / whole
            middle, longest = median(times) / 1e3, max(times) / 1e3
            lines.append(
                f"{len(times):>9} {total / 1e6:>11.3f} {middle:>11.2f} {longest:>11.2f} {share:>6.1f}%  {name}"
            )
        if self.lost:
            lines.append(f"{self.lost} spans are not in it: there was no room for them, or their work failed")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<Profile, {len(self.spans)} spans>"


def _names_of_threads() -> dict[int, str]:
    """The names of Python's threads by their numbers in spans, which have 32 bits."""
    named = {thread.native_id: thread.name for thread in threading.enumerate() if thread.native_id is not None}
    # That of the calling thread, too, if it is the child of a fork, whose Thread has the parent's number.
    named[threading.get_native_id()] = threading.current_thread().name
    return {number & 0xFFFFFFFF: "main" if name == "MainThread" else name for number, name in named.items()}


def as_repeats(repeats: Any, what: str) -> int:
    """The number of timed runs, checked. `what` names the call in messages."""
    if not _is_count(repeats, _MOST_REPEATS):
        raise ValueError(f"{what}: repeats ({repeats!r}) must be a number from 1 to {_MOST_REPEATS}!")
    return int(repeats)


def _is_count(value: Any, most: int) -> bool:
    return not isinstance(value, bool) and npc.is_integer_scalar(value) and 1 <= value <= most


def without_timestamps(what: str) -> _native.Error:
    """The error of a call that times work, where no queue has timestamps."""
    return _native.UnsupportedError(f"{what}: no queue of the device has timestamps", _enums.VD_ERR_UNSUPPORTED)


def median(times: list[int]) -> float:
    """The middle one, or the mean of the two in the middle."""
    ordered, half = sorted(times), len(times) // 2
    return float(ordered[half]) if len(times) % 2 else (ordered[half - 1] + ordered[half]) / 2


def _by_name(spans: Iterable[Span]) -> list[tuple[str, list[int]]]:
    times: dict[str, list[int]] = {}
    for span in spans:
        times.setdefault(span.name, []).append(span.duration)
    return sorted(times.items(), key=lambda row: -sum(row[1]))


def profile(path: Any = None, capacity: int = 65536, summary: bool = True, context: Context | None = None) -> Profile:
    """Record when work runs, in a `with` block. At its end the work is waited for, the times are written to `path` for
    Perfetto (ui.perfetto.dev), if one is given, and a summary by kernel is printed.

    What is timed runs one after the other, so a program with work that overlaps takes longer than without a profile.
    Beyond `capacity` spans the rest is counted (`Profile.lost`).
    """
    return Profile(path, capacity, summary, context)
