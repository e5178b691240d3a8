"""A context: its devices, queues and objects; and the function by which other parts get the process's context."""

from __future__ import annotations

import contextlib
import itertools
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NoReturn

from ... import _native
from ..._native._launcher import Waiter
from ...backends import backend_selection as selection
from ...backends.backend_selection import BACKEND_NUMBERS
from ...compat import numpy_compat as npc
from .. import init
from ..errors import WrongTypeError
from ..init import DeviceInfo
from ..init._device_info import COMPUTE_STAGE, SUBGROUP_ARITHMETIC, device_info, list_devices
from ..pointers import address_of
from ..words import bracketed, shown
from ._native_device import native_device

_enums = _native.enums
_serials = itertools.count(1)
# Seconds that is_idle() waits for unfinished work.
_SOON = 0.01


def nanoseconds_of(watchdog: float | None) -> int:
    """Convert a watchdog's seconds to the library's value: 0 is its default, the largest is never."""
    if watchdog is None:
        return 0
    if not npc.is_real_scalar(watchdog) or not watchdog > 0:
        raise ValueError(f"watchdog must be a number of seconds above 0, or None (got {watchdog!r})")
    watchdog = watchdog if isinstance(watchdog, int) else float(watchdog)
    return max(1, int(min(watchdog * 1e9, 2.0**63))) if watchdog < 2.0**33 else 2**64 - 1


def living(objects: weakref.WeakValueDictionary[int, Any]) -> list[Any]:
    """The objects of a weak dictionary, which other threads may change meanwhile."""
    return [one for reference in objects.valuerefs() if (one := reference()) is not None]


def _words(names: Any, what: str) -> str | None:
    """Names of extensions as the library takes them."""
    names = [names] if isinstance(names, str) else list(names)
    for name in names:
        if not isinstance(name, str) or not name or name.split() != [name]:
            raise ValueError(f"{what} ({name!r}) is not the name of an extension")
    return " ".join(names) or None


