"""The context, its limits, queues and the life of its objects."""

import gc
import subprocess
import sys
import threading
import time
import warnings
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import vkdispatch as vd
import vkdispatch.codegen as vc
from vkdispatch import _native
from vkdispatch.base import context as context_module
from vkdispatch.base.context._context import nanoseconds_of
from vkdispatch.codegen.abbreviations import Buff, Const, i32

pytestmark = pytest.mark.own_context


def test_limits(device):
    context = vd.get_context()
    assert context is vd.make_context() and vd.is_context_initialized()
    assert vd.get_context_handle() == context._handle and isinstance(context._handle, int)
    assert context.queue_count == 1 and len(context.queue_families) == 1
    assert context.max_workgroup_size[0] <= context.max_workgroup_invocations
    assert context.max_shared_memory > 0 and context.subgroup_size >= 1
    assert len(context.max_workgroup_size) == len(context.max_workgroup_count) == 3
    assert context.device_infos[0].backend == device and not context.is_apple()
    assert device in repr(context)


@pytest.mark.parametrize("name", ["host", "cuda", "opencl"])
def test_several_queues(on_backend, name):
    with on_backend(name):
        context_module.destroy_context()
        context = vd.make_context(queue_counts=2)
        assert context.queue_count == 2 and context.queue_families == [[0, 0]] and context.queue_devices == [0, 0]
        x = vd.asbuffer(np.arange(8, dtype=np.float32))
        x.write(np.full(8, 3, np.float32), index=1)
        assert x.read(0).tolist() == list(range(8)) and x.read(1).tolist() == [3] * 8
        context_module.destroy_context()
        with pytest.raises(ValueError, match=r"Queue family \(1\) of device 0 is outside 0 to 0"):
            vd.make_context(device_ids=0, queue_families=[[1]])


def test_families_decide(on_backend):
    with on_backend("vulkan"):
        properties = vd.get_devices()[0].queue_properties
        family = max(i for i, (_, flags) in enumerate(properties) if flags & 2)
        context_module.destroy_context()
        context = vd.make_context(device_ids=0, queue_families=[[family]])
        assert context.queue_families == [[family]]
        assert _native.raw.vd_context_get_queue(context._pointer, 0).family == family
        wanted = [family] * (properties[family][0] + 1)
        context_module.destroy_context()
        with pytest.raises(ValueError, match="queues of family"):
            vd.make_context(device_ids=0, queue_families=[wanted])


def test_device_extensions(on_backend):
    with on_backend("vulkan"):
        context_module.destroy_context()
        context = vd.make_context(wished_extensions=["VK_KHR_maintenance1", "VK_KHR_no_such"])
        assert context.has_extension("VK_KHR_maintenance1") and not context.has_extension("VK_KHR_no_such")
        context_module.destroy_context()
        with pytest.raises(vd.UnsupportedError, match="lacks extension VK_KHR_no_such"):
            vd.make_context(required_extensions=["VK_KHR_no_such"])
        with pytest.raises(ValueError, match="is not the name of an extension"):
            vd.make_context(wished_extensions=["VK_KHR_a VK_KHR_b"])
        with pytest.raises(ValueError, match="is not the name of an extension"):
            vd.make_context(wished_extensions=[3])
    with on_backend("host"):
        assert not vd.get_context().has_extension("VK_KHR_maintenance1")


def test_a_backend_that_lists_devices_and_opens_none(on_backend, monkeypatch):
    def fail(desc):
        raise vd.UnavailableError("vd_context_create: the host backend: no compiler was found", -5)

    with on_backend("host"):
        context_module.destroy_context()
        monkeypatch.setattr(_native.raw, "vd_context_create", fail)
        with pytest.raises(vd.BackendUnavailableError, match="'host' cannot be used: .*no compiler") as caught:
            vd.get_context()
        assert caught.value.backend_name == "host"


