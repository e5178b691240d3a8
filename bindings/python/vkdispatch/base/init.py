"""Starting the library, its devices, and the log.

All of it works without a context. Messages of the library go to standard error unless a callback takes them.

Example:
    messages = []
    vd.set_log_callback(lambda level, text: messages.append((level, text)))
    vd.set_log_level(vd.LogLevel.INFO)
    vd.log_info("hello")
    vd.set_log_callback(None)
    vd.set_log_level(vd.LogLevel.WARNING)
    assert messages[0][0] is vd.LogLevel.INFO and "hello" in messages[0][1]
    for device in vd.get_devices():
        print(vd.get_backend(), device.get_info_string())
"""

from __future__ import annotations

import contextlib
import enum
import os
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

from .. import _native
from ..backends import backend_selection as selection
from ..backends.backend_selection import (
    BACKEND_CUDA,
    BACKEND_DUMMY,
    BACKEND_HOST,
    BACKEND_OPENCL,
    BACKEND_VULKAN,
    BackendUnavailableError,
)
from . import remarks
from .errors import WrongTypeError

_enums = _native.enums

device_type_id_to_str_dict = {
    0: "Other",
    1: "Integrated GPU",
    2: "Discrete GPU",
    3: "Virtual GPU",
    4: "CPU",
}
#: The order in which classes of devices are chosen.
device_type_ranks_dict = {2: 0, 1: 1, 3: 2, 4: 3, 0: 4}

_QUEUE_TYPES = (
    (0x001, "Graphics", False),
    (0x002, "Compute", False),
    (0x004, "Transfer", True),
    (0x008, "Sparse Binding", True),
    (0x010, "Protected", True),
    (0x020, "Video Decode", True),
    (0x040, "Video Encode", True),
    (0x100, "Optical Flow (NV)", True),
)


class LogLevel(enum.Enum):
    """How much a message matters; a message shows when its level is at least the limit."""

    VERBOSE = _enums.VD_LOG_VERBOSE
    INFO = _enums.VD_LOG_INFO
    WARNING = _enums.VD_LOG_WARNING
    ERROR = _enums.VD_LOG_ERROR


def get_queue_type_strings(flags: int, verbose: bool) -> list[str]:
    """The abilities of a queue family in words."""
    return [name for bit, name, rare in _QUEUE_TYPES if flags & bit and (verbose or not rare)]


