"""The context: the devices and queues that kernels run on, and the objects that live in it.

A process has one context at a time. Timeouts are in seconds, limits of memory in bytes, sizes of workgroups in invocations.
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
import itertools
import operator
import signal
import threading
import weakref
from collections.abc import Sequence
from typing import Any

from .. import _native
from .._native._launcher import Waiter
from ..backends import backend_selection as selection
from ..backends.backend_selection import BACKEND_NUMBERS
from ..compat import numpy_compat as npc
from . import init
from .errors import WrongTypeError
from .init import DeviceInfo
from .remarks import warn_caller

_enums = _native.enums
_COMPUTE_STAGE = 0x20
_ARITHMETIC = 0x04
_FOREVER = _enums.VD_WAIT_FOREVER
_serials = itertools.count(1)
# How long a wait keeps an interrupt from the keyboard waiting, in nanoseconds.
_SLICE = 50_000_000
# How long repr() waits for what is still under way.
_SOON = 10_000_000


def address_of(pointer: Any) -> int:
    """The address that a pointer of the raw layer holds."""
    from .._native._load import ffi

    return int(ffi.cast("uintptr_t", pointer))


#: What only the package calls, or programs for vkdispatch 0.1 that reach inside; completion leaves it out.
_INSIDE = {
    "register_handle",
    "register_parent",
    "clear_parents",
    "add_child_handle",
    "remove_child_handle",
    "parents",
    "children_dict",
}


class Handle:
    """An object of the library: its context, the objects it needs and those that need it.

    `_handle` is a number that no other live object has. A child keeps its parents alive; destroying a parent destroys its
    children first.
    """

    context: Context
    _handle: int | None
    destroyed: bool
    _forked = False

    def __init__(self, context: Context | None = None):
        self.context = context or get_context()
        self._handle = None
        self._pointer: Any = None
        self.destroyed = False
        self.parents: dict[int, Handle] = {}
        self.children_dict: weakref.WeakValueDictionary[int, Handle] = weakref.WeakValueDictionary()

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if name not in _INSIDE]

    def register_handle(self, handle: Any) -> None:
        """Take the library's handle: a pointer of the raw layer, or a number."""
        self._pointer = handle
        self._handle = handle if isinstance(handle, int) else address_of(handle)
        self.context.handles_dict[self._handle] = self

    def register_parent(self, parent: Handle) -> None:
        """Keep `parent` alive as long as this object."""
        if parent._handle is not None:
            self.parents[parent._handle] = parent
            parent.add_child_handle(self)

    def clear_parents(self) -> None:
        """Let go of every parent."""
        for parent in list(self.parents.values()):
            parent.remove_child_handle(self)
        self.parents.clear()

    def add_child_handle(self, child: Handle) -> None:
        """Note that `child` needs this object."""
        if child._handle is not None:
            self.children_dict[child._handle] = child

    def remove_child_handle(self, child: Handle) -> None:
        """Forget `child`."""
        if child._handle is not None:
            self.children_dict.pop(child._handle, None)

    def _destroy(self) -> None:
        """What the class does to give its resources back."""

    def _description(self) -> str:
        """Which one it is, as the end of a message."""
        return ""

    def _check_alive(self, where: str = "") -> None:
        if self.destroyed:
            if self._forked:
                raise _native._errors.StateError(
                    f"{type(self).__name__} was made before os.fork(), it belongs to the parent process"
                    f"{self._description()}{where}: use 'spawn' to start processes, or make it in the child",
                    _enums.VD_ERR_STATE,
                )
            raise _native._errors.StateError(
                f"{type(self).__name__} was destroyed{self._description()}{where}", _enums.VD_ERR_STATE
            )

    def destroy(self) -> None:
        """Give the resources back, once work in flight is done with them. Doing it twice is no error."""
        if self.destroyed:
            return
        self.destroyed = True
        for child in list(self.children_dict.values()):
            child._parent_destroyed(self)
        self.clear_parents()
        if self._handle is not None:
            self._destroy()
            self.context.handles_dict.pop(self._handle, None)
        self._pointer = None

    def _forget(self) -> None:
        """In the child of a fork: be of no use, and leave what is the parent's alone."""
        from .fork import let_go

        let_go(self._pointer)
        self._pointer = None
        self.destroyed = self._forked = True

    def _parent_destroyed(self, parent: Handle) -> None:
        self.destroy()

    def free(self) -> None:
        """The same as destroy()."""
        self.destroy()

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *exc: object) -> None:
        self.destroy()


