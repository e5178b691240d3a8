"""Managers: the choice of a device, queues, extensions, lifetimes."""

import contextlib
import gc
import os
import subprocess
import sys
import weakref

import numpy as np
import pytest
import vkdispatch as vd
import vkdispatch.codegen as vc
from vkdispatch import _native, kp
from vkdispatch.codegen.abbreviations import Buff, f32
from vkdispatch.kp import devices

from .conftest import ASKED, opened

pytestmark = pytest.mark.own_context

GRAPHICS, COMPUTE, TRANSFER = 1, 2, 4  # Vulkan's bits of queue families


def test_k27_device_dict(anywhere):
    properties = anywhere.get_device_properties()
    assert isinstance(properties["device_name"], str) and properties["backend"] == anywhere.backend
    assert len(properties["max_work_group_count"]) == len(properties["max_work_group_size"]) == 3
    assert properties["max_work_group_invocations"] >= 1 and isinstance(properties["timestamps_supported"], bool)
    listed = anywhere.list_devices()
    assert listed and properties in listed


def test_default_is_device_0(manager):
    assert kp.Manager(0, [], []).get_device_properties() == manager.list_devices()[0]
    assert kp.Manager(device=0, family_queue_indices=(), desired_extensions=()).is_init()


@pytest.mark.parametrize(
    "arguments", [(-1,), (0.5,), ("0",), (0, [-1]), (0, 1), (0, [1.5]), (0, [], "x"), (0, [], [1])]
)
def test_wrong_types(arguments):
    with pytest.raises(TypeError):
        kp.Manager(*arguments)


def test_no_such_device(manager):
    with pytest.raises(RuntimeError, match="There is no such physical index or device"):
        kp.Manager(1000)
    with pytest.raises(kp.Error, match="There is no such physical index or device"):
        kp.Manager(device_name="no device has this name")
    with pytest.raises(kp.Error, match="Given family queue index does not exists"):
        kp.Manager(0, [1000], backend="vulkan")
    with pytest.raises(kp.Error, match="device_type"):
        kp.Manager(device_type="quantum")
    with pytest.raises(kp.Error, match="Unknown backend"):
        kp.Manager(backend="abacus")


def test_no_device_at_all():
    code = """
from vkdispatch import kp

for backend in (None, "vulkan"):
    try:
        kp.Manager(backend=backend)
    except kp.Error as error:
        assert "Failed to find GPUs with Vulkan support" in str(error) and "vulkan: " in str(error), error
    else:
        raise AssertionError(backend)
"""
    no_driver = {"VK_ICD_FILENAMES": "/no.json", "VK_DRIVER_FILES": "/no.json", "VKDISPATCH_BACKEND": "vulkan"}
    done = subprocess.run(
        [sys.executable, "-c", code], check=False, capture_output=True, text=True, env={**os.environ, **no_driver}
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("families", "flags", "said"),
    [
        ([], [GRAPHICS], "Compute queue is not supported"),
        ([0], [GRAPHICS, TRANSFER], "Compute queue is not supported"),
        ([1], [GRAPHICS | COMPUTE, TRANSFER], "queue family 1 of '.*' does not support compute operations"),
        ([0, 1], [COMPUTE, GRAPHICS], "queue family 1 of '.*' does not support compute operations"),
    ],
)
def test_families_that_run_no_kernels(manager, monkeypatch, families, flags, said):
    first = devices.devices_in_order("vulkan")[0]
    monkeypatch.setattr(first, "queue_properties", [(1, one) for one in flags])
    with pytest.raises(kp.Error, match=said):
        kp.Manager(0, families, backend="vulkan")
    monkeypatch.undo()
    kp.Manager(0, [0], backend="vulkan").destroy()


def test_a_device_without_timestamps(manager, monkeypatch):
    monkeypatch.setattr(manager.context.device_infos[0], "timestamp_period", 0.0)
    assert manager.get_device_properties()["timestamps_supported"] is False
    with pytest.raises(kp.Error, match="Device does not support timestamps") as raised:
        manager.sequence(total_timestamps=1)
    assert raised.value.status == _native.enums.VD_ERR_UNSUPPORTED
    t = manager.tensor([1])
    manager.sequence().eval(kp.OpSyncDevice([t]))