def test_a_watchdog_ends_a_kernel_of_the_host(on_backend):
    @vd.shader("n.size")
    def endless(n: vc.Buff[vc.u32]):
        index = vc.global_invocation_id().x
        with vc.while_block(n[index] == 0):
            vc.memory_barrier()
        n[index] = 2

    with on_backend("host"):
        context_module.destroy_context()
        context = vd.make_context(watchdog=0.05)
        assert context.watchdog == 0.05
        n = vd.asbuffer(np.zeros(1, np.uint32))
        with pytest.raises(vd.KernelError, match=r"endless.*watchdog ended it after 0\.05 s"):
            endless(n)
            vd.queue_wait_idle()
        context_module.destroy_context()


@pytest.mark.parametrize("wish", [0, -1, float("nan"), "5", True])
def test_a_watchdog_is_a_number_of_seconds(on_backend, wish):
    with on_backend("host"), pytest.raises(ValueError, match="watchdog must be a number of seconds above 0"):
        vd.make_context(watchdog=wish)


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (None, 0),
        (1, 10**9),
        (1e-12, 1),
        (0.5, 5 * 10**8),
        (1e300, 2**64 - 1),
        (float("inf"), 2**64 - 1),
        (np.float32(5), 5 * 10**9),
        (np.int8(5), 5 * 10**9),
        (10**400, 2**64 - 1),
    ],
)
def test_seconds_of_a_watchdog(seconds, expected):
    assert nanoseconds_of(seconds) == expected


def test_a_second_context_is_the_first(host):
    context = vd.get_context()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert vd.make_context(use_cpu=True, multi_queue=True) is context
        assert vd.make_context(device_ids=0) is context
        assert vd.make_context(device_ids=[0], queue_families=[[0]], queue_counts=1) is context
    for wish in (
        {"device_ids": 1},
        {"device_ids": "x"},
        {"device_count": -3},
        {"queue_counts": 2},
        {"watchdog": 7},
        {"queue_families": [[1]]},
    ):
        with pytest.warns(UserWarning, match=rf"stay as they are \({next(iter(wish))}\)") as said:
            assert vd.make_context(**wish) is context
        assert said[0].filename == __file__


@pytest.mark.parametrize(
    "arguments",
    [
        {"device_count": -1},
        {"device_count": 1000},
        {"queue_families": [[0]]},
        {"device_ids": 1000},
        {"device_ids": -1},
        {"device_ids": "first"},
        {"device_ids": 0.5},
        {"device_ids": []},
        {"device_ids": [0, 0]},
        {"device_ids": [0], "queue_families": [[0], [0]]},
        {"device_ids": [0], "queue_counts": [1, 1]},
        {"device_ids": [0], "queue_counts": 0},
        {"device_ids": [0], "queue_families": [[77]]},
        {"device_ids": [0], "queue_families": [[-1]]},
        {"device_ids": [0], "queue_families": [[]]},
        {"device_ids": [0], "queue_families": [["0"]]},
        {"device_ids": [0], "queue_families": [[0] * 1000]},
    ],
)
def test_wrong_wishes(fresh, arguments):
    vd.initialize(backend="host")
    with pytest.raises(ValueError):
        vd.make_context(**arguments)
    assert not vd.is_context_initialized()
    assert vd.make_context().queue_count == 1


def test_device_of_the_environment(fresh, monkeypatch):
    vd.initialize(backend="host")
    monkeypatch.setenv("VKDISPATCH_DEVICE", "1000")
    with pytest.raises(ValueError):
        vd.make_context()
    monkeypatch.setenv("VKDISPATCH_DEVICE", "no such device")
    with pytest.raises(ValueError, match="no such device"):
        vd.make_context()
    monkeypatch.setenv("VKDISPATCH_DEVICE", vd.get_devices()[0].device_name[:5])
    assert vd.make_context().device_ids == [0]


def test_waiting(device):
    assert vd.queue_wait_idle() and vd.queue_wait_idle(0) and vd.queue_wait_idle(0, timeout=5)
    for bad in (1, -1, "0", 0.0):
        with pytest.raises(ValueError):
            vd.queue_wait_idle(bad)
    signal = vd.Signal()
    signal.wait(True, 0)
    assert signal.try_wait(False, 0) and signal.try_wait(True, 0)
    signal.free()