class Context:
    """Devices and queues, and all that lives on them.

    `make_context()` makes the process's own one. Others may stand beside it, of any backend: `device_ids` are positions in the
    backend's devices (vd.get_devices() of the active one), None is its best device. A process's first context decides nothing
    for the others. Objects are made in the context that `context=` names, and kernels run in that of their buffers. As a
    context manager it is the current context of its thread inside the block, and is destroyed at the end.

    `checked` asks for the host's checks of each kernel, `robust` for accesses to buffers that harm nothing outside of them
    (Vulkan; on the host the same as `checked`; unsupported elsewhere), `debug` for validation layers, which vd.initialize() asks for
    otherwise. `cache_dir` is the disk cache's folder, "" keeps nothing.

    A device of the program's is given by integer handles, and outlives the context: on CUDA `cuda_context`; on Vulkan `instance`,
    `physical_device`, `device`, `queues` as (handle, family), the names of `enabled_extensions`, the address of the
    VkPhysicalDeviceFeatures2 of `enabled_features`, and the instance's `api_version`. Nobody else uses its queues meanwhile.
    """

    #: Destroys a context, which may be the one that the process keeps.
    _leave: Callable[[Context], None]

    def __init__(
        self,
        device_ids: int | Sequence[int] | None = None,
        queue_families: Sequence[Sequence[int]] | None = None,
        queue_counts: int | Sequence[int] | None = None,
        cache_dir: str | None = None,
        checked: bool | None = None,
        watchdog: float | None = None,
        *,
        backend: str | None = None,
        robust: bool = False,
        debug: bool | None = None,
        required_extensions: Sequence[str] = (),
        wished_extensions: Sequence[str] = (),
        decided_families: bool = True,
        instance: int | None = None,
        physical_device: int | None = None,
        device: int | None = None,
        queues: Sequence[tuple[int, int]] | None = None,
        enabled_features: int | None = None,
        enabled_extensions: Sequence[str] = (),
        api_version: int | None = None,
        cuda_context: int | None = None,
    ):
        #: The backend's name.
        self.backend: str = _backend_for(backend)
        native = native_device(
            self.backend,
            instance,
            physical_device,
            device,
            queues,
            enabled_features,
            enabled_extensions,
            api_version,
            cuda_context,
        )
        if native is not None and (device_ids is not None or queue_families is not None or queue_counts is not None):
            raise ValueError(
                "Context: a device's handles are given, and device_ids, queue_families or queue_counts too"
            )
        devices = devices_for(self.backend)
        ids = _ids_for(device_ids, devices, self.backend)
        named = queue_families is not None
        counts = _counts_for(queue_counts, queue_families, len(ids))
        if native is not None:
            counts = [max(1, len(native.queues))]
        debug = init.debug_mode() if debug is None else init.as_bool(debug, "Context: debug")
        flags = _enums.VD_CONTEXT_DEBUG if debug else 0
        if checked is None:  # the host has no validation layers; its checks are what it has to say about a kernel
            checked = debug and self.backend == "host"
        flags |= _enums.VD_CONTEXT_CHECKED if checked else 0
        flags |= _enums.VD_CONTEXT_ROBUST if init.as_bool(robust, "Context: robust") else 0
        if cache_dir == "":
            flags, cache_dir = flags | _enums.VD_CONTEXT_NO_CACHE, None
        #: Its devices, as positions in get_devices().
        self.device_ids: list[int] = ids
        #: The properties of each of its devices.
        self.device_infos: list[DeviceInfo] = [devices[i] for i in self.device_ids]
        self.mapped_device_ids: list[int] = [info.dev_index for info in self.device_infos]
        self.queue_families: list[list[int]] = [list(families) for families in queue_families or ()]
        from ..._native._load import ffi

        raw = _native.raw
        desc = raw.vd_context_desc(
            backend=BACKEND_NUMBERS[self.backend],
            flags=flags,
            device_count=len(self.mapped_device_ids),
            devices=self.mapped_device_ids,
            queue_counts=counts,
            cache_dir=cache_dir,
            dummy_device=init.dummy_device() if self.backend == "dummy" else None,
            watchdog_ns=nanoseconds_of(watchdog),
            required_extensions=_words(required_extensions, "required_extensions"),
            wished_extensions=_words(wished_extensions, "wished_extensions"),
        )
        if native is not None:
            described = native.describe()
            desc.native = described[0]
            desc.device_count, desc.devices, desc.queue_counts = 0, ffi.NULL, ffi.NULL
        # A choice of the package's own gives way to the library's where a family has too few queues.
        families = [family for of_device in self.queue_families for family in of_device]
        if named and self.backend == "vulkan" and (decided_families or self._families_fit()):
            c_families = ffi.new("uint32_t[]", families)
            desc.queue_families = c_families
            desc.queue_family_count = len(families)
        #: Seconds that a kernel on the host may run, as asked for.
        self.watchdog: float | None = watchdog
        #: No other context of this process has or had it.
        self.serial: int = next(_serials)
        try:
            with _native.naming("Context"):
                self._pointer = raw.vd_context_create(desc)
        except (
            _native.UnavailableError
        ) as error:  # a driver that lists devices and cannot run kernels: CUDA without NVRTC
            name = self.backend
            raise selection.BackendUnavailableError(name, f"Backend '{name}' cannot be used: {error}") from error
        if native is not None:
            self._note_device(devices)
        self._handle: int = address_of(self._pointer)
        #: Queues of all its devices.
        self.queue_count: int = raw.vd_context_get_info(self._pointer).queue_count
        #: The position in `device_ids` of each queue's device.
        self.queue_devices: list[int] = [i for i, count in enumerate(counts) for _ in range(count)]
        if queue_families is None:  # not before the library took the counts, which may be any numbers
            self.queue_families = [[0] * count for count in counts]
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
        #: The graph of each thread that runs launches at once, by what ends with the thread.
        self._default_graphs: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()
        #: Owners of objects of the context, such as kp's Managers, which end with it: each has a method `_end_with_context()`.
        self._owners: weakref.WeakSet[Any] = weakref.WeakSet()
        self.destroyed = False
        #: Whether destroy() has begun to destroy its objects: those that come now end at once.
        self._ending = False
        all_contexts.add(self)
        _Keeper.several = _Keeper.several or len(all_contexts) > 1 or not _thread.makes_own
        self.refresh_limits_from_device_infos()

    def _note_device(self, devices: Sequence[DeviceInfo]) -> None:
        """The properties of a device of the program's, as it was made."""
        info = device_info(_native.raw.vd_context_get_device(self._pointer, 0), self.backend)
        listed = [one.sorted_index for one in devices if one.dev_index == info.dev_index]
        info.sorted_index = listed[0] if listed else -1
        self.device_ids, self.device_infos, self.mapped_device_ids = [info.sorted_index], [info], [info.dev_index]

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
        if not isinstance(name, str):
            raise WrongTypeError(f"Context.has_extension: name must be a str (got {shown(name)})")
        with _native.naming("Context.has_extension"):
            return bool(_native.raw.vd_context_has_extension(self._live("has_extension"), device, name))

    def is_idle(self) -> bool:
        """Whether every queue is done, soon. It raises no failure of the work: the next wait does."""
        raw, pointer, end = _native.raw, self._live("is_idle"), time.monotonic() + _SOON
        tickets = [raw.vd_context_get_last_ticket(pointer, queue) for queue in range(self.queue_count)]
        while not all(raw.vd_ticket_is_done(pointer, ticket) for ticket in tickets):
            if time.monotonic() > end:
                return False
            time.sleep(50e-6)
        return True

    def is_apple(self) -> bool:
        """Whether any device is Apple's."""
        return any(info.is_apple() for info in self.device_infos)

    def memory_in_use(self) -> int:
        """Bytes allocated for buffers and implicit work space."""
        return _native.raw.vd_context_get_info(self._live("memory_in_use")).memory_in_use

    def info(self) -> dict[str, int]:
        """Counters: bytes in use, kernels compiled, compiles that the disk cache spared."""
        info = _native.raw.vd_context_get_info(self._live("info"))
        names = ("queue_count", "device_count", "lost", "memory_in_use", "kernels_compiled", "cache_hits")
        return {name: getattr(info, name) for name in names}

    def queues(self, index: int, what: str = "queue_index") -> range:
        """The queues that a queue index of a submission means: -2 all, -1 any, else that one. `what` names the call and the
        argument in messages."""
        if index == -2:
            return range(self.queue_count)
        if index == -1:
            return range(1)
        if not npc.is_integer_scalar(index):
            raise WrongTypeError(
                f"{what} {bracketed(index)} must be an integer: -2 (all), -1 (any) or a queue's number"
            )
        if not 0 <= index < self.queue_count:
            raise ValueError(f"{what} ({index}) must be -2 (all), -1 (any) or 0 to {self.queue_count - 1}!")
        return range(index, index + 1)

    def destroy(self) -> None:
        """Destroy every object of the context, and the context. Work in flight is waited for."""
        if self.destroyed:
            return
        try:
            for owner in list(self._owners):
                owner._end_with_context()
        finally:
            self._ending = True
            handles = living(self.handles_dict)
            for handle in handles:
                handle.ends_with_context = True
            for handle in handles:
                handle.destroy()
            self.destroyed = True
            self._pointer = self._waiter = None

    def check_alive(self, what: str) -> None:
        """StateError if the context was destroyed; `what` names the call."""
        if self.destroyed:
            self._refuse(what)

    def _refuse(self, what: str) -> NoReturn:
        """Raise the error of a call on a destroyed context; `what` names the call."""
        raise _native._errors.StateError(f"{what}: {self.name} was destroyed", _enums.VD_ERR_STATE)

    def _live_pointer(self, what: str) -> Any:
        """The library's handle; StateError once the context is destroyed, which another thread may do. `what` names the call."""
        pointer = self._pointer
        if pointer is None:
            self._refuse(what)
        return pointer

    def _live(self, method: str) -> Any:
        return self._live_pointer(f"Context.{method}")

    @property
    def name(self) -> str:
        """Its name in messages: its number in the process, its backend and its devices."""
        return f"context {self.serial} ({self.backend}: {', '.join(info.device_name for info in self.device_infos)})"

    @contextlib.contextmanager
    def active(self) -> Iterator[Context]:
        """Make it the current context of this thread inside the block: new objects are made in it. May be nested."""
        self.check_alive("Context.active")
        _thread.stack.append(self)
        try:
            yield self
        finally:
            _thread.end_block(self)

    def __enter__(self) -> Context:
        self.check_alive("Context")
        _thread.stack.append(self)
        return self

    def __exit__(self, *exc: object) -> None:
        _thread.end_block(self)
        self._leave(self)

    def __repr__(self) -> str:
        names = ", ".join(info.device_name for info in self.device_infos)
        return f"<Context on {self.backend}: {names}; {self.queue_count} queue(s)>"


