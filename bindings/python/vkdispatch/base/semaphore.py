"""Semaphores: numbers that rise, by which work of several contexts, APIs and processes is ordered on the device.

Vulkan makes semaphores; CUDA, another Vulkan device of the same driver or another process takes them by their file descriptors
(`export_fd()`, `Semaphore.from_fd()`). Other backends have none, which is a vd.UnsupportedError. The host waits for and sets
Vulkan's alone.

Work waits for `semaphore.at(value)` and sets it: in a block of `vd.on_semaphores(wait=..., signal=...)`, in
`graph.submit(wait=..., signal=...)`, and behind `after=` of asynchronous transfers. What a queue is given later waits, too.

A wait that nobody ends does not last for ever: after the semaphore's `timeout` the queue has failed, and its waits raise a
vd.StateError.

Example:
    try:
        gate = vd.Semaphore(label="gate")
    except vd.UnsupportedError as error:
        print(error)  # neither Vulkan nor CUDA
    else:
        numbers = vd.zeros(100)
        with vd.on_semaphores(wait=gate.at(1), signal=gate.at(2)):
            numbers.fill(7)  # any work: launches, graphs, transforms, copies
        assert gate.value == 0
        gate.signal(1)
        assert gate.wait(2, timeout=10) and gate.value == 2
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator, Sequence
from typing import Any

from .. import _native
from ..compat import numpy_compat as npc
from .context import Context, Handle, context_for
from .errors import WrongTypeError
from .labels import checked_label
from .streams import current_stream
from .timeouts import end_of, seconds_of, wait_until
from .words import bracketed, shown

_enums = _native.enums
_LARGEST = (1 << 64) - 1
#: Seconds that a queue waits for a semaphore unless told otherwise.
_TIMEOUT = 10.0
#: Kind of the native object by backend.
_NATIVE_KINDS = {"vulkan": "VkSemaphore", "cuda": "CUexternalSemaphore"}


class SemaphorePoint:
    """A value of a semaphore, for work to wait until it is reached, or to set. `semaphore.at(value)` makes one."""

    __slots__ = ("semaphore", "value")

    def __init__(self, semaphore: Semaphore, value: int):
        #: The semaphore.
        self.semaphore: Semaphore = semaphore
        #: The value.
        self.value: int = value

    def __repr__(self) -> str:
        return f"<{self.semaphore.label} at {self.value}>"


class Semaphore(Handle):
    """A number that rises, on one device of a context. As a context manager it is destroyed at the end of the block.

    `timeout` is how many seconds a queue waits for it before the queue has failed; None is no limit. `device` is a position in
    the context's devices. Only Vulkan makes semaphores; `from_fd()` takes one of Vulkan's on CUDA.
    """

    def __init__(
        self,
        initial_value: int = 0,
        *,
        timeout: float | None = _TIMEOUT,
        label: str | None = None,
        device: int = 0,
        context: Context | None = None,
    ):
        value = _value(initial_value, "Semaphore: initial_value")
        self._open(_enums.VD_SEMAPHORE_NEW, 0, value, timeout, label, device, context, "Semaphore")

    @classmethod
    def from_fd(
        cls,
        fd: int,
        *,
        timeout: float | None = _TIMEOUT,
        label: str | None = None,
        device: int = 0,
        context: Context | None = None,
    ) -> Semaphore:
        """Vulkan's semaphore behind a file descriptor of export_fd() or vkGetSemaphoreFdKHR(), which is closed unless this fails."""
        if isinstance(fd, bool) or not npc.is_integer_scalar(fd):
            raise WrongTypeError(f"Semaphore.from_fd: fd {bracketed(fd)} must be the number of a file descriptor")
        if not 0 <= fd < 1 << 31:
            raise ValueError(f"Semaphore.from_fd: fd ({fd}) is no file descriptor")
        made = cls.__new__(cls)
        made._open(_enums.VD_SEMAPHORE_FD, int(fd), 0, timeout, label, device, context, "Semaphore.from_fd")
        return made

    @classmethod
    def from_handle(
        cls,
        handle: int,
        *,
        timeout: float | None = _TIMEOUT,
        label: str | None = None,
        device: int = 0,
        context: Context | None = None,
    ) -> Semaphore:
        """The program's own semaphore, which must live longer: a timeline VkSemaphore, or a CUexternalSemaphore over one."""
        if isinstance(handle, bool) or not npc.is_integer_scalar(handle):
            raise WrongTypeError(f"Semaphore.from_handle: handle {bracketed(handle)} must be an integer")
        if not 0 < handle <= _LARGEST:
            raise ValueError(f"Semaphore.from_handle: handle ({handle}) is not from 1 to {_LARGEST}")
        made = cls.__new__(cls)
        made._open(_enums.VD_SEMAPHORE_NATIVE, int(handle), 0, timeout, label, device, context, "Semaphore.from_handle")
        return made

    def _open(
        self,
        source: int,
        handle: int,
        initial_value: int,
        timeout: float | None,
        label: str | None,
        device: int,
        context: Context | None,
        what: str,
    ) -> None:
        limit = _nanoseconds(timeout, what)
        label = checked_label(label, what)
        super().__init__(context_for(context, what))
        if not npc.is_integer_scalar(device) or not 0 <= device < len(self.context.device_ids):
            raise ValueError(f"{what}: device {bracketed(device)} is outside 0 to {len(self.context.device_ids) - 1}")
        #: The position of its device in the context's devices.
        self.device: int = int(device)
        #: Its name in messages.
        self.label: str = label or "a semaphore"
        raw = _native.raw
        desc = raw.vd_semaphore_desc(
            source=source,
            handle=handle,
            initial_value=initial_value,
            timeout_ns=limit,
            device=self.device,
            label=label,
        )
        with _native.naming(what):
            self.register_handle(raw.vd_semaphore_create(self.context._pointer, desc))

    @property
    def value(self) -> int:
        """The value that it has reached. vd.UnsupportedError on CUDA, which does not tell."""
        self._check_alive()
        with _native.naming("Semaphore.value"):
            return int(_native.raw.vd_semaphore_get_value(self._pointer))

    def at(self, value: int) -> SemaphorePoint:
        """A value of it, for work to wait for or to set."""
        self._check_alive()
        return SemaphorePoint(self, _value(value, "Semaphore.at: value"))

    def wait(self, value: int, timeout: float | None = None) -> bool:
        """Let the host wait until it has reached `value`; False if `timeout` seconds ran out. vd.UnsupportedError on CUDA."""
        self._check_alive()
        value = _value(value, "Semaphore.wait: value")
        end = end_of(None if timeout is None else seconds_of(timeout, "Semaphore.wait"))
        wait, pointer = _native.raw.vd_semaphore_wait, self._pointer
        with _native.naming("Semaphore.wait"):
            return wait_until(end, lambda left: wait(pointer, value, left) != _enums.VD_TIMEOUT)

    def signal(self, value: int) -> None:
        """Set it from the host, to a value above the present one and below those that work in flight sets."""
        self._check_alive()
        value = _value(value, "Semaphore.signal: value")
        with _native.naming("Semaphore.signal"):
            _native.raw.vd_semaphore_signal(self._pointer, value)

    def export_fd(self) -> int:
        """A new file descriptor for it, which its taker or the caller closes. vd.UnsupportedError where the driver gives none."""
        self._check_alive()
        with _native.naming("Semaphore.export_fd"):
            return int(_native.raw.vd_semaphore_export_fd(self._pointer))

    @property
    def native_handle(self) -> int:
        """The VkSemaphore, or on CUDA the CUexternalSemaphore, which the library keeps."""
        self._check_alive()
        with _native.naming("Semaphore.native_handle"):
            kind = _NATIVE_KINDS[self.context.backend]
            return int(_native.raw.vd_semaphore_get_native(self._pointer, kind))

    def close(self) -> None:
        """The same as destroy(). Work in flight keeps what it waits for and sets."""
        self.destroy()

    def _description(self) -> str:
        return f" (it was {self.label})"

    def __repr__(self) -> str:
        return f"<Semaphore {self.label!r}{', destroyed' if self.destroyed else f' of {self.context.name}'}>"


