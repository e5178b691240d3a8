"""Sequences: recording, replay, states, waits, timestamps, order."""

import asyncio
import gc
import os
import signal
import sys
import threading
import time

import numpy as np
import pytest
import vkdispatch as vd
import vkdispatch.codegen as vc
from vkdispatch import _native, kp
from vkdispatch._native import raw
from vkdispatch._native._extension import EXTENSION
from vkdispatch.codegen.abbreviations import Buff, Const, f32, u32

from .conftest import ASKED, BACKENDS, opened
from .shaders import INCREMENT, LONG, MULTIPLY, spirv


def incrementer(manager, tensor):
    return kp.OpAlgoDispatch(manager.algorithm([tensor], spirv(INCREMENT)))


def long_work(manager, turns=200_000, workgroups=64):
    """An operation that takes a while, and its tensor."""
    t = manager.tensor_t(np.zeros(64, np.uint32))
    return kp.OpAlgoDispatch(manager.algorithm([t], spirv(LONG), (workgroups, 1, 1), [turns])), t


def test_end_to_end(manager):
    code = spirv("""
        layout (local_size_x = 1) in;
        layout (set = 0, binding = 0) buffer A { float a[]; };
        layout (set = 0, binding = 1) buffer B { float b[]; };
        layout (set = 0, binding = 2) buffer C { uint c[]; };
        layout (set = 0, binding = 3) buffer D { uint d[]; };
        layout (push_constant) uniform P { float push; } p;
        layout (constant_id = 0) const float spec = 0;
        void main() {
          uint i = gl_GlobalInvocationID.x;
          c[i] += uint(a[i] * b[i]);
          d[i] += uint(spec * p.push);
        }""")
    a, b = manager.tensor([2, 2, 2]), manager.tensor([1, 2, 3])
    c, d = (manager.tensor_t(np.array([0, 0, 0], np.uint32)) for _ in range(2))
    params = [a, b, c, d]
    algorithm = manager.algorithm(params, code, (3, 1, 1), [2], [2])
    sq = manager.sequence().record(kp.OpTensorSyncDevice(params)).record(kp.OpAlgoDispatch(algorithm))
    sq.record(kp.OpAlgoDispatch(algorithm, [3.0])).eval()
    sq = manager.sequence()
    assert sq.eval_async(kp.OpTensorSyncLocal(params)) is sq
    assert sq.eval_await() is sq
    assert c.data().tolist() == [4, 8, 12] and d.data().tolist() == [10, 10, 10]


def calls_of(work):
    """The number of calls of Python functions during work()."""
    seen = []
    sys.setprofile(lambda frame, event, _: seen.append(frame.f_code.co_name) if event == "call" else None)
    try:
        work()
    finally:
        sys.setprofile(None)
    return len(seen)


@pytest.mark.parametrize("queue", [0, 1])
def test_k10_a_replay_costs_no_python_per_operation(anywhere, queue):
    made = opened(anywhere.backend, family_queue_indices=[0, 0])
    t = made.tensor([0, 0])
    ones = made.tensor([1, 1])
    made.sequence().eval(kp.OpSyncDevice([t, ones]))
    sq = made.sequence(queue)
    for _ in range(20):
        sq.record(kp.OpCopy([ones, t]))
    sq.eval()
    made.sequence().eval(kp.OpFill(t, 0))
    # Its own, and one more where the names that tests touch are counted.
    assert calls_of(sq.eval) <= (2 if EXTENSION else 10)
    assert sq.eval() is sq and not sq.is_running() and not sq.is_recording()
    made.sequence().eval(kp.OpSyncLocal([t]))
    assert t.data().tolist() == [1, 1]
    # A function that fails, a new operation and a change of the graph are noticed by the replay after them.
    broken = []
    sq.record(kp.OpHost(lambda: broken and 1 / 0)).eval().eval()
    broken.append(True)
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            sq.eval()
    broken.clear()
    sq.eval().clear()
    sq.record(kp.OpFill(t, 5)).eval().record(kp.OpFill(t, 6)).eval()
    sq.eval_async()
    sq.eval_await()
    sq.graph.reset()
    made.sequence().eval(kp.OpFill(t, 7))
    sq.eval()
    made.sequence().eval(kp.OpSyncLocal([t]))
    assert t.data().tolist() == [7, 7]
    sq.clear()
    sq.record(kp.OpFill(t, 1)).eval()
    made.context.destroy()
    with pytest.raises(kp.Error, match="destroyed"):
        sq.eval()
    made.destroy()