@dataclass(eq=False, repr=False)
class DeviceInfo:
    """The properties of a device. Flags are 0 or 1, sizes bytes."""

    dev_index: int
    version_variant: int
    version_major: int
    version_minor: int
    version_patch: int
    driver_version: int
    vendor_id: int
    device_id: int
    device_type: int
    device_name: str
    shader_buffer_float32_atomics: int
    shader_buffer_float32_atomic_add: int
    float_64_support: int
    float_16_support: int
    int_64_support: int
    int_16_support: int
    storage_buffer_16_bit_access: int
    uniform_and_storage_buffer_16_bit_access: int
    storage_push_constant_16: int
    storage_input_output_16: int
    max_workgroup_size: tuple[int, int, int]
    max_workgroup_invocations: int
    max_workgroup_count: tuple[int, int, int]
    max_bound_descriptor_sets: int
    max_push_constant_size: int
    max_storage_buffer_range: int
    max_uniform_buffer_range: int
    uniform_buffer_alignment: int
    sub_group_size: int
    supported_stages: int
    supported_operations: int
    quad_operations_in_all_stages: int
    max_compute_shared_memory_size: int
    queue_properties: list[tuple[int, int]]
    scalar_block_layout: int
    timeline_semaphores: int
    uuid: bytes | None

    #: Position in get_devices(); -1 before the device stands there.
    sorted_index: int = field(default=-1, init=False)
    #: Whose device it is: "vulkan", "cuda", "opencl", "host" or "dummy".
    backend: str = field(default="", init=False)
    #: Bytes of device memory; 0 where unknown.
    memory_size: int = field(default=0, init=False)
    #: Largest single buffer in bytes.
    max_allocation_size: int = field(default=0, init=False)
    #: Shared memory of a workgroup at most, with opting in.
    max_shared_memory_opt_in: int = field(default=0, init=False)
    #: Nanoseconds of a timestamp tick; 0 without timestamps.
    timestamp_period: float = field(default=0.0, init=False)
    #: The VD_FEATURE_ bits.
    features: int = field(default=0, init=False)

    def is_nvidia(self) -> bool:
        """Whether the device is NVIDIA's."""
        return "NVIDIA" in self.device_name

    def is_apple(self) -> bool:
        """Whether the device is Apple's."""
        return "Apple" in self.device_name

    def _version_line(self) -> str:
        three = f"{self.version_major}.{self.version_minor}.{self.version_patch}"
        two = f"{self.version_major}.{self.version_minor}"
        return {
            BACKEND_CUDA: f"CUDA Compute Capability Version: {two}",
            BACKEND_OPENCL: f"OpenCL Version: {two}",
            BACKEND_DUMMY: f"Dummy Version: {three}",
            BACKEND_HOST: f"Host Version: {three}",
        }.get(self.backend, f"Vulkan Version: {three}")

    def get_info_string(self, verbose: bool = False) -> str:
        """The device in words, as `vdlist` prints it."""
        out = [f"Device {self.sorted_index}: {self.device_name}"]
        out.append(f"\t{self._version_line()}")
        out.append(f"\tDevice Type: {device_type_id_to_str_dict.get(self.device_type, 'Other')}")
        if self.version_variant:
            out.append(f"\tVariant: {self.version_variant}")
        if verbose:
            out.append(f"\tDriver Version={self.driver_version}")
            out.append(f"\tVendor ID={self.vendor_id}")
            out.append(f"\tDevice ID={self.device_id}")
            if self.uuid is not None:
                h = self.uuid.hex()
                out.append(f"\tUUID: {h[:8]}-{h[8:12]}-{h[12:16]}-{h[16:20]}-{h[20:]}")
        out += ["", "\tFeatures:"]
        if verbose:
            out.append(f"\t\tFloat32 Atomics: {self.shader_buffer_float32_atomics == 1}")
            out.append(f"\t\tScalar Block Layout: {self.scalar_block_layout == 1}")
            out.append(f"\t\tTimeline Semaphores: {self.timeline_semaphores == 1}")
        out.append(f"\t\tFloat32 Atomic Add: {self.shader_buffer_float32_atomic_add == 1}")
        out += ["", "\tProperties:"]
        out.append(f"\t\t64-bit Float Support: {self.float_64_support == 1}")
        out.append(f"\t\t16-bit Float Support: {self.float_16_support == 1}")
        out.append(f"\t\t64-bit Int Support: {self.int_64_support == 1}")
        out.append(f"\t\t16-bit Int Support: {self.int_16_support == 1}")
        if verbose:
            out.append(f"\t\tStorage Buffer 16-bit Access: {self.storage_buffer_16_bit_access == 1}")
            both = self.uniform_and_storage_buffer_16_bit_access
            out.append(f"\t\tUniform and Storage Buffer 16-bit Access: {both == 1}")
            out.append(f"\t\tStorage Push Constant 16: {self.storage_push_constant_16 == 1}")
            out.append(f"\t\tStorage Input Output 16: {self.storage_input_output_16 == 1}")
            out.append(f"\t\tMax Workgroup Sizes: {self.max_workgroup_size}")
            out.append(f"\t\tMax Workgroup Invocations: {self.max_workgroup_invocations}")
            out.append(f"\t\tMax Workgroup Counts: {self.max_workgroup_count}")
            out.append(f"\t\tMax Bound Descriptor Sets={self.max_bound_descriptor_sets}")
        out.append(f"\t\tMax Push Constant Size: {self.max_push_constant_size} bytes")
        if verbose:
            out.append(f"\t\tMax Storage Buffer Range: {self.max_storage_buffer_range} bytes")
            out.append(f"\t\tMax Uniform Buffer Range: {self.max_uniform_buffer_range} bytes")
            out.append(f"\t\tUniform Buffer Alignment: {self.uniform_buffer_alignment}")
        out.append(f"\t\tSubgroup Size: {self.sub_group_size}")
        if verbose:
            out.append(f"\t\tSubgroup Stages: {hex(self.supported_stages)}")
            out.append(f"\t\tSubgroup Operations: {hex(self.supported_operations)}")
        out.append(f"\t\tMax Compute Shared Memory Size: {self.max_compute_shared_memory_size}")
        out += ["", "\tQueues:"]
        for i, (count, flags) in enumerate(self.queue_properties):
            words = get_queue_type_strings(flags, verbose)
            if words:
                out.append(f"\t\t{i} (count={count}, flags={hex(flags)}): {' | '.join(words)}")
        return "\n".join(out) + "\n"

    def __repr__(self) -> str:
        return self.get_info_string()


