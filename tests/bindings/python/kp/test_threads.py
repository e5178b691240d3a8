"""Calls during which another thread destroys what they use: an error or a result, and no memory that is gone."""

import gc
import threading
import weakref

import numpy as np
import pytest
import vkdispatch as vd
import vkdispatch.codegen as vc
from vkdispatch import _native, kp
from vkdispatch.codegen.abbreviations import Buff, f32


def after(target, name, monkeypatch, act):
    """Have `act` happen behind a method's own work, as another thread's call may come there."""
    method = getattr(target, name)

    def both(self, *given):
        found = method(self, *given)
        act()
        return found

    monkeypatch.setattr(target, name, both)


@pytest.mark.parametrize("use", [np.asarray, lambda t: t.data(), lambda t: t.set_data([1, 2, 3])])
def test_a_tensor_is_destroyed_while_it_is_looked_at(anywhere, monkeypatch, use):
    t = anywhere.tensor([1, 2, 3])
    after(kp.Tensor, "_wait_for_host", monkeypatch, t.destroy)
    with pytest.raises(kp.Error, match="destroyed"):
        use(t)


@pytest.mark.parametrize("kind", [kp.MemoryTypes.device, kp.MemoryTypes.host], ids=str)
@pytest.mark.parametrize("use", [np.asarray, lambda t: t.data(), lambda t: t.set_data([1, 2, 3])])
def test_a_manager_is_destroyed_while_data_waits(anywhere, monkeypatch, use, kind):
    t = anywhere.tensor([1, 2, 3], kind)
    after(kp.Tensor, "_wait_for_users", monkeypatch, anywhere.destroy)
    with pytest.raises(kp.Error, match=r"^Tensor\.(set_)?data: Manager \d+ .* was destroyed"):
        use(t)


@pytest.mark.parametrize(
    "use", [lambda t: t.data(), lambda t: list(t.numpy()), lambda t: t.set_data([4, 5]) or t.data()]
)
def test_a_tensor_of_old_is_destroyed_while_its_data_is_waited_for(anywhere, monkeypatch, use):
    t = anywhere.build_tensor([4, 5])
    with monkeypatch.context() as patch:
        after(type(t), "_wait_for_users", patch, lambda: (patch.undo(), t.destroy()))
        assert use(t) == [4, 5]
    assert t.data() == [4, 5]


def test_a_tensor_is_destroyed_while_its_buffer_is_made(anywhere, monkeypatch):
    t = anywhere.tensor([1, 2, 3])
    after(kp.Tensor, "_check", monkeypatch, t.destroy)
    with pytest.raises(kp.Error, match=r"^Tensor\.buffer: the Tensor was destroyed"):
        t.buffer  # noqa: B018


def test_a_tensor_is_destroyed_after_its_graph_was_built(anywhere, monkeypatch):
    t = anywhere.tensor([1, 2, 3])
    sq = anywhere.sequence().record(kp.OpFill(t, 1))

    def refuse(*given):
        raise _native.OutOfMemoryError("no room", _native.enums.VD_ERR_OUT_OF_MEMORY)

    with monkeypatch.context() as patch:
        patch.setattr(_native.submission, "submit_graph", refuse)
        with pytest.raises(kp.Error, match="no room"):
            sq.eval()
    t.destroy()
    with pytest.raises(
        kp.Error, match=r"operation 0 \(OpFill\) uses object 0 of its list, and this Tensor was destroyed"
    ):
        sq.graph  # noqa: B018


def test_an_array_that_is_made_while_its_tensor_is_destroyed(anywhere, monkeypatch):
    t = anywhere.tensor(np.arange(1 << 20))
    asarray = np.asarray

    def late(given):
        array = asarray(given)
        t.destroy()
        return array

    with monkeypatch.context() as patch:
        patch.setattr(np, "asarray", late)
        view = t.data()
    noise = [np.full(1 << 20, 7, np.float32) for _ in range(8)]  # which would lie where freed memory was
    view += 1
    assert view[-1] == 1 << 20 and noise[0][3] == 7 and not t.is_init()


