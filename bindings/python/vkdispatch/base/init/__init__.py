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

import os
import threading
from typing import Any

from ... import _native
from ...backends import backend_selection as selection
from ...backends.backend_selection import (
    BACKEND_CUDA,
    BACKEND_DUMMY,
    BACKEND_HOST,
    BACKEND_OPENCL,
    BACKEND_VULKAN,
    BackendUnavailableError,
)
from .. import remarks
from ..errors import WrongTypeError
from ._device_info import (
    DeviceInfo,
    device_info,
    device_type_id_to_str_dict,
    device_type_ranks_dict,
    get_cuda_device_map,
    get_queue_type_strings,
    list_devices,
)
from ._log import LogLevel, log_to_logging, set_log_callback, set_native_level, write

_enums = _native.enums

# ---- Initialisation --------------------------------------------------------------------------------------------------

# Names of 0.1 that programs reset; initialize() consults the first.
__initilized_instance: bool = False
__device_infos: list[DeviceInfo] | None = None
__backend_name: str | None = None

_lock = threading.RLock()
_debug_mode = False
# Whether the active backend was asked for; what the library chose may still yield to make_context(use_cpu=True).
_explicit = False
_dummy_device: Any = None


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
    _initialize(debug_mode, log_level, loader_debug_logs, backend, strict)


def initialize_for(use_cpu: bool) -> None:
    """Choose a backend for a context; `use_cpu`: whether the context asks for a CPU."""
    _initialize(use_cpu=use_cpu)


def _initialize(
    debug_mode: bool = False,
    log_level: LogLevel = LogLevel.WARNING,
    loader_debug_logs: bool = False,
    backend: str | None = None,
    strict: bool | None = None,
    use_cpu: bool = False,
) -> None:
    global __initilized_instance, __device_infos, __backend_name, _debug_mode, _explicit, _dummy_device
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
            set_native_level(log_level)
        reasons: list[str] = []
        if asked is not None:
            selection.require_backend(asked)
            name = asked
        else:
            name, reasons = selection.choose_backend()
        selection.clear_active_backend()
        selection.set_active_backend(name)
        _native._errors.active_backend[0] = lambda: __backend_name
        __device_infos = list_devices(name)
        _dummy_device = None
        __backend_name = name
        _debug_mode = bool(debug_mode)
        _explicit = asked is not None
        __initilized_instance = True
        if debug_mode and name in ("cuda", "opencl"):
            remarks.warn_caller(
                f"initialize: debug_mode has no effect on backend '{name}'; backend 'host' checks each kernel as it runs"
            )
        if name == BACKEND_HOST and asked is None and not use_cpu:
            _native.raw.vd_log_write(
                _enums.VD_LOG_WARNING,
                f"no GPU can be used, so kernels run on the CPU ({'; '.join(reasons)}). VKDISPATCH_BACKEND=host asks for that "
                "without a warning, VKDISPATCH_BACKEND=vulkan or opencl, or make_context(use_cpu=True), for a driver that "
                "runs on the CPU",
            )
        elif asked is None and not use_cpu and (unusable := selection.unusable_before(name)):
            _native.raw.vd_log_write(
                _enums.VD_LOG_WARNING,
                f"the {name} backend is used, since devices of another cannot be used ({'; '.join(unusable)})",
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
        set_native_level(log_level)
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
        infos = list_devices(name)
        if __device_infos is None:
            __device_infos = infos
        else:  # the list that get_devices() gave before stays the list
            __device_infos[:] = infos


def get_devices() -> list[DeviceInfo]:
    """The devices of the active backend; a position in this list is the device id that make_context takes."""
    initialize()
    assert __device_infos is not None
    return __device_infos


def dummy_device() -> Any:
    """The properties of the dummy device (a vd_device_info) if they were changed, else None."""
    return _dummy_device


def set_dummy_device(native: Any) -> None:
    """Change the properties that the dummy device reports: in new contexts, and in existing objects."""
    global _dummy_device
    _dummy_device = native
    for info in get_devices():
        vars(info).update(vars(device_info(native, BACKEND_DUMMY)))


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


def set_log_level(level: LogLevel) -> None:
    """Set the level below which messages are dropped."""
    initialize()
    set_native_level(level)


def log(text: Any, end: str = "\n", level: LogLevel = LogLevel.ERROR, stack_offset: int = 1) -> None:
    """Write a message to the log, with the file and line of the caller `stack_offset` frames up."""
    initialize()
    write(text, end, level, stack_offset)


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


__all__ = [
    "BackendUnavailableError",
    "DeviceInfo",
    "LogLevel",
    "as_bool",
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
