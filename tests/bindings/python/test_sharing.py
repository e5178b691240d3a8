"""Semaphores, and memory by file descriptors."""

import contextlib
import ctypes
import mmap
import os
import time

import numpy as np
import pytest
import vkdispatch as vd
import vkdispatch.codegen as vc
from vkdispatch._native import _enums
from vkdispatch.codegen.abbreviations import Buff, Const, f32

pytestmark = pytest.mark.own_context

LONG = 60  # seconds, for what ends
SOON = 0.03  # for what does not


@vd.shader("x.size")
def triple_and_add(x: Buff[f32], n: Const[f32]):
    i = vc.global_invocation_id().x
    x[i] = x[i] * 3 + n


@vd.reduce.reduce(0, axes=[0])
def total(a: f32, b: f32) -> f32:
    return a + b


def offers(context, feature):
    return bool(context.device_infos[0].features & feature)


def is_open(fd):
    try:
        os.fstat(fd)
    except OSError:
        return False
    return True


@pytest.fixture
def vulkan(on_backend):
    with on_backend("vulkan"):
        yield vd.get_context()


# ---- Semaphores of Vulkan's, with the host on the other side


def graph_of_two(x):
    with vd.record() as graph:
        graph.fill(x, 5)
        triple_and_add(x, 1.0)
    graph.submit(2)


#: Kinds of work on a buffer.
WORK = {
    "launch": lambda x: triple_and_add(x, 1.0),
    "fill": lambda x: x.fill(9),
    "copy": lambda x: x.copy(),
    "copy with gaps": lambda x: x[::2].copy(),
    "graph": graph_of_two,
    "transform": lambda x: vd.fft.fft(x.view(vd.complex64)),
    "reduction": lambda x: total(x),
    "write": lambda x: x.write_async(np.zeros(64, np.float32)),
    "read": lambda x: x.read_async(),
}


@pytest.mark.parametrize("kind", WORK)
def test_work_in_a_block_waits_and_sets(vulkan, kind):
    run, x = WORK[kind], vd.ones(64)
    run(x)  # compiled
    vd.queue_wait_idle()
    with vd.Semaphore() as gate:
        with vd.on_semaphores(wait=gate.at(1), signal=[gate.at(2), gate.at(3)]):
            run(x)
        assert not vd.queue_wait_idle(timeout=SOON) and gate.value == 0
        gate.signal(1)
        assert gate.wait(3, LONG)
        assert vd.queue_wait_idle(timeout=LONG)


def test_the_result_is_that_of_the_order(vulkan):
    x, y = vd.ones(1000), vd.zeros(1000)
    gate, done = vd.Semaphore(label="gate"), vd.Semaphore(4)
    with vd.on_semaphores(wait=gate.at(2), signal=done.at(5)):
        triple_and_add(x, 1.0)
        y.copy_from(x)
    assert not done.wait(5, SOON)
    gate.signal(1)
    assert not done.wait(5, SOON) and done.value == 4
    gate.signal(7)
    assert done.wait(5, LONG) and (y.read(0) == 4).all()


@pytest.mark.parametrize("instances", [1, 3, 0])
def test_a_submission_waits_and_sets(vulkan, instances):
    x = vd.ones(64)
    gate = vd.Semaphore()
    with vd.record() as graph:
        triple_and_add(x, 0.0)
    graph.submit(instances, wait=[gate.at(1)], signal=gate.at(2))
    assert not gate.wait(2, SOON)
    gate.signal(1)
    assert gate.wait(2, LONG) and x.read(0)[0] == 3**instances
    graph.submit(signal=gate.at(3))
    assert gate.wait(3, LONG) and x.read(0)[0] == 3 ** (instances + 1)


def test_an_empty_graph_waits_and_sets(vulkan):
    gate = vd.Semaphore()
    vd.CommandGraph().submit(wait=gate.at(1), signal=gate.at(2))
    assert not gate.wait(2, SOON)
    gate.signal(1)
    assert gate.wait(2, LONG)


def test_transfers_come_after_a_point(vulkan):
    x, gate = vd.ones(64), vd.Semaphore()
    event = vd.Event()
    seen = x.read_async(after=[event, gate.at(1)])
    sent = x.write_async(np.full(64, 5, np.float32), after=gate.at(2))
    gaps = x[::2].read_async(after=gate.at(3))
    with pytest.raises(TimeoutError):
        seen.result(SOON)
    gate.signal(1)
    assert seen.result(LONG)[0] == 1 and not sent.done()
    gate.signal(2)
    sent.result(LONG)
    assert not gaps.done()
    gate.signal(3)
    assert gaps.result(LONG).tolist() == [5] * 32