class Context:
    """Devices and queues. `make_context()` makes the process's own one."""

    def __init__(
        self,
        device_ids: Sequence[int],
        queue_families: Sequence[Sequence[int]],
        queue_counts: Sequence[int] | None = None,
        cache_dir: str | None = None,
        checked: bool | None = None,
        watchdog: float | None = None,
    ):
        devices = init.get_devices()
        counts = list(queue_counts) if queue_counts is not None else [len(families) for families in queue_families]
        flags = _enums.VD_CONTEXT_DEBUG if init.debug_mode() else 0
        if checked is None:  # the host has no validation layers; its checks are what it has to say about a kernel
            checked = init.debug_mode() and init.get_backend() == "host"
        flags |= _enums.VD_CONTEXT_CHECKED if checked else 0
        #: Its devices, as positions in get_devices().
        self.device_ids: list[int] = list(device_ids)
        #: The properties of each of its devices.
        self.device_infos: list[DeviceInfo] = [devices[i] for i in self.device_ids]
        self.mapped_device_ids: list[int] = [info.dev_index for info in self.device_infos]
        self.queue_families: list[list[int]] = [list(families) for families in queue_families]
        raw = _native.raw
        desc = raw.vd_context_desc(
            backend=BACKEND_NUMBERS[init.get_backend()],
            flags=flags,
            device_count=len(self.mapped_device_ids),
            devices=self.mapped_device_ids,
            queue_counts=counts,
            cache_dir=cache_dir,
            watchdog_ns=_nanoseconds(watchdog),
        )
        #: Seconds that a kernel on the host may run, as asked for.
        self.watchdog: float | None = watchdog
        #: No other context of this process has or had it.
        self.serial: int = next(_serials)
        #: What a kernel did wrong, found by what must not raise: the next wait does.
        self._withheld: _native.Error | None = None
        try:
            self._pointer = raw.vd_context_create(desc)
        except (
            _native.UnavailableError
        ) as error:  # a driver that lists devices and cannot run kernels: CUDA without NVRTC
            name = init.get_backend()
            raise selection.BackendUnavailableError(name, f"Backend '{name}' cannot be used: {error}") from error
        self._handle: int = address_of(self._pointer)
        #: The backend's name.
        self.backend: str = init.get_backend()
        #: Queues of all its devices.
        self.queue_count: int = raw.vd_context_get_info(self._pointer).queue_count
        #: Of each queue, its device's position in `device_ids`.
        self.queue_devices: list[int] = [i for i, count in enumerate(counts) for _ in range(count)]
        _ = _native.hot  # gives the extension its addresses
        # There a wait with a timeout, which an interrupt can end, costs an event.
        self._waiter: Waiter | None = Waiter(self._handle, self._pointer, self.backend == "opencl")
        self.handles_dict: weakref.WeakValueDictionary[int, Handle] = weakref.WeakValueDictionary()
        self.destroyed = False
        all_contexts.add(self)
        self.refresh_limits_from_device_infos()

    def refresh_limits_from_device_infos(self) -> None:
        """Work out the limits over all devices again."""
        infos = self.device_infos
        #: Invocations of a subgroup.
        self.subgroup_size: int = min(info.sub_group_size for info in infos)
        #: Whether kernels may use subgroups at all.
        self.subgroup_enabled: bool = all(info.supported_stages & _COMPUTE_STAGE for info in infos)
        self.subgroup_arithmetic = all(info.supported_operations & _ARITHMETIC for info in infos)
        #: Invocations of a workgroup along each axis, at most.
        self.max_workgroup_size: tuple[int, ...] = tuple(
            min(info.max_workgroup_size[i] for info in infos) for i in range(3)
        )
        #: Invocations of a workgroup, at most.
        self.max_workgroup_invocations: int = min(info.max_workgroup_invocations for info in infos)
        #: Workgroups of a launch along each axis, at most.
        self.max_workgroup_count: tuple[int, ...] = tuple(
            min(info.max_workgroup_count[i] for info in infos) for i in range(3)
        )
        self.uniform_buffer_alignment = max(info.uniform_buffer_alignment for info in infos)
        #: Bytes of shared memory of a workgroup, at most.
        self.max_shared_memory: int = min(info.max_compute_shared_memory_size for info in infos)

    def raise_withheld(self) -> None:
        """Raise a kernel's error that is_idle() came upon; once."""
        error, self._withheld = self._withheld, None
        if error is not None:
            raise error

    def is_idle(self) -> bool:
        """Whether every queue is done, soon. Never raises what a kernel did wrong: the next wait does."""
        try:
            waiting = _native.raw.vd_context_wait_idle(self._pointer, _enums.VD_QUEUE_ALL, _SOON)
        except _native.Error as error:
            self._withheld = self._withheld or error
            return False
        return waiting != _enums.VD_TIMEOUT and self._withheld is None

    def is_apple(self) -> bool:
        """Whether any device is Apple's."""
        return any(info.is_apple() for info in self.device_infos)

    def memory_in_use(self) -> int:
        """Bytes allocated for buffers and implicit work space."""
        return _native.raw.vd_context_get_info(self._pointer).memory_in_use

    def info(self) -> dict[str, int]:
        """Counters: bytes in use, kernels compiled, compiles that the disk cache spared."""
        info = _native.raw.vd_context_get_info(self._pointer)
        names = ("queue_count", "device_count", "lost", "memory_in_use", "kernels_compiled", "cache_hits")
        return {name: getattr(info, name) for name in names}

    def queues(self, index: int) -> range:
        """The queues that a queue index of a submission means: -2 all, -1 any, else that one."""
        if index == -2:
            return range(self.queue_count)
        if index == -1:
            return range(1)
        if not npc.is_integer_scalar(index) or not 0 <= index < self.queue_count:
            raise ValueError(f"queue_index ({index!r}) must be -2 (all), -1 (any) or 0 to {self.queue_count - 1}!")
        return range(index, index + 1)

    def destroy(self) -> None:
        """Destroy every object of the context, and the context. Work in flight is waited for."""
        if self.destroyed:
            return
        for handle in list(self.handles_dict.values()):
            handle.destroy()
        self.destroyed = True
        self._pointer = self._waiter = None

    def __enter__(self) -> Context:
        return self

    def __exit__(self, *exc: object) -> None:
        if self is globals()["__context"]:
            destroy_context()
        else:
            self.destroy()

    def __repr__(self) -> str:
        names = ", ".join(info.device_name for info in self.device_infos)
        return f"<Context on {self.backend}: {names}; {self.queue_count} queue(s)>"


