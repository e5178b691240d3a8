"""The context: the devices and queues that kernels run on, and the objects that live in it.

A process has a context of its own, and may have others beside it (vd.Context). Timeouts are in seconds, limits of memory in bytes, sizes of workgroups in invocations.
The number of a device that is not there is a ValueError, a backend that cannot be used a vd.BackendUnavailableError, a device
that failed a vd.DeviceLostError.

Example:
    context = vd.get_context()  # the first call of anything that needs a device makes it
    assert vd.is_context_initialized() and context.max_workgroup_size[0] >= 64
    before = context.memory_in_use()
    held = vd.zeros(1000)
    assert context.memory_in_use() >= before + 4000
    assert vd.queue_wait_idle(timeout=10)
"""

from __future__ import annotations

import atexit
import contextlib
import signal
import threading
from collections.abc import Callable, Sequence
from typing import Any

from ... import _native
from .. import init
from ..remarks import warn_caller
from ..words import bracketed
from ._choice import context_for, context_of, on_context_of_arguments
from ._context import Context, all_contexts, chosen_context, making_own, nanoseconds_of, provide, several_contexts
from ._devices import (
    as_integer,
    as_integers,
    families_of,
    get_compute_queue_family_index,
    get_graphics_queue_family_index,
    select_devices,
    select_queue_families,
    wished_device,
)
from ._dummy import set_dummy_context_params
from ._handle import Handle
from ._waiting import Signal, hears_interrupts, queue_wait_idle, wait_before_write, wait_in_slices, wait_interruptibly

_enums = _native.enums

# A name of 0.1 that programs reset.
__context: Context | None = None
_lock = threading.RLock()


def renew_lock() -> None:
    """Renew the lock in the child of a fork: the thread that held it does not exist there."""
    global _lock
    _lock = threading.RLock()


def is_context_initialized() -> bool:
    """Whether the process's context exists."""
    return __context is not None


def get_context() -> Context:
    """The context of this thread's `with` block, else the process's, made with the defaults if there is none."""
    chosen = chosen_context()
    if chosen is not None:
        return chosen
    return __context if __context is not None else make_context()


def _get_own_context() -> Context:
    return __context if __context is not None else make_context()


def get_context_handle() -> int:
    """The address of the process's context."""
    return get_context()._handle


def make_context(
    device_ids: int | Sequence[int] | None = None,
    device_count: int | None = None,
    queue_counts: int | Sequence[int] | None = None,
    queue_families: Sequence[Sequence[int]] | None = None,
    use_cpu: bool = False,
    multi_device: bool = False,
    multi_queue: bool = False,
    watchdog: float | None = None,
    required_extensions: Sequence[str] = (),
    wished_extensions: Sequence[str] = (),
) -> Context:
    """Make the process's context, or give the one that exists.

    `device_ids` are positions in get_devices(); without them the best GPU is taken, and with `use_cpu` CPU devices are
    candidates too. On the backend "host" a kernel that runs longer than `watchdog` seconds is ended with a `KernelError`;
    without it only kernels of a checked context are, after 60 s (`math.inf`: never). `queue_families` gives each queue of
    each device its family, on Vulkan as `DeviceInfo.queue_properties` lists them; other backends have family 0 alone.
    `required_extensions` and `wished_extensions` name device extensions of Vulkan to enable. Later calls give the same
    object and ignore their arguments.
    """
    global __context
    use_cpu = init.as_bool(use_cpu, "make_context: use_cpu")
    nanoseconds_of(watchdog)
    with _lock:
        if __context is not None:
            _warn_of_other_wishes(device_ids, device_count, queue_counts, queue_families, use_cpu, watchdog)
            return __context
        init.initialize_for(use_cpu)
        if device_count is not None and as_integer(device_count, "device_count") < 0:
            raise ValueError(f"device_count ({device_count}) is negative")
        if use_cpu and device_ids is None:
            init.reconsider_cpu_devices()
        infos = init.get_devices()
        if device_count is not None and device_count > len(infos):
            raise ValueError(f"device_count ({device_count}) is more than the {len(infos)} devices that there are")
        if queue_families is not None and device_ids is None:
            raise ValueError("queue_families needs device_ids")
        if device_ids is None:
            count = device_count if device_count is not None else None if multi_device else 1
            ids = wished_device() or select_devices(use_cpu, count)
            if not ids:
                raise RuntimeError(
                    f"Backend '{init.get_backend()}' has no device to choose from: "
                    f"{[info.device_name for info in infos] or 'none at all'} (use_cpu=True makes CPU devices candidates)"
                )
        else:
            ids = as_integers(device_ids, "A device id")
            if not ids or len(set(ids)) != len(ids):
                raise ValueError(f"device_ids {bracketed(ids)} must name at least one device, and each once")
            for i in ids:
                if not 0 <= i < len(infos):
                    raise ValueError(f"Device id ({i}) is outside 0 to {len(infos) - 1}")
        families = families_of(ids, queue_counts, queue_families, multi_queue)
        with making_own():
            __context = Context(
                ids,
                families,
                watchdog=watchdog,
                required_extensions=required_extensions,
                wished_extensions=wished_extensions,
                decided_families=queue_families is not None,
            )
        _native.raw.vd_context_wait_idle(__context._pointer, _enums.VD_QUEUE_ALL, _enums.VD_WAIT_FOREVER)
        return __context