def test_a_block_that_raises_sets_nothing(vulkan):
    gate = vd.Semaphore()
    with pytest.raises(KeyError), vd.on_semaphores(signal=gate.at(1)):
        raise KeyError
    vd.queue_wait_idle()
    assert gate.value == 0


def test_a_value_that_was_reached_is_refused(vulkan):
    gate, x, graph = vd.Semaphore(5), vd.zeros(4), vd.CommandGraph()
    graph.fill(x, 1)
    with pytest.raises(ValueError, match=r"^CommandGraph\.submit: "):
        graph.submit(signal=gate.at(4))
    assert not x.read(0).any()
    with pytest.raises(ValueError, match=r"^on_semaphores: "), vd.on_semaphores(signal=gate.at(4)):
        graph.submit()
    assert x.read(0).all()


def test_the_programs_own_semaphore(vulkan):
    first = vd.Semaphore()
    alias = vd.Semaphore.from_handle(first.native_handle, label="alias")
    alias.signal(3)
    assert first.value == 3 and alias.label == "alias"
    with vd.on_semaphores(signal=alias.at(4)):
        vd.ones(64).fill(2)
    assert first.wait(4, LONG)
    alias.close()
    assert alias.destroyed


def test_one_that_nobody_sets_ends_in_an_error(vulkan):
    x = vd.ones(64)
    before = vd.Event()
    never = vd.Semaphore(timeout=np.float32(0.2), label="never")
    with vd.on_semaphores(wait=never.at(5)):
        x.fill(2)
    with pytest.raises(vd.StateError, match='waited for semaphore "never" to reach 5 for 200 ms, and nobody set it'):
        vd.queue_wait_idle()
    with pytest.raises(vd.StateError, match="never"):
        x.fill(3)
    assert before.wait(LONG), "nothing before it is lost"


def test_work_in_flight_keeps_its_semaphore(vulkan):
    x, gate = vd.zeros(64), vd.Semaphore()
    held = vd.Semaphore.from_handle(gate.native_handle)
    with vd.on_semaphores(wait=held.at(1), signal=held.at(2)):
        x.fill(3)
    held.close()
    gate.signal(1)
    assert gate.wait(2, LONG) and x.read(0)[0] == 3


def test_what_is_refused(vulkan):
    x, gate = vd.zeros(64), vd.Semaphore(label="gate")
    graph = vd.CommandGraph()
    wrong_types = [
        (lambda: gate.at(1.5), r"Semaphore.at: value \(1.5\) must be an integer"),
        (lambda: gate.at(True), r"Semaphore.at: value \(True\) must be an integer"),
        (lambda: vd.Semaphore("a"), r"Semaphore: initial_value \('a'\) must be an integer"),
        (lambda: vd.Semaphore(label=3), r"Semaphore: label \(3\) must be a str"),
        (lambda: vd.Semaphore.from_fd("3"), r"Semaphore.from_fd: fd \('3'\) must be the number of a file descriptor"),
        (lambda: vd.Semaphore.from_handle(None), r"Semaphore.from_handle: handle \(None\) must be an integer"),
        (lambda: graph.submit(wait=gate), "CommandGraph.submit: wait must be a point .*semaphore.at"),
        (lambda: graph.submit(signal=[gate.at(1), 7]), r"CommandGraph.submit: signal\[1\] must be a point"),
        (lambda: x.read_async(after=3), r"Buffer.read_async: after\[0\] must be a vd.Event, a future.* or a point"),
        (lambda: vd.on_semaphores(wait=(gate, 1)).__enter__(), r"on_semaphores: wait\[0\] must be a point"),
    ]
    for call, message in wrong_types:
        with pytest.raises(TypeError, match=message):
            call()
    wrong_values = [
        (lambda: gate.at(-1), r"Semaphore.at: value \(-1\) is outside 0 to 18446744073709551615"),
        (lambda: gate.at(1 << 64), r"Semaphore.at: value \(18446744073709551616\) is outside 0 to"),
        (lambda: vd.Semaphore(timeout=0), r"Semaphore: timeout \(0\) must be a number of seconds above 0"),
        (lambda: vd.Semaphore(timeout="x"), r"Semaphore: timeout \('x'\) must be a number of seconds"),
        (lambda: vd.Semaphore(device=1), r"Semaphore: device \(1\) is outside 0 to 0"),
        (lambda: vd.Semaphore.from_fd(-1), r"Semaphore.from_fd: fd \(-1\) is no file descriptor"),
        (
            lambda: vd.Semaphore.from_handle(0),
            r"Semaphore.from_handle: handle \(0\) is not from 1 to 18446744073709551615",
        ),
        (lambda: gate.wait(1, timeout=-1), r"Semaphore.wait: timeout \(-1\) must be a number of seconds"),
    ]
    for call, message in wrong_values:
        with pytest.raises(ValueError, match=message):
            call()
    gate.signal(5)
    with pytest.raises(
        ValueError, match=r"Semaphore.signal: value \(4\) is not above the present value of semaphore \"gate\" \(5"
    ):
        gate.signal(4)
    graph.fill(x, 3)
    with pytest.raises(ValueError, match=r"CommandGraph.submit: .*\.value \(5\) is not above the last value"):
        graph.submit(signal=gate.at(5))
    assert (x.read(0) == 0).all(), "a submission that is refused does not run"
    point = gate.at(9)
    gate.destroy()
    for call in (lambda: gate.value, lambda: gate.signal(9), lambda: graph.submit(wait=point), gate.export_fd):
        with pytest.raises(vd.StateError, match="Semaphore was destroyed .it was gate"):
            call()


