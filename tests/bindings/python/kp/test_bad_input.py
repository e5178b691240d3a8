"""Calls that are wrong: an error of the right type before anything runs, and a Manager that works on."""

import gc
import subprocess
import sys
import threading

import numpy as np
import pytest
from vkdispatch import kp

from .conftest import ASKED, opened

OVERLAPPING = np.dtype({"names": ["a", "b"], "formats": ["i4", "i4"], "offsets": [0, 0]})


@pytest.mark.parametrize("kind", list(kp.MemoryTypes), ids=str)
@pytest.mark.parametrize("count", [2**40, 2**61, 2**63, 2**64, 2**80])
def test_huge_sizes(anywhere, kind, count):
    for shape in (count, (count, count)):
        with pytest.raises(kp.Error):
            anywhere.tensor_empty(shape, memory_type=kind)
    assert anywhere.tensor([1, 2], kp.MemoryTypes.device).data().tolist() == [1, 2]


def test_numbers_past_their_type(anywhere):
    t = anywhere.tensor([1, 2, 3])
    small = anywhere.tensor_t(np.zeros(3, np.int8))
    for call in (
        lambda: anywhere.tensor([10**400]),
        lambda: anywhere.tensor_t([2**70]),
        lambda: t.set_data([1, 2, 10**400]),
        lambda: kp.OpFill(t, 10**400),
        lambda: kp.OpFill(t, None),
        lambda: kp.OpFill(t, []),
        lambda: kp.OpFill(t, [1, 2, 3]),
        lambda: anywhere.image([10**400], 1, 1, 1),
    ):
        with pytest.raises(TypeError, match="incompatible function arguments"):
            call()
    assert small.size() == 3 and t.data().tolist() == [1, 2, 3]


def test_records_that_have_no_plain_order(anywhere):
    with pytest.raises(kp.Error, match="no valid dtype supported"):
        anywhere.tensor_t(np.zeros(3, OVERLAPPING))
    ones, others = (anywhere.tensor_empty(3, dtype=[("a", form)]) for form in ("f4", "f8"))
    with pytest.raises(kp.Error, match="different types"):
        anywhere.sequence().record(kp.OpCopy([ones, others]))


def test_a_wait_without_end_and_one_of_no_number(anywhere):
    sq = anywhere.sequence()
    assert sq.wait(float("inf"))
    for wrong in (float("nan"), -1):
        with pytest.raises(kp.Error, match="timeout_s"):
            sq.wait(wrong)


def test_products_read_and_write_past_no_tensor(anywhere):
    long, short = anywhere.tensor([1, 2, 3]), anywhere.tensor([1])
    algorithm = anywhere.algorithm([])
    for mems in ([long, short, long], [long, long, short], [long, anywhere.tensor_t(np.zeros(3, np.int8)), long]):
        with pytest.raises(kp.Error, match="different sizes"):
            kp.OpMult(mems, algorithm)
    anywhere.sequence().record(kp.OpSyncDevice([short, long])).eval(kp.OpMult([short, long, long], algorithm))


@pytest.mark.parametrize("what", ["tensor", "algorithm"])
def test_what_was_destroyed_after_it_was_recorded(anywhere, what):
    objects = {"tensor": anywhere.tensor([1, 2]), "algorithm": anywhere.algorithm([])}
    tensors = [objects["tensor"]] * 3
    sq = anywhere.sequence().record(kp.OpSyncDevice(tensors)).record(kp.OpMult(tensors, objects["algorithm"])).eval()
    objects[what].destroy()
    for _ in range(2):
        with pytest.raises(kp.Error, match="destroyed|discarded"):
            sq.eval()
    assert not sq.is_running()
    sq.clear()
    sq.eval()


def test_arrays_of_other_makers_stay_valid_after_destroy(anywhere):
    t = anywhere.tensor(np.arange(1 << 20))
    mine, theirs = t.data(), np.asarray(t)
    part = theirs[1::2]
    assert theirs.base is t and mine.base is t
    del mine
    anywhere.destroy()
    gc.collect()
    noise = [np.full(1 << 20, 7, np.float32) for _ in range(8)]  # which would lie where freed memory was
    part += 1
    assert part[3] == 8 and theirs[-1] == 1 << 20 and noise[0][3] == 7


def test_threads_that_share_a_tensor(anywhere):
    """Each has sequences of its own, which come and go while another looks at who writes the tensor."""
    t, errors = anywhere.tensor(np.full(64, 5)), []
    anywhere.sequence().eval(kp.OpSyncDevice([t]))
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)

    def work():
        try:
            for _ in range(40):
                anywhere.sequence().record(kp.OpSyncLocal([t])).eval()
                assert t.data()[63] == 5
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sys.setswitchinterval(before)
    assert errors == []


@pytest.mark.parametrize("kind", list(kp.MemoryTypes), ids=str)
def test_hostile_arrays(anywhere, kind):
    values = np.arange(24, dtype=np.int16)
    frozen = values.copy()
    frozen.flags.writeable = False
    for given, expected in (
        (values[::-3], values[::-3]),
        (values.reshape(4, 6).T[::2], values.reshape(4, 6).T[::2].ravel()),
        (frozen, values),
        (values.astype(">i2"), values),
        (np.array(7, np.int16), [7]),
        (np.ma.masked_array(values, values > 3), values),
        (np.broadcast_to(np.int16(3), (2, 2)), [3] * 4),
    ):
        t, out = anywhere.tensor_t(given, kind), anywhere.tensor_empty(np.size(given), np.int16, kp.MemoryTypes.host)
        anywhere.sequence().record(kp.OpSyncDevice([t])).record(kp.OpCopy([t, out])).eval()
        assert out.data().tolist() == list(expected) and t.data_type() is kp.DataTypes.short
    for wrong in (np.array([1, None], object), {1}, None, "12"):
        with pytest.raises(TypeError):
            anywhere.tensor_t(wrong, kind)


def test_data_without_numpy_that_is_none():
    code = f"""
import sys
sys.modules["numpy"] = None
import vkdispatch.kp as kp
m = kp.Manager(backend={ASKED or "host"!r})
ring = []
ring.append(ring)
for wrong in (ring, [10**400], [None], ["1", "x"], {{}}, None):
    try:
        m.tensor(wrong)
    except TypeError as error:
        pass
    else:
        raise AssertionError(wrong)
assert m.tensor([1]).data().tolist() == [1]
"""
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_twenty_thousand_tensors():
    made = opened(ASKED or "vulkan")
    tensors = [made.tensor([i, i + 1]) for i in range(20_000)]
    made.sequence().eval(kp.OpSyncDevice(tensors[::50]))
    for i in range(0, 20_000, 50):
        tensors[i].data()[:] = 0
    made.sequence().eval(kp.OpSyncLocal(tensors[::50]))
    assert all(t[0] == i and t[1] == i + 1 for i, t in enumerate(tensors))
    made.destroy()
    assert not any(t.is_init() for t in tensors)
