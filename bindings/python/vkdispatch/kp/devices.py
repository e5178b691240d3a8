"""The choice of a device, and the properties of devices as Kompute's dictionaries have them."""

from __future__ import annotations

import os
from typing import Any

from .. import _native
from ..backends import backend_selection as selection
from ..base.context import Context
from ..base.context._context import devices_for
from ..base.init import DeviceInfo
from ..base.words import bracketed
from .errors import invalid, unavailable, wrong_state

_enums = _native.enums
_TYPES = {"other": 0, "integrated": 1, "discrete": 2, "virtual": 3, "cpu": 4}
_TYPE_NAMES = {number: name for name, number in _TYPES.items()}
#: The backends of Managers, as messages have them.
_RUNNING = ", ".join(sorted(name for name in selection.BACKEND_NUMBERS if name != selection.BACKEND_DUMMY))
#: Vulkan's bit of queue families that run kernels.
_COMPUTE = 2


def describe(info: DeviceInfo) -> dict[str, Any]:
    """A device: Kompute's five keys, and more."""
    names = [name[len("VD_FEATURE_") :].lower() for name in dir(_enums) if name.startswith("VD_FEATURE_")]
    return {
        "device_name": info.device_name,
        "max_work_group_count": tuple(info.max_workgroup_count),
        "max_work_group_invocations": info.max_workgroup_invocations,
        "max_work_group_size": tuple(info.max_workgroup_size),
        "timestamps_supported": info.backend == "host" or info.timestamp_period > 0,
        "backend": info.backend,
        "device_type": _TYPE_NAMES.get(info.device_type, "other"),
        "vendor_id": info.vendor_id,
        "device_id": info.device_id,
        "uuid": info.uuid.hex() if info.uuid is not None else "",
        "driver_version": info.driver_version,
        "api_version": (info.version_major, info.version_minor, info.version_patch),
        "memory_bytes": info.memory_size,
        "shared_memory_bytes": info.max_compute_shared_memory_size,
        "subgroup_size": info.sub_group_size,
        "timestamp_period_ns": info.timestamp_period or (1.0 if info.backend == "host" else 0.0),
        "queue_families": [
            {"count": count, "flags": flags, "compute": bool(flags & _COMPUTE)}
            for count, flags in info.queue_properties
        ],
        "features": sorted(name for name in names if info.features & getattr(_enums, f"VD_FEATURE_{name.upper()}")),
    }


def devices_in_order(backend: str) -> list[DeviceInfo]:
    """The devices of a backend in the driver's own order."""
    return sorted(devices_for(backend), key=lambda info: info.dev_index)