def test_sequence(anywhere):
    a, b, out = (anywhere.tensor(x) for x in ([2, 2, 2], [1, 2, 3], [0, 0, 0]))
    sq = anywhere.sequence()
    sq.record(kp.OpSyncDevice([a, b, out]))
    sq.record(kp.OpMult([a, b, out], anywhere.algorithm([])))
    sq.record(kp.OpSyncLocal([out]))
    assert sq.is_recording() == True and sq.is_running() == False
    sq.eval()
    assert not sq.is_recording() and sq.is_init()
    sq.destroy()
    assert sq.is_init() == False
    assert out.data().tolist() == [2, 4, 6]
    for t in (a, b, out):
        assert t.is_init()
        t.destroy()
        assert not t.is_init()
    sq.destroy()
    with pytest.raises(kp.Error, match="destroyed"):
        sq.eval()


@vd.shader("out.size")
def traced_increment(out: Buff[f32]):
    i = vc.global_invocation_id().x
    out[i] = out[i] + 1


@pytest.mark.parametrize("queues", [1, 2])
@pytest.mark.parametrize("ways", ["one sequence", "three evals", "three sequences"])
@pytest.mark.parametrize("backend", BACKENDS)
def test_k1_order_by_what_work_touches(backend, ways, queues):
    """Three increments are seen by each other, a thousand times."""
    made = opened(backend, family_queue_indices=[0] * queues)
    t = made.tensor([0, 0, 0])
    code = spirv(INCREMENT) if backend == "vulkan" else traced_increment
    add = kp.OpAlgoDispatch(made.algorithm([t], code))
    clear, sync = made.sequence().record(kp.OpFill(t, 0)), made.sequence(queues - 1).record(kp.OpSyncLocal([t]))
    whole = made.sequence(queues - 1).record(kp.OpFill(t, 0)).record(add).record(add).record(add)
    whole.record(kp.OpSyncLocal([t]))
    adders = [made.sequence(i % queues).record(add) for i in range(3)]
    for turn in range(1000):
        if ways == "one sequence":
            whole.eval()
        elif ways == "three evals":
            clear.eval()
            adders[turn % 3].eval().eval().eval()
            sync.eval()
        else:
            clear.eval_async()
            for sq in adders:
                sq.eval_async()
            sync.eval()
        assert t.data().tolist() == [3, 3, 3], turn
        t.data()[:] = 0
    made.destroy()


def test_recording_after_an_eval_begins_anew(manager):
    a, b = manager.tensor([0]), manager.tensor([0])
    sq = manager.sequence().record(incrementer(manager, a))
    sq.eval()
    sq.record(incrementer(manager, b))
    sq.eval()
    local = kp.OpSyncLocal([a, b])
    manager.sequence().eval(local)
    assert (a[0], b[0]) == (1, 1)
    sq.rerecord()
    sq.eval()
    manager.sequence().eval(local)
    assert (a[0], b[0]) == (2, 2)
    sq.clear()
    assert not sq.is_recording()
    sq.eval()
    manager.sequence().eval(local)
    assert (a[0], b[0]) == (2, 2)


def test_eval_of_an_op_drops_the_others(manager):
    a = manager.tensor([0])
    sq = manager.sequence().record(incrementer(manager, a))
    sq.eval(kp.OpSyncDevice([a]))
    sq.eval(kp.OpSyncLocal([a]))
    assert a[0] == 0


def test_nothing_recorded(anywhere):
    sq = anywhere.sequence()
    assert sq.eval() is sq and sq.eval_async() is sq and sq.eval_await() is sq


def test_mirrors_are_read_at_each_eval(anywhere):
    a, b = anywhere.tensor([1, 2]), anywhere.tensor([0, 0])
    sq = anywhere.sequence().record(kp.OpSyncDevice([a])).record(kp.OpCopy([a, b])).record(kp.OpSyncLocal([b]))
    for i in range(5):
        a.data()[:] = i
        sq.eval()
        assert b.data().tolist() == [i, i]


def test_running_errors(manager):
    work, _ = long_work(manager, 100)
    sq = manager.sequence().eval_async(work)
    assert sq.is_running() and not sq.is_recording()
    for call in (lambda: sq.record(work), sq.rerecord):
        with pytest.raises(RuntimeError, match="called when sequence still running"):
            call()
    for call in (sq.eval, sq.eval_async, lambda: sq.eval(work)):
        with pytest.raises(RuntimeError, match="called when an eval async was called without successful wait"):
            call()
    while not sq.done():
        pass
    assert sq.is_running()
    sq.eval_await()
    assert not sq.is_running()