# A name of 0.1 that programs reset.
__context: Context | None = None
_lock = threading.RLock()
#: Every context that is alive.
all_contexts: weakref.WeakSet[Context] = weakref.WeakSet()


def renew_lock() -> None:
    """In the child of a fork: whoever held the lock is not there."""
    global _lock
    _lock = threading.RLock()


def is_context_initialized() -> bool:
    """Whether the process's context exists."""
    return __context is not None


def get_context() -> Context:
    """The process's context, made with the defaults if there is none."""
    return __context if __context is not None else make_context()


def get_context_handle() -> int:
    """The address of the process's context."""
    return get_context()._handle


def _integer(value: Any, what: str) -> int:
    try:
        return operator.index(value)
    except TypeError:
        raise WrongTypeError(f"{what} must be an integer (got {value!r})") from None


def _nanoseconds(watchdog: float | None) -> int:
    """Of a watchdog's seconds, as the library wants them: 0 is its default, the largest is never."""
    if watchdog is None:
        return 0
    if isinstance(watchdog, bool) or not isinstance(watchdog, (int, float)) or not watchdog > 0:
        raise ValueError(f"watchdog must be a number of seconds above 0, or None (got {watchdog!r})")
    return max(1, int(min(watchdog * 1e9, 2.0**63))) if watchdog < 2.0**33 else 2**64 - 1


def _integers(value: Any, what: str) -> list[int]:
    return [_integer(v, what) for v in (value if isinstance(value, (list, tuple)) else [value])]


def select_devices(use_cpu: bool, device_count: int | None) -> list[int]:
    """Positions in get_devices() of what is chosen: discrete, integrated and virtual GPUs, then CPUs if they may be."""
    infos = init.get_devices()
    only_cpu = init.get_backend() in ("host", "dummy") or init._explicit
    classes = (2, 1, 3, 4) if use_cpu or only_cpu else (2, 1, 3)
    found = [info.sorted_index for kind in classes for info in infos if info.device_type == kind]
    return found if device_count is None else found[:device_count]


