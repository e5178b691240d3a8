"""Programs under Vulkan's validation layers, synchronisation among what they look at: they say nothing, unless there is a hazard."""

from pathlib import Path

import pytest
from vkdispatch import _native, kp
from vkdispatch._native import enums
from vkdispatch.kp.log import faults

from .conftest import ASKED, opened
from .shaders import INCREMENT, spirv
from .test_random_programs import run_programs

ALL = enums.VD_ALL_ARGUMENTS


@pytest.fixture
def watched():
    """A Manager whose calls raise what the layers report, and the places of its reports in the log."""
    if ASKED not in (None, "vulkan"):
        pytest.skip("the layers are Vulkan's")
    made = opened("vulkan", debug="raise")
    yield made
    made._home._faults = None  # a control's hazards are told
    made.destroy()


def test_random_programs_are_silent(watched, caplog):
    caplog.set_level("ERROR", "kp")
    before = len(faults)
    run_programs(watched, 8)
    assert faults.since(before)[0] == []


def test_images_and_shaders_are_silent(watched):
    before = len(faults)
    image, tensor = watched.image([3] * 15, 5, 3, 1), watched.tensor([0] * 15)
    add = kp.OpAlgoDispatch(watched.algorithm([tensor], spirv(INCREMENT)))  # twice: 2 more a run
    sq = watched.sequence(total_timestamps=6).record(kp.OpSyncDevice([image])).record(kp.OpCopy([image, tensor]))
    sq.record(add).record(add).record(kp.OpCopy([tensor, image])).record(kp.OpSyncLocal([tensor, image]))
    for _ in range(3):
        sq.eval()
    assert tensor.data().tolist() == image.data().tolist() == [9] * 15 and faults.since(before)[0] == []


@pytest.mark.parametrize("width", [64, 5])  # rows side by side, and with gaps
def test_images_that_the_host_uses_are_silent(watched, width):
    before = len(faults)
    count = width * 3
    image, tensor = watched.image([3] * count, width, 3, 1, kp.MemoryTypes.host), watched.tensor([0] * count)
    add = kp.OpAlgoDispatch(watched.algorithm([tensor], spirv(INCREMENT)))
    sq = watched.sequence().record(kp.OpCopy([image, tensor])).record(add).record(kp.OpCopy([tensor, image]))
    for turn in range(1, 4):
        sq.eval()
        assert image.data().tolist() == [3 + turn + 10 * (turn - 1)] * count
        image.data()[:] += 10  # before the next run, which sees it
    assert faults.since(before)[0] == []


@pytest.mark.layer_messages
@pytest.mark.parametrize("kind", ["fills", "fill and dispatch", "images"])
def test_a_hazard_is_reported(watched, kind):
    """The silence of the others means something only where the layers see hazards."""
    if "VkLayer_khronos" not in Path("/proc/self/maps").read_text():
        pytest.skip("the validation layers are not installed")
    t, image = watched.tensor([1, 2, 3, 4]), watched.image([1] * 4, 2, 2, 1)
    add = kp.OpAlgoDispatch(watched.algorithm([t], spirv(INCREMENT)))
    operations = {
        "fills": [kp.OpFill(t, 1), kp.OpFill(t, 2)],
        "fill and dispatch": [kp.OpFill(t, 1), add],
        "images": [kp.OpCopy([t, image]), kp.OpSyncDevice([image])],
    }
    sq = watched.sequence()
    for operation in operations[kind]:
        sq.record(operation)
    native = sq.graph._graphs()[0]
    for node in range(_native.raw.vd_graph_get_info(native).node_count):
        _native.raw.vd_graph_set_unordered(native, node, ALL, 1)
    sq.eval()
    with pytest.raises(kp.Error, match="SYNC-HAZARD"):
        watched.tensor([1])