def _device_info(info: Any, backend: str) -> DeviceInfo:
    """A vd_device_info as Python sees it."""
    from .._native._load import ffi

    def has(*bits: int) -> int:
        return int(all(info.features & bit for bit in bits))

    size = tuple(info.max_workgroup_size)
    result = DeviceInfo(
        dev_index=info.index,
        version_variant=info.api_version[0],
        version_major=info.api_version[1],
        version_minor=info.api_version[2],
        version_patch=info.api_version[3],
        driver_version=info.driver_version,
        vendor_id=info.vendor_id,
        device_id=info.device_id,
        device_type=info.type,
        device_name=ffi.string(info.name).decode("utf-8", "replace"),
        shader_buffer_float32_atomics=has(_enums.VD_FEATURE_F32_ATOMICS),
        shader_buffer_float32_atomic_add=has(_enums.VD_FEATURE_F32_ATOMIC_ADD),
        float_64_support=has(_enums.VD_FEATURE_F64),
        float_16_support=has(_enums.VD_FEATURE_F16),
        int_64_support=has(_enums.VD_FEATURE_I64),
        int_16_support=has(_enums.VD_FEATURE_I16),
        storage_buffer_16_bit_access=has(_enums.VD_FEATURE_STORAGE_16),
        uniform_and_storage_buffer_16_bit_access=has(_enums.VD_FEATURE_UNIFORM_16),
        storage_push_constant_16=has(_enums.VD_FEATURE_PUSH_CONSTANT_16),
        storage_input_output_16=has(_enums.VD_FEATURE_INPUT_OUTPUT_16),
        # The first axis alone must be launchable.
        max_workgroup_size=(min(size[0], info.max_workgroup_invocations), size[1], size[2]),
        max_workgroup_invocations=info.max_workgroup_invocations,
        max_workgroup_count=tuple(info.max_workgroup_count),
        max_bound_descriptor_sets=info.max_bound_descriptor_sets,
        max_push_constant_size=info.max_push_constant_size,
        max_storage_buffer_range=info.max_storage_buffer_range,
        max_uniform_buffer_range=info.max_uniform_buffer_range,
        uniform_buffer_alignment=info.uniform_buffer_alignment,
        sub_group_size=info.subgroup_size,
        supported_stages=info.subgroup_stages,
        supported_operations=info.subgroup_operations,
        quad_operations_in_all_stages=has(_enums.VD_FEATURE_QUAD_ALL_STAGES),
        max_compute_shared_memory_size=info.max_shared_memory_size,
        queue_properties=[(info.queue_counts[i], info.queue_flags[i]) for i in range(info.queue_family_count)],
        scalar_block_layout=has(_enums.VD_FEATURE_SCALAR_BLOCK_LAYOUT),
        timeline_semaphores=has(_enums.VD_FEATURE_TIMELINE_SEMAPHORE),
        uuid=bytes(info.uuid) if info.uuid_valid else None,
    )
    result.backend = backend
    result.memory_size = info.memory_size
    result.max_allocation_size = info.max_allocation_size
    result.max_shared_memory_opt_in = info.max_shared_memory_opt_in
    result.timestamp_period = info.timestamp_period
    result.features = info.features
    return result


