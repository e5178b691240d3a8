"""The devices and queues of a context."""

from __future__ import annotations

import operator
from typing import Any

from ...backends import backend_selection as selection
from .. import init
from ..errors import WrongTypeError
from ..init import DeviceInfo
from ..words import bracketed


def as_integer(value: Any, what: str) -> int:
    """A number as an int; otherwise a TypeError that is a ValueError too."""
    try:
        return operator.index(value)
    except TypeError:
        raise WrongTypeError(f"{what} must be an integer (got {value!r})") from None


def as_integers(value: Any, what: str) -> list[int]:
    """One of them or several as a list."""
    return [as_integer(v, what) for v in (value if isinstance(value, (list, tuple)) else [value])]


def select_devices(use_cpu: bool, device_count: int | None) -> list[int]:
    """Positions in get_devices() of the default devices: discrete, integrated and virtual GPUs, then CPUs if they are
    allowed."""
    infos = init.get_devices()
    only_cpu = init.get_backend() in ("host", "dummy") or init._explicit
    classes = (2, 1, 3, 4) if use_cpu or only_cpu else (2, 1, 3)
    found = [info.sorted_index for kind in classes for info in infos if info.device_type == kind]
    return found if device_count is None else found[:device_count]


def wished_device() -> list[int] | None:
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
    """The families of `queue_count` queues of a device: compute and graphics alternately."""
    info = init.get_devices()[device_index]
    compute = get_compute_queue_family_index(info, device_index)
    graphics = get_graphics_queue_family_index(info, device_index)
    if queue_count is None:
        queue_count = 1 if compute == graphics else 3 if info.is_nvidia() else 2
    if info.is_nvidia():
        return [graphics if i == 1 else compute for i in range(queue_count)]
    return [graphics if i % 2 else compute for i in range(queue_count)]


def families_of(ids: list[int], counts: Any, families: Any, multi_queue: bool) -> list[list[int]]:
    """The queue families of each device."""
    if families is not None:
        if len(families) != len(ids):
            raise ValueError(f"queue_families has {len(families)} entries for {len(ids)} devices")
        return [_checked_families(i, wanted) for i, wanted in zip(ids, families, strict=True)]
    if counts is None:
        return [select_queue_families(i, None if multi_queue else 1) for i in ids]
    per_device = as_integers(counts, "queue_counts")
    if not isinstance(counts, (list, tuple)):
        per_device = per_device * len(ids)
    if len(per_device) != len(ids):
        raise ValueError(f"queue_counts has {len(per_device)} entries for {len(ids)} devices")
    if any(n < 1 for n in per_device):
        raise ValueError(f"queue_counts {bracketed(per_device)} must be at least 1")
    return [select_queue_families(i, n) for i, n in zip(ids, per_device, strict=True)]


def _checked_families(device_index: int, wanted: Any) -> list[int]:
    """The families of one device's queues, all of which it has."""
    numbers = as_integers(wanted, "A queue family")
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