@contextlib.contextmanager
def on_semaphores(
    wait: SemaphorePoint | Sequence[SemaphorePoint] = (), signal: SemaphorePoint | Sequence[SemaphorePoint] = ()
) -> Iterator[None]:
    """Let the work that is submitted inside the block wait for semaphores, and set others when it is done.

    The queues of the semaphores' device wait for the points in `wait` from the beginning of the block on. The points in `signal`
    are set when all work that these queues were given until its end is done; not if the block raises, since then something is
    missing. Inside of `vd.on_stream()` the stream waits and sets.

    A value is refused unless it is above all that the semaphore was set to or that work in flight sets, as far as the backend knows.
    That is found at the end of the block, whose work runs nevertheless.

    On CUDA a kernel that is compiled inside of the block waits, too: the driver loads it once the queues have nothing left to do.
    Where the same thread sets the semaphore later, call the kernel's `build()` first.
    """
    waits, signals = points(wait, "on_semaphores: wait"), points(signal, "on_semaphores: signal")
    order_queues(waits, (), "on_semaphores", current_stream())
    yield
    order_queues((), signals, "on_semaphores", current_stream())


def points(given: Any, what: str) -> tuple[SemaphorePoint, ...]:
    """Points of live semaphores of one context and device, from one or several."""
    several = tuple(given) if isinstance(given, (list, tuple)) else (given,)
    for i, point in enumerate(several):
        name = f"{what}[{i}]" if isinstance(given, (list, tuple)) else what
        if not isinstance(point, SemaphorePoint):
            cure = "; semaphore.at(value) is one" if isinstance(point, Semaphore) else ""
            raise WrongTypeError(f"{name} must be a point of a semaphore (got {shown(point)}{cure})")
        point.semaphore._check_alive()
        first = several[0].semaphore
        if point.semaphore.context is not first.context:
            raise ValueError(f"{name} is of {point.semaphore.context.name}, and the first of {first.context.name}")
        if point.semaphore.device != first.device:
            raise ValueError(f"{name} is on device {point.semaphore.device}, and the first on device {first.device}")
    return several


