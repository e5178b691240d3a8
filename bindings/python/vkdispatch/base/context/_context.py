"""A context: its devices, queues and objects; and the function by which other parts get the process's context."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable, Sequence
from typing import Any

from ... import _native
from ..._native._launcher import Waiter
from ...backends import backend_selection as selection
from ...backends.backend_selection import BACKEND_NUMBERS
from ...compat import numpy_compat as npc
from .. import init
from ..init import DeviceInfo
from ..init._device_info import COMPUTE_STAGE, SUBGROUP_ARITHMETIC
from ..pointers import address_of

_enums = _native.enums
_serials = itertools.count(1)
# Nanoseconds that repr() waits for unfinished work.
_SOON = 10_000_000


def nanoseconds_of(watchdog: float | None) -> int:
    """Convert a watchdog's seconds to the library's value: 0 is its default, the largest is never."""
    if watchdog is None:
        return 0
    if isinstance(watchdog, bool) or not isinstance(watchdog, (int, float)) or not watchdog > 0:
        raise ValueError(f"watchdog must be a number of seconds above 0, or None (got {watchdog!r})")
    return max(1, int(min(watchdog * 1e9, 2.0**63))) if watchdog < 2.0**33 else 2**64 - 1


def _words(names: Any, what: str) -> str | None:
    """Names of extensions as the library takes them."""
    names = [names] if isinstance(names, str) else list(names)
    for name in names:
        if not isinstance(name, str) or not name or name.split() != [name]:
            raise ValueError(f"{what} ({name!r}) is not the name of an extension")
    return " ".join(names) or None


class Context:
    """Devices and queues. `make_context()` makes the process's own one."""

    #: Destroys a context, which may be the one that the process keeps.
    _leave: Callable[[Context], None]

    def __init__(
        self,
        device_ids: Sequence[int],
        queue_families: Sequence[Sequence[int]],
        queue_counts: Sequence[int] | None = None,
        cache_dir: str | None = None,
        checked: bool | None = None,
        watchdog: float | None = None,
        required_extensions: Sequence[str] = (),
        wished_extensions: Sequence[str] = (),
        decided_families: bool = False,
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
        from ..._native._load import ffi

        raw = _native.raw
        desc = raw.vd_context_desc(
            backend=BACKEND_NUMBERS[init.get_backend()],
            flags=flags,
            device_count=len(self.mapped_device_ids),
            devices=self.mapped_device_ids,
            queue_counts=counts,
            cache_dir=cache_dir,
            dummy_device=init.dummy_device(),
            watchdog_ns=nanoseconds_of(watchdog),
            required_extensions=_words(required_extensions, "required_extensions"),
            wished_extensions=_words(wished_extensions, "wished_extensions"),
        )
        # A choice of the package's own gives way to the library's where a family has too few queues.
        families = [family for of_device in self.queue_families for family in of_device]
        if init.get_backend() == "vulkan" and (decided_families or self._families_fit()):
            c_families = ffi.new("uint32_t[]", families)
            desc.queue_families = c_families
            desc.queue_family_count = len(families)
        #: Seconds that a kernel on the host may run, as asked for.
        self.watchdog: float | None = watchdog
        #: No other context of this process has or had it.
        self.serial: int = next(_serials)
        #: A kernel's error, found by a function that must not raise: the next wait raises it.
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
        #: The position in `device_ids` of each queue's device.
        self.queue_devices: list[int] = [i for i, count in enumerate(counts) for _ in range(count)]
        if self.backend == "vulkan":
            numbers = [raw.vd_context_get_queue(self._pointer, i).family for i in range(self.queue_count)]
            self.queue_families = [
                [family for family, device in zip(numbers, self.queue_devices, strict=True) if device == i]
                for i in range(len(counts))
            ]
        _ = _native.hot  # gives the extension its addresses
        # There a wait with a timeout, which an interrupt can end, costs an event.
        self._waiter: Waiter | None = Waiter(self._handle, self._pointer, self.backend == "opencl")
        self.handles_dict: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()
        self.destroyed = False
        all_contexts.add(self)
        self.refresh_limits_from_device_infos()

    def refresh_limits_from_device_infos(self) -> None:
        """Work out the limits over all devices again."""
        infos = self.device_infos
        #: Invocations of a subgroup.
        self.subgroup_size: int = min(info.sub_group_size for info in infos)
        #: Whether kernels may use subgroups at all.
        self.subgroup_enabled: bool = all(info.supported_stages & COMPUTE_STAGE for info in infos)
        self.subgroup_arithmetic = all(info.supported_operations & SUBGROUP_ARITHMETIC for info in infos)
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

    def _families_fit(self) -> bool:
        """Whether each device has the queues of its families."""
        return all(
            0 <= family < len(info.queue_properties)
            and info.queue_properties[family][1] & 2
            and families.count(family) <= info.queue_properties[family][0]
            for info, families in zip(self.device_infos, self.queue_families, strict=True)
            for family in families
        )

    def has_extension(self, name: str, device: int = 0) -> bool:
        """Whether an extension of Vulkan is enabled on a device of the context. False on other backends."""
        return bool(_native.raw.vd_context_has_extension(self._pointer, device, name))

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
        self._leave(self)

    def __repr__(self) -> str:
        names = ", ".join(info.device_name for info in self.device_infos)
        return f"<Context on {self.backend}: {names}; {self.queue_count} queue(s)>"


#: Every context that is alive.
all_contexts: weakref.WeakSet[Context] = weakref.WeakSet()


class _Keeper:
    """Holder of the process's context."""

    get: Callable[[], Context]


def provide(get: Callable[[], Context]) -> None:
    """Set the function that returns the process's context."""
    _Keeper.get = staticmethod(get)


def current_context() -> Context:
    """The process's context, made with the defaults if there is none."""
    return _Keeper.get()
