"""Several contexts beside each other, also of several backends: objects, kernels, transforms and reductions of each."""

import gc
import subprocess
import sys
import threading
import weakref

import numpy as np
import pytest
import vkdispatch as vd
import vkdispatch.codegen as vc
from vkdispatch.codegen.abbreviations import Buff, Const, f32

pytestmark = pytest.mark.own_context


@vd.shader("x.size")
def add_to(x: Buff[f32], n: Const[f32]):
    x[vc.global_invocation_id().x] += n


@vd.shader("x.size")
def add_other(x: Buff[f32], y: Buff[f32]):
    i = vc.global_invocation_id().x
    x[i] += y[i]


@vd.reduce.reduce(0)
def total(a: f32, b: f32) -> f32:
    return a + b


def test_a_kernel_runs_on_the_context_of_its_buffers(device, other):
    here, there = vd.zeros(4), vd.zeros(4, context=other)
    assert here.context is vd.get_context() and there.context is other
    for i in range(5):
        add_to(here, 1.0)
        add_to(there, 10.0)
        assert here.read(0)[3] == i + 1 and there.read(0)[3] == 10 * (i + 1)


def test_a_prepared_launch_is_not_for_another_context(device, other):
    # The same dtypes and sizes: only the context tells them apart.
    buffers = [vd.zeros(4, context=context) for context in (None, other)]
    for _ in range(3):
        for buffer in (*buffers, *buffers):
            add_to(buffer, 1.0)
    assert [buffer.read(0)[0] for buffer in buffers] == [6, 6]


def test_transforms_and_reductions(device, other):
    data = np.arange(64, dtype=np.float32).reshape(8, 8)
    for context in (None, other, None, other):
        spectrum = vd.asbuffer(data.astype(np.complex64), context=context)
        vd.fft.fft2(spectrum)
        assert np.allclose(spectrum.read(0), np.fft.fft2(data), atol=1e-2)
        rows = vd.asrfftbuffer(data, context=context)
        vd.fft.rfft(rows)
        assert np.allclose(rows.read_fourier(0), np.fft.rfft(data), atol=1e-2)
        sums = total(vd.asbuffer(data, context=context))
        assert sums.read(0)[0] == data.sum() and sums.context is (context or vd.get_context())


def test_a_transform_runs_the_plan_of_its_own_context(host, other, monkeypatch):
    kept, buffer = vd.fft.make_fft_shader((2, 4)), vd.zeros((2, 4), vd.complex64)
    with other.active():
        kept.build()
    theirs = kept.plan
    # As if another thread set it between any two steps.
    monkeypatch.setattr(type(kept), "plan", property(lambda self: theirs, lambda self, plan: None), raising=False)
    buffer.fill(1)
    kept(buffer)
    vd.fft.fft(buffer)
    assert buffer.read(0).tolist() == [[4, 4, 4, 4]] * 2


def test_a_launch_with_buffers_of_another_context_is_timed(host, other):
    x = vd.zeros(4, context=other)
    assert add_to.time(x, 1.0, repeats=2) >= 0 and x.read(0)[0] == 3


def test_graphs(device, other):
    x = vd.ones(3, context=other)
    graph = vd.CommandGraph(context=other)
    add_to(x, 1.0, graph=graph)
    graph.submit(3)
    assert list(x.read(0)) == [4, 4, 4]
    with vd.record(graph):
        add_to(x, 2.0)
    graph.submit()
    assert list(x.read(0)) == [7, 7, 7]


def test_images(device, other):
    image = vd.Image2D((4, 4), vd.float32, context=other)
    image.write(np.ones((4, 4), np.float32))
    assert image.context is other and image.sample().context is other
    assert (image.read(0) == 1).all()
    buffer = vd.zeros((4, 4))
    with pytest.raises(ValueError, match=r"belongs to context \d+ \(.*image to context \d+|context \d+ \(host"):
        image.copy_from(buffer)


def test_objects_of_two_contexts_cannot_meet(device, other):
    x, y = vd.zeros(4), vd.zeros(4, context=other)
    with pytest.raises(ValueError, match="argument 'x'.*argument 'y'") as caught:
        add_other(x, y)
    assert vd.get_context().name in str(caught.value) and other.name in str(caught.value)
    with pytest.raises(ValueError, match="belongs to context") as caught:
        x.copy_from(y)
    assert vd.get_context().name in str(caught.value) and other.name in str(caught.value)
    graph = vd.CommandGraph(context=other)
    with pytest.raises(ValueError, match="and the graph to") as caught:
        add_to(x, 1.0, graph=graph)
    assert vd.get_context().name in str(caught.value) and other.name in str(caught.value)
    with pytest.raises(ValueError, match="and the graph to"), vd.record(graph):
        add_to(x, 1.0)
    with pytest.raises(ValueError, match="belongs to"):
        vd.fft.convolve(vd.zeros(8, vd.complex64), vd.zeros(8, vd.complex64, context=other))
    assert not x.read(0).any() and not y.read(0).any()