def test_a_semaphore_of_another_context_is_refused(vulkan):
    with vd.Context(backend="vulkan") as other:
        theirs = vd.Semaphore(context=other)
        ours = vd.Semaphore(context=vulkan)
        x = vd.zeros(64, context=vulkan)
        graph = vd.CommandGraph(context=vulkan)
        with pytest.raises(ValueError, match="after.0. is a semaphore of context") as caught:
            x.read_async(after=theirs.at(1))
        assert theirs.context.name in str(caught.value) and vulkan.name in str(caught.value)
        with pytest.raises(ValueError, match=f"wait is of {theirs.context.name[:9]}"):
            graph.submit(wait=theirs.at(1))
        with pytest.raises(ValueError, match=r"signal\[1\] is of context"):
            graph.submit(signal=[ours.at(1), theirs.at(1)])
    assert theirs.destroyed


@pytest.mark.parametrize("name", ["host", "opencl"])
def test_other_backends_have_none(on_backend, name):
    with on_backend(name):
        with pytest.raises(vd.UnsupportedError, match=f"Semaphore: the {name} backend has no semaphores"):
            vd.Semaphore()
        with pytest.raises(vd.UnsupportedError, match="Buffer: .*VD_FEATURE_MEMORY_FD"):
            vd.Buffer(16, vd.float32, exportable=True)
        with pytest.raises(vd.UnsupportedError, match="from_fd: .*VD_FEATURE_MEMORY_FD"):
            vd.from_fd(vd.MemoryFd(0, 64), 16, vd.float32)
        with pytest.raises(ValueError, match="Buffer.export_fd: .*not made with exportable=True"):
            vd.zeros(16).export_fd()


def test_a_semaphore_by_a_file_descriptor(vulkan):
    semaphore = vd.Semaphore()
    if not offers(vulkan, _enums.VD_FEATURE_SEMAPHORE_FD):
        with pytest.raises(vd.UnsupportedError, match="Semaphore.export_fd: .*VD_FEATURE_SEMAPHORE_FD"):
            semaphore.export_fd()
        with pytest.raises(vd.UnsupportedError, match="Semaphore.from_fd: .*no semaphores by file descriptors"):
            vd.Semaphore.from_fd(0)
        assert is_open(0)
        return
    with vd.Context(backend="vulkan") as other:
        fd = semaphore.export_fd()
        alias = vd.Semaphore.from_fd(fd, context=other)
        assert not is_open(fd)
        semaphore.signal(3)
        assert alias.value == 3


# ---- Memory