def _wished_device() -> list[int] | None:
    """The device of VKDISPATCH_DEVICE: a position, a part of a name, or a UUID."""
    wish = selection.wished_device()
    if not wish:
        return None
    infos = init.get_devices()
    cure = (
        f"; the backend is '{init.get_backend()}', VKDISPATCH_BACKEND or use_cpu=True may choose another, and "
        "`vdlist --all` lists every device"
    )
    if wish.isdigit():
        if int(wish) >= len(infos):
            raise ValueError(f"VKDISPATCH_DEVICE ({wish}) is past the last device ({len(infos) - 1}){cure}")
        return [int(wish)]
    for info in infos:
        if selection.is_wished(wish, info.device_name, info.uuid):
            return [info.sorted_index]
    devices = [info.device_name for info in infos]
    if not init._explicit:  # the backend was not asked for, so any backend's device could have been meant
        devices = selection.names_of_all_devices()
    raise ValueError(f"VKDISPATCH_DEVICE ({wish}) names none of {devices}{cure}")


def _family_with(device_index: int, *tests: Any) -> int:
    flags = [f for _, f in init.get_devices()[device_index].queue_properties]
    for test in tests:
        for i, f in enumerate(flags):
            if test(f):
                return i
    raise ValueError(f"Device {device_index} has no suitable queue family (flags {flags})")


def get_compute_queue_family_index(device: DeviceInfo | None, device_index: int) -> int:
    """The family for compute: compute alone if there is one."""
    return _family_with(device_index, lambda f: f in (6, 14), lambda f: f & 2 and not f & 1, lambda f: f & 2)


def get_graphics_queue_family_index(device: DeviceInfo | None, device_index: int) -> int:
    """The family for graphics, else for compute."""
    return _family_with(device_index, lambda f: f == 7, lambda f: f & 3 == 3, lambda f: f & 2)


def select_queue_families(device_index: int, queue_count: int | None = None) -> list[int]:
    """The families of `queue_count` queues of a device: compute and graphics in turn."""
    info = init.get_devices()[device_index]
    compute = get_compute_queue_family_index(info, device_index)
    graphics = get_graphics_queue_family_index(info, device_index)
    if queue_count is None:
        queue_count = 1 if compute == graphics else 3 if info.is_nvidia() else 2
    if info.is_nvidia():
        return [graphics if i == 1 else compute for i in range(queue_count)]
    return [graphics if i % 2 else compute for i in range(queue_count)]


def make_context(
    device_ids: int | Sequence[int] | None = None,
    device_count: int | None = None,
    queue_counts: int | Sequence[int] | None = None,
    queue_families: Sequence[Sequence[int]] | None = None,
    use_cpu: bool = False,
    multi_device: bool = False,
    multi_queue: bool = False,
    watchdog: float | None = None,
) -> Context:
    """Make the process's context, or give the one that exists.

    `device_ids` are positions in get_devices(); without them the best GPU is taken, and with `use_cpu` CPU devices are
    candidates too. On the backend "host" a kernel that runs longer than `watchdog` seconds is ended with a `KernelError`;
    without it only kernels of a checked context are, after 60 s (`math.inf`: never). Later calls give the same object and
    ignore their arguments.
    """
    global __context
    use_cpu = init.as_bool(use_cpu, "make_context: use_cpu")
    _nanoseconds(watchdog)
    with _lock:
        if __context is not None:
            _warn_of_other_wishes(device_ids, device_count, queue_counts, queue_families, use_cpu, watchdog)
            return __context
        init.initialize()
        if init.forked_with not in (None, "host", "dummy"):
            raise RuntimeError(
                f"make_context: backend '{init.forked_with}' was in use before os.fork(), and its driver does not work in "
                "the child: start the process with multiprocessing's 'spawn' method"
            )
        if device_count is not None and _integer(device_count, "device_count") < 0:
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
            ids = _wished_device() or select_devices(use_cpu, count)
            if not ids:
                raise RuntimeError(
                    f"Backend '{init.get_backend()}' has no device to choose from: "
                    f"{[info.device_name for info in infos] or 'none at all'} (use_cpu=True makes CPU devices candidates)"
                )
        else:
            ids = _integers(device_ids, "A device id")
            if not ids or len(set(ids)) != len(ids):
                raise ValueError(f"device_ids ({ids}) must name at least one device, and each once")
            for i in ids:
                if not 0 <= i < len(infos):
                    raise ValueError(f"Device id ({i}) is outside 0 to {len(infos) - 1}")
        families = _families(ids, queue_counts, queue_families, multi_queue)
        if init.get_backend() in ("cuda", "opencl") and (len(ids) > 1 or any(len(f) > 1 for f in families)):
            raise NotImplementedError(
                f"Several devices or queues in one context on backend '{init.get_backend()}': the package has them on Vulkan "
                "(several queues on the host, too); the C API has them here as well"
            )
        __context = Context(ids, families, watchdog=watchdog)
        _native.raw.vd_context_wait_idle(__context._pointer, _enums.VD_QUEUE_ALL, _FOREVER)
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


