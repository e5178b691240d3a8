"""Managers for the tests of kp."""

import os

import pytest
from vkdispatch import _native, kp
from vkdispatch.backends import backend_selection as selection

from . import layer_messages

#: A run for one backend (VKDISPATCH_BACKEND) leaves the others to theirs.
ASKED = os.environ.get("VKDISPATCH_BACKEND")
BACKENDS = [ASKED] if ASKED else ["vulkan", "opencl", "host"]


def opened(backend, **arguments):
    info = selection.backend_info(backend)
    if not info.available:
        pytest.skip(f"backend '{backend}': {selection.reason_of(info)}")
    return kp.Manager(backend=backend, **arguments)


@pytest.fixture(autouse=True)
def messages(request):
    """A Manager sends the library's messages to its own logger: not those of the next test."""
    level, begin = _native.raw.vd_log_get_level(), layer_messages.place()
    yield
    _native.log.set_callback(None)
    _native.log.set_level(level)
    layer_messages.check(begin, request.node)


@pytest.fixture
def manager(sharing):
    """A Manager on Vulkan, for programs that bring SPIR-V."""
    if ASKED not in (None, "vulkan"):
        pytest.skip("SPIR-V runs on Vulkan")
    with sharing():
        made = opened("vulkan")
    yield made
    made.destroy()


@pytest.fixture(params=BACKENDS)
def anywhere(request, keep_open, sharing):
    """A Manager on each backend, for kernels of the package's."""
    with sharing():
        made = opened(request.param)
    if request.param == "opencl":
        keep_open()
    yield made
    made.destroy()