def test_awaiting_what_does_not_run_is_a_warning(manager, caplog):
    sq = manager.sequence()
    assert sq.eval_await() is sq.eval_await(10) is sq
    assert "nothing is running" in caplog.text
    for wrong in (-1, 1.5, "1", 1 << 64):
        with pytest.raises(TypeError):
            sq.eval_await(wrong)


def test_k3_a_wait_that_runs_out_says_so(manager, caplog):
    work, t = long_work(manager)
    sq = manager.sequence().eval_async(work)
    assert sq.eval_await(1) is sq
    assert sq.timed_out() and sq.is_running() and "OpAlgoDispatch" in caplog.text
    sq.eval_await(1)
    # More work may follow, and comes after what is pending.
    sq.eval_async(kp.OpSyncLocal([t]))
    assert sq.is_running()
    sq.eval_await()
    assert not sq.timed_out() and not sq.is_running() and t.data().all()


def test_k2_eval_async_is_asynchronous(manager):
    work, t = long_work(manager)
    event = manager.sequence().record(work)
    event.eval_async()
    assert not event.done()
    event.eval_await()
    assert event.done()
    assert not t.data().any()


def test_k2_the_call_returns_within_a_tenth(manager):
    """The shortest of some calls: others may have the processors meanwhile."""
    work, _ = long_work(manager, 500_000)
    sq = manager.sequence().record(work).eval()
    parts = []
    for _ in range(5):
        begin = time.perf_counter()
        sq.eval_async()
        called = time.perf_counter()
        sq.eval_await()
        parts.append((called - begin) / (time.perf_counter() - begin))
    assert min(parts) < 0.1, parts


# Counts its iterations, which a compiler cannot leave out: each needs the number of the one before.
COUNTED = """
layout (local_size_x = 1) in;
layout (set = 0, binding = 0) buffer A { uint a[]; };
layout (push_constant) uniform P { uint turns; };
void main() {
  uint value = 1u, count = 0u;
  for (uint k = 0u; k < turns; ++k) { value = (value * 1664525u + 1013904223u) ^ k; count += 1u; }
  a[0] = count;
  a[1] = value;
}
"""


@vd.shader(local_size=1, workgroups=1)
def traced_count(out: Buff[u32], turns: Const[u32]):
    value, count = vc.new_uint_register(1), vc.new_uint_register(0)
    with vc.for_block(0, turns, 1) as k:
        value.set_value((value * 1664525 + 1013904223) ^ k)
        count += 1
    out[0] = count
    out[1] = value


def last_number(turns):
    """The number that the kernels above leave beside their count."""
    value = 1
    for k in range(turns):
        value = ((value * 1664525 + 1013904223) ^ k) & 0xFFFFFFFF
    return value


class Counter:
    """A kernel of one workgroup on a queue, and its sequence."""

    def __init__(self, made, queue, turns):
        code = spirv(COUNTED) if made.backend == "vulkan" else traced_count
        self.tensor = made.tensor_t(np.zeros(2, np.uint32))
        self._local = made.sequence(queue).record(kp.OpSyncLocal([self.tensor]))
        algorithm = made.algorithm([self.tensor], code, (1, 1, 1), push_consts=[turns])
        self.sequence = made.sequence(queue).record(kp.OpAlgoDispatch(algorithm))

    def result(self):
        """The count and the last number."""
        self._local.eval()
        return self.tensor.data().tolist()


@pytest.mark.parametrize("backend", BACKENDS)
def test_kernels_on_two_queues_count_right(backend):
    made = opened(backend, family_queue_indices=[0, 0])
    counters = [Counter(made, queue, 1000 + queue) for queue in range(2)]
    for one in counters:
        one.sequence.eval_async()
    for one in counters:
        one.sequence.eval_await()
    assert [one.result() for one in counters] == [[turns, last_number(turns)] for turns in (1000, 1001)]
    made.destroy()


def two_queues(backend):
    """A Manager on two queues that work at once; a skip where the device has no such."""
    if ASKED not in (None, backend):
        pytest.skip("a run for one backend leaves the others to theirs")
    made = opened(backend)
    properties = made.get_device_properties()
    families = [i for i, one in enumerate(properties["queue_families"]) if one["count"] and one["compute"]]
    made.destroy()
    if properties["device_type"] == "cpu" or "emulated" in properties["device_name"]:
        pytest.skip("the queues of a device that is the host's processors share them")
    if backend == "vulkan" and len(families) < 2:
        pytest.skip("the device has one family of queues that run kernels")
    return opened(backend, family_queue_indices=families[:2] if backend == "vulkan" else [0, 0])


