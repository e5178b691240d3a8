"""Devices that do not share the host's memory, as GPUs of OpenCL: bytes travel around each run."""

import numpy as np
import pytest
from vkdispatch import _native, kp
from vkdispatch._native import _errors, enums

pytestmark = pytest.mark.own_context


@pytest.fixture
def apart(anywhere, monkeypatch):
    """A Manager whose buffers take no shared mappings."""

    def refuse(*arguments):
        raise _errors.UnsupportedError("vd_buffer_map: no shared memory", enums.VD_ERR_UNSUPPORTED)

    monkeypatch.setattr(_native.raw, "vd_buffer_map", refuse)
    return anywhere


@pytest.mark.parametrize("kind", [kp.MemoryTypes.device, kp.MemoryTypes.host, kp.MemoryTypes.deviceAndHost], ids=str)
def test_every_eval_brings_the_bytes(apart, kind):
    a, b, out = (apart.tensor(x, kind) for x in ([2, 2, 2], [1, 2, 3], [0, 0, 0]))
    sq = apart.sequence().record(kp.OpSyncDevice([a, b])).record(kp.OpMult([a, b, out], apart.algorithm([])))
    sq.record(kp.OpSyncLocal([out]))
    view = out.data()
    for i in range(3):
        a.data()[:] = i
        sq.eval()
        assert view.tolist() == [i, 2 * i, 3 * i]
    a.data()[:] = 10
    sq.eval_async()
    assert out.data().tolist() == [10, 20, 30]


def test_images_and_copies(apart):
    data = np.arange(16, dtype=np.float32)
    image, tensor = apart.image(data, 4, 4, 1), apart.tensor(np.zeros(16))
    sq = apart.sequence().record(kp.OpSyncDevice([image])).record(kp.OpCopy([image, tensor]))
    sq.record(kp.OpSyncLocal([tensor])).eval()
    assert np.array_equal(tensor.data(), data)


def test_views_outlive_the_manager(apart):
    t = apart.tensor([1, 2, 3])
    view = t.data()
    apart.destroy()
    view += 1
    assert view.tolist() == [2, 3, 4] and not t.is_init()