@pytest.fixture(params=["vulkan", "cuda"])
def shared(request, on_backend):
    """A context that exports memory, and another one of its device."""
    with on_backend(request.param):
        ours = vd.get_context()
        if not offers(ours, _enums.VD_FEATURE_MEMORY_FD):
            with pytest.raises(vd.UnsupportedError):
                vd.Buffer(16, vd.float32, exportable=True)
            pytest.skip(f"{ours.device_infos[0].device_name} has no memory by file descriptors")
        with vd.Context(backend=request.param) as other:
            yield ours, other


def go_there_and_back(ours, other):
    given = np.arange(3000, dtype=np.float32).reshape(30, 100)
    x = vd.Buffer((30, 100), vd.float32, exportable=True, label="ours", context=ours)
    x.write(given)
    vd.queue_wait_idle(context=ours)
    memory = x.export_fd()
    fd = memory.fd
    assert memory.size == given.nbytes <= memory.memory_size and memory.offset == 0 and len(memory.uuid) == 16
    with memory:
        theirs = vd.from_fd(memory, (30, 100), vd.float32, label="theirs", context=other)
        assert memory.fd == -1
    assert not is_open(fd), "the library has closed it"
    assert theirs.is_external and not theirs.owns_memory and theirs.context is other and theirs.label == "theirs"
    assert (theirs.read(0) == given).all()
    triple_and_add(theirs, 1.0)
    vd.queue_wait_idle(context=other)
    assert (x.read(0) == given * 3 + 1).all()

    row = x[7].export_fd()  # part of it, as other numbers
    assert (row.offset, row.size) == (2800, 400)
    part = vd.from_fd(row, 50, vd.complex64, read_only=True, context=other)
    x.destroy()
    vd.queue_wait_idle(context=ours)
    assert part.read(0)[1] == (given[7, 2] * 3 + 1) + 1j * (given[7, 3] * 3 + 1), "the import keeps the memory"
    with pytest.raises(ValueError, match="read-only"):
        part.fill(0)


def test_memory_goes_to_another_context(shared):
    go_there_and_back(*shared)


def test_memory_at_every_offset_is_reduced(shared):
    ours, other = shared

    @vd.reduce.reduce(0)
    def total(a: f32, b: f32) -> f32:
        return a + b

    x, given = vd.Buffer(64, vd.float32, exportable=True, context=ours), np.arange(64, dtype=np.float32)
    x.write(given)
    vd.queue_wait_idle(context=ours)
    for first in range(1, 6):
        alias = vd.from_fd(x[first : first + 32].export_fd(), 32, vd.float32, context=other)
        assert total(alias).read(0)[0] == given[first : first + 32].sum()
        assert total(alias[4 - first % 4 :]).read(0)[0] == given[first + 4 - first % 4 : first + 32].sum()


def test_memory_that_is_none(shared):
    ours, other = shared
    x = vd.Buffer(1000, vd.float32, exportable=True, context=ours)
    with x.export_fd() as memory:
        fd = memory.fd

        def fails(message, **changes):
            fields = {"fd": fd, "memory_size": memory.memory_size, "size": memory.size, "uuid": memory.uuid, **changes}
            shape = fields.pop("shape", 1000)
            with pytest.raises(ValueError, match=message):
                vd.from_fd(vd.MemoryFd(**fields), shape, vd.float32, context=other)
            assert is_open(fd), "the caller's, since the import failed"

        fails(r"from_fd: memory has 4000 bytes, and shape \(1001,\) of float32 takes 4004", shape=1001)
        fails(r"from_fd: memory.fd \(-1\) is outside 0 to 2147483647: it was taken or closed", fd=-1)
        fails(r"from_fd: fd \(1000000\) is no file descriptor", fd=1000000)
        fails(r"from_fd: memory.fd \('3'\) must be an integer", fd="3")
        fails(r"from_fd: memory.offset \(-4\) is outside 0 to", offset=-4)
        fails(r"from_fd: .*offset \(\d+\) .* is past .*memory_size", offset=memory.memory_size)
        fails(r"from_fd: memory.uuid \(b'1'\) must be 16 bytes", uuid=b"1")
        if any(memory.uuid):
            fails("from_fd: .*another device's", uuid=bytes(byte ^ 1 for byte in memory.uuid))
        with pytest.raises(TypeError, match=r"from_fd: memory must be a vd.MemoryFd \(got 3\)"):
            vd.from_fd(3, 4, vd.float32)
        rest = vd.from_fd(
            vd.MemoryFd(memory.detach(), memory.memory_size, 400), 900, vd.float32, context=other
        )  # without a size: the rest of the memory
        assert rest.shape == (900,) and memory.fd == -1
    assert not is_open(fd)
    with pytest.raises(ValueError, match="exportable=True .* host_visible=True"):
        vd.Buffer(4, vd.float32, exportable=True, host_visible=True)
    with pytest.raises(ValueError, match="was not made with exportable=True"):
        vd.zeros(4).export_fd()
    x.destroy()
    with pytest.raises(vd.StateError):
        x.export_fd()


