"""Functions of OpHost, and the host's memory while work that reads it is in flight."""

import gc
import subprocess
import sys
import threading
import weakref

import numpy as np
import pytest
import vkdispatch as vd
from vkdispatch import kp

from .conftest import BACKENDS

TWICE = """
import sys
from vkdispatch import kp

manager = kp.Manager(backend=sys.argv[1])
error = ValueError("x")


def fail():
    raise error


sequence = manager.sequence().record(kp.OpHost(fail))
for _ in range(2):
    try:
        sequence.eval()
    except ValueError:
        pass
print("the end")
"""


@pytest.mark.parametrize("backend", BACKENDS)
def test_an_exception_that_holds_its_sequence_at_the_end(backend):
    done = subprocess.run([sys.executable, "-c", TWICE, backend], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "the end\n"), done.stderr


UNAWAITED = """
import sys
from vkdispatch import kp


def fail():
    raise ValueError("boom")


manager = kp.Manager(backend=sys.argv[1])
manager.sequence().record(kp.OpHost(fail)).eval_async()
"""


@pytest.mark.parametrize("backend", BACKENDS)
def test_an_exception_that_nobody_awaits_is_logged_at_the_end(backend):
    done = subprocess.run([sys.executable, "-c", UNAWAITED, backend], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "OpHost: an exception that no call raises: ValueError: boom" in done.stderr


# Work in flight calls functions of what is gone, each in its way: "ring" is collected, "finalizer" waits while it is.
IN_FLIGHT = """
import gc
import sys
import threading

import vkdispatch as vd

vd.initialize(backend=sys.argv[1])


class Owner:
    def __init__(self, calls, gate):
        self.calls, self.gate = calls, gate
        self.graph = vd.CommandGraph()
        self.graph.call(self.tick)

    def tick(self):
        self.calls.append(1)


class Waiting(Owner):
    def __del__(self):
        self.gate.set()
        self.graph.wait()


def gone(how):
    calls, gate, began = [], threading.Event(), threading.Event()
    first = vd.CommandGraph()
    first.call(lambda: (began.set(), gate.wait(60)))
    owner = (Waiting if how == "finalizer" else Owner)(calls, gate)
    first.submit()
    owner.graph.submit()
    assert began.wait(60)
    if how in ("reset", "destroy"):
        getattr(owner.graph, how)()
    del owner
    gc.collect()
    gate.set()
    first.wait()
    vd.queue_wait_idle()
    print(how, len(calls))


for how in ("ring", "reset", "destroy", "finalizer"):
    gone(how)
"""


@pytest.mark.parametrize("backend", BACKENDS)
def test_calls_in_flight_outlive_what_recorded_them(backend):
    command = [sys.executable, "-c", IN_FLIGHT, backend]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.stdout.splitlines() == ["ring 1", "reset 1", "destroy 1", "finalizer 1"], done.stderr


class Owner:
    """A program's object whose sequence calls it."""

    def __init__(self, manager, calls):
        self.calls = calls
        self.tensor = manager.tensor([1.0] * 100)
        self.sequence = manager.sequence().record(kp.OpHost(self.tick)).record(kp.OpSyncLocal([self.tensor]))

    def tick(self):
        self.calls.append(len(self.tensor.data()))


def test_the_owner_of_a_sequence_that_calls_it_is_collected(anywhere):
    calls, owners = [], []
    for _ in range(5):
        owner = Owner(anywhere, calls)
        owner.sequence.eval()
        owners.append(weakref.ref(owner))
        del owner
    gc.collect()
    assert len(calls) == 5 and not any(one() for one in owners)


def test_a_function_does_not_destroy_its_own_sequence(anywhere):
    said = []

    def destroy():
        try:
            sequence.destroy()
        except kp.Error as error:
            said.append(str(error))

    sequence = anywhere.sequence().record(kp.OpHost(destroy))
    for _ in range(20):
        sequence.eval()
    assert len(said) == 20 and set(said) == {
        "Sequence.destroy: called in a callback, a function of OpHost, which runs and awaits nothing"
    }


def test_a_sequence_in_flight_is_held(anywhere):
    calls, gate = [], threading.Event()

    def run():
        owner = Owner(anywhere, calls)
        held = anywhere.sequence().record(kp.OpHost(lambda: (gate.wait(60), calls.append("held"))))
        held.eval_async()
        owner.sequence.eval_async()
        return weakref.ref(owner)

    owner = run()
    gc.collect()
    gate.set()
    for _ in range(2):  # the second one forgets what is no longer running
        anywhere.sequence().record(kp.OpHost(lambda: None)).eval_async().eval_await()
    gc.collect()
    assert sorted(map(str, calls)) == ["100", "held"] and owner() is None


def test_the_collector_of_graphs_collects_their_functions_too(host):
    class Caller:
        def __init__(self):
            self.count = 0
            self.graph = vd.CommandGraph()
            self.graph.call(self.tick)

        def tick(self):
            self.count += 1

    caller = Caller()
    caller.graph.submit()
    caller.graph.wait()
    assert caller.count == 1
    caller.graph.reset()
    caller.graph.call(caller.tick)
    found = weakref.ref(caller)
    del caller
    gc.collect()
    assert found() is None


@pytest.mark.parametrize("kind", ["device", "host", "deviceAndHost"])
@pytest.mark.parametrize("how", ["data", "set_data"])
def test_bytes_that_work_in_flight_reads_are_not_changed_under_it(anywhere, kind, how):
    a = anywhere.tensor([1.0] * 4, getattr(kp.MemoryTypes, kind))
    c, read = anywhere.tensor_empty(4, memory_type=kp.MemoryTypes.storage), anywhere.tensor([0.0] * 4)
    began, gate = threading.Event(), threading.Event()
    first = anywhere.sequence().record(kp.OpHost(lambda: (began.set(), gate.wait(60))))
    first.record(kp.OpSyncDevice([a])).record(kp.OpCopy([a, c])).eval_async()
    assert began.wait(60)
    threading.Timer(0.05, gate.set).start()
    if how == "data":
        a.data()[:] = 5
    else:
        a.set_data([5.0] * 4)
    anywhere.sequence().record(kp.OpCopy([c, read])).record(kp.OpSyncLocal([read])).eval()
    assert read.data().tolist() == [1] * 4
    np.testing.assert_array_equal(a.data(), [5] * 4)


def use(tensor, how):
    if how == "set_data":
        tensor.set_data([5, 6])
    return tensor.data().tolist() if how == "data" else [tensor[0], tensor[1]]


@pytest.mark.parametrize("how", ["data", "set_data", "item"])
def test_data_does_not_wait_for_work_that_does_not_touch_it(anywhere, how):
    a = anywhere.tensor([1, 2])
    began, gate, opened = threading.Event(), threading.Event(), []
    sequence = anywhere.sequence().record(kp.OpSyncDevice([a])).record(kp.OpSyncLocal([a])).eval()
    sequence.eval_async(kp.OpHost(lambda: (began.set(), opened.append(gate.wait(20)))))
    assert began.wait(60)
    assert use(a, how) == ([5, 6] if how == "set_data" else [1, 2])
    assert sequence.is_running() and not opened
    gate.set()
    sequence.eval_await()
    assert opened == [True]


def test_data_waits_for_the_runs_that_touch_it_alone(anywhere):
    a, b = anywhere.tensor([0, 0]), anywhere.tensor([0, 0])
    began, gates, opened = threading.Event(), [threading.Event(), threading.Event()], []
    sequence = anywhere.sequence().record(kp.OpHost(lambda: opened.append(gates[0].wait(20))))
    sequence.record(kp.OpFill(a, 7)).record(kp.OpSyncLocal([a])).eval_async().eval_await(1)
    assert sequence.timed_out()
    sequence.record(kp.OpHost(lambda: (began.set(), opened.append(gates[1].wait(20)))))
    sequence.record(kp.OpFill(b, 8)).record(kp.OpSyncLocal([b])).eval_async()
    gates[0].set()
    assert began.wait(60)
    assert a.data().tolist() == [7, 7] and opened == [True]
    gates[1].set()
    assert b.data().tolist() == [8, 8] and opened == [True, True]
    assert sequence.is_running()
    sequence.eval_await()
