"""The short form of tests: PoCL and lavapipe compile a long kernel for seconds, and a bare machine has no compiled ones."""

import os

import pytest
import vkdispatch as vd
from vkdispatch.backends import backend_selection as selection

from ...support.turns import drawn

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


def take_turns(items):
    """Have each of these tests run on one of the drivers that compile, drawn by its name, where it is there for both."""
    items = [
        item for item in items if getattr(item, "callspec", None) and item.callspec.params.get("device") in COMPILED
    ]
    if FULL or not items or not all(selection.backend_info(name).available for name in COMPILED):
        return
    cases = {}
    for item in items:
        device = item.callspec.params["device"]
        cases.setdefault(item.nodeid.replace(device, ""), {})[device] = item
    for name, case in cases.items():
        if len(case) == len(COMPILED):
            other = drawn(name, COMPILED)
            case[other].add_marker(pytest.mark.skip(reason=f"not on {other} in turn: VD_TEST_FULL=1 runs it on both"))