def _families(ids: list[int], counts: Any, families: Any, multi_queue: bool) -> list[list[int]]:
    """The queue families of each device."""
    if families is not None:
        if len(families) != len(ids):
            raise ValueError(f"queue_families has {len(families)} entries for {len(ids)} devices")
        return [_checked_families(i, wanted) for i, wanted in zip(ids, families, strict=True)]
    if counts is None:
        return [select_queue_families(i, None if multi_queue else 1) for i in ids]
    per_device = _integers(counts, "queue_counts")
    if not isinstance(counts, (list, tuple)):
        per_device = per_device * len(ids)
    if len(per_device) != len(ids):
        raise ValueError(f"queue_counts has {len(per_device)} entries for {len(ids)} devices")
    if any(n < 1 for n in per_device):
        raise ValueError(f"queue_counts ({per_device}) must be at least 1")
    return [select_queue_families(i, n) for i, n in zip(ids, per_device, strict=True)]


def _checked_families(device_index: int, wanted: Any) -> list[int]:
    """The families of one device's queues, all of which it has."""
    numbers = _integers(wanted, "A queue family")
    properties = init.get_devices()[device_index].queue_properties
    if not numbers:
        raise ValueError(f"queue_families of device {device_index} must name at least one family")
    for family in numbers:
        if not 0 <= family < len(properties):
            raise ValueError(f"Queue family ({family}) of device {device_index} is outside 0 to {len(properties) - 1}")
        if numbers.count(family) > properties[family][0]:
            raise ValueError(
                f"{numbers.count(family)} queues of family {family} are more than device {device_index} has "
                f"({properties[family][0]})"
            )
    return numbers


def queue_wait_idle(
    queue_index: int | None = None, context: Context | None = None, timeout: float | None = None
) -> bool:
    """Wait until a queue, or every one, has done all work submitted before. False if `timeout` seconds ran out."""
    ctx = context or get_context()
    if timeout is not None:
        timeout = _seconds(timeout)
    if queue_index is None:
        queue = _enums.VD_QUEUE_ALL
    else:
        queue = _integer(queue_index, "queue_index")
        if not 0 <= queue < ctx.queue_count:
            raise ValueError(f"queue_index ({queue}) is outside 0 to {ctx.queue_count - 1}")
    try:
        if timeout is not None:
            ctx.raise_withheld()
            status = _native.raw.vd_context_wait_idle(ctx._pointer, queue, min(int(timeout * 1e9), _FOREVER))
            return status != _enums.VD_TIMEOUT
        _wait_in_slices(ctx, queue)
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
        raise ValueError(f"queue_wait_idle: timeout ({timeout!r}) must be a number of seconds that is not negative")
    return min(seconds, 1e9)


def _wait_in_slices(context: Context, queue: int) -> None:
    """Wait until `queue` is idle. In slices, so that an interrupt from the keyboard arrives between two of them."""
    if context._waiter is None:
        raise RuntimeError("The context was destroyed")
    context.raise_withheld()
    context._waiter.wait_idle(queue, _SLICE)


def wait_interruptibly(context: Context, queue: int) -> None:
    """Before a call that waits for `queue` inside the library, where an interrupt cannot arrive: wait here instead.

    Signals arrive on the main thread alone; the others leave the waiting to the call.
    """
    if threading.get_ident() == threading.main_thread().ident:
        _wait_in_slices(context, queue)


class Signal:
    """The completion of some work on a queue."""

    def __init__(self, ptr_addr: Any = None):
        #: The ticket to wait for; None means everything submitted to the queue so far.
        self.ticket: int | None = ptr_addr
        self._context = get_context()

    def wait(self, wait_for_timestamp: bool = True, queue_index: int = 0) -> None:
        """Wait until the work is done; with `wait_for_timestamp` False it is enough that it was submitted."""
        if wait_for_timestamp:
            while not self._poll(queue_index, _SLICE):
                pass

    def try_wait(self, wait_for_timestamp: bool = True, queue_index: int = 0) -> bool:
        """Whether wait() would return at once."""
        return not wait_for_timestamp or self._poll(queue_index, 0)

    def _poll(self, queue_index: int, timeout: int) -> bool:
        raw = _native.raw
        if self.ticket is None:
            self._context.raise_withheld()
            status = raw.vd_context_wait_idle(self._context._pointer, queue_index, timeout)
        else:
            status = raw.vd_ticket_wait(self._context._pointer, self.ticket, timeout)
        return status != _enums.VD_TIMEOUT

    def free(self) -> None:
        """Nothing to give back."""