@pytest.mark.parametrize("backend", ["vulkan", "cuda"])
def test_k2_two_queues_at_once(backend):
    """Two long kernels of one workgroup each take less than 0.6 of the time that one takes after the other."""
    made = two_queues(backend)
    counters = [Counter(made, queue, 100_000_000) for queue in range(2)]
    sequences = [one.sequence.eval() for one in counters]
    ratios = []
    for _ in range(3):
        begin = time.perf_counter()
        for sq in sequences:
            sq.eval()
        between = time.perf_counter()
        for sq in sequences:
            sq.eval_async()
        for sq in sequences:
            sq.eval_await()
        ratios.append((time.perf_counter() - between) / (between - begin))
    assert min(ratios) < 0.6, ratios
    (first, last), second = (one.result() for one in counters)
    assert first == 100_000_000 and second == [first, last]
    made.destroy()


def test_k2_programs_that_never_await(manager):
    work, t = long_work(manager, 1000)
    sq = manager.sequence().record(work).record(kp.OpSyncLocal([t]))
    sq.eval_async()
    assert t.data().all()
    sq.eval_async().eval_async()
    sq.record(kp.OpSyncLocal([t]))
    sq.eval_async()
    sq.clear()
    assert not sq.is_running()


def test_data_waits_for_a_pending_sync(manager):
    work, t = long_work(manager)
    sq = manager.sequence().record(work).record(kp.OpSyncLocal([t]))
    sq.eval_async()
    assert t.data().all()
    assert sq.is_running()
    sq.eval_await()


def test_destroying_waits(manager):
    work, t = long_work(manager)
    sq = manager.sequence().record(work).eval_async()
    t.destroy()
    sq.destroy()
    other = manager.sequence().record(long_work(manager)[0]).eval_async()
    manager.destroy()
    assert not other.is_init()


def test_k15_timestamps(anywhere):
    a, b, out = (anywhere.tensor(x) for x in ([2, 2, 2], [1, 2, 3], [0, 0, 0]))
    sq = anywhere.sequence(0, 100).record(kp.OpSyncDevice([a])).record(kp.OpSyncDevice([b]))
    sq.record(kp.OpSyncDevice([out])).record(kp.OpMult([a, b, out], anywhere.algorithm([]))).record(
        kp.OpSyncLocal([out])
    )
    last = 0
    for _ in range(3):
        sq.eval()
        times = sq.get_timestamps()
        assert len(times) == 6 and times == sorted(times) and times[0] > last and times[-1] > times[0]
        last = times[-1]
    assert [name for name, _ in sq.get_timings()] == [*["OpSyncDevice"] * 3, "OpMult", "OpSyncLocal"]
    with pytest.raises(RuntimeError, match="Timestamp latching not enabled"):
        anywhere.sequence().get_timestamps()
    few = anywhere.sequence(total_timestamps=1).record(kp.OpSyncDevice([a]))
    with pytest.raises(kp.Error, match="total_timestamps"):
        few.record(kp.OpSyncDevice([a]))


@vd.shader("t.size")
def increment(t: Buff[f32]):
    i = vc.global_invocation_id().x
    t[i] = t[i] + 1


def test_timestamps_of_a_long_sequence_do_not_look_through_its_graph_for_each_operation(anywhere, monkeypatch):
    # To ask a graph how many nodes it has takes as long as it has nodes.
    asked, ask = [], raw.vd_graph_get_info
    monkeypatch.setattr(raw, "vd_graph_get_info", lambda graph: asked.append(graph) or ask(graph))
    t = anywhere.tensor([0.0] * 4)
    add = anywhere.algorithm([t], increment)
    sq = anywhere.sequence(total_timestamps=100).record(kp.OpSyncDevice([t]))
    for _ in range(48):
        sq.record(kp.OpAlgoDispatch(add))
    sq.record(kp.OpFill(t, 3)).record(kp.OpAlgoDispatch(add)).record(kp.OpSyncLocal([t])).eval()
    assert t.data().tolist() == [4.0] * 4 and len(sq.get_timestamps()) == 53 and len(asked) <= 2
    assert [name for name, _ in sq.get_timings()][-3:] == ["OpFill", "OpAlgoDispatch", "OpSyncLocal"]


def test_a_failed_record_leaves_the_sequence(manager):
    a, b = manager.tensor([1, 2]), manager.tensor([1])
    sq = manager.sequence()
    with pytest.raises(RuntimeError, match="different sizes"):
        sq.record(kp.OpCopy([a, b]))
    assert not sq.is_recording()
    sq.record(incrementer(manager, a))
    with pytest.raises(RuntimeError, match="different types"):
        sq.record(kp.OpCopy([a, manager.tensor_t(np.int32([1, 2]))]))
    sq.record(kp.OpSyncLocal([a])).eval()
    assert a.data().tolist() == [1, 1]


