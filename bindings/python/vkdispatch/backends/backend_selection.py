"""The names of backends, and the choice of one: the caller's, else VKDISPATCH_BACKEND, else the best one available.

Example:
    import os, subprocess, sys
    asked = os.environ | {"VKDISPATCH_BACKEND": "cuda"}
    code = "import vkdispatch as vd\\ntry:\\n    vd.initialize()\\nexcept vd.BackendUnavailableError as error:\\n    print(error.backend_name)"
    subprocess.run([sys.executable, "-c", code], env=asked, check=True)  # prints cuda where there is none
"""

from __future__ import annotations

import contextlib
import os
from typing import Any

from .. import _native

BACKEND_VULKAN = "vulkan"
BACKEND_CUDA = "cuda"
BACKEND_OPENCL = "opencl"
BACKEND_HOST = "host"
BACKEND_DUMMY = "dummy"

#: The C API's number of each name.
BACKEND_NUMBERS = {
    BACKEND_VULKAN: _native.enums.VD_BACKEND_VULKAN,
    BACKEND_CUDA: _native.enums.VD_BACKEND_CUDA,
    BACKEND_OPENCL: _native.enums.VD_BACKEND_OPENCL,
    BACKEND_HOST: _native.enums.VD_BACKEND_HOST,
    BACKEND_DUMMY: _native.enums.VD_BACKEND_DUMMY,
}
#: Backends with GPUs, in the order in which they are tried.
GPU_BACKENDS = (BACKEND_VULKAN, BACKEND_CUDA, BACKEND_OPENCL)

_GPU_TYPES = (
    _native.enums.VD_DEVICE_INTEGRATED_GPU,
    _native.enums.VD_DEVICE_DISCRETE_GPU,
    _native.enums.VD_DEVICE_VIRTUAL_GPU,
)

_active: str | None = None


class BackendUnavailableError(ImportError):
    """A backend cannot be used here. `backend_name` says which."""

    def __init__(self, backend_name: str, message: str):
        super().__init__(message)
        self.backend_name = backend_name

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.backend_name, *self.args), vars(self)


def normalize_backend_name(name: str | None) -> str:
    """The canonical form of a backend's name; None means "vulkan". ValueError for an unknown name."""
    if name is None:
        return BACKEND_VULKAN
    canonical = name.strip().lower() if isinstance(name, str) else name
    if canonical not in BACKEND_NUMBERS:
        raise ValueError(f"Unknown backend {name!r}: expected one of {', '.join(sorted(BACKEND_NUMBERS))}")
    return canonical


def get_environment_backend() -> str | None:
    """The backend that VKDISPATCH_BACKEND names; None if it is unset or empty. ValueError for an unknown name."""
    name = os.environ.get("VKDISPATCH_BACKEND", "").strip()
    if name and name.lower() not in BACKEND_NUMBERS:
        raise ValueError(f"VKDISPATCH_BACKEND ({name!r}) is not one of {', '.join(sorted(BACKEND_NUMBERS))}")
    return normalize_backend_name(name) if name else None


def set_active_backend(name: str | None) -> str:
    """Make a backend the active one; RuntimeError if another one is."""
    global _active
    canonical = normalize_backend_name(name)
    if _active is not None and _active != canonical:
        raise RuntimeError(f"Cannot use backend '{canonical}': backend '{_active}' is active")
    _active = canonical
    return canonical


def clear_active_backend() -> None:
    """Forget the active backend, so that another one may be chosen."""
    global _active
    _active = None


def get_active_backend_name(default: str | None = None) -> str:
    """The active backend; else `default`, else the one of the environment, else "vulkan"."""
    if _active is not None:
        return _active
    if default is not None:
        return normalize_backend_name(default)
    return get_environment_backend() or BACKEND_VULKAN


def backend_info(name: str) -> Any:
    """The library's report on a backend: available, device_count, reason. It may load the backend's compiler."""
    return _native.raw.vd_backend_get_info(BACKEND_NUMBERS[name])