@vd.shader("out.size")
def count_up(out: vc.Buff[vc.f32], turns: vc.Const[vc.f32]):
    n = vc.new_float_register(0.0)
    with vc.while_block(n < turns):
        n += 1.0
    out[vc.global_invocation_id().x] = n


def test_a_signal_of_a_buffer_waits_for_its_queue_of_its_context(host):
    vd.get_context()
    context = vd.Context(backend="host", queue_counts=2)
    out, graph, turns = vd.zeros(64, context=context), vd.CommandGraph(context=context), float(1 << 22)
    count_up(out, 1.0)
    vd.queue_wait_idle(context=context)
    count_up(out, turns, graph=graph)
    graph.submit(queue_index=1)
    first, second = out.signals
    assert first.try_wait() and not second.try_wait()
    second.wait()
    assert vd.Event(1, context=context).done() and out.read(1)[0] == turns and second.try_wait()
    context.destroy()
    with pytest.raises(RuntimeError, match=r"Signal: context \d+ \(host.* was destroyed"):
        second.wait()


@vd.shader("out.size")
def past_the_end(out: vc.Buff[vc.f32]):
    out[vc.global_invocation_id().x + 8] = 1.0


@pytest.fixture
def failed():
    """A buffer whose kernel failed, behind which its repr() was made."""
    context = vd.Context(backend="host", checked=True)
    out = vd.zeros(8, context=context)
    past_the_end(out)
    while not context.is_idle():
        pass
    assert "0." in repr(out)
    yield out
    context.destroy()


WAYS = {
    "read": lambda out: out.read(0),
    "strided": lambda out: out[::2].read(0),
    "asynchronous": lambda out: out.read_async().result(),
    "array": np.asarray,
    "dlpack": np.from_dlpack,
    "map": lambda out: out.map("r"),
}


@pytest.mark.parametrize("on_thread", [False, True])
@pytest.mark.parametrize("way", WAYS)
def test_the_next_wait_on_any_thread_raises_an_error_behind_which_repr_read(failed, way, on_thread):
    raised = []

    def wait():
        with pytest.raises(vd.KernelError, match=r"^(Buffer|StridedView|Future)\.\w+: kernel .*past_the_end") as caught:
            WAYS[way](failed)
        raised.append(caught.value)

    if on_thread:
        thread = threading.Thread(target=wait)
        thread.start()
        thread.join()
    else:
        wait()
    assert len(raised) == 1 and failed.read(0).size == 8


def test_an_error_behind_which_repr_read_is_logged_at_the_contexts_end(failed):
    said = []
    vd.set_log_callback(lambda level, text: said.append(text))
    try:
        failed.context.destroy()
    finally:
        vd.set_log_callback(None)
    assert len(said) == 1 and 'work failed while its context was closed: kernel "past_the_end"' in said[0]


def test_a_context_can_be_made_again(fresh):
    vd.initialize(backend="host")
    first = vd.make_context()
    buffer = vd.buffer_f32(4)
    vd.destroy_context()
    assert not vd.is_context_initialized() and first.destroyed and buffer.destroyed
    with pytest.raises(RuntimeError, match="was destroyed"):
        buffer.read(0)
    second = vd.make_context()
    assert second is not first
    vd.buffer_f32(4).write([1.0] * 4)
    with second:
        pass
    assert not vd.is_context_initialized()


def test_kernels_outlive_their_context(fresh):
    @vd.shader("out.size")
    def twos(out: vc.Buff[vc.f32]):
        out[vc.global_invocation_id().x] = 2.0

    for _ in range(2):
        vd.initialize(backend="host")
        out = vd.buffer_f32(4)
        twos(out)
        assert out.read(0).tolist() == [2.0] * 4
        vd.destroy_context()
        assert not twos.ready and twos.plan is None