def test_keywords(manager):
    a = manager.tensor([1])
    sq = manager.sequence(queue_index=0, total_timestamps=0).record(op=kp.OpSyncDevice([a]))
    sq.eval().eval_async(op=kp.OpSyncLocal([a])).eval_await(wait=10**15)
    assert sq.wait(1) and a[0] == 1


def test_awaitable(manager):
    work, t = long_work(manager, 100)

    async def run():
        return await manager.sequence().record(work).record(kp.OpSyncLocal([t])).eval_async()

    assert not asyncio.run(run()).is_running() and t.data().all()


def test_awaited_beside_another_coroutine(anywhere):
    t, begun = anywhere.tensor([1, 2]), threading.Event()
    sq = (
        anywhere.sequence()
        .record(kp.OpHost(lambda: begun.wait(60)))
        .record(kp.OpFill(t, 5))
        .record(kp.OpSyncLocal([t]))
    )

    async def begin():
        begun.set()

    async def run():
        awaited = asyncio.ensure_future(sq.eval_async())
        await begin()
        return await awaited

    assert hasattr(kp.Sequence, "__await__") and asyncio.run(run()) is sq
    assert not sq.is_running() and t.data().tolist() == [5, 5]


def test_mult_is_three_tensors(anywhere):
    t = anywhere.tensor([1, 2])
    for count in (0, 1, 2, 4):
        with pytest.raises(RuntimeError, match=f"expected 3 mem objects but got {count}"):
            kp.OpMult([t] * count, anywhere.algorithm([]))
    a, b, out = (anywhere.tensor(x) for x in ([0, 1, 2], [2, 4, 6], [0, 0, 0]))
    anywhere.sequence().record(kp.OpSyncDevice([a, b])).record(
        kp.OpMult([a, b, out], anywhere.algorithm([], b""))
    ).record(kp.OpSyncLocal([out])).eval()
    assert out.data().tolist() == [0, 4, 12]


def test_empty_lists():
    for op, count in ((kp.OpSyncDevice, 1), (kp.OpSyncLocal, 1), (kp.OpCopy, 2)):
        with pytest.raises(RuntimeError, match=f"less than {count} memory object"):
            op([])


KINDS = [kp.MemoryTypes.device, kp.MemoryTypes.host, kp.MemoryTypes.storage, kp.MemoryTypes.deviceAndHost]


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_a_copy_of_one_object(anywhere, kind):
    for one in (anywhere.tensor([1, 2], kind), anywhere.image([1, 2], 2, 1, 1, kind)):
        with pytest.raises(RuntimeError, match="less than 2 memory objects"):
            kp.OpCopy([one])


@pytest.mark.parametrize("source", KINDS, ids=str)
@pytest.mark.parametrize("target", KINDS, ids=str)
def test_copies(anywhere, source, target):
    a, b = anywhere.tensor([1, 2, 3], source), anywhere.tensor([0, 0, 0], target)
    shown = anywhere.tensor([0, 0, 0])
    sq = anywhere.sequence().record(kp.OpSyncDevice([a])).record(kp.OpCopy([a, b])).record(kp.OpCopy([b, shown]))
    sq.record(kp.OpSyncLocal([b, shown])).eval()
    assert shown.data().tolist() == [1, 2, 3]
    if target is not kp.MemoryTypes.storage:
        assert b.data().tolist() == [1, 2, 3]


def test_trap_copies_bring_the_mirror_too(manager):
    a, b = manager.tensor([1, 1]), manager.tensor([0, 0])
    sq = manager.sequence().record(kp.OpSyncDevice([a])).record(incrementer(manager, a)).record(kp.OpCopy([a, b]))
    sq.eval()
    assert b.data().tolist() == [1, 1]  # as the mirror of a
    sq.eval(kp.OpSyncLocal([b]))
    assert b.data().tolist() == [2, 2]  # as a on the device