def order_fields(waits: Sequence[SemaphorePoint], signals: Sequence[SemaphorePoint] = ()) -> dict[str, Any]:
    """Points as fields of a vd_order_desc."""
    if not waits and not signals:
        return {}
    from .._native._load import ffi

    fields: dict[str, Any] = {}
    for name, chosen in (("wait", waits), ("signal", signals)):
        if chosen:
            entries = [{"semaphore": point.semaphore._pointer, "value": point.value} for point in chosen]
            array = fields[f"{name}_semaphores"] = ffi.new("vd_semaphore_point[]", entries)
            _native.memory.keep(array, entries)  # it holds addresses, and another thread may destroy the semaphores
            fields[f"{name}_semaphore_count"] = len(entries)
    return fields


def order_queues(
    waits: Sequence[SemaphorePoint],
    signals: Sequence[SemaphorePoint],
    what: str,
    stream: int,
    queues: Sequence[int] | None = None,
) -> None:
    """Let later work of queues wait for points, and set others when what the queues were given so far is done. None is all
    queues of the points' device; `stream` is the one that waits and sets for them, 0 their own."""
    if not waits and not signals:
        return
    for point in (*waits, *signals):
        point.semaphore._check_alive()
    semaphore = (*waits, *signals)[0].semaphore
    context, raw = semaphore.context, _native.raw
    if queues is None:
        queues = [queue for queue, device in enumerate(context.queue_devices) if device == semaphore.device]
    nothing = raw.vd_graph_create(context._pointer)

    def submit(queue: int, **fields: Any) -> None:
        order = raw.vd_order_desc(stream=stream, **fields)
        raw.vd_graph_submit(nothing, raw.vd_submit_desc(queue=queue, order=order))

    with _native.naming(what):
        for queue in queues if waits else ():
            submit(queue, **order_fields(waits))
        if signals:  # once, when the last of the queues is done
            last = [raw.vd_context_get_last_ticket(context._pointer, queue) for queue in queues[1:]]
            submit(queues[0], waits=[ticket for ticket in last if ticket] or None, **order_fields((), signals))


def _value(value: Any, what: str) -> int:
    if isinstance(value, bool) or not npc.is_integer_scalar(value):
        raise WrongTypeError(f"{what} {bracketed(value)} must be an integer")
    if not 0 <= value <= _LARGEST:
        raise ValueError(f"{what} ({value}) is outside 0 to {_LARGEST}")
    return int(value)


def _nanoseconds(timeout: float | None, what: str) -> int:
    """A queue's limit as the library takes it: 0 would be its default, the largest is none."""
    if timeout is None or timeout == math.inf:
        return _LARGEST
    seconds = seconds_of(timeout, what)
    if seconds == 0:
        raise ValueError(f"{what}: timeout (0) must be a number of seconds above 0, or None")
    return max(1, int(seconds * 1e9))