def _backend_for(name: str | None) -> str:
    """The backend of a context: the active one unless named, which then is not made the active one."""
    if name is None:
        init.initialize()
        return init.get_backend()
    canonical = selection.normalize_backend_name(name)
    if init.is_initialized() and canonical == init.get_backend():
        return canonical
    selection.require_backend(canonical)
    return canonical


_devices_of: dict[str, list[DeviceInfo]] = {}


def devices_for(backend: str) -> list[DeviceInfo]:
    """The devices of a backend, the active one or not."""
    if init.is_initialized() and backend == init.get_backend():
        return init.get_devices()
    if backend not in _devices_of:
        _devices_of[backend] = list_devices(backend)
    return _devices_of[backend]


#: Discrete, integrated and virtual GPUs, then CPUs: a context's backend is named, so that they count.
_ORDER = (2, 1, 3, 4)


def _ids_for(given: Any, devices: Sequence[DeviceInfo], backend: str) -> list[int]:
    if given is None:
        best = [info.sorted_index for kind in _ORDER for info in devices if info.device_type == kind]
        if not best:
            raise RuntimeError(f"Context: backend '{backend}' has no device to choose from")
        return best[:1]
    ids = list(given) if isinstance(given, (list, tuple)) else [given]
    for i in ids:
        if isinstance(i, bool) or not npc.is_integer_scalar(i):
            raise ValueError(f"Context: device_ids {bracketed(given)} must be an integer, or a list of them")
        if not 0 <= i < len(devices):
            raise ValueError(f"Context: device id ({i}) is outside 0 to {len(devices) - 1} of backend '{backend}'")
    if not ids or len(set(ids)) != len(ids):
        raise ValueError(f"Context: device_ids {bracketed(given)} must name at least one device, and each once")
    return [int(i) for i in ids]