def test_trap_mirrors_follow_when_all_else_is_done(anywhere):
    """The mirror of a copy is that of its source after the wait, whatever came to the source's mirror meanwhile."""
    a, b, c = (anywhere.tensor([number]) for number in (1, 2, 3))
    sq = anywhere.sequence().record(kp.OpSyncDevice([a])).record(kp.OpFill(a, 9)).record(kp.OpCopy([a, b]))
    sq.record(kp.OpCopy([b, c])).record(kp.OpSyncDevice([b])).record(kp.OpSyncLocal([a])).eval()
    assert [t.data()[0] for t in (a, b, c)] == [9, 9, 9]
    anywhere.sequence().eval(kp.OpSyncLocal([b, c]))
    assert [t.data()[0] for t in (a, b, c)] == [9, 2, 9]  # the sync to the device came before b's new mirror
    anywhere.sequence().record(kp.OpFill(a, 5)).record(kp.OpCopy([a, b, c])).record(kp.OpSyncLocal([c])).eval()
    assert [t.data()[0] for t in (a, b, c)] == [9, 9, 5]  # a sync brings the mirror itself


def test_other_operations(anywhere):
    a, b = anywhere.tensor([1, 2, 3]), anywhere.tensor_t(np.zeros(3, np.uint16))
    called = []
    sq = anywhere.sequence().record(kp.OpFill(a, 7)).record(kp.OpFill(b, 9)).record(kp.OpMemoryBarrier([a]))
    sq.record(kp.OpSyncLocal([a, b])).record(kp.OpHost(lambda: called.append(1))).eval().eval()
    assert a.data().tolist() == [7, 7, 7] and b.data().tolist() == [9, 9, 9] and called == [1, 1]


def test_functions_see_what_the_operations_before_left(anywhere):
    """In OpHost data() waits for nothing, since it would wait for its own sequence; running one there is an error."""
    t, met = anywhere.tensor([1, 2, 3]), []

    def look():
        met.append(t.data().tolist())
        t.data()[0] = 9

    sq = anywhere.sequence().record(kp.OpSyncLocal([t])).record(kp.OpHost(look)).record(kp.OpSyncDevice([t]))
    sq.record(kp.OpFill(t, 4)).record(kp.OpSyncLocal([t]))
    anywhere.sequence().eval(kp.OpSyncDevice([t]))
    sq.eval()
    assert met == [[1, 2, 3]] and t.data().tolist() == [4, 4, 4]
    sq.eval_async()
    assert t.data().tolist() == [4, 4, 4] and met[1] == [4, 4, 4]
    sq.eval_await()
    inner = anywhere.sequence().record(kp.OpSyncLocal([t]))
    for method in (inner.eval, anywhere.sequence().eval, anywhere.destroy):
        with pytest.raises(kp.Error, match="callback"):
            anywhere.sequence().eval(kp.OpHost(method))
        assert anywhere.is_init()
    inner.eval()


def test_the_wait_raises_what_a_function_raised(anywhere):
    def fail():
        raise ValueError("from the function")

    t = anywhere.tensor([1])
    sq = anywhere.sequence().record(kp.OpHost(fail)).record(kp.OpFill(t, 5)).record(kp.OpSyncLocal([t]))
    for run in (sq.eval, lambda: sq.eval_async().eval_await()):
        t.data()[:] = 0
        with pytest.raises(ValueError, match="from the function"):
            run()
        assert t.data().tolist() == [5] and not sq.is_running()
    sq.eval_async().destroy()


def test_no_exception_of_a_function_is_lost(anywhere, caplog):
    def fail(text):
        def run():
            raise ValueError(text)

        return kp.OpHost(run)

    sq = anywhere.sequence().record(fail("first")).record(fail("second"))
    with pytest.raises(ValueError, match="first"):
        sq.eval()
    assert "ValueError: second" in caplog.text and "first" not in caplog.text
    lost = anywhere.sequence().record(fail("nobody waits")).eval_async()
    while not lost.done():
        time.sleep(0.001)
    del lost
    anywhere.sequence().eval_async()  # what is done is not kept any longer
    gc.collect()
    assert "ValueError: nobody waits" in caplog.text
    anywhere.sequence().record(fail("the Manager waits")).eval_async()
    anywhere.destroy()
    assert "the Manager waits" in caplog.text


def test_times_of_functions(anywhere):
    t = anywhere.tensor([1])
    sq = anywhere.sequence(total_timestamps=3).record(kp.OpSyncDevice([t])).record(kp.OpHost(lambda: time.sleep(0.02)))
    sq.record(kp.OpSyncLocal([t]))
    others = []
    for _ in range(2):
        sq.eval()
        times = dict(sq.get_timings())
        assert times["OpHost"] >= 20_000_000
        others.append(sum(times.values()) - times["OpHost"])
    while min(others) >= 20_000_000 and len(others) < 20:  # they may have to wait on a busy device
        times = dict(sq.eval().get_timings())
        others.append(sum(times.values()) - times["OpHost"])
    assert min(others) < 20_000_000