class Choice:
    """A device that a Manager asks for."""

    def __init__(self, device: int, backend: Any, device_type: Any, device_name: Any, device_uuid: Any):
        self._device = device
        self._type = device_type
        self._name = device_name
        self._uuid = device_uuid.hex() if isinstance(device_uuid, (bytes, bytearray)) else device_uuid
        if device_type is not None and (not isinstance(device_type, str) or device_type not in _TYPES):
            raise invalid(f"Manager: device_type {bracketed(device_type)} must be one of {', '.join(_TYPES)}")
        for value, what in ((device_name, "device_name"), (self._uuid, "device_uuid")):
            if value is not None and not isinstance(value, str):
                raise TypeError(f"Manager: {what} {bracketed(value)} must be a str: incompatible function arguments")
        #: Why Vulkan was not taken, as the end of a message.
        self.why = ""
        self._backends = self._candidates(backend)

    def _candidates(self, backend: Any) -> list[str]:
        if backend is not None and not isinstance(backend, str):
            raise TypeError(f"Manager: backend {bracketed(backend)} must be a str: incompatible function arguments")
        try:
            named = (
                selection.normalize_backend_name(backend)
                if backend is not None
                else selection.get_environment_backend()
            )
        except ValueError:
            said = (
                f"Unknown backend {backend!r}: expected"
                if backend is not None
                else f"VKDISPATCH_BACKEND ({os.environ['VKDISPATCH_BACKEND']!r}) is not"
            )
            raise invalid(f"Manager: {said} one of {_RUNNING}") from None
        if named == selection.BACKEND_DUMMY:
            raise invalid(f"Manager: backend 'dummy' shows source only, and runs nothing, as {_RUNNING} do")
        return [named] if named is not None else [*selection.GPU_BACKENDS, "host"]

    def find(self) -> DeviceInfo:
        """The first device that matches, in the order of backends and of their drivers."""
        by_number = self._type is None and self._name is None and self._uuid is None
        reasons = []
        for backend in self._backends:
            info = selection.backend_info(backend)
            reason = selection.reason_of(info)
            if selection.is_parents(info):
                raise wrong_state(f"Manager: the {backend} backend: {reason}")
            if not info.available or reason:
                reasons.append(f"{backend}: {reason or 'no device'}")
                continue
            devices = devices_in_order(backend)
            found = [device for device in devices if self._matches(device)]
            if found:
                self.why = " ".join(f"({reason})" for reason in reasons if reason.startswith("vulkan"))
                return self._numbered(found, backend)
            names = ", ".join(device.device_name for device in devices)
            reasons.append(f"{backend}: none of {names} matches")
        said = "; ".join(reasons)
        if by_number:
            raise unavailable(f"Manager: Failed to find GPUs with Vulkan support or another backend's device ({said})")
        given = (("device_type", self._type), ("device_name", self._name), ("device_uuid", self._uuid))
        asked = [(what, value) for what, value in given if value is not None]
        raise unavailable(
            f"Manager: There is no such physical index or device: {', '.join(f'{what} {value!r}' for what, value in asked)} ({said})"
        )

    def _numbered(self, devices: list[DeviceInfo], backend: str) -> DeviceInfo:
        if self._device >= len(devices):
            raise invalid(
                f"Manager: There is no such physical index or device: device ({self._device}) is not below {len(devices)} on "
                f"backend '{backend}'"
            )
        return devices[self._device]

    def _matches(self, device: DeviceInfo) -> bool:
        if self._type is not None and device.device_type != _TYPES[self._type]:
            return False
        if self._name is not None and self._name.lower() not in device.device_name.lower():
            return False
        if self._uuid is None:
            return True
        return device.uuid is not None and device.uuid.hex() == self._uuid.replace("-", "").lower()


def check_families(info: DeviceInfo, families: list[int]) -> None:
    """RuntimeError for a queue family that the device lacks, or that runs no kernels."""
    if not any(flags & _COMPUTE for _, flags in info.queue_properties):
        raise invalid(f"Manager: Compute queue is not supported by device '{info.device_name}'")
    for family in families:
        if family >= len(info.queue_properties):
            raise invalid(
                f"Manager: Given family queue index does not exists: {family} is not below {len(info.queue_properties)} on "
                f"'{info.device_name}'"
            )
        if not info.queue_properties[family][1] & _COMPUTE:
            raise invalid(f"Manager: queue family {family} of '{info.device_name}' does not support compute operations")


def _queues_of(info: DeviceInfo, families: list[int]) -> tuple[list[int], list[int]]:
    """The families of a context's queues, and the queue of each entry: of a family with too few queues some share one."""
    opened: list[int] = []
    queues = []
    for family in families:
        own = [i for i, one in enumerate(opened) if one == family]
        if len(own) < info.queue_properties[family][0]:
            queues.append(len(opened))
            opened.append(family)
        else:
            queues.append(own[families[: len(queues)].count(family) % len(own)])
    return opened, queues


def open_context(
    info: DeviceInfo, families: list[int], wished: list[str], required: list[str], debug: bool | None
) -> tuple[Context, list[int]]:
    """A context of its own for a Manager, and its queue for each entry of the list."""
    vulkan = info.backend == "vulkan"
    named = bool(families) and vulkan
    queues = list(range(max(len(families), 1)))
    if vulkan:
        check_families(info, families)
    if named:
        families, queues = _queues_of(info, families)
    context = Context(
        [info.sorted_index],
        queue_families=[families] if named else None,
        queue_counts=[len(families)] if families and not named else None,
        backend=info.backend,
        robust=vulkan,
        wished_extensions=wished if vulkan else (),
        required_extensions=required if vulkan else (),
        debug=debug,
    )
    return context, queues