# ---- Initialisation --------------------------------------------------------------------------------------------------

# Names of 0.1 that programs reset; initialize() consults the first.
__initilized_instance: bool = False
__device_infos: list[DeviceInfo] | None = None
__backend_name: str | None = None
#: In the child of a fork: the parent's backend, if it had one.
forked_with: str | None = None

_lock = threading.RLock()
_debug_mode = False
# Whether the active backend was asked for; what the library chose may still yield to make_context(use_cpu=True).
_explicit = False


def is_initialized() -> bool:
    """Whether a backend has been chosen and its devices listed."""
    return __initilized_instance


def debug_mode() -> bool:
    """Whether validation was asked for."""
    return _debug_mode


def initialize(
    debug_mode: bool = False,
    log_level: LogLevel = LogLevel.WARNING,
    loader_debug_logs: bool = False,
    backend: str | None = None,
    strict: bool | None = None,
) -> None:
    """Choose a backend and list its devices; a context comes later.

    `debug_mode` asks for Vulkan's validation layers where they are installed; on the host it checks each kernel as it runs:
    bounds, races, divergent barriers, uninitialised reads. With `strict` what is most probably a mistake in a call is a ValueError
    instead of a warning: numbers of another kind than an argument's, numbers that an argument cannot hold, a buffer shorter than the
    launch that indexes it, rows taken for others, a kernel that returns a value; None leaves it to VKDISPATCH_STRICT.

    Calling it again changes the log level and `strict` alone. ValueError for an unknown backend, BackendUnavailableError for one that
    cannot be used here, RuntimeError for another one than the active one.
    """
    global __initilized_instance, __device_infos, __backend_name, _debug_mode, _explicit
    wanted = selection.normalize_backend_name(backend) if backend is not None else None
    debug_mode = as_bool(debug_mode, "initialize: debug_mode")
    if strict is not None:
        remarks.set_strict(as_bool(strict, "initialize: strict"))
    with _lock:
        if __initilized_instance:
            _initialized_again(wanted, debug_mode, log_level)
            return
        if loader_debug_logs:
            os.environ["VK_LOADER_DEBUG"] = "all"
        asked = wanted or selection.get_environment_backend() or selection.backend_of_wished_device()
        if not os.environ.get("VKDISPATCH_LOG") or log_level is not LogLevel.WARNING:
            _set_native_level(log_level)
        reasons: list[str] = []
        if asked is not None:
            selection.require_backend(asked)
            name = asked
        else:
            name, reasons = selection.choose_backend()
        selection.clear_active_backend()
        selection.set_active_backend(name)
        _native._errors.active_backend[0] = lambda: __backend_name
        __device_infos = _list_devices(name)
        __backend_name = name
        _debug_mode = bool(debug_mode)
        _explicit = asked is not None
        __initilized_instance = True
        if debug_mode and name in ("cuda", "opencl"):
            remarks.warn_caller(
                f"initialize: debug_mode has no effect on backend '{name}'; backend 'host' checks each kernel as it runs"
            )
        if name == BACKEND_HOST and asked is None:
            _native.raw.vd_log_write(
                _enums.VD_LOG_WARNING,
                f"no GPU can be used, so kernels run on the CPU ({'; '.join(reasons)}). VKDISPATCH_BACKEND=host asks for that "
                "without a warning, VKDISPATCH_BACKEND=vulkan or opencl, or make_context(use_cpu=True), for a driver that "
                "runs on the CPU",
            )
        elif asked is None and (unusable := selection.unusable_before(name)):
            _native.raw.vd_log_write(
                _enums.VD_LOG_WARNING,
                f"the {name} backend is taken, since another's devices cannot be used ({'; '.join(unusable)})",
            )