def test_events_graphs_and_counts_of_another_context_name_both(device, other):
    x, y = vd.zeros(4), vd.zeros(4, context=other)
    event = vd.Event(context=other)
    with vd.record() as graph:
        add_to(x, 1.0)
    with other.active(), vd.record() as added:
        add_to(y, 1.0)
    counts = vd.asbuffer(np.uint32([1, 1, 1]), context=other)
    for said, call in (
        (r"^Buffer\.read_async: after\[0\] is an event of", lambda: x.read_async(after=event)),
        (r"^Buffer\.write_async: after\[1\] is an event of", lambda: x.write_async(1, after=[vd.Event(), event])),
        (r"^CommandGraph\.replace: new \(Buffer.*\) belongs to", lambda: graph.replace(x, y)),
        (r"^CommandGraph\.replace: old \(Buffer.*\) belongs to", lambda: graph.replace(y, x)),
        (r"^CommandGraph\.add_graph: other belongs to", lambda: graph.add_graph(added)),
        (r"^Kernel 'add_to': counts_from= \(Buffer.*\) belongs to", lambda: add_to(x, 1.0, counts_from=counts)),
    ):
        with pytest.raises(ValueError, match=said) as caught:
            call()
        assert vd.get_context().name in str(caught.value) and other.name in str(caught.value)


def test_a_block_makes_a_context_the_current_one(device, other):
    own = vd.get_context()
    with other.active() as current:
        assert current is other and vd.get_context() is other
        x = vd.zeros(3)
        add_to(x, 2.0)
        with own.active():
            assert vd.zeros(3).context is own
        assert vd.get_context() is other
        elsewhere = []
        thread = threading.Thread(target=lambda: elsewhere.append(vd.get_context()))
        thread.start()
        thread.join()
        assert elsewhere == [own]  # a block is its thread's alone
    assert vd.get_context() is own and x.context is other and x.read(0)[0] == 2


def test_work_on_an_outer_blocks_context_leaves_the_inner_one_current(device, other):
    own = vd.get_context()
    numbers, spectrum = vd.ones(4), vd.zeros(4, vd.complex64)
    with own.active():
        with other.active():
            vd.fft.fft(spectrum)
            total(numbers)
            assert vd.get_context() is other and vd.zeros(4).context is other
            with own.active():
                assert vd.get_context() is own
            assert vd.get_context() is other
        assert vd.get_context() is own


def test_the_end_of_a_block_destroys(device):
    with vd.Context(backend="host") as context:
        x = vd.ones(3)
        assert x.context is context
        add_to(x, 1.0)
        assert x.read(0)[0] == 2
    assert context.destroyed and x.destroyed and vd.get_context() is not context
    with pytest.raises(RuntimeError, match="was destroyed"):
        x.read(0)
    with pytest.raises(RuntimeError, match=r"Buffer: context \d+ \(host.*was destroyed"):
        vd.zeros(3, context=context)
    y = vd.ones(3)
    add_to(y, 1.0)  # the kernel of the own context lives on
    assert y.read(0)[0] == 2


def test_a_context_of_an_unused_backend_leaves_the_choice(fresh):
    context = vd.Context(backend="host")
    assert not vd.is_context_initialized() and context.backend == "host"
    x = vd.arange(4, context=context)
    assert list(x.read(0)) == [0, 1, 2, 3]
    context.destroy()


def test_two_contexts_of_one_device(device):
    first, second = vd.Context(), vd.Context()
    assert (
        first.backend == second.backend == device
        and first.device_infos[0].device_name == second.device_infos[0].device_name
    )
    x, y = vd.ones(3, context=first), vd.ones(3, context=second)
    add_to(x, 1.0)
    add_to(y, 2.0)
    assert x.read(0)[0] == 2 and y.read(0)[0] == 3
    with pytest.raises(ValueError, match="cannot meet"):
        add_other(x, y)
    first.destroy()
    second.destroy()


