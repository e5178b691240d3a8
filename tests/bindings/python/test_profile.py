"""Profiles: traces that Perfetto reads, summaries, and the time of a kernel."""

import itertools
import json
import re
import threading
import time

import numpy as np
import pytest
import vkdispatch as vd
import vkdispatch.codegen as vc
from vkdispatch.codegen.abbreviations import Buff, Const, Var, i32


@vd.shader("x.size")
def triple(x: Buff[i32], y: Buff[i32]):
    i = vc.global_invocation_id().x
    x[i] = x[i] * 3 + y[i]


@vd.shader("x.size")
def turn(x: Buff[i32], turns: Const[i32]):
    i = vc.global_invocation_id().x
    with vc.for_block(turns):
        x[i] = x[i] * 3 + 1


@vd.shader("x.size")
def add(x: Buff[i32], amount: Var[i32]):
    x[vc.global_invocation_id().x] += amount


def numbers(count=4096):
    return vd.asbuffer(np.arange(count, dtype=np.int32))


def tracks_of(trace):
    """The complete events of each track by their begin."""
    tracks = {}
    for event in trace["traceEvents"]:
        if event["ph"] == "X":
            tracks.setdefault((event["pid"], event["tid"]), []).append(event)
    for events in tracks.values():
        events.sort(key=lambda event: event["ts"])
    return tracks


def test_a_trace_has_calls_transfers_and_kernels(device, tmp_path, capsys):
    x, y = numbers(), numbers()
    triple(x, y)  # compiled before
    path = tmp_path / "out.json"
    start = time.monotonic_ns()
    with vd.profile(path) as profile:
        for _ in range(5):
            triple(x, y)
        x.write(np.ones(4096, np.int32))
        y.fill(3)
        triple(x, y)
        result = x.read(0)
    end = time.monotonic_ns()
    assert np.all(result == 6)
    trace = json.loads(path.read_text())
    tracks = tracks_of(trace)
    for events in tracks.values():
        for before, event in itertools.pairwise(events):
            assert event["ts"] >= before["ts"] + before["dur"] - 2e-3  # a nanosecond, in floats
    titles = {
        (event["pid"], event["tid"]): event["args"]["name"]
        for event in trace["traceEvents"]
        if event["name"] == "thread_name"
    }
    assert set(titles) == set(tracks)
    queue = [key for key, title in titles.items() if title == "queue 0"]
    thread = [key for key, title in titles.items() if title == "main"]
    assert len(queue) == len(thread) == 1
    assert [event["name"] for event in tracks[queue[0]]] == ["triple"] * 5 + ["fill", "triple"]
    calls = tracks[thread[0]]
    launches = [event for event in calls if event["args"].get("label") == "triple"]
    assert len(launches) == 6
    transfers = {event["cat"]: event["args"]["bytes"] for event in calls if "bytes" in event["args"]}
    assert transfers == {"write": 4 * 4096, "read": 4 * 4096}
    error = profile.clock_error
    for event in (event for events in tracks.values() for event in events):
        assert start - error - 1000 <= event["ts"] * 1000 <= end + error + 1000
    # A kernel does not begin before the call that launches it.
    first = next(event for event in tracks[queue[0]])
    assert first["ts"] * 1000 >= launches[0]["ts"] * 1000 - error - 1000
    assert trace["otherData"] == {"lost_spans": 0, "clock_error_ns": error}
    printed = capsys.readouterr().out
    assert re.search(r"^ +6 .* triple$", printed, re.MULTILINE) and re.search(r"^ +1 .* fill$", printed, re.MULTILINE)


def test_threads_have_their_names(host):
    barrier = threading.Barrier(3)

    def work():
        triple(numbers(), numbers())
        barrier.wait(60)  # all of them have called
        barrier.wait(60)  # the block is over

    threads = [threading.Thread(target=work, name="loader"), threading.Thread(target=work)]
    with vd.profile(summary=False) as profile:
        for thread in threads:
            thread.start()
        barrier.wait(60)
        ended = threading.Thread(target=lambda: numbers())
        ended.start()
        ended.join()
        numbers()
    barrier.wait(60)
    for thread in threads:
        thread.join()
    events = profile.trace()["traceEvents"]
    names = {
        event["tid"]: event["args"]["name"] for event in events if event["name"] == "thread_name" and event["pid"] == 1
    }
    want = {thread.native_id: thread.name for thread in threads}
    want |= {threading.get_native_id(): "main", ended.native_id: f"thread {ended.native_id}"}
    assert names == want