def as_bool(value: Any, what: str) -> bool:
    """A switch: a bool, or 0 or 1."""
    if not isinstance(value, bool) and not (hasattr(value, "__bool__") and value in (0, 1)):
        raise WrongTypeError(f"{what} ({value!r}) must be True or False")
    return bool(value)


def _initialized_again(wanted: str | None, debug_mode: bool, log_level: LogLevel) -> None:
    if wanted is not None and wanted != __backend_name:
        raise RuntimeError(
            f"Cannot initialise backend '{wanted}': backend '{__backend_name}' is active, and a process has one. Call "
            "vd.initialize() before all else, or set VKDISPATCH_BACKEND"
        )
    if log_level is not LogLevel.WARNING:
        _set_native_level(log_level)
    if debug_mode and not _debug_mode:
        remarks.warn_caller("initialize: debug_mode comes too late and has no effect")


def would_reconsider() -> bool:
    """Whether use_cpu=True would have chosen another backend than the host that the library chose."""
    if _explicit or __backend_name != BACKEND_HOST:
        return False
    return selection.choose_backend(use_cpu=True)[0] != BACKEND_HOST


def reconsider_cpu_devices() -> None:
    """Choose again with CPU devices as candidates, where the library chose and found no GPU."""
    global __device_infos, __backend_name
    with _lock:
        if _explicit or __backend_name != BACKEND_HOST:
            return
        name, _ = selection.choose_backend(use_cpu=True)
        if name == __backend_name:
            return
        selection.clear_active_backend()
        selection.set_active_backend(name)
        __backend_name = name
        infos = _list_devices(name)
        if __device_infos is None:
            __device_infos = infos
        else:  # the list that get_devices() gave before stays the list
            __device_infos[:] = infos


def _list_devices(name: str) -> list[DeviceInfo]:
    infos = [_device_info(info, name) for info in selection.devices_of(name)]
    if name == BACKEND_VULKAN:
        infos = _in_cuda_order(infos)
    for i, info in enumerate(infos):
        info.sorted_index = i
    return infos


def _in_cuda_order(infos: list[DeviceInfo]) -> list[DeviceInfo]:
    """Devices that CUDA has too come first, in CUDA's order, so that one number names one GPU in both worlds."""
    if not any(info.is_nvidia() for info in infos):
        return infos
    order = get_cuda_device_map() or {}
    rank = {uuid: index for index, uuid in order.items()}
    return sorted(infos, key=lambda info: rank.get(info.uuid, len(rank)) if info.uuid else len(rank))


def get_cuda_device_map() -> dict[int, bytes] | None:
    """CUDA's device numbers and their UUIDs; None without CUDA."""
    found = {device.index: bytes(device.uuid) for device in selection.devices_of(BACKEND_CUDA) if device.uuid_valid}
    return found or None


def get_devices() -> list[DeviceInfo]:
    """The devices of the active backend; a position in this list is the device id that make_context takes."""
    initialize()
    assert __device_infos is not None
    return __device_infos


def refresh_dummy_device() -> None:
    """Read the dummy device's properties again, into the objects that are there."""
    for info, fresh in zip(get_devices(), _list_devices(BACKEND_DUMMY), strict=False):
        vars(info).update(vars(fresh))


def get_backend() -> str:
    """The active backend, else the one that would be chosen now; does not initialise."""
    if __initilized_instance and __backend_name is not None:
        return __backend_name
    asked = selection.get_environment_backend()
    if asked is not None:
        return asked
    try:
        return selection.backend_of_wished_device() or selection.choose_backend()[0]
    except (ImportError, _native.Error):
        return BACKEND_VULKAN


def is_vulkan() -> bool:
    """Whether the backend is Vulkan; does not initialise."""
    return get_backend() == BACKEND_VULKAN


def is_cuda() -> bool:
    """Whether the backend is CUDA; does not initialise."""
    return get_backend() == BACKEND_CUDA