def test_what_a_context_cannot_be(host):
    for wrong in (99, [0, 0], [], "0", True):
        with pytest.raises(ValueError, match="Context: "):
            vd.Context(wrong, backend="host")
    for wrong in (0, [1, 1], True, ["a"]):
        with pytest.raises(ValueError, match="queue_counts"):
            vd.Context(queue_counts=wrong, backend="host")
    with pytest.raises(ValueError, match="nonsense"):
        vd.Context(backend="nonsense")
    with pytest.raises(TypeError, match=r"Buffer: context must be a vd\.Context \(got str\)"):
        vd.Buffer(3, vd.float32, context="host")
    with pytest.raises(RuntimeError, match="dummy backend"):
        vd.Buffer(3, vd.float32, context=vd.Context(backend="dummy"))


def test_robust_access(device):
    if device in ("cuda", "opencl"):
        with pytest.raises(vd.UnsupportedError, match="has no robust access"):
            vd.Context(robust=True)
        return

    @vd.shader("n.size")
    def far(x: Buff[f32], n: Buff[vc.u32]):
        x[n[vc.global_invocation_id().x]] = 5

    context = vd.Context(robust=True)
    x = vd.zeros(4, context=context)
    far(x, vd.asbuffer(np.array([2, 1 << 20], np.uint32), context=context))
    if device == "host":
        with pytest.raises(vd.KernelError, match="far"):
            x.read(0)
    else:
        assert list(x.read(0)) == [0, 0, 5, 0]
    context.destroy()


def test_nothing_keeps_a_context_of_the_librarys(host):
    # The library has 255 at a time.
    for i in range(300):
        context = vd.Context(backend="host")
        x = vd.ones(3, context=context)
        add_to(x, 1.0)
        if i % 50 == 0:
            assert total(x).read(0)[0] == 6
        graph = vd.CommandGraph(context=context)
        add_to(x, 1.0, graph=graph)
        context.destroy()


def test_launches_keep_no_context(host):
    def launch():
        @vd.shader("x.size")
        def increment(x: Buff[f32]):
            x[vc.global_invocation_id().x] += 1

        context = vd.Context(backend="host")
        x = vd.zeros(4, context=context)
        increment(x, exec_size=3)
        assert x.read(0).sum() == 3 and vd.default_graph(context) is vd.default_graph(context)
        return weakref.ref(context)

    contexts = [launch() for _ in range(3)]
    gc.collect()
    assert [context() for context in contexts] == [None] * 3


def test_a_thread_has_its_own_default_graph_of_each_context(host, other):
    found = {}

    def look(number):
        found[number] = [vd.default_graph(context) for context in (None, other, None, other)]

    for number in range(2):
        thread = threading.Thread(target=look, args=(number,))
        thread.start()
        thread.join()
    for first, second, *again in found.values():
        assert again == [first, second] and second.context is other
    assert len({id(graph) for graphs in found.values() for graph in graphs}) == 4
    kept = weakref.ref(found[0][1])
    found.clear()
    gc.collect()
    assert kept() is None


def test_a_graph_of_another_context_opens_none(fresh):
    context = vd.Context(backend="host")
    graph = vd.CommandGraph(context=context)
    assert graph.context is context and not vd.is_context_initialized()
    context.destroy()


ALONE = """
import vkdispatch as vd
import vkdispatch.codegen as vc
from vkdispatch.codegen.abbreviations import Buff, Const, f32

@vd.shader("x.size")
def add_to(x: Buff[f32], n: Const[f32]):
    x[vc.global_invocation_id().x] += n

@vd.reduce.reduce(0)
def total(a: f32, b: f32) -> f32:
    return a + b

x = vd.ones(4, context=vd.Context(backend="host"))
add_to(x, 1.0)
print(x.read(0)[3], total(x).read(0)[0], vd.is_context_initialized())
"""


def test_calls_find_the_only_context_which_is_not_the_processs():
    done = subprocess.run([sys.executable, "-c", ALONE], check=False, capture_output=True, text=True)
    assert (done.stdout, done.returncode) == ("2.0 8.0 False\n", 0), done.stderr


def test_what_is_said_in_an_own_context_chooses_no_backend():
    code = """
import vkdispatch as vd
import vkdispatch.codegen as vc
from vkdispatch.codegen.abbreviations import *


@vd.shader("out.size")
def add_one(out: Buff[f32], x: Buff[f32]):
    i = vc.global_invocation_id().x
    out[i] = x[i] + 1


def calls(out: Buff[f32]):
    add_one(out, out)


with vd.Context(backend="host"):
    add_one(vd.zeros(8), vd.zeros(4, dtype=vd.complex64))  # its bytes are taken as they are, which is logged
    try:
        vd.shader("out.size")(calls)(vd.zeros(8))
    except RuntimeError:
        pass
vd.initialize(backend="dummy")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "no GPU" not in done.stderr, done.stderr