def test_k26_choice_by_name_type_and_uuid(manager):
    first = manager.list_devices()[0]
    by_name = kp.Manager(backend="vulkan", device_name=first["device_name"][:6].upper())
    assert by_name.get_device_properties() == first
    assert kp.Manager(backend="vulkan", device_type=first["device_type"]).backend == "vulkan"
    assert kp.Manager(backend="vulkan", device_uuid=first["uuid"]).get_device_properties() == first
    assert kp.Manager(backend="vulkan", device_uuid=bytes.fromhex(first["uuid"])).get_device_properties() == first


def test_k28_the_displays_queue_is_left_alone(manager):
    """Without a list a Manager's queue is of a family that runs kernels and draws nothing, if the device has one."""
    families = manager.get_device_properties()["queue_families"]
    alone = [i for i, one in enumerate(families) if one["count"] and one["compute"] and not one["flags"] & GRAPHICS]
    family = _native.raw.vd_context_get_queue(manager.context._pointer, 0).family
    assert families[family]["compute"] and (family == alone[0] if alone else True)


def test_k6_extensions(manager, caplog):
    with caplog.at_level("ERROR", "kp"):
        made = kp.Manager(0, [], ["VK_KHR_no_such_thing", "VK_KHR_timeline_semaphore"], backend="vulkan")
    assert "VK_KHR_no_such_thing" in caplog.text
    assert "VK_KHR_no_such_thing" not in made.enabled_extensions()
    with pytest.raises(kp.Error, match="VK_KHR_no_such_thing"):
        kp.Manager(backend="vulkan", required_extensions=["VK_KHR_no_such_thing"])


def test_children_die_with_their_manager(anywhere):
    t, algorithm, sequence = anywhere.tensor([1]), anywhere.algorithm([]), anywhere.sequence()
    image = anywhere.image([1], 1, 1, 1)
    anywhere.destroy()
    assert not any(child.is_init() for child in (t, algorithm, sequence, image))
    anywhere.destroy()
    for call in (lambda: anywhere.tensor([1]), lambda: anywhere.sequence(), lambda: anywhere.algorithm([t], b"")):
        with pytest.raises(kp.Error, match="destroyed"):
            call()


def test_children_do_not_keep_the_manager():
    made = opened(ASKED or "vulkan")
    t, gone = made.tensor([1]), weakref.ref(made)
    del made
    gc.collect()
    assert gone() is None and not t.is_init()


def test_a_manager_does_not_keep_children(manager):
    t = weakref.ref(manager.tensor([1]))
    gc.collect()
    assert t() is None


def test_k17_objects_of_another_manager(anywhere):
    other = opened(anywhere.backend)
    mine, theirs = anywhere.tensor([1]), other.tensor([2])
    for wrong in (
        lambda: anywhere.sequence().record(kp.OpSyncDevice([theirs])),
        lambda: anywhere.sequence().eval(kp.OpCopy([mine, theirs])),
        lambda: kp.OpMult([mine, theirs, mine], anywhere.algorithm([])),
    ):
        with pytest.raises(kp.Error, match=r"Manager \d+ .*Manager \d+"):
            wrong()
    other.destroy()


def test_k4_from_context():
    context = vd.Context(backend=ASKED or "host")
    made = kp.Manager.from_context(context)
    a, b = made.tensor([1, 2]), made.tensor([0, 0])
    made.sequence().record(kp.OpSyncDevice([a])).record(kp.OpCopy([a, b])).record(kp.OpSyncLocal([b])).eval()
    assert b.data().tolist() == [1, 2]
    made.destroy()
    assert not context.destroyed
    context.destroy()
    with pytest.raises(TypeError):
        kp.Manager.from_context(3)


def test_queue_index(manager):
    for wrong in (1, 1 << 40):
        with pytest.raises(kp.Error, match="queue_index"):
            manager.sequence(wrong)
    with pytest.raises(TypeError):
        manager.sequence(-1)