def test_nothing_is_left_behind():
    code = """
import gc
import numpy as np
import vkdispatch as vd, vkdispatch.codegen as vc
from vkdispatch import _native
vd.initialize(backend="host")
@vd.shader("b.size")
def k(b: vc.Buff[vc.f32]):
    b[vc.global_invocation_id().x] += 1.0
b = vd.asbuffer(np.zeros(10, np.float32))
g = vd.CommandGraph()
k(b, graph=g)
g.submit()
b.read(0)
vd.destroy_context()
del b, g, k
gc.collect()
assert _native.raw.vd_live_objects() == 0, _native.raw.vd_live_objects()
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_process_may_end_with_everything_alive():
    code = """
import vkdispatch as vd, vkdispatch.codegen as vc
vd.initialize(backend="host")
vd.set_log_callback(print)
@vd.shader("b.size")
def k(b: vc.Buff[vc.f32]):
    b[vc.global_invocation_id().x] = 1.0
b = vd.buffer_f32(1000)
g = vd.CommandGraph()
for _ in range(100):
    k(b)
    k(b, graph=g)
g.submit()
"""
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr, done.stderr


def test_what_threads_make_beside_its_end_ends_too(host):
    @vd.shader("x.size")
    def step(x: Buff[i32]):
        x[vc.global_invocation_id().x] += 1

    def launches(context):
        while True:
            x = vd.zeros(64, vd.int32, context=context)
            step(x)
            x.read(0)

    step(vd.zeros(1, vd.int32))
    gc.collect()
    before = _native.raw.vd_live_objects()
    for turn in range(40):
        context = vd.Context(backend="host")
        with ThreadPoolExecutor(2) as pool:
            found = [pool.submit(launches, context) for _ in range(2)]
            time.sleep(turn % 4 * 0.002)
            context.destroy()
        for one in found:
            with pytest.raises((vd.StateError, RuntimeError), match="destroyed|discarded"):
                one.result()
        del context, found, one
    gc.collect()
    assert _native.raw.vd_live_objects() == before


def test_failures_that_repr_comes_upon_are_raised_one_by_one():
    @vd.shader(exec_size=1)
    def past_the_end(x: Buff[i32], at: Const[i32]):
        x[at] = 1

    with vd.Context(backend="host", checked=True):
        x = vd.zeros(1, vd.int32)
        for at in (1001, 1002):
            past_the_end(x, at)
            while not vd.Event().done():
                time.sleep(0.001)
        assert "shape" in repr(x) + repr(x)
        for at in (1001, 1002):
            with pytest.raises(vd.KernelError, match=str(at)):
                vd.queue_wait_idle()
        vd.queue_wait_idle()


class TestHandles:
    def test_numbers_are_distinct(self, host):
        objects = [vd.buffer_f32(1) for _ in range(5)] + [vd.CommandGraph() for _ in range(3)]
        assert len({o._handle for o in objects}) == 8
        context = vd.get_context()
        assert all(context.handles_dict[o._handle] is o for o in objects)

    def test_destroy_is_idempotent_and_final(self, host):
        buffer = vd.buffer_f32(4)
        buffer.destroy()
        buffer.destroy()
        assert buffer.destroyed
        for use in (lambda: buffer.read(0), lambda: buffer.write([1.0] * 4), lambda: buffer.fill(0), buffer.copy):
            with pytest.raises(RuntimeError, match="was destroyed"):
                use()

    def test_with(self, host):
        with vd.buffer_f32(4) as buffer:
            assert not buffer.destroyed
        assert buffer.destroyed

    def test_weak_references(self, host):
        buffer = vd.buffer_f32(4)
        reference = weakref.ref(buffer)
        del buffer
        gc.collect()
        assert reference() is None

    def test_destroying_a_buffer_gives_its_memory_back(self, host):
        context = vd.get_context()
        before = context.memory_in_use()
        buffer = vd.buffer_f32(1 << 20)
        assert context.memory_in_use() >= before + (1 << 22)
        buffer.destroy()
        assert context.memory_in_use() == before

    def test_children_and_parents(self, host):
        class Thing(context_module.Handle):
            pass

        parent, child = Thing(), Thing()
        parent.register_handle(11)
        child.register_handle(12)
        child.register_parent(parent)
        assert child.parents == {11: parent} and parent.children_dict[12] is child
        parent.destroy()
        assert child.destroyed and not child.parents


class TestQueueFamilies:
    def test_dummy(self, dummy):
        assert vd.select_queue_families(0) == [0, 1]
        assert vd.select_queue_families(0, 4) == [0, 1, 0, 1]
        assert vd.select_queue_families(0, 1) == [0]


class TestDummy:
    def test_parameters(self, dummy):
        context = vd.make_context()
        info = context.device_infos[0]
        vd.set_dummy_context_params(
            subgroup_size="8", max_workgroup_size=(256, 256, 64), max_workgroup_invocations=256,
            max_workgroup_count=(100, 100, 100), max_shared_memory=1024, subgroup_enabled=False,
        )  # fmt: skip
        assert info.sub_group_size == 8 and context.subgroup_size == 8
        assert context.max_workgroup_size == (256, 256, 64) and context.max_workgroup_count == (100, 100, 100)
        assert context.max_shared_memory == 1024 and not context.subgroup_enabled and not context.subgroup_arithmetic
        assert info is vd.get_devices()[0]
        vd.set_dummy_context_params(subgroup_enabled=True)
        assert context.subgroup_enabled and context.subgroup_arithmetic

    @pytest.mark.parametrize(
        "wrong",
        [
            {"subgroup_size": 0},
            {"subgroup_size": "many"},
            {"subgroup_enabled": 1},
            {"max_workgroup_size": (1, 2)},
            {"max_workgroup_count": 5},
            {"max_workgroup_size": (0, 1, 1)},
            {"max_shared_memory": -1},
        ],
    )
    def test_wrong_parameters_change_nothing(self, dummy, wrong):
        before = dict(vars(vd.get_devices()[0]))
        with pytest.raises(ValueError):
            vd.set_dummy_context_params(**{"max_workgroup_invocations": 512, **wrong})
        assert vars(vd.get_devices()[0]) == before

    def test_other_backends_have_no_such_parameters(self, host):
        with pytest.raises(RuntimeError):
            vd.set_dummy_context_params(subgroup_size=8)

    def test_several_queues(self, on_backend):
        with on_backend("dummy", device_ids=[0], queue_counts=[4]):
            assert vd.get_context().queue_count == 4
            assert vd.queue_wait_idle(3)

    def test_nothing_runs(self, dummy):
        vd.queue_wait_idle()
        for make in (lambda: vd.buffer_f32(4), vd.CommandGraph, vd.default_graph, lambda: vd.asbuffer(np.zeros(3))):
            with pytest.raises(RuntimeError, match="dummy"):
                make()

    def test_kernels_show_their_source(self, dummy):
        @vd.shader("out.size", local_size=32)
        def k(out: vc.Buff[vc.f32]):
            out[vc.global_invocation_id().x] = 1.0

        k.build()
        assert k.ready and k.plan is None and "#version" in k.source
        assert k.get_src().local_size == (32, 1, 1)
        with pytest.raises(RuntimeError, match="dummy backend"):
            k(None)

    def test_parameters_affect_kernels_built_afterwards(self, dummy):
        @vd.shader("out.size")
        def k(out: vc.Buff[vc.f32]):
            out[vc.global_invocation_id().x] = 1.0

        assert k.get_src().local_size == (1024, 1, 1)
        vd.set_dummy_context_params(max_workgroup_size=(128, 1, 1))
        assert k.get_src().local_size == (1024, 1, 1)


def test_the_playground_can_start_over(fresh):
    """Programs that show source in pages reset the package's own variables."""
    for _ in range(2):
        vd.initialize(backend="dummy")
        vd.make_context()
        fresh()
        vars(context_module)["__context"] = None
    assert not vd.is_context_initialized()
