"""Threads, objects that die in any order, the end of the interpreter, programs without NumPy, devices that fail."""

import contextlib
import copy
import gc
import itertools
import os
import pickle
import random
import subprocess
import sys
import threading

import numpy as np
import pytest
from vkdispatch import _native, kp
from vkdispatch._native import _errors, enums

from .conftest import ASKED, BACKENDS, opened

pytestmark = pytest.mark.own_context


def run(code, **environment):
    """A program of its own; its standard error."""
    done = subprocess.run(
        [sys.executable, "-W", "error::ResourceWarning", "-c", code],
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
    )
    assert done.returncode == 0, done.stderr
    return done.stderr


def test_k19_threads_on_one_manager(anywhere):
    errors = []

    def work(seed):
        try:
            for i in range(20):
                a, b, out = (anywhere.tensor(x) for x in ([seed] * 64, [i] * 64, [0] * 64))
                sq = anywhere.sequence().record(kp.OpSyncDevice([a, b]))
                sq.record(kp.OpMult([a, b, out], anywhere.algorithm([]))).record(kp.OpSyncLocal([out])).eval()
                assert out.data().tolist() == [seed * i] * 64
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []


@pytest.mark.parametrize("backend", BACKENDS)
def test_k1_k20_order_across_sequences_and_queues(backend):
    made = opened(backend, family_queue_indices=[0, 0])
    t = made.tensor([0, 0, 0])
    half = made.tensor([0.5, 0.5, 0.5])
    twos = made.tensor([2, 2, 2], kp.MemoryTypes.storage)
    made.sequence().eval(kp.OpSyncDevice([t, half]))
    first, second = made.sequence(0), made.sequence(1)
    double, halve = (kp.OpMult([t, by, t], made.algorithm([])) for by in (twos, half))
    fill = kp.OpFill(t, 3)
    for turn in range(1000):
        made.sequence(turn % 2).eval_async(fill)
        first.eval_async(double)
        second.eval_async(double)
        first.eval_await()
        first.eval_async(halve)
        second.eval_await()
        first.eval_await()
    made.sequence(1).eval(kp.OpSyncLocal([t]))
    assert t.data().tolist() == [6, 6, 6]
    made.destroy()


def test_k13_objects_die_in_any_order():
    kinds = ["manager", "tensor", "algorithm", "sequence", "view", "operation"]
    gc.collect()
    gc.freeze()  # a collection then looks at the objects of this test alone
    live = _native.raw.vd_live_objects()
    for order in random.Random(1).sample(list(itertools.permutations(kinds)), 24):
        made = opened(ASKED or "host")
        t = made.tensor([1, 2, 3])
        algorithm = made.algorithm([])
        operation = kp.OpMult([t, t, t], algorithm)
        sq = made.sequence().record(kp.OpSyncDevice([t])).record(operation).record(kp.OpSyncLocal([t])).eval()
        sq.eval_async()
        objects = {
            "manager": made, "tensor": t, "algorithm": algorithm, "sequence": sq, "view": t.data(), "operation": operation
        }  # fmt: skip
        del made, t, algorithm, operation, sq
        for kind in order:
            del objects[kind]
            gc.collect()
    left = _native.raw.vd_live_objects() - live
    gc.unfreeze()
    assert left <= 1  # the package may keep one of its own


def test_a_running_sequence_that_is_let_go(anywhere):
    t = anywhere.tensor(np.zeros(1 << 16))
    anywhere.sequence().eval_async(kp.OpFill(t, 5))
    anywhere.sequence().eval_async(kp.OpSyncLocal([t]))
    gc.collect()
    assert t.data().min() == t.data().max() == 5


BACKEND = {"VKDISPATCH_BACKEND": ASKED or "host"}


@pytest.mark.parametrize("end", ["", "del m", "m.destroy()", "del t", "import sys; sys.exit(0)"])
def test_the_end_of_the_interpreter(end):
    code = f"""
import vkdispatch.kp as kp
m = kp.Manager()
t = m.tensor([1, 2, 3])
view = t.data()
sq = m.sequence().record(kp.OpSyncDevice([t])).record(kp.OpMult([t, t, t], m.algorithm([]))).eval_async()
{end}
"""
    assert run(code, **BACKEND) == ""