# ---- CUDA's side


class TheirSemaphore:
    """A semaphore of another API, as the emulated driver knows such: a page of a memory file whose first word is the value."""

    def __init__(self):
        self.fd = os.memfd_create("semaphore")
        os.ftruncate(self.fd, mmap.PAGESIZE)
        self.page = mmap.mmap(self.fd, mmap.PAGESIZE)
        self.word = ctypes.c_uint64.from_buffer(self.page)

    def becomes(self, value):
        end = time.monotonic() + LONG
        while self.word.value != value and time.monotonic() < end:
            time.sleep(0.001)
        return self.word.value == value

    def close(self):
        del self.word
        self.page.close()
        os.close(self.fd)


def is_emulated():
    return hasattr(ctypes.CDLL("libcuda.so.1"), "vd_emulated_live")


class TestEmulatedCuda:
    @pytest.fixture
    def theirs(self):
        made = TheirSemaphore()
        yield made
        made.close()

    @pytest.fixture
    def cuda(self, on_backend):
        with on_backend("cuda"):
            if not is_emulated():
                pytest.skip("the descriptors are the emulated driver's")
            triple_and_add.build()  # CUDA loads no kernel while its queue waits
            yield vd.get_context()

    def test_work_waits_and_sets(self, cuda, theirs):
        fd = os.dup(theirs.fd)
        x, gate = vd.ones(64), vd.Semaphore.from_fd(fd, label="theirs")
        assert not is_open(fd) and gate.native_handle != 0
        with vd.on_semaphores(wait=gate.at(1), signal=gate.at(2)):
            triple_and_add(x, 1.0)
        with vd.record() as graph:
            triple_and_add(x, 2.0)
        graph.submit(wait=gate.at(3), signal=gate.at(4))
        assert not vd.queue_wait_idle(timeout=SOON) and theirs.word.value == 0
        theirs.word.value = 1
        assert theirs.becomes(2)
        theirs.word.value = 3
        assert vd.queue_wait_idle(timeout=LONG) and theirs.word.value == 4
        assert (x.read(0) == 14).all()
        gate.close()

    def test_a_programs_stream_waits_and_sets(self, cuda, theirs):
        x, gate = vd.ones(64), vd.Semaphore.from_fd(os.dup(theirs.fd))
        with vd.on_stream(1), vd.on_semaphores(wait=gate.at(1), signal=gate.at(2)):
            triple_and_add(x, 1.0)
        assert not vd.queue_wait_idle(timeout=SOON)
        theirs.word.value = 1
        assert vd.queue_wait_idle(timeout=LONG) and theirs.word.value == 2 and x.read(0)[0] == 4

    def test_several_queues_wait_and_one_sets(self, on_backend, theirs):
        with on_backend("cuda", queue_counts=2):
            if not is_emulated():
                pytest.skip("the descriptors are the emulated driver's")
            x, gate = vd.ones(64), vd.Semaphore.from_fd(os.dup(theirs.fd))
            triple_and_add.build()
            with vd.on_semaphores(wait=gate.at(1), signal=gate.at(2)):
                triple_and_add(x, 1.0)  # on both
            with vd.record() as graph:
                triple_and_add(x, 2.0)
            graph.submit(wait=gate.at(3), signal=gate.at(4))
            graph.submit(1, 1, wait=gate.at(5), signal=gate.at(6))
            assert not vd.queue_wait_idle(0, timeout=SOON) and not vd.queue_wait_idle(1, timeout=SOON)
            for value in (1, 3):
                theirs.word.value = value
                assert theirs.becomes(value + 1)
            theirs.word.value = 5
            assert vd.queue_wait_idle(timeout=LONG) and theirs.word.value == 6
            assert x.read()[:, 0].tolist() == [14, 44]
            with pytest.raises(ValueError, match="each of the 2 queues of .* has its own replica"):
                vd.Buffer(4, vd.float32, exportable=True)
            vd.destroy_context()

    def test_one_that_nobody_sets_ends_in_an_error(self, cuda, theirs):
        x, never = vd.ones(64), vd.Semaphore.from_fd(os.dup(theirs.fd), timeout=0.2, label="never")
        with vd.on_semaphores(wait=never.at(5)):
            x.fill(2)
        with pytest.raises(vd.StateError, match='"never" to reach 5 for 200 ms'):
            vd.queue_wait_idle()

    def test_a_kernel_that_is_first_called_behind_it_waits_no_longer(self, cuda, theirs):
        """CUDA loads a kernel only once its queues have nothing left to do."""

        @vd.shader("x.size")
        def first_called_here(x: Buff[f32]):
            x[vc.global_invocation_id().x] += 1

        x, never = vd.ones(64), vd.Semaphore.from_fd(os.dup(theirs.fd), timeout=0.2, label="never")
        with pytest.raises(vd.StateError, match='"never" to reach 5 for 200 ms'):
            with vd.on_semaphores(wait=never.at(5)):
                first_called_here(x)
            vd.queue_wait_idle()

    def test_the_host_has_no_part_in_it(self, cuda, theirs):
        gate = vd.Semaphore.from_fd(os.dup(theirs.fd))
        with pytest.raises(vd.UnsupportedError, match="Semaphore.value: .*does not tell its value"):
            gate.value  # noqa: B018
        with pytest.raises(vd.UnsupportedError, match="Semaphore.signal: .*does not let the host set it"):
            gate.signal(1)
        with pytest.raises(vd.UnsupportedError, match="Semaphore.wait: .*does not let the host wait"):
            gate.wait(1, 0)
        with pytest.raises(vd.UnsupportedError, match="Semaphore: CUDA makes no semaphores"):
            vd.Semaphore()
        with pytest.raises(ValueError, match=r"Semaphore.from_fd: .*\(1000000\) is no file descriptor"):
            vd.Semaphore.from_fd(1000000)

    def test_memory(self, cuda):
        with vd.Context(backend="cuda") as other:
            go_there_and_back(cuda, other)