def is_opencl() -> bool:
    """Whether the backend is OpenCL; does not initialise."""
    return get_backend() == BACKEND_OPENCL


def is_host() -> bool:
    """Whether kernels run on the CPU; does not initialise."""
    return get_backend() == BACKEND_HOST


def is_dummy() -> bool:
    """Whether source is shown and nothing run; does not initialise."""
    return get_backend() == BACKEND_DUMMY


# ---- Log -------------------------------------------------------------------------------------------------------------


def _set_native_level(level: LogLevel) -> None:
    if not isinstance(level, LogLevel):
        raise WrongTypeError(f"Expected a LogLevel (got {level!r})")
    _native.raw.vd_log_set_level(level.value)


def set_log_level(level: LogLevel) -> None:
    """Set the level below which messages are dropped."""
    initialize()
    _set_native_level(level)


def log(text: Any, end: str = "\n", level: LogLevel = LogLevel.ERROR, stack_offset: int = 1) -> None:
    """Write a message to the log, with the file and line of the caller `stack_offset` frames up."""
    initialize()
    if level.value < _native.raw.vd_log_get_level():
        return
    frame = sys._getframe(min(stack_offset, _depth()))
    # What the package itself has to say is about the program's line.
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).startswith("vkdispatch."):
        frame = frame.f_back
    path = frame.f_code.co_filename
    with contextlib.suppress(ValueError):  # no relative path, as across drives
        path = os.path.relpath(path)
    message = f"[{level.name} {path}:{frame.f_lineno}] {text}{end}"
    _native.raw.vd_log_write(level.value, message.rstrip("\n"))


def _depth() -> int:
    depth = -1
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        depth, frame = depth + 1, frame.f_back
    return depth


def log_error(text: Any, end: str = "\n") -> None:
    """Log an error."""
    log(text, end, LogLevel.ERROR, 2)


def log_warning(text: Any, end: str = "\n") -> None:
    """Log a warning."""
    log(text, end, LogLevel.WARNING, 2)


def log_info(text: Any, end: str = "\n") -> None:
    """Log something worth knowing."""
    log(text, end, LogLevel.INFO, 2)


def log_verbose(text: Any, end: str = "\n") -> None:
    """Log a detail."""
    log(text, end, LogLevel.VERBOSE, 2)


def set_log_callback(callback: Callable[[LogLevel, str], None] | None) -> None:
    """Send every message to `callback(level, text)`, on whatever thread it comes up; None restores standard error.

    The callback must not call the package. What it raises is printed and dropped.
    """
    if callback is not None and not callable(callback):
        raise TypeError(
            f"set_log_callback: callback must be a function of a level and a text, or None (got {callback!r})"
        )
    _native.log.set_callback(None if callback is None else lambda level, text: callback(LogLevel(level), text))


def log_to_logging(logger: str = "vkdispatch") -> None:
    """Send every message to Python's `logging`, under the name `logger`."""
    import logging  # costs as much as a tenth of the package, and few programs call this

    levels = {0: logging.DEBUG, 1: logging.INFO, 2: logging.WARNING, 3: logging.ERROR}
    target = logging.getLogger(logger)
    _native.log.set_callback(lambda level, text: target.log(levels.get(level, logging.ERROR), "%s", text))


__all__ = [
    "BackendUnavailableError",
    "DeviceInfo",
    "LogLevel",
    "debug_mode",
    "device_type_id_to_str_dict",
    "device_type_ranks_dict",
    "get_backend",
    "get_cuda_device_map",
    "get_devices",
    "get_queue_type_strings",
    "initialize",
    "is_cuda",
    "is_dummy",
    "is_host",
    "is_initialized",
    "is_opencl",
    "is_vulkan",
    "log",
    "log_error",
    "log_info",
    "log_to_logging",
    "log_verbose",
    "log_warning",
    "set_log_callback",
    "set_log_level",
]