def test_the_end_of_the_interpreter_with_functions_in_graphs():
    code = """
import vkdispatch.kp as kp
m = kp.Manager()
t = m.tensor([1, 2, 3])
sq = m.sequence().record(kp.OpHost(lambda: None)).eval().eval()
waiting = m.sequence().record(kp.OpSyncDevice([t])).record(kp.OpHost(lambda: None))
assert waiting.graph is not None
waiting._graph = None
"""
    assert run(code, **BACKEND) == ""


def test_programs_without_numpy():
    code = """
import sys
sys.modules["numpy"] = None
import vkdispatch.kp as kp
m = kp.Manager()
a, b, out = (m.tensor(x) for x in ([2, 2, 2], (1, 2, 3), [[0, 0, 0]]))
m.sequence().record(kp.OpSyncDevice([a, b])).record(kp.OpMult([a, b, out], m.algorithm([]))).record(kp.OpSyncLocal([out])).eval()
view = out.data()
assert isinstance(view, memoryview) and view.tolist() == [2.0, 4.0, 6.0], view
view[0] = 7
assert out.data()[0] == 7 and list(out) == [7, 4, 6]
import array
t = m.tensor_t(array.array("i", [1, -2]))
assert t.data().tolist() == [1, -2] and t.data_type() is kp.DataTypes.int and t.dtype == "int32"
assert m.tensor_t([1, 2], dtype="uint16").data().tolist() == [1, 2]
try:
    m.tensor("abc")
except TypeError:
    pass
else:
    raise AssertionError
"""
    assert run(code, **BACKEND) == ""


def test_trap_importing_sets_logging_up():
    """Kompute's package from PyPI has logging compiled out: nothing shows there, whatever the level."""
    code = """
import logging
import vkdispatch.kp as kp
assert logging.getLogger().handlers
logging.getLogger("kp").setLevel(logging.INFO)
kp.Manager()
"""
    assert "INFO:kp:Manager: using device 0" in run(code, **BACKEND)
    assert run("import vkdispatch.kp as kp; kp.Manager()", **BACKEND) == ""


LAYER = "VK_LAYER_KHRONOS_validation"
# Two writes of the same memory, which the library orders unless the program marks them as unordered.
TWO_WRITES = """
from vkdispatch import _native, kp
from vkdispatch._native import enums
manager = kp.Manager(backend="vulkan"{arguments})
t = manager.tensor([1, 2])
sq = manager.sequence().record(kp.OpFill(t, 1)).record(kp.OpFill(t, 2))
for node in range(2 if {unordered} else 0):
    _native.raw.vd_graph_set_unordered(sq.graph._graphs()[0], node, enums.VD_ALL_ARGUMENTS, 1)
sq.eval()
"""


@pytest.mark.parametrize(
    ("layers", "arguments", "unordered", "reported"),
    [
        (LAYER, "", True, True),
        (f"  {LAYER} ", "", True, True),
        (LAYER, "", False, False),
        (LAYER, ", debug=False", True, False),
        ("", "", True, False),
        (" ", "", True, False),
        ("", ", debug=True", True, True),
    ],
)
def test_debug_layers_of_the_environment(layers, arguments, unordered, reported):
    """The layer reports a hazard where the variable turns it on, and where it does not, nothing is said."""
    if ASKED not in (None, "vulkan"):
        pytest.skip("the layers are Vulkan's")
    opened("vulkan").destroy()
    said = run(TWO_WRITES.format(arguments=arguments, unordered=unordered), KOMPUTE_ENV_DEBUG_LAYERS=layers)
    if f"{LAYER} is not installed" in said:
        pytest.skip("the validation layer is not installed")
    assert ("ERROR:kp:Vulkan validation: " in said and "SYNC-HAZARD-WRITE-AFTER-WRITE" in said) == reported, said
    assert reported or said == ""


