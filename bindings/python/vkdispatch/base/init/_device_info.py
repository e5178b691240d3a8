"""The properties of devices, and the order in which programs number them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ... import _native
from ...backends import backend_selection as selection
from ...backends.backend_selection import BACKEND_CUDA, BACKEND_DUMMY, BACKEND_HOST, BACKEND_OPENCL, BACKEND_VULKAN

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
    #: The device's backend: "vulkan", "cuda", "opencl", "host" or "dummy".
    backend: str = field(default="", init=False)
    #: Bytes of device memory; 0 where unknown.
    memory_size: int = field(default=0, init=False)
    #: Largest single buffer in bytes.
    max_allocation_size: int = field(default=0, init=False)
    #: Shared memory of a workgroup at most, with opting in.
    max_shared_memory_opt_in: int = field(default=0, init=False)
    #: Nanoseconds of a timestamp tick; 0 without timestamps.
    timestamp_period: float = field(default=0.0, init=False)
    #: Alignment of memory of the CPU that a buffer can be an alias of, in bytes; 0: of none.
    host_import_alignment: int = field(default=0, init=False)
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


#: Vulkan's bits of compute shaders and of subgroup arithmetic.
COMPUTE_STAGE = 0x20
SUBGROUP_ARITHMETIC = 0x04
#: The subgroup operations of other backends in Vulkan's bits: basic, vote, arithmetic, shuffle, shuffle relative; ballot.
_SUBGROUP_OPERATIONS = {"cuda": 0x3F, "opencl": 0x37, "host": 0x37}
_COMPUTE_AND_TRANSFER = 6


def _vulkan_facts(info: Any, backend: str) -> tuple[int, int, int, list[tuple[int, int]]]:
    """Descriptor sets, subgroup stages and operations, and queue families: what Vulkan reports, and what others are like."""
    if backend == "vulkan":
        own = _native.raw.vd_device_get_vulkan_info(info.index)
        families = [(own.queue_counts[i], own.queue_flags[i]) for i in range(own.queue_family_count)]
        return own.max_bound_descriptor_sets, own.subgroup_stages, own.subgroup_operations, families
    if backend == "dummy":
        stages, operations, families = 0x7FFFFFFF, 0x7FFFFFFF, [(8, 6), (4, 7)]
        if not info.features & _enums.VD_FEATURE_SUBGROUP_BASIC:
            stages &= ~COMPUTE_STAGE
        if not info.features & _enums.VD_FEATURE_SUBGROUP_ARITHMETIC:
            operations &= ~SUBGROUP_ARITHMETIC
        return 8, stages, operations, families
    return 8, COMPUTE_STAGE, _SUBGROUP_OPERATIONS[backend], [(info.queue_count, _COMPUTE_AND_TRANSFER)]


def device_info(info: Any, backend: str) -> DeviceInfo:
    """A vd_device_info as Python sees it."""
    from ..._native._load import ffi

    def has(*bits: int) -> int:
        return int(all(info.features & bit for bit in bits))

    size = tuple(info.max_workgroup_size)
    sets, stages, operations, queues = _vulkan_facts(info, backend)
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
        max_bound_descriptor_sets=sets,
        max_push_constant_size=info.max_push_constant_size,
        max_storage_buffer_range=info.max_storage_buffer_range,
        max_uniform_buffer_range=info.max_uniform_buffer_range,
        uniform_buffer_alignment=info.uniform_buffer_alignment,
        sub_group_size=info.subgroup_size,
        supported_stages=stages,
        supported_operations=operations,
        quad_operations_in_all_stages=has(_enums.VD_FEATURE_QUAD_ALL_STAGES),
        max_compute_shared_memory_size=info.max_shared_memory_size,
        queue_properties=queues,
        scalar_block_layout=has(_enums.VD_FEATURE_SCALAR_BLOCK_LAYOUT),
        timeline_semaphores=has(_enums.VD_FEATURE_TIMELINE_SEMAPHORE),
        uuid=bytes(info.uuid) if info.uuid_valid else None,
    )
    result.backend = backend
    result.memory_size = info.memory_size
    result.max_allocation_size = info.max_allocation_size
    result.max_shared_memory_opt_in = info.max_shared_memory_opt_in
    result.timestamp_period = info.timestamp_period
    result.host_import_alignment = info.host_import_alignment
    result.features = info.features
    return result


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