def test_graphs_have_their_nodes(device):
    x, y = numbers(), numbers()
    graph = vd.CommandGraph()
    with graph.label("first"):
        triple(x, y, graph=graph)
    triple(y, x, graph=graph)
    add(x, graph.bind_var("amount"), graph=graph)
    graph.set_var("amount", [1, 2, 3])
    with vd.profile(summary=False) as profile:
        graph.submit(3)
    spans = [span for span in profile.spans if span.on_device]
    assert [span.name for span in spans] == ["triple", "triple", "add"] * 3
    assert [span.label for span in spans] == ["first", "", ""] * 3
    assert all(after.begin >= before.end for before, after in itertools.pairwise(spans))
    assert any(span.name == "vd_graph_submit" and span.kind == "call" for span in profile.spans)
    a, b = np.arange(4096, dtype=np.int32), np.arange(4096, dtype=np.int32)
    for amount in (1, 2, 3):
        a = a * 3 + b
        b = b * 3 + a
        a += amount
    assert np.array_equal(x.read(0), a) and np.array_equal(y.read(0), b)


def test_the_time_of_a_kernel(device):
    x = numbers(1024)
    little, much = (min(turn.time(x, turns, repeats=3) for _ in range(3)) for turns in (2_000, 12_000))
    assert 0 < little < much / 2 < 60
    y, z = numbers(), numbers()
    assert triple.time(y, z, repeats=4) < 10
    expected = np.arange(4096, dtype=np.int32)
    for _ in range(5):  # the repeats, and one before them
        expected = expected * 3 + np.arange(4096, dtype=np.int32)
    assert np.array_equal(y.read(0), expected)


def test_the_time_of_a_graph(device):
    x, y = numbers(), numbers()
    with vd.record() as graph:
        triple(x, y)
        graph.fill(y, 1)
        add(x, graph.bind_var("amount"))
    graph.set_var("amount", 2)
    seconds = graph.time(repeats=3)
    assert 0 < seconds < 10
    expected = np.arange(4096, dtype=np.int32)
    added = expected
    for _ in range(4):  # the repeats, and one before them
        expected, added = expected * 3 + added + 2, np.ones(4096, np.int32)
    assert np.array_equal(x.read(0), expected)
    graphs = []
    for turns in (2_000, 12_000):
        with vd.record() as made:
            turn(x, turns)
            turn(x, turns)
        graphs.append(made)
    little, much = (min(made.time(repeats=3) for _ in range(3)) for made in graphs)
    assert 0 < little < much / 2 < 60


def test_what_has_no_time(host):
    x = numbers()
    for repeats in (0, True, 1.5, 1 << 20):
        with pytest.raises(ValueError, match=r"^CommandGraph\.time: repeats \(.*\) must be a number from 1 to 100000"):
            vd.CommandGraph().time(repeats)
    with pytest.raises(ValueError, match=r"^CommandGraph\.time: nothing is recorded"):
        vd.CommandGraph().time()
    graph = vd.CommandGraph(reset_on_submit=True)
    graph.fill(x, 1)
    with pytest.raises(ValueError, match=r"^CommandGraph\.time: a graph that .* resets on submit"):
        graph.time()
    graph.destroy()
    with pytest.raises(RuntimeError, match="destroyed"):
        graph.time()


def test_the_time_until_an_event(device):
    x = numbers(1024)
    turn(x, 1)
    assert vd.Event().wait(10)
    begin = time.perf_counter()
    turn(x, 20_000)
    event = vd.Event()
    before = event.elapsed
    assert event.wait(60)
    whole = time.perf_counter() - begin
    assert 0 <= before <= event.elapsed <= whole
    time.sleep(0.01)
    assert event.elapsed == event.elapsed <= whole  # it stays
    future = x.read_async()
    future.result(60)
    assert 0 <= future.event.elapsed < 60
    called = threading.Event()
    other = vd.Event()
    other.call_when_done(called.set)
    assert called.wait(60) and other.elapsed >= 0