def test_k29_a_lost_device(anywhere, monkeypatch):
    t = anywhere.tensor([1])
    sq = anywhere.sequence().eval_async(kp.OpSyncDevice([t]))
    assert sq.ticket != 0 and not anywhere.is_lost()

    def lost(*arguments):
        raise _errors.DeviceLostError("vd_ticket_wait: the device was lost", enums.VD_ERR_DEVICE_LOST)

    with monkeypatch.context() as patch:
        patch.setattr(_native.raw, "vd_ticket_wait", lost)
        with pytest.raises(kp.DeviceLost) as told:
            sq.eval_await()
    assert isinstance(told.value, RuntimeError) and told.value.status == enums.VD_ERR_DEVICE_LOST
    assert not sq.is_running() and anywhere.is_lost() and sq.ticket == 0


@pytest.mark.parametrize("entry", ["vd_buffer_create", "vd_buffer_map", "vd_image_create", "vd_plan_create"])
def test_k32_failing_calls_raise_and_the_manager_works_on(anywhere, monkeypatch, entry):
    def fail(*arguments):
        raise _errors.OutOfMemoryError(f"{entry}: no memory is left", enums.VD_ERR_OUT_OF_MEMORY)

    def work():
        t = anywhere.tensor([2])
        anywhere.image([1], 1, 1, 1)
        anywhere._home._kept.clear()
        sq = anywhere.sequence().record(kp.OpSyncDevice([t])).record(kp.OpMult([t, t, t], anywhere.algorithm([])))
        sq.record(kp.OpSyncLocal([t])).eval()
        return t[0]

    with monkeypatch.context() as patch:
        patch.setattr(_native.raw, entry, fail)
        with pytest.raises(kp.Error, match="no memory is left"):
            work()
    assert work() == 4


def test_algorithms_show_and_change_their_values(anywhere):
    a, b, out = (anywhere.tensor(x) for x in ([2, 2], [3, 3], [0, 0]))
    algorithm = anywhere.algorithm([])
    sq = anywhere.sequence().record(kp.OpSyncDevice([a, b])).record(kp.OpMult([a, b, out], algorithm))
    sq.record(kp.OpSyncLocal([out])).eval()
    assert algorithm.get_spec_consts() == [] and algorithm.get_push_consts() == b""
    algorithm.set_push_constants([])
    with pytest.raises(kp.Error, match="push constants"):
        algorithm.set_push_constants([1])
    algorithm.set_workgroup((2, 0, 0))
    assert algorithm.get_workgroup() == (2, 1, 1)
    sq.eval()
    assert out.data().tolist() == [6, 6]


def test_interrupts_end_waits():
    code = """
import os, signal, threading, time
import vkdispatch.kp as kp
signal.signal(signal.SIGINT, signal.default_int_handler)  # also where the tests run in the background
m = kp.Manager(backend="host")
held = threading.Event()
sq = m.sequence().eval_async(kp.OpHost(lambda: held.wait(60)))
def interrupt():
    os.kill(os.getpid(), signal.SIGINT)
threading.Timer(0.2, interrupt).start()
try:
    sq.eval_await()
except KeyboardInterrupt:
    held.set()
    sq.eval_await()
else:
    raise AssertionError
sq.eval()
held.clear()
threading.Timer(0.2, interrupt).start()
try:
    sq.eval()  # a replay, which waits in one call
except KeyboardInterrupt:
    assert sq.is_running()
    held.set()
    sq.eval_await()
else:
    raise AssertionError
"""
    assert run(code) == ""
    assert run(code, VKDISPATCH_NO_EXTENSION="1") == ""