def reason_of(info: Any) -> str:
    """Why a backend is not available, or what its devices lack to run kernels; empty if nothing."""
    from .._native._load import ffi

    return ffi.string(info.reason).decode("utf-8", "replace")


def is_parents(info: Any) -> bool:
    """Whether a parent of this process has used the backend's driver: it is refused, since another would be a surprise."""
    return bool(info.status == _native.enums.VD_ERR_STATE)


def refuse_in_child(name: str, info: Any) -> None:
    """RuntimeError for a backend whose driver a parent has used."""
    if is_parents(info):
        raise RuntimeError(f"Backend '{name}' cannot be used: {reason_of(info)}")


def devices_of(name: str) -> list[Any]:
    """The vd_device_info of each device of a backend; none where it is not available."""
    found: list[Any] = []
    # Past the last; or there is no driver, or one that fails: backend_info() says how.
    with contextlib.suppress(_native.Error):
        while True:
            found.append(_native.raw.vd_device_get_info(BACKEND_NUMBERS[name], len(found)))
    return found


def require_backend(name: str) -> None:
    """BackendUnavailableError, with the reason, unless the backend has a device."""
    info = backend_info(name)
    refuse_in_child(name, info)
    if not info.available:
        raise BackendUnavailableError(
            name, f"Backend '{name}' is not available: {reason_of(info) or 'it has no device'}"
        )


def wished_device() -> str:
    """The value of VKDISPATCH_DEVICE: a position, a part of a name, or a UUID; empty if unset."""
    return os.environ.get("VKDISPATCH_DEVICE", "").strip()


def is_wished(wish: str, name: str, uuid: bytes | None) -> bool:
    """Whether a wish that is no number means the device of this name and UUID."""
    return wish.lower() in name.lower() or uuid is not None and uuid.hex() == wish.replace("-", "").lower()


def backend_of_wished_device() -> str | None:
    """The first backend with the device that VKDISPATCH_DEVICE names, one that runs kernels before one that cannot.

    None for a number, which counts within a backend.
    """
    from .._native._load import ffi

    wish = wished_device()
    if not wish or wish.isdigit():
        return None
    unusable = None
    for name in (*GPU_BACKENDS, BACKEND_HOST):
        for device in devices_of(name):
            uuid = bytes(device.uuid) if device.uuid_valid else None
            if is_wished(wish, ffi.string(device.name).decode("utf-8", "replace"), uuid):
                if not reason_of(backend_info(name)):
                    return name
                unusable = unusable or name
    return unusable


def names_of_all_devices() -> list[str]:
    """Each device of every backend that can be used, as "name (backend)"."""
    from .._native._load import ffi

    return [
        f"{ffi.string(device.name).decode('utf-8', 'replace')} ({name})"
        for name in (*GPU_BACKENDS, BACKEND_HOST)
        for device in devices_of(name)
    ]


def choose_backend(use_cpu: bool = False) -> tuple[str, list[str]]:
    """The first backend with a GPU, or with any device if CPUs are candidates, else the host; and why others are not."""
    reasons = []
    for name in GPU_BACKENDS:
        info = backend_info(name)
        refuse_in_child(name, info)
        if not info.available or reason_of(info):
            reasons.append(f"{name}: {reason_of(info) or 'no device'}")
        elif use_cpu or any(device.type in _GPU_TYPES for device in devices_of(name)):
            return name, reasons
        else:
            reasons.append(f"{name}: no GPU, only CPU devices, which are used when asked for")
    return BACKEND_HOST, reasons


def unusable_before(name: str) -> list[str]:
    """Why the backends that are tried before `name`, and have devices, run no kernels."""
    before = GPU_BACKENDS[: GPU_BACKENDS.index(name)] if name in GPU_BACKENDS else ()
    infos = [(other, backend_info(other)) for other in before]
    return [f"{other}: {reason_of(info)}" for other, info in infos if info.available and reason_of(info)]


def get_backend_module(name: str | None = None) -> Any:
    """The raw layer, which serves every backend; BackendUnavailableError if `name` cannot be used."""
    require_backend(normalize_backend_name(name) if name is not None else get_active_backend_name())
    return _native.raw