# ---- Vulkan and CUDA on one GPU


@pytest.fixture
def both():
    """A context of each on the same GPU, which shares memory and semaphores."""
    needed = _enums.VD_FEATURE_MEMORY_FD | _enums.VD_FEATURE_SEMAPHORE_FD
    with contextlib.ExitStack() as stack:
        try:
            contexts = [stack.enter_context(vd.Context(backend=name)) for name in ("vulkan", "cuda")]
        except vd.BackendUnavailableError as error:
            pytest.skip(f"needs one GPU on Vulkan and CUDA: {error}")
        infos = [context.device_infos[0] for context in contexts]
        if infos[0].uuid != infos[1].uuid or not all(info.features & needed == needed for info in infos):
            pytest.skip("needs one GPU on Vulkan and CUDA that shares memory and semaphores")
        yield contexts


@pytest.mark.parametrize("ordered", [True, False])
def test_cuda_comes_after_vulkan(both, ordered):
    """Without the wait, as a control, CUDA's kernel comes first, since Vulkan's is held until both are submitted."""
    vulkan, cuda = both
    for context in both:  # CUDA loads no kernel while its queue waits
        triple_and_add(vd.zeros(64, context=context), 1.0)
        vd.queue_wait_idle(context=context)
    ours = vd.Buffer(1 << 20, vd.float32, exportable=True, context=vulkan)
    ours.fill(0)
    vd.queue_wait_idle(context=vulkan)
    theirs = vd.from_fd(ours.export_fd(), 1 << 20, vd.float32, context=cuda)
    gate, order = vd.Semaphore(context=vulkan), vd.Semaphore(context=vulkan)
    seen = vd.Semaphore.from_fd(order.export_fd(), context=cuda)
    with vd.on_semaphores(wait=seen.at(1) if ordered else (), signal=seen.at(2) if ordered else ()):
        triple_and_add(theirs, 10.0)
    with vd.on_semaphores(wait=gate.at(1), signal=order.at(1)):
        triple_and_add(ours, 100.0)
    if not ordered:
        vd.queue_wait_idle(context=cuda)
    gate.signal(1)
    if ordered:
        assert order.wait(2, LONG)
    vd.queue_wait_idle(context=vulkan)
    assert (ours.read(0) == (310 if ordered else 130)).all()