def test_a_sequence_runs_again_after_an_interrupt():
    code = """
import os, signal, threading
import vkdispatch.kp as kp
signal.signal(signal.SIGINT, signal.default_int_handler)
m = kp.Manager(backend="host")
held, calls = threading.Event(), []
def call():
    calls.append(1)
    if not held.is_set():
        os.kill(os.getpid(), signal.SIGINT)
        held.wait(60)
sq = m.sequence().record(kp.OpHost(call))
for turn in range(3):  # the first wait, and those of replays
    held.clear()
    try:
        sq.eval()
    except KeyboardInterrupt:
        held.set()
    else:
        raise AssertionError(turn)
    sq.eval()
    assert not sq.is_running() and len(calls) == 2 * (turn + 1)
"""
    assert run(code) == ""
    assert run(code, VKDISPATCH_NO_EXTENSION="1") == ""


def test_interrupts_end_every_kind_of_wait():
    """Objects are as they were before, and wait again."""
    code = """
import asyncio, os, signal, threading
import vkdispatch.kp as kp
signal.signal(signal.SIGINT, signal.default_int_handler)
m = kp.Manager(backend="host")
t = m.tensor([1])
held = threading.Event()
sq = m.sequence().record(kp.OpHost(lambda: held.wait(60))).record(kp.OpSyncLocal([t]))
async def wait_for():
    await sq
waits = [
    sq.wait, t.data, lambda: sq.eval_await(2**62), lambda: asyncio.run(wait_for()), lambda: t.set_data([2]), sq.eval_async,
    sq.clear, sq.destroy, m.destroy,
]
for wait in waits:
    held.clear()
    if not sq.is_running():
        sq.eval_async()
    threading.Timer(0.05, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    try:
        wait()
    except KeyboardInterrupt:
        pass
    else:
        raise AssertionError(wait)
    assert m.is_init() and sq.is_init() and t.is_init(), wait
    held.set()
    sq.eval_await()
m.destroy()
"""
    assert run(code) == ""


def test_debug_raise():
    code = """
import vkdispatch.kp as kp
from vkdispatch import _native
m = kp.Manager(debug="raise")
other = kp.Manager(debug=True)
t = m.tensor([1])
sq = m.sequence().eval(kp.OpSyncDevice([t]))
_native.raw.vd_log_write(_native.enums.VD_LOG_ERROR, "Vulkan validation: a rule was broken")
for call in (lambda: sq.eval(), lambda: None):
    try:
        call()
    except kp.Error as error:
        assert "a rule was broken" in str(error)
    else:
        break
else:
    raise AssertionError
_native.raw.vd_log_write(_native.enums.VD_LOG_ERROR, "Vulkan validation: another")
try:
    m.tensor([1])
except kp.Error as error:
    assert "another" in str(error) and "a rule" not in str(error)
else:
    raise AssertionError
sq.eval()
other.tensor([1])
try:
    kp.Manager(debug="loud")
except TypeError:
    pass
else:
    raise AssertionError
"""
    assert "a rule was broken" in run(code, **BACKEND)


def test_interrupts_end_the_wait_for_timestamps():
    code = """
import os, signal, threading
import vkdispatch.kp as kp
signal.signal(signal.SIGINT, signal.default_int_handler)
m = kp.Manager(backend="host")
held = threading.Event()
sq = m.sequence(total_timestamps=1).eval_async(kp.OpHost(lambda: held.wait(60)))
threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    sq.get_timestamps()
except KeyboardInterrupt:
    held.set()
else:
    raise AssertionError
assert len(sq.eval_await().get_timestamps()) == 2
"""
    assert run(code) == ""


def test_a_manager_that_ends_in_a_function_of_anothers():
    """As Python may collect garbage wherever it runs. CUDA calls the function on a thread that must not call the driver."""
    code = """
import faulthandler, gc
import vkdispatch.kp as kp
faulthandler.dump_traceback_later(60, exit=True)
m = kp.Manager()
t = m.tensor([1])
for _ in range(12):
    class Ring:
        pass
    ring = Ring()
    ring.itself, ring.manager = ring, kp.Manager()
    ring.tensor = ring.manager.tensor([1, 2])
    ring.sequence = ring.manager.sequence().eval(kp.OpSyncDevice([ring.tensor]))
    del ring
    m.sequence().record(kp.OpHost(gc.collect)).record(kp.OpFill(t, 5)).record(kp.OpSyncLocal([t])).eval()
assert t.data().tolist() == [5]
"""
    assert run(code, **BACKEND) == ""