def _warn_of_other_wishes(
    device_ids: Any, device_count: Any, queue_counts: Any, queue_families: Any, use_cpu: bool, watchdog: float | None
) -> None:
    """Say so if a later make_context() asks for something else than there is; it gets what there is."""
    assert __context is not None
    there = __context.queue_families
    wishes = {
        "device_ids": (_as_list(device_ids), __context.device_ids),
        "device_count": (device_count, len(__context.device_ids)),
        "queue_counts": (_as_list(queue_counts), [len(families) for families in there]),
        "queue_families": (queue_families and [_as_list(families) for families in queue_families], there),
        "watchdog": (watchdog, __context.watchdog),
    }
    other = [name for name, (wish, is_there) in wishes.items() if wish is not None and wish != is_there]
    if use_cpu and init.would_reconsider():
        other.append("use_cpu")
    if other:
        warn_caller(
            f"make_context: the context exists already; its devices and queues stay as they are ({', '.join(other)})"
        )


def _as_list(value: Any) -> Any:
    return list(value) if isinstance(value, (list, tuple)) else None if value is None else [value]


def destroy_context() -> None:
    """Destroy the process's context and everything in it; another one may be made."""
    global __context
    with _lock:
        if __context is not None:
            __context.destroy()
            __context = None


def _leave(context: Context) -> None:
    if context is __context:
        destroy_context()
    else:
        context.destroy()


def stop_threads() -> None:
    """Nothing to stop: the library's threads end with their context."""


#: Functions that the end of the process calls when no context is left.
_at_end: list[Callable[[], None]] = []


def at_end(wait: Callable[[], None]) -> None:
    """Have the end of the process call a function when no context is left."""
    _at_end.append(wait)


def _at_exit() -> None:
    # Nothing may be raised or printed while the interpreter goes down.
    with contextlib.suppress(Exception):
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            # Work in flight is waited for, and no code of Python's runs meanwhile: an interrupt ends the process.
            signal.signal(signal.SIGINT, signal.SIG_DFL)
        for context in list(all_contexts):
            context._owners.clear()  # they run Python code
        destroy_context()
        # The others, too: whose memory they import may be part of the interpreter.
        for context in list(all_contexts):
            context.destroy()
        for wait in _at_end:
            wait()


atexit.register(_at_exit)
provide(_get_own_context)
Context._leave = staticmethod(_leave)


__all__ = [
    "Context",
    "Handle",
    "Signal",
    "all_contexts",
    "at_end",
    "context_for",
    "context_of",
    "destroy_context",
    "get_compute_queue_family_index",
    "get_context",
    "get_context_handle",
    "get_graphics_queue_family_index",
    "is_context_initialized",
    "make_context",
    "on_context_of_arguments",
    "queue_wait_idle",
    "select_devices",
    "select_queue_families",
    "set_dummy_context_params",
    "several_contexts",
    "stop_threads",
    "wait_before_write",
    "wait_in_slices",
    "wait_interruptibly",
]