def test_a_kernel_is_timed_inside_of_a_profile(device):
    x, y = numbers(), numbers()
    with vd.profile(summary=False) as profile:
        assert triple.time(x, y, repeats=2) > 0
    assert [span.name for span in profile.spans if span.on_device] == ["triple"] * 3


def test_what_is_lost_is_counted_and_said(device):
    x, y = numbers(), numbers()
    with vd.profile(capacity=4, summary=False) as profile:
        for _ in range(10):
            triple(x, y)
    assert len(profile.spans) == 4
    assert profile.lost >= 16
    assert f"{profile.lost} spans are not in it" in profile.summary()


def test_nothing_is_recorded_before_and_after(device):
    x, y = numbers(), numbers()
    triple(x, y)
    profile = vd.profile(summary=False)
    with profile:
        pass
    triple(x, y)
    vd.queue_wait_idle()
    assert profile.spans == [] and profile.lost == 0
    with profile:
        triple(x, y)
    assert [span.name for span in profile.spans if span.on_device] == ["triple"]


def test_a_block_that_raises_still_writes(device, tmp_path):
    x, y = numbers(), numbers()
    with pytest.raises(KeyError), vd.profile(tmp_path / "out.json"):
        triple(x, y)
        raise KeyError
    trace = json.loads((tmp_path / "out.json").read_text())
    assert any(event["name"] == "triple" for event in trace["traceEvents"])


@vd.shader("x.size")
def past_the_end(x: Buff[i32], y: Buff[i32]):
    x[vc.global_invocation_id().x] = y[vc.global_invocation_id().x + 1]


@pytest.mark.own_context
@pytest.mark.parametrize("waits", [None, vd.queue_wait_idle, lambda: vd.Event().wait()])
def test_a_failure_in_a_block_that_raises_is_left_to_the_next_wait(waits):
    with vd.Context(backend="host", checked=True):
        x, y = vd.zeros(4, vd.int32), vd.zeros(4, vd.int32)
        with pytest.raises(KeyError if waits is None else vd.KernelError), vd.profile(summary=False) as profile:
            for _ in range(2):
                past_the_end(x, y)
            if waits is not None:
                waits()  # raises one of them
            raise KeyError
        assert profile.lost == 2 and profile.spans
        for _ in range(2 if waits is None else 1):
            with pytest.raises(vd.KernelError):
                vd.queue_wait_idle()
        vd.queue_wait_idle()


@pytest.mark.own_context
def test_a_block_that_raises_waits_for_what_it_recorded_alone():
    with vd.Context(backend="host", queue_counts=2):
        x, go, graph = vd.zeros(4), threading.Event(), vd.CommandGraph()
        graph.call(go.wait)
        graph.submit(queue_index=1)
        try:
            with pytest.raises(KeyError), vd.profile(summary=False) as profile:
                x.fill(1, 0)
                raise KeyError
            assert profile.spans and not vd.Event(1).done()
        finally:
            go.set()
        vd.queue_wait_idle()


def test_bad_input(host, tmp_path):
    x, y = numbers(), numbers()
    with pytest.raises(TypeError, match=r"path must be a path or None \(got int\)"):
        vd.profile(3)
    for capacity in (0, -1, True, 2**24 + 1, 1.5):
        with pytest.raises(ValueError, match=r"capacity \(.*\) must be a number from 1 to 16777216"):
            vd.profile(capacity=capacity)
    with pytest.raises(FileNotFoundError), vd.profile(tmp_path / "none" / "out.json"):
        raise AssertionError("the block may not begin")
    profile = vd.profile(summary=False)
    with profile, pytest.raises(RuntimeError, match="records already"), profile:
        pass
    for repeats in (0, True, 1.5, 10**6):
        with pytest.raises(ValueError, match=r"triple.time: repeats \(.*\) must be a number from 1 to 100000"):
            triple.time(x, y, repeats=repeats)
    with pytest.raises(ValueError, match=r"triple.time: graph= is given"):
        triple.time(x, y, graph=vd.CommandGraph())
    with pytest.raises(TypeError, match="triple"):
        triple.time(x, y, 3)


def test_the_dummy_backend_has_no_times(on_backend):
    with on_backend("dummy"):
        vd.set_dummy_context_params()
        with pytest.raises(NotImplementedError, match="runs no kernels"), vd.profile():
            pass