@pytest.mark.parametrize("act", [copy.copy, copy.deepcopy, pickle.dumps])
def test_nothing_of_a_device_is_copied(anywhere, act):
    t = anywhere.tensor([1, 2])
    operation = kp.OpSyncDevice([t])
    for one in (anywhere, t, anywhere.image([1], 1, 1, 1), anywhere.sequence(), anywhere.algorithm([])):
        with pytest.raises(TypeError, match="cannot copy or pickle"):
            act(one)
    gc.collect()
    anywhere.sequence().eval(copy.copy(operation))
    assert copy.deepcopy(kp.MemoryTypes.host) is kp.MemoryTypes.host and t.data().tolist() == [1, 2]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a process forks on POSIX")
@pytest.mark.parametrize("backend", BACKENDS)
def test_a_forked_process_has_no_manager(backend):
    """It has no queues: what it would wait for never ends."""
    opened(backend).destroy()
    code = f"""
import faulthandler, os, threading
import vkdispatch.kp as kp
own_error = {backend != "host"}  # drivers do not survive a fork
m = kp.Manager(backend={backend!r})
t = m.tensor([1, 2])
idle = m.sequence()
sq = m.sequence().record(kp.OpSyncDevice([t])).record(kp.OpSyncLocal([t])).eval_async()
held = threading.Event()
def hold():
    with m._home.lock:
        held.set()
        released.wait(60)
released = threading.Event()
threading.Thread(target=hold).start()  # as a call of another thread's may
held.wait(60)
child = os.fork()
if child == 0:
    faulthandler.dump_traceback_later(60, exit=True)
    again = lambda: idle.eval(kp.OpSyncDevice([t]))
    for call in (t.data, sq.eval_await, lambda: m.tensor([1]), again, lambda: idle.graph, sq.destroy):
        try:
            call()
        except kp.Error as error:
            assert "before os.fork()" in str(error), error
        else:
            assert call == sq.destroy, call
    try:
        own = kp.Manager(backend={backend!r})
    except kp.Error as error:
        assert own_error and "Manager: " in str(error) and "before this process was forked" in str(error), error
    else:
        assert not own_error and own.sequence().eval(kp.OpSyncDevice([own.tensor([1])])).is_init()
    os._exit(0)
released.set()
assert os.waitpid(child, 0)[1] == 0
assert sq.eval_await().eval().is_init() and t.data().tolist() == [1, 2]
"""
    assert "Error" not in run(code)


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_manager_in_a_ring_destroys_what_others_have(backend):
    """The collector has emptied the ring's own weak references by the time that the Manager ends."""

    class Program:
        def __init__(self):
            self.manager, self.me = opened(backend), self

    program = Program()
    t = program.manager.tensor([1, 2])
    view = t.data()
    sq = program.manager.sequence().record(kp.OpFill(t, 9)).record(kp.OpSyncLocal([t])).eval_async()
    algorithm = program.manager.algorithm([])
    del program
    gc.collect()
    assert not t.is_init() and not view.base.is_init() and not sq.is_init() and not sq.is_running()
    assert not algorithm.is_init() and view.tolist() == [9, 9]  # its work is done
    with pytest.raises(kp.Error, match="destroyed"):
        t.data()


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_manager_that_a_function_of_its_own_work_collects(backend):
    class Program:
        def __init__(self):
            self.manager, self.me = opened(backend), self

    gate = threading.Event()

    def collect():
        gate.wait(60)
        gc.collect()

    program = Program()
    t = program.manager.tensor([1, 2])
    sq = program.manager.sequence().record(kp.OpHost(collect)).record(kp.OpSyncDevice([t])).eval_async()
    del program
    gate.set()
    with contextlib.suppress(kp.Error):  # destroyed, by then or after
        sq.eval_await()
    gc.collect()
    assert not sq.is_init() and not t.is_init()
