"""A destroyed context keeps no resource of the device, even if the package remembers its kernels."""

import gc
import sys
import threading

import numpy as np
import pytest
import vkdispatch as vd
import vkdispatch.codegen as vc
from vkdispatch._native import raw
from vkdispatch._native._errors import StateError
from vkdispatch.base.context import destroy_context
from vkdispatch.codegen.abbreviations import Buff, Const, c64, f32

pytestmark = pytest.mark.own_context


def complex_lines():
    return vd.asbuffer(np.ones((2, 8), np.complex64))


def transform():
    vd.fft.fft(complex_lines())
    vd.fft.fft(complex_lines())  # the second time the way there is prepared


def mapped_transform():
    @vd.map
    def read(source: Buff[c64]):
        vd.fft.read_op().read_from_buffer(source)

    data = complex_lines()
    vd.fft.fft(data, data, input_map=read)


def convolution():
    vd.fft.convolve(complex_lines(), complex_lines())


def other_transform():
    vd.vkfft.fft(complex_lines())


def reduction():
    @vd.reduce.reduce(0)
    def total(a: f32, b: f32) -> f32:
        return a + b

    total(vd.asbuffer(np.ones(300, np.float32)))


def kernel():
    @vd.shader(exec_size=lambda args: args.x.size)
    def fill(x: Buff[f32], y: Const[f32] = 1.0):
        x[vc.global_invocation_id().x] = y

    x = vd.asbuffer(np.ones(4, np.float32))
    fill(x)
    return fill, x


def recorded():
    graph = vd.CommandGraph()
    fill, x = kernel()
    fill(x, graph=graph)
    graph.submit()
    return graph, fill, x


# With the traced kernels that the program holds itself, which are of no device.
WORK = {transform: 0, mapped_transform: 0, convolution: 0, other_transform: 0, reduction: 0, kernel: 1, recorded: 1}


def live():
    gc.collect()
    return raw.vd_live_objects()


@pytest.mark.parametrize("work", WORK, ids=[work.__name__ for work in WORK])
def test_nothing_is_kept(device, work):
    destroy_context()
    before = live()  # kernels that other tests hold
    vd.make_context()
    kept = work()
    assert live() > before + WORK[work]
    destroy_context()
    assert live() <= before + WORK[work]
    vd.make_context()
    work()
    del kept


def test_a_size_that_destroys_the_context(device):
    def size(args):
        destroy_context()
        return 4

    @vd.shader(exec_size=size)
    def count(y: Const[f32]):
        vc.new_float_register()[:] = y

    with pytest.raises(vd._native._errors.StateError, match="Kernel 'count': the context was destroyed while"):
        count(1.0)


@pytest.fixture
def quick_switches():
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.parametrize("whole", ["context", "buffer"])
def test_a_thread_makes_objects_while_another_destroys_what_they_belong_to(host, quick_switches, whole):
    def make(parent, ended):
        made = []
        while not ended.is_set():
            try:
                made.append(parent[1:] if whole == "buffer" else vd.Buffer(4, f32, context=parent.context))
            except StateError:  # destroyed meanwhile
                return

    for _ in range(60):
        context, ended = vd.Context(backend="host"), threading.Event()
        parent = vd.zeros(4, context=context)
        kept = [parent[1:] for _ in range(300)]
        maker = threading.Thread(target=make, args=(parent, ended))
        maker.start()
        try:
            (parent if whole == "buffer" else context).destroy()
        finally:
            ended.set()
            maker.join()
        assert all(view.destroyed for view in kept)
        context.destroy()