def test_a_function_is_timed_by_the_host_where_the_device_seems_late(anywhere, monkeypatch):
    t = anywhere.tensor([1])
    sq = anywhere.sequence(total_timestamps=3).record(kp.OpSyncDevice([t])).record(kp.OpHost(lambda: time.sleep(0.02)))
    real = raw.vd_profile_get_span

    def late(profile, number):
        span = real(profile, number)
        span.end_ns += 10_000_000
        return span

    monkeypatch.setattr(raw, "vd_profile_get_span", late)
    times = dict(sq.eval().get_timings())
    assert times["OpHost"] >= 20_000_000 and times["OpSyncDevice"] >= 0


def test_times_of_more_nodes_than_a_profile_has_by_itself(anywhere):
    many = [anywhere.tensor([i]) for i in range(300)] * 30
    sq = anywhere.sequence(total_timestamps=8)
    for _ in range(8):
        sq.record(kp.OpSyncDevice(many))
    assert all(took > 0 for _, took in sq.eval().get_timings())


def test_operations_of_the_program(anywhere):
    class Twice(kp.OpBase):
        def __init__(self, source, target):
            self.source, self.target = source, target

        def record(self, graph):
            graph.copy(self.source.buffer, self.target.buffer)

    a, b = anywhere.tensor([1, 2, 3]), anywhere.tensor([0, 0, 0])
    anywhere.sequence().record(kp.OpSyncDevice([a])).record(Twice(a, b)).record(kp.OpSyncLocal([b])).eval()
    assert b.data().tolist() == [1, 2, 3]

    class Nothing(kp.OpBase):
        pass

    with pytest.raises(TypeError, match="record"):
        anywhere.sequence().record(Nothing())


def test_array_multiplication(manager):
    a, b, out = (manager.tensor(np.array(x)) for x in ([2, 2, 2], [1, 2, 3], [0, 0, 0]))
    params = [a, b, out]
    sq = manager.sequence().record(kp.OpSyncDevice(params))
    sq.record(kp.OpAlgoDispatch(manager.algorithm(params, spirv(MULTIPLY)))).record(kp.OpSyncLocal(params)).eval()
    assert out.data().tolist() == [2.0, 4.0, 6.0] and np.all(out.data() == [2.0, 4.0, 6.0])


def test_timings_are_those_of_the_last_submission(anywhere):
    t = anywhere.tensor([1])
    sq = anywhere.sequence(total_timestamps=3).record(kp.OpSyncDevice([t]))
    sq.record(kp.OpMult([t, t, t], anywhere.algorithm([]))).eval()
    assert [name for name, _ in sq.get_timings()] == ["OpSyncDevice", "OpMult"]
    sq.record(kp.OpFill(t, 1))
    assert [name for name, _ in sq.get_timings()] == ["OpSyncDevice", "OpMult"]
    sq.record(kp.OpFill(t, 2)).eval()
    assert [name for name, _ in sq.get_timings()] == ["OpFill", "OpFill"]
    with pytest.raises(kp.Error, match="Sequence.rerecord: the sequence has 3 timestamps.* would have 4 operations"):
        sq.rerecord()


def test_push_values_of_a_generator(anywhere):
    t = anywhere.tensor_t(np.zeros(2, np.uint32))
    operation = kp.OpAlgoDispatch(anywhere.algorithm([t], traced_add, push_consts=[1]), (n for n in [5]))
    sq = anywhere.sequence().record(operation).record(operation).record(kp.OpSyncLocal([t])).eval()
    assert t.data().tolist() == [10, 10] and not sq.is_running()


@vd.shader("out.size")
def traced_add(out: Buff[u32], value: Const[u32]):
    out[vc.global_invocation_id().x] += value


class Increment(kp.OpBase):
    """An operation of the program's on a buffer."""

    def __init__(self, buffer):
        self.buffer = buffer

    def record(self, graph):
        traced_increment(self.buffer, graph=graph)


@pytest.mark.parametrize("way", ["record_vd", "record"])
def test_data_waits_for_what_the_program_records_on_buffers(anywhere, way):
    t = anywhere.tensor([10, 20], kp.MemoryTypes.host)
    sq = anywhere.sequence().record(kp.OpHost(lambda: time.sleep(0.05)))
    if way == "record_vd":
        sq.record_vd(traced_increment, t.buffer)
    else:
        sq.record(Increment(t.buffer))
    for i in (1, 2):
        sq.eval_async()
        assert t.data().tolist() == [10 + i, 20 + i]