def test_a_tensor_is_destroyed_while_a_dispatch_is_recorded(anywhere, monkeypatch):
    t = anywhere.tensor([1, 2, 3])
    sq = anywhere.sequence().record(kp.OpMult([t, t, t], anywhere.algorithm([])))
    held, launch = weakref.ref(t._device), _native.raw.vd_graph_launch

    def late(*given):
        t.destroy()
        gc.collect()
        assert held() is not None, "the launch names a buffer that is gone"
        return launch(*given)

    monkeypatch.setattr(_native.raw, "vd_graph_launch", late)
    with pytest.raises(
        kp.Error, match=r"operation 0 \(OpMult\) uses object 0 of its list, and this Tensor was destroyed"
    ):
        sq.eval()


def test_a_manager_is_destroyed_while_a_tensor_is_made(anywhere, monkeypatch):
    create = _native.raw.vd_buffer_create

    def late(*given):
        made = create(*given)
        anywhere.destroy()
        return made

    monkeypatch.setattr(_native.raw, "vd_buffer_create", late)
    with pytest.raises(kp.Error, match="destroyed"):
        anywhere.tensor([1, 2, 3])
    assert not anywhere.is_init()


@pytest.mark.parametrize("kind", ["tensor", "image"])
@pytest.mark.parametrize(
    "use", [lambda a, b: kp.OpSyncLocal([a]), lambda a, b: kp.OpCopy([a, b])], ids=["sync", "copy"]
)
def test_an_object_is_destroyed_while_a_sequence_is_built(anywhere, monkeypatch, kind, use):
    made = anywhere.tensor([1, 2, 3, 4]) if kind == "tensor" else anywhere.image([1, 2, 3, 4], 2, 2, 1)
    sq = anywhere.sequence().record(use(made, anywhere.tensor([0] * 4)))
    after(type(made), "_check", monkeypatch, made.destroy)
    with pytest.raises(kp.Error, match=r"operation 0 \(Op\w+\) uses object 0 of its list, and this .* was destroyed"):
        sq.eval()


def test_an_algorithm_that_another_thread_rebuilds_while_a_sequence_is_built(anywhere):
    t = anywhere.tensor([0, 0])
    algorithm, building, rebuilt = anywhere.algorithm([t], add_one), threading.Event(), threading.Event()

    def hold():
        building.set()
        assert rebuilt.wait(60)

    def rebuild():
        assert building.wait(60)
        algorithm.rebuild([t], add_ten)
        rebuilt.set()

    sq = anywhere.sequence().record(kp.OpSyncDevice([t])).record(kp.OpAlgoDispatch(algorithm)).record_vd(hold)
    sq.record(kp.OpSyncLocal([t]))
    thread = threading.Thread(target=rebuild)
    thread.start()
    sq.eval()
    thread.join()
    t.data()[:] = 0
    sq.eval()
    assert t.data().tolist() == [10, 10]


@vd.shader("out.size")
def add_one(out: Buff[f32]):
    out[vc.global_invocation_id().x] += 1


@vd.shader("out.size")
def add_ten(out: Buff[f32]):
    out[vc.global_invocation_id().x] += 10


def test_two_threads_build_a_sequence_and_either_runs_it_again(anywhere):
    t = anywhere.tensor([1, 2, 3])
    sq = anywhere.sequence()
    building, both, rest = threading.Event(), threading.Event(), threading.Event()
    raised = []

    def function():
        if threading.current_thread() is first:
            building.set()
            both.wait(60)
        else:
            both.set()
            rest.wait(60)  # builds longer than the first

    def run(before, behind, times):
        try:
            before()
            for _ in range(times):
                sq.eval_async()
                sq.eval_await()
                behind()
        except kp.Error as error:
            raised.append(error)

    sq.record(kp.OpSyncDevice([t])).record_vd(function).record(kp.OpSyncLocal([t]))
    first = threading.Thread(target=run, args=(lambda: None, rest.set, 1))
    second = threading.Thread(target=run, args=(lambda: building.wait(60), lambda: None, 1))
    for thread in (first, second):
        thread.start()
    for thread in (first, second):
        thread.join()
    for error in raised:  # one thread at a time may run a sequence
        assert "being built" not in str(error), error
    assert sq._builders == []
    again = threading.Thread(target=run, args=(lambda: None, lambda: None, 2))
    raised.clear()
    again.start()
    again.join()
    assert raised == [] and t.data().tolist() == [1, 2, 3]