def destroy_context() -> None:
    """Destroy the process's context and everything in it; another one may be made."""
    global __context
    with _lock:
        if __context is not None:
            __context.destroy()
            __context = None


def stop_threads() -> None:
    """Nothing to stop: the library's threads end with their context."""


def _at_exit() -> None:
    # Nothing may be raised or printed while the interpreter goes down.
    with contextlib.suppress(Exception):
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            # Work in flight is waited for, and no code of Python's runs meanwhile: an interrupt ends the process.
            signal.signal(signal.SIGINT, signal.SIG_DFL)
        destroy_context()


atexit.register(_at_exit)


def set_dummy_context_params(
    subgroup_size: int | None = None,
    subgroup_enabled: bool | None = None,
    max_workgroup_size: tuple[int, int, int] | None = None,
    max_workgroup_invocations: int | None = None,
    max_workgroup_count: tuple[int, int, int] | None = None,
    max_shared_memory: int | None = None,
) -> None:
    """Change what the dummy device reports, for kernels built afterwards. RuntimeError on another backend."""
    if not init.is_dummy():
        raise RuntimeError(f"set_dummy_context_params works on the dummy backend alone, not on '{init.get_backend()}'")

    def positive(value: Any, what: str) -> int:
        try:
            number = int(value)
        except (TypeError, ValueError):
            raise ValueError(f"{what} ({value!r}) must be a positive integer") from None
        if number <= 0:
            raise ValueError(f"{what} ({value!r}) must be a positive integer")
        return number

    def triplet(value: Any, what: str) -> list[int]:
        if not isinstance(value, (list, tuple)) or len(value) != 3:
            raise ValueError(f"{what} ({value!r}) must be three positive integers")
        return [positive(v, what) for v in value]

    if subgroup_enabled is not None and not isinstance(subgroup_enabled, bool):
        raise ValueError(f"subgroup_enabled ({subgroup_enabled!r}) must be a bool")
    changes: dict[str, Any] = {}
    if subgroup_size is not None:
        changes["subgroup_size"] = positive(subgroup_size, "subgroup_size")
    if max_workgroup_size is not None:
        changes["max_workgroup_size"] = triplet(max_workgroup_size, "max_workgroup_size")
    if max_workgroup_invocations is not None:
        changes["max_workgroup_invocations"] = positive(max_workgroup_invocations, "max_workgroup_invocations")
    if max_workgroup_count is not None:
        changes["max_workgroup_count"] = triplet(max_workgroup_count, "max_workgroup_count")
    if max_shared_memory is not None:
        changes["max_shared_memory_size"] = positive(max_shared_memory, "max_shared_memory")
        changes["max_shared_memory_opt_in"] = changes["max_shared_memory_size"]

    context = get_context()
    raw = _native.raw
    info = raw.vd_device_get_info(_enums.VD_BACKEND_DUMMY, 0)
    for name, value in changes.items():
        setattr(info, name, value)
    if subgroup_enabled is not None:
        stages, operations = info.subgroup_stages, info.subgroup_operations
        on = subgroup_enabled
        info.subgroup_stages = stages | _COMPUTE_STAGE if on else stages & ~_COMPUTE_STAGE
        info.subgroup_operations = operations | _ARITHMETIC if on else operations & ~_ARITHMETIC
        bits = _enums.VD_FEATURE_SUBGROUP_BASIC | _enums.VD_FEATURE_SUBGROUP_ARITHMETIC
        info.features = info.features | bits if on else info.features & ~bits
    raw.vd_dummy_set_device(info)
    init.refresh_dummy_device()
    context.refresh_limits_from_device_infos()


__all__ = [
    "Context",
    "Handle",
    "Signal",
    "destroy_context",
    "get_compute_queue_family_index",
    "get_context",
    "get_context_handle",
    "get_graphics_queue_family_index",
    "is_context_initialized",
    "make_context",
    "queue_wait_idle",
    "select_devices",
    "select_queue_families",
    "set_dummy_context_params",
    "stop_threads",
]
