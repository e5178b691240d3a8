"""The devices of a backend, in the order in which programs number them."""

from __future__ import annotations

from ...backends import backend_selection as selection
from ...backends.backend_selection import BACKEND_CUDA, BACKEND_VULKAN
from ._device_info import DeviceInfo, device_info


def list_devices(name: str) -> list[DeviceInfo]:
    infos = [device_info(info, name) for info in selection.devices_of(name)]
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