def _counts_for(given: Any, families: Sequence[Sequence[int]] | None, devices: int) -> list[int]:
    """The number of queues of each device."""
    if given is None:
        return [1] * devices if families is None else [len(of_device) for of_device in families]
    counts = list(given) if isinstance(given, (list, tuple)) else [given] * devices
    if len(counts) != devices or any(isinstance(n, bool) or not npc.is_integer_scalar(n) or n < 1 for n in counts):
        raise ValueError(
            f"Context: queue_counts {bracketed(given)} must be a number of at least 1 for each of {devices} device(s)"
        )
    return [int(n) for n in counts]


class _Thread(threading.local):
    def __init__(self) -> None:
        #: Contexts that are current inside of blocks, the innermost last.
        self.stack: list[Context] = []
        #: Whether it is making the process's context.
        self.makes_own = False

    def end_block(self, context: Context) -> None:
        """Forget the innermost block of a context, if there is one."""
        for i in reversed(range(len(self.stack))):
            if self.stack[i] is context:
                del self.stack[i]
                return


_thread = _Thread()


#: Every context that is alive.
all_contexts: weakref.WeakSet[Context] = weakref.WeakSet()


class _Keeper:
    """Holder of the process's context."""

    get: Callable[[], Context]
    #: Whether a context other than the process's own was ever made, or two were alive at a time.
    several = False


def several_contexts() -> bool:
    """Whether objects may belong to another context than the process's own: then calls look which one their arguments
    belong to."""
    return _Keeper.several


@contextlib.contextmanager
def making_own() -> Iterator[None]:
    """Let the context that this thread makes inside the block be the process's own."""
    _thread.makes_own = True
    try:
        yield
    finally:
        _thread.makes_own = False


def provide(get: Callable[[], Context]) -> None:
    """Set the function that returns the process's context."""
    _Keeper.get = staticmethod(get)


def chosen_context() -> Context | None:
    """The context that a block of this thread made the current one; None outside of such blocks."""
    stack = _thread.stack
    return stack[-1] if stack else None


def current_context() -> Context:
    """The context of this thread's block, else the process's, made with the defaults if there is none."""
    return chosen_context() or _Keeper.get()
