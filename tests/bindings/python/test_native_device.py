"""Contexts on a device of the program's, which is another context's here."""

import ctypes

import numpy as np
import pytest
import vkdispatch as vd
import vkdispatch.codegen as vc
from vkdispatch._native import raw
from vkdispatch.codegen.abbreviations import Buff, f32

pytestmark = pytest.mark.own_context


class Flag(ctypes.Structure):
    _fields_ = (("type", ctypes.c_uint32), ("next", ctypes.c_void_p), ("value", ctypes.c_uint32))


class Features(ctypes.Structure):
    _fields_ = (("type", ctypes.c_uint32), ("next", ctypes.c_void_p), ("values", ctypes.c_uint32 * 55))


TIMELINES, SCALARS, ALL = 1000207000, 1000221000, 1000059000  # Vulkan's types of structs
VERSION = 1 << 22 | 3 << 12


def features():
    """The features that every device of the library has, in a chain of structs that are kept."""
    timelines = Flag(TIMELINES, None, 1)
    scalars = Flag(SCALARS, ctypes.addressof(timelines), 1)
    first = Features(ALL, ctypes.addressof(scalars))
    return first, scalars, timelines


@vd.shader("x.size")
def doubled(x: Buff[f32]):
    i = vc.global_invocation_id().x
    x[i] = x[i] * 2


@pytest.fixture
def owner():
    try:
        context = vd.Context(backend="vulkan")
    except (vd.BackendUnavailableError, RuntimeError) as error:
        pytest.skip(str(error))
    yield context
    context.destroy()


def handles_of(context):
    names = {"instance": "VkInstance", "physical_device": "VkPhysicalDevice", "device": "VkDevice"}
    handles = {field: raw.vd_context_get_native(context._pointer, 0, name) for field, name in names.items()}
    queue = raw.vd_context_get_queue_native(context._pointer, 0, "VkQueue")
    return handles | {"queues": [(queue, context.queue_families[0][0])], "api_version": VERSION}


def test_a_device_of_vulkans(owner):
    kept = features()
    handles = handles_of(owner) | {"enabled_features": ctypes.addressof(kept[0])}
    with vd.Context(backend="vulkan", **handles) as context:
        assert context.queue_count == 1 and context.device_infos[0].device_name == owner.device_infos[0].device_name
        assert raw.vd_context_get_native(context._pointer, 0, "VkDevice") == handles["device"]
        assert context.device_infos[0].float_64_support == 0, "it is not enabled"
        x = vd.asbuffer(np.arange(1000, dtype=np.float32))
        doubled(x)
        assert (x.read(0) == 2 * np.arange(1000)).all()
        spectrum = vd.asbuffer(np.ones(64, np.complex64))
        vd.fft.fft(spectrum)
        assert abs(spectrum.read(0)[0] - 64) < 1e-4
    with owner.active():  # the device lives
        y = vd.asbuffer(np.ones(10, np.float32))
        doubled(y)
        assert (y.read(0) == 2).all()


def test_what_is_no_device(owner):
    kept = features()
    handles = handles_of(owner) | {"enabled_features": ctypes.addressof(kept[0])}
    for field, wrong, error in (
        ("device", None, TypeError),
        ("device", 0, ValueError),
        ("queues", [], TypeError),
        ("queues", [(1,)], TypeError),
        ("enabled_extensions", ["a b"], ValueError),
        ("cuda_context", 5, ValueError),
        ("device_ids", 0, ValueError),
    ):
        with pytest.raises(error, match="Context"):
            vd.Context(backend="vulkan", **(handles | {field: wrong}))
    with pytest.raises(ValueError, match="backend 'host', which takes none"):
        vd.Context(backend="host", **handles)
    with pytest.raises(ValueError, match="below Vulkan 1.2"):
        vd.Context(backend="vulkan", **(handles | {"api_version": 1 << 22}))
