"""The short form of tests: PoCL and lavapipe compile a long kernel for seconds, and a bare machine has no compiled ones."""

import os

import pytest
import vkdispatch as vd

FULL = bool(os.environ.get("VD_TEST_FULL"))

CPU = 4  # VkPhysicalDeviceType
# Every driver that compiles. The host backend, which compiles nothing, runs everything in each form.
COMPILED = ("opencl", "vulkan")


def compiles_long(device, devices=("opencl",)):
    """Whether kernels are to be few: on `devices`, PoCL alone or lavapipe with it."""
    return device in devices and not FULL and vd.get_context().device_infos[0].device_type == CPU


def skip_long_compiles(device, devices=("opencl",)):
    """Skip what compiles for seconds in the short form."""
    if compiles_long(device, devices):
        pytest.skip(f"{device} compiles this for seconds on the CPU: VD_TEST_FULL=1 runs it here, too")