def test_data_in_a_function_of_another_manager(anywhere):
    """Nothing may wait there: an error, and not the elements of before."""
    other = opened("host")
    t, told, gate = other.tensor([0]), [], threading.Event()
    busy = (
        other.sequence().record(kp.OpHost(gate.wait)).record(kp.OpFill(t, 5)).record(kp.OpSyncLocal([t])).eval_async()
    )

    def look():
        try:
            told.append(t.data().tolist())
        except kp.Error as error:
            told.append(str(error))

    anywhere.sequence().eval(kp.OpHost(look))
    gate.set()
    assert busy.eval_await().is_init() and t.data().tolist() == [5]
    (said,) = told
    assert "callback" in said


@pytest.mark.skipif(not hasattr(signal, "SIGINT"), reason="no signals here")
def test_an_interrupted_eval_of_a_temporary_sequence(anywhere):
    t, begun, gate = anywhere.tensor([0]), threading.Event(), threading.Event()
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # also where the tests run in the background

    def wait():
        begun.set()
        gate.wait(60)

    def interrupt():
        begun.wait(60)
        os.kill(os.getpid(), signal.SIGINT)

    interrupter = threading.Thread(target=interrupt)
    interrupter.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            anywhere.sequence().record(kp.OpHost(wait)).record(kp.OpFill(t, 5)).record(kp.OpSyncLocal([t])).eval()
    finally:
        signal.signal(signal.SIGINT, before)
    interrupter.join()
    gc.collect()
    threading.Timer(0.05, gate.set).start()
    assert t.data().tolist() == [5]  # waits, whoever has let go of the sequence


@pytest.mark.parametrize("use", [kp.Sequence.eval_await, kp.Sequence.destroy, kp.Sequence.eval, kp.Sequence.wait])
def test_functions_that_use_another_sequence(anywhere, use):
    t, gate, told = anywhere.tensor([0]), threading.Event(), []
    other = opened("host")
    t = other.tensor([0])
    busy = other.sequence().record(kp.OpHost(lambda: gate.wait(60))).record(kp.OpFill(t, 7)).record(kp.OpSyncLocal([t]))
    busy.eval_async()

    def look():
        try:
            use(busy)
        except kp.Error as error:
            told.append(str(error))

    anywhere.sequence().eval(kp.OpHost(look))
    gate.set()
    assert "called in a callback, a function of OpHost" in told[0]
    assert busy.is_init() and busy.is_running() and t.data().tolist() == [7]  # nothing of it is lost
    busy.eval_await()


def test_a_function_that_changes_what_is_built(anywhere):
    t = anywhere.tensor(np.zeros(64))  # as many as a workgroup has invocations
    algorithm, calls = anywhere.algorithm([t], traced_increment), []

    def change():
        calls.append(1)
        algorithm.set_workgroup((1, 1, 1))

    sq = anywhere.sequence().record(kp.OpAlgoDispatch(algorithm)).record_vd(change)
    for i in (1, 2, 3):
        sq.eval()
        assert len(calls) == i


def test_a_function_that_ends_the_program(anywhere):
    def leave():
        raise SystemExit(3)

    t = anywhere.tensor([1])
    sq = anywhere.sequence().record(kp.OpHost(leave)).eval_async()
    with pytest.raises(SystemExit):
        anywhere.destroy()
    assert not anywhere.is_init() and not sq.is_init() and not t.is_init()


@pytest.mark.parametrize("way", ["eval", "eval with an operation", "eval_async", "graph", "another sequence"])
def test_functions_that_use_the_sequence_that_they_are_recorded_in(anywhere, way):
    t = anywhere.tensor([1])
    sq, other = anywhere.sequence(), anywhere.sequence()
    uses = {
        "eval": sq.eval,
        "eval with an operation": lambda: sq.eval(kp.OpSyncDevice([t])),
        "eval_async": sq.eval_async,
        "graph": lambda: sq.graph,
        "another sequence": other.eval,
    }
    other.record_vd(lambda: sq.graph)
    turns = [True]
    sq.record_vd(lambda: uses[way]() if turns[0] else None).record(kp.OpFill(t, 5)).record(kp.OpSyncLocal([t]))
    said = (
        r"Sequence\.(eval|eval_async|graph): <kp.Sequence: 3 operations, \w+> is being built.*a function of record_vd must not "
        "use its own sequence's graph, or run it"
    )
    for call in (sq.eval, sq.eval_async, lambda: sq.graph):
        with pytest.raises(kp.Error, match=said) as caught:
            call()
        assert caught.value.status == _native.enums.VD_ERR_STATE
    turns[0] = False
    sq.rerecord()
    sq.eval()  # the operations are still there
    assert t[0] == 5
