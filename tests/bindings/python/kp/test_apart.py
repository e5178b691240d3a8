"""Devices that do not share the host's memory, as GPUs of OpenCL: bytes travel around each run."""

import gc
import threading
import time

import numpy as np
import pytest
import vkdispatch as vd
import vkdispatch.codegen as vc
from vkdispatch import _native, kp
from vkdispatch._native import _errors, enums
from vkdispatch.codegen.abbreviations import Buff, f32

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


def test_bytes_come_once(apart):
    t = apart.tensor([1, 2])
    sq = apart.sequence().record(kp.OpSyncDevice([t])).record(kp.OpSyncLocal([t])).eval_async()
    t.data()[0] = 99
    assert t.data()[0] == 99
    sq.eval_await()
    assert t.data()[0] == 99


def test_bytes_of_a_tensor_that_was_destroyed_meanwhile(apart):
    t, other = apart.tensor([1, 2]), apart.tensor([3, 4])
    sq = apart.sequence().record(kp.OpSyncDevice([t, other])).record(kp.OpSyncLocal([t, other])).eval_async()
    t.destroy()
    sq.eval_await()
    assert not sq.is_running() and other.data().tolist() == [3, 4]


def test_bytes_of_a_sequence_that_nobody_has(apart):
    t, other = apart.tensor([1, 2]), apart.tensor([0, 0])
    lost = apart.sequence().record(kp.OpFill(t, 7)).record(kp.OpSyncLocal([t])).eval_async()
    while not lost.done():
        time.sleep(0.001)
    del lost
    apart.sequence().record(kp.OpFill(other, 3)).record(kp.OpSyncLocal([other])).eval_async()
    gc.collect()
    assert t.data().tolist() == [7, 7] and other.data().tolist() == [3, 3]
    t.data()[:] = 5
    sq = apart.sequence().record(kp.OpSyncDevice([t])).record(kp.OpCopy([t, other])).record(kp.OpSyncLocal([other]))
    sq.eval()
    assert other.data().tolist() == [5, 5]


@vd.shader("out.size")
def increment(out: Buff[f32]):
    out[vc.global_invocation_id().x] += 1


def test_what_the_program_records_on_buffers(apart):
    t = apart.tensor([10, 20], kp.MemoryTypes.host)
    sq = apart.sequence().record_vd(increment, t.buffer).eval()
    assert t.data().tolist() == [11, 21]
    t.data()[:] = 0
    sq.eval()
    assert t.data().tolist() == [1, 1]


def test_staging_tensors_of_old(apart):
    t, out = apart.build_tensor([1, 2], kp.TensorTypes.staging), apart.build_tensor([0, 0])
    apart.eval_algo_mult_def([t, t, out])
    apart.eval_tensor_sync_local_def([out])
    assert out.data() == [1, 4]
    apart.eval_algo_mult_def([out, out, t])
    t.map_data_from_host()
    assert t.data() == [1, 16]


def test_only_bytes_that_work_reads_travel(apart, monkeypatch):
    a, b, out = (apart.tensor(np.zeros(1000)) for _ in range(3))
    sq = apart.sequence().record(kp.OpMult([a, b, out], apart.algorithm([]))).eval()
    apart.sequence().eval(kp.OpSyncLocal([out]))
    written, write = [], _native.raw.vd_buffer_write
    monkeypatch.setattr(_native.raw, "vd_buffer_write", lambda *args: (written.append(args), write(*args))[1])
    sq.eval().eval(kp.OpSyncLocal([out]))
    assert not written  # a kernel touches no mirror, and nobody reads what is overwritten
    sq.eval(kp.OpSyncDevice([a]))
    assert len(written) == 1


@pytest.mark.parametrize("behind", [False, True], ids=["before", "behind"])
def test_an_interrupt_at_the_submission(anywhere, monkeypatch, request, behind):
    """Whether it was submitted or not: what the program wrote stays, and what work wrote comes."""
    for manager in (anywhere, request.getfixturevalue("apart")):
        t = manager.tensor([1, 2])
        sq = manager.sequence().record(kp.OpFill(t, 7)).record(kp.OpSyncLocal([t]))
        submit = _native.submission.submit_graph

        def interrupted(*given, submit=submit):
            if behind:
                submit(*given)
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr(_native.submission, "submit_graph", interrupted)
            with pytest.raises(KeyboardInterrupt):
                sq.eval()
        assert sq.is_running() is behind
        assert t.data().tolist() == ([7, 7] if behind else [1, 2])
        t.data()[:] = 5
        manager.sequence().record(kp.OpSyncDevice([t])).record(kp.OpSyncLocal([t])).eval()
        assert t.data().tolist() == [5, 5]
        first = manager.tensor_empty(2)  # which the work below gives its first contents
        sq = manager.sequence().record(kp.OpFill(first, 7))
        with monkeypatch.context() as patch:
            patch.setattr(_native.submission, "submit_graph", interrupted)
            with pytest.raises(KeyboardInterrupt):
                sq.eval()
        manager.sequence().eval(kp.OpSyncLocal([first]))
        assert first.data().tolist() == ([7, 7] if behind else [0, 0])


def test_buffers_have_the_bytes(apart):
    t = apart.tensor([1, 2, 3], kp.MemoryTypes.host)
    assert t.buffer.read(0).tolist() == [1, 2, 3] and apart.tensor_from(t).data().tolist() == [1, 2, 3]


def test_bytes_come_while_a_function_uses_the_manager(apart):
    t, algorithm, gate = apart.tensor([0, 0]), apart.algorithm([]), threading.Event()

    def use():
        gate.wait(60)
        algorithm.set_workgroup((1, 1, 1))

    first = apart.sequence().record(kp.OpFill(t, 7)).record(kp.OpSyncLocal([t])).eval_async()
    second = apart.sequence().record(kp.OpHost(use)).eval_async()
    threading.Timer(0.05, gate.set).start()
    assert t.data().tolist() == [7, 7]
    first.eval_await(), second.eval_await()


def test_sequences_that_nobody_holds_do_not_pile_up(apart):
    a, b = apart.tensor([1, 2]), apart.tensor([3, 4])
    for _ in range(5):
        apart.sequence().record(kp.OpSyncLocal([a, b])).eval_async()
        a.data()
    apart.sequence().record(kp.OpSyncLocal([a, b])).eval_async()
    assert len(apart._home._running) == 1