def test_several_queues(anywhere):
    """Entries of the list are queues; of a family with too few of them, some share one."""
    made = opened(anywhere.backend, family_queue_indices=[0, 0, 0])
    a, b, out = (made.tensor(x) for x in ([2, 2, 2], [1, 2, 3], [0, 0, 0]))
    made.sequence(2).eval_async(kp.OpSyncDevice([a, b]))
    made.sequence(1).eval_async(kp.OpMult([a, b, out], made.algorithm([])))
    made.sequence(0).eval(kp.OpSyncLocal([out]))
    assert out.data().tolist() == [2, 4, 6]
    with pytest.raises(kp.Error, match="queue_index"):
        made.sequence(3)
    made.destroy()


def test_several_managers():
    managers = [opened(ASKED or "vulkan") for _ in range(3)]
    tensors = [made.tensor([i]) for i, made in enumerate(managers)]
    managers[1].destroy()
    assert [t.is_init() for t in tensors] == [True, False, True] and tensors[2].data().tolist() == [2]
    for made in managers:
        made.destroy()


def test_a_manager_as_a_block(anywhere):
    with opened(anywhere.backend) as manager:
        t = manager.tensor([1])
    assert not manager.is_init() and not t.is_init()


@pytest.mark.parametrize("way", ["with", "destroy", "with from_context", "destroy from_context"])
def test_a_manager_ends_with_its_context(anywhere, way):
    owner = opened(anywhere.backend)
    manager = kp.Manager.from_context(owner.context) if "from_context" in way else owner
    t, sequence = manager.tensor([1, 2]), manager.sequence()
    algorithm, view = manager.algorithm([t], _named), t.data()
    sequence.record(kp.OpSyncDevice([t])).record(kp.OpAlgoDispatch(algorithm)).record(kp.OpSyncLocal([t])).eval_async()
    context = manager.context
    if way.startswith("with"):
        with context:
            assert manager.is_init() and t.is_init()
    else:
        context.destroy()
    assert context.destroyed
    assert not any(one.is_init() for one in (owner, manager, t, sequence, algorithm))
    assert view.tolist() == [5, 5], "its work was awaited"
    with pytest.raises(kp.Error, match=r"Tensor.data: the Tensor was destroyed, or its Manager was"):
        t.data()
    with pytest.raises(kp.Error, match="was destroyed"):
        manager.sequence()
    manager.destroy()


def test_the_context_of_a_manager_as_the_current_one(anywhere):
    t = anywhere.tensor([1, 2])
    with anywhere.context.active():
        assert vd.asbuffer(np.ones(2, np.float32)).context is anywhere.context
    assert anywhere.is_init() and t.data().tolist() == [1, 2]


@vd.shader("out.size")
def _named(out: Buff[f32]):
    out[vc.global_invocation_id().x] = 5


def test_a_context_ends_though_a_function_of_ophost_raises(anywhere):
    def fail():
        raise KeyError("mine")

    manager = opened(anywhere.backend)
    context = manager.context
    manager.sequence().eval_async(kp.OpHost(fail))
    with contextlib.suppress(KeyError):
        context.destroy()
    assert context.destroyed and not manager.is_init()


def test_a_choice_without_a_device_names_what_was_asked_for():
    with pytest.raises(kp.Error, match=r"physical index or device: device_name 'GeForce 1' \(") as told:
        kp.Manager(device_name="GeForce 1")
    assert "None" not in str(told.value)
    with pytest.raises(kp.Error, match=r"device: device_type 'virtual', device_name 'x y', device_uuid '00ff' \("):
        kp.Manager(device_type="virtual", device_name="x y", device_uuid=b"\x00\xff")


def test_backends_that_run_nothing_are_not_offered(monkeypatch):
    with pytest.raises(kp.Error, match="Unknown backend 'metal': expected one of cuda, host, opencl, vulkan$"):
        kp.Manager(backend="metal")
    with pytest.raises(kp.Error, match="'dummy' shows source only, and runs nothing, as cuda, host, opencl, vulkan do"):
        kp.Manager(backend="dummy")
    monkeypatch.setenv("VKDISPATCH_BACKEND", "metal")
    with pytest.raises(kp.Error, match=r"VKDISPATCH_BACKEND \('metal'\) is not one of cuda, host, opencl, vulkan$"):
        kp.Manager()
