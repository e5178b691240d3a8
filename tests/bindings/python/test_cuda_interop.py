"""Memory and streams of another CUDA program: one that this file plays, by the driver itself, real or emulated.

Each test of order has a control: the same without the order, whose result goes wrong. A gate in the program's stream, which opens
when the test says so, makes that certain.
"""

import contextlib
import ctypes
import threading

import numpy as np
import pytest
import vkdispatch as vd
import vkdispatch.codegen as vc
from vkdispatch import _native, kp
from vkdispatch.base.streams import sending_to
from vkdispatch.codegen.abbreviations import Buff, Const, Var, f32


@vd.shader("x.size")
def triple_and_add(x: Buff[f32], n: Const[f32]):
    i = vc.global_invocation_id().x
    x[i] = x[i] * 3 + n


HOST_FUNCTION = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Program:
    """Another user of the device: memory, a stream, and gates in it."""

    def __init__(self):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        self.context = ctypes.c_void_p()
        self.call("cuInit", 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(self.context), 0)
        self.call("cuCtxPushCurrent_v2", self.context)
        self.stream = self.new_stream()
        self.memories, self.gates = [], []

    def call(self, name, *arguments):
        status = getattr(self.cuda, name)(*arguments)
        assert status == 0, f"{name}: {status}"

    def new_stream(self):
        stream = ctypes.c_void_p()
        self.call("cuStreamCreate", ctypes.byref(stream), 1)
        return stream.value

    def allocate(self, count, value=0.0):
        address = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(4 * count))
        self.memories.append(address.value)
        self.set(address.value, count, value)
        self.wait()
        return address.value

    def set(self, address, count, value):
        word = np.float32(value).view(np.uint32)
        self.call(
            "cuMemsetD32Async",
            ctypes.c_uint64(address),
            ctypes.c_uint(int(word)),
            ctypes.c_size_t(count),
            ctypes.c_void_p(self.stream),
        )

    def copy(self, to, source, count):
        self.call(
            "cuMemcpyAsync",
            ctypes.c_uint64(to),
            ctypes.c_uint64(source),
            ctypes.c_size_t(4 * count),
            ctypes.c_void_p(self.stream),
        )

    def gate(self):
        opened = threading.Event()
        function = HOST_FUNCTION(lambda _: opened.wait(30) and None)
        self.gates.append(function)
        self.call("cuLaunchHostFunc", ctypes.c_void_p(self.stream), function, None)
        return opened

    def wait(self):
        self.call("cuStreamSynchronize", ctypes.c_void_p(self.stream))

    def read(self, address, count):
        self.wait()
        values = np.empty(count, np.float32)
        self.call(
            "cuMemcpyDtoH_v2",
            values.ctypes.data_as(ctypes.c_void_p),
            ctypes.c_uint64(address),
            ctypes.c_size_t(4 * count),
        )
        return values

    @contextlib.contextmanager
    def capture(self):
        self.call("cuStreamBeginCapture_v2", ctypes.c_void_p(self.stream), 0)
        graph, instance = ctypes.c_void_p(), ctypes.c_void_p()
        captured = {}
        try:
            yield captured
        finally:
            captured["status"] = self.cuda.cuStreamEndCapture(ctypes.c_void_p(self.stream), ctypes.byref(graph))
        if captured["status"] == 0:
            self.call("cuGraphInstantiateWithFlags", ctypes.byref(instance), graph, ctypes.c_ulonglong(0))
            captured["launch"] = lambda: self.call("cuGraphLaunch", instance, ctypes.c_void_p(self.stream))

    def close(self):
        self.wait()
        for address in self.memories:
            self.call("cuMemFree_v2", ctypes.c_uint64(address))
        popped = ctypes.c_void_p()
        self.call("cuCtxPopCurrent_v2", ctypes.byref(popped))
        self.call("cuDevicePrimaryCtxRelease_v2", 0)


class Array:
    """An array as CuPy and torch have them: an object with the interface."""

    def __init__(self, address, shape, typestr="<f4", read_only=False, **more):
        self.__cuda_array_interface__ = {
            "shape": shape, "typestr": typestr, "data": (address, read_only), "version": 3, "strides": None, **more,
        }  # fmt: skip


@pytest.fixture
def program(on_backend):
    with on_backend("cuda"):
        made = Program()
        yield made
        vd.queue_wait_idle()
        vd.destroy_context()
        made.close()


# ---- Memory


def test_a_buffer_over_an_array(program):
    address = program.allocate(6, 2.0)
    array = Array(address, (2, 3))
    buffer = vd.from_cuda_array(array)
    assert buffer.shape == (2, 3) and buffer.is_external and not buffer.owns_memory and buffer.cuda_ptr == address
    assert buffer.cuda_source is array
    triple_and_add(buffer, 1.0)
    assert (buffer.read(0) == 7).all() and (program.read(address, 6) == 7).all()
    buffer.write(np.full(6, 5, np.float32))
    vd.queue_wait_idle()
    assert (program.read(address, 6) == 5).all()
    assert vd.asbuffer(Array(address, (6,))).is_external
    assert vd.from_cuda_array(Array(address, ())).shape == (1,)
    points = vd.from_cuda_array(Array(address, (2, 3)), var_type=vd.vec3)
    assert points.shape == (2,) and points.dtype is vd.vec3
    assert vd.from_cuda_array(Array(address, (3, 2)), var_type=vd.complex64).shape == (3,)


def test_arrays_that_are_refused(program):
    address = program.allocate(8)
    good = Array(address, (2, 3)).__cuda_array_interface__

    class Given:
        def __init__(self, interface):
            self.__cuda_array_interface__ = interface

    with pytest.raises(TypeError, match="__cuda_array_interface__ is needed"):
        vd.from_cuda_array(np.zeros(3))
    with pytest.raises(TypeError, match="must be a dict"):
        vd.from_cuda_array(Given([1]))
    for missing in ("shape", "typestr", "data"):
        with pytest.raises(ValueError, match=f"has no '{missing}'"):
            vd.from_cuda_array(Given({name: value for name, value in good.items() if name != missing}))
    for change, said in (
        ({"data": address}, "data .* must be a pointer"),
        ({"data": (-1, False)}, r"data's pointer \(-1\) is no address"),
        ({"shape": "a"}, "shape .* must be a tuple of integers"),
        ({"shape": (2.5,)}, "shape .* must be a tuple of integers"),
        ({"typestr": "<V8"}, "Unsupported typestr"),
        ({"typestr": ">f4"}, "Unsupported typestr"),
        ({"strides": (-12, 4)}, r"strides \(-12, 4\)"),
        ({"strides": (16, 4)}, r"strides \(16, 4\)"),
        ({"stream": 0}, r"stream \(0\)"),
        ({"mask": object()}, "mask"),
        ({"shape": (2, 300)}, "past the end of the memory"),
        ({"data": (0x1000, False)}, "no memory that CUDA knows"),
    ):
        with pytest.raises(ValueError, match=said):
            vd.from_cuda_array(Given({**good, **change}))
    with pytest.raises(RuntimeError, match="pointer is null"):
        vd.from_cuda_array(Given({**good, "data": (0, False)}))
    with pytest.raises(ValueError, match="var_type is int32"):
        vd.from_cuda_array(Given(good), var_type=vd.int32)
    read_only = Array(address, (6,), read_only=True)
    with pytest.raises(ValueError, match="writable=True"):
        vd.from_cuda_array(read_only, writable=True)
    buffer = vd.from_cuda_array(read_only)
    with pytest.raises(ValueError, match="is read-only"):
        triple_and_add(buffer, 1.0)
    with pytest.raises(ValueError, match="read-only"):
        buffer.write(np.zeros(6, np.float32))


def test_a_buffer_as_an_array(program):
    buffer = vd.ones((2, 3))
    triple_and_add(buffer, 1.0)
    interface = buffer.__cuda_array_interface__
    assert interface["shape"] == (2, 3) and interface["typestr"] == "<f4" and interface["version"] == 3
    assert interface["data"][1] is False and interface["stream"] > 2
    assert (program.read(interface["data"][0], 6) == 4).all()  # without any order: the interface has waited
    points = vd.Buffer(2, vd.vec2)
    assert points.__cuda_array_interface__["shape"] == (2, 2)
    assert not hasattr(vd.Buffer(2, vd.complex32), "__cuda_array_interface__")


def test_two_buffers_over_one_memory_conflict(program):
    address = program.allocate(100, 1.0)
    whole, tail = vd.from_cuda_array(Array(address, (100,))), vd.from_cuda_array(Array(address + 200, (50,)))
    own = vd.ones(100)
    alias = vd.from_cuda_array(own)
    with vd.record() as graph:
        for buffer in (whole, tail, own, alias):
            triple_and_add(buffer, 1.0)
            triple_and_add(buffer, 2.0)
    graph.submit()
    first = (1 * 3 + 1) * 3 + 2
    second = (first * 3 + 1) * 3 + 2
    assert (whole.read(0)[:50] == first).all() and (tail.read(0) == second).all() and (own.read(0) == second).all()


def test_dlpack_between_two_buffers(program):
    buffer = vd.asbuffer(np.arange(6, dtype=np.float32).reshape(2, 3))
    assert buffer.__dlpack_device__() == (2, 0)
    alias = vd.from_dlpack(buffer)
    assert alias.is_external and alias.shape == (2, 3)
    alias.fill(5)
    assert (buffer.read(0) == 5).all()
    copied = vd.from_dlpack(buffer, copy=True)
    buffer.destroy()
    assert (alias.read(0) == 5).all() and (copied.read(0) == 5).all() and not copied.is_external
    for stream in (0, -2, True, "1"):
        with pytest.raises(ValueError, match="stream"):
            alias.__dlpack__(stream=stream)
    for stream in (None, -1, 1, 2, program.stream):
        assert vd.from_dlpack(alias.__dlpack__(stream=stream, max_version=(1, 0))).is_external


class Tensor:
    """A tensor of a library that makes no copies, over a buffer."""

    def __init__(self, buffer):
        self.buffer = buffer

    def __dlpack_device__(self):
        return self.buffer.__dlpack_device__()

    def __dlpack__(self, stream=None):
        return self.buffer.__dlpack__(stream=-1)


def test_a_tensor_of_another_device_goes_through_the_cpu(program):
    if len(vd.get_devices()) < 2:
        pytest.skip("one CUDA device")
    here = vd.zeros(4)
    with vd.Context(backend="cuda", device_ids=1) as other:
        theirs = vd.asbuffer(np.arange(6, dtype=np.float32).reshape(2, 3), context=other)
        assert theirs.__dlpack_device__() == (2, 1)
        for copy in (None, True):
            copied = vd.from_dlpack(theirs, copy=copy, context=here.context)
            assert copied.context is here.context and not copied.is_external
            assert (copied.read(0) == theirs.read(0)).all()
        said = "the tensor is on CUDA device 1, and context .* on CUDA device 0"
        with pytest.raises(BufferError, match=f"^from_dlpack: {said}, and copy=False forbids a copy"):
            vd.from_dlpack(theirs, copy=False, context=here.context)
        with pytest.raises(BufferError, match=f"^from_dlpack: {said}, and Tensor cannot copy it to the CPU"):
            vd.from_dlpack(Tensor(theirs), copy=True, context=here.context)
        with pytest.raises(BufferError, match=f"^from_dlpack: {said}: copy it to the CPU"):
            vd.from_dlpack(theirs.__dlpack__(stream=-1), copy=True, context=here.context)
        assert vd.from_dlpack(theirs, context=other).is_external
        with pytest.raises(ValueError, match=f"^from_cuda_array: {said.replace('tensor', 'array')}; vd.from_dlpack"):
            vd.from_cuda_array(theirs, context=here.context)
        copied = vd.asbuffer(theirs, context=here.context)
        assert not copied.is_external and (copied.read(0) == theirs.read(0)).all()


def test_a_tensor_of_kp_from_an_array(program):
    address = program.allocate(6)
    for i in range(6):
        program.set(address + 4 * i, 1, i)
    program.wait()
    with kp.Manager(backend="cuda") as manager:
        t = manager.tensor_from(Array(address, (2, 3)))
        assert t.shape == (2, 3) and t.dtype == "float32" and t.data().tolist() == [0, 1, 2, 3, 4, 5]
        program.set(address, 6, 9.0)  # the tensor is a copy
        program.wait()
        out = manager.tensor(np.zeros(6))
        manager.sequence().record(kp.OpMult([t, t, out], manager.algorithm([]))).record(kp.OpSyncLocal([out])).eval()
        assert out.data().tolist() == [0, 1, 4, 9, 16, 25]
        with pytest.raises(kp.Error, match="strides"):
            manager.tensor_from(Array(address, (2, 3), strides=(4, 8)))


# ---- Order


def among_the_programs_work(program, work, count=4):
    """The program sets x behind a gate, `work` computes with it, and the program copies the result: its first number, or all
    if another `count` is given."""
    x, result = program.allocate(count, 100.0), program.allocate(count)
    buffer = vd.from_cuda_array(Array(x, (count,)))
    triple_and_add(buffer, 0.0)  # compiled before
    vd.queue_wait_idle()
    gate = program.gate()
    program.set(x, count, 5.0)
    waits = work(buffer)
    program.copy(result, x, count)
    if waits:
        vd.queue_wait_idle()  # nothing holds it back
    gate.set()
    found = program.read(result, count)
    return found[0] if count == 4 else found


def test_launches_on_a_stream(program):
    def ordered(buffer):
        with vd.on_stream(program.stream):
            triple_and_add(buffer, 1.0)

    def unordered(buffer):
        triple_and_add(buffer, 1.0)
        return True

    assert among_the_programs_work(program, ordered) == 16
    assert among_the_programs_work(program, unordered) == 5  # the control


def test_graphs_on_a_stream(program):
    def submitting(**how):
        def work(buffer):
            graph = vd.CommandGraph()
            triple_and_add(buffer, 1.0, graph=graph)
            triple_and_add(buffer, 2.0, graph=graph)
            graph.submit(**how)
            return not how

        return work

    assert among_the_programs_work(program, submitting(stream=program.stream)) == 50
    assert among_the_programs_work(program, submitting()) == 5  # the control


def test_fills_and_copies_on_a_stream(program):
    def work(buffer):
        with vd.on_stream(program.stream):
            other = buffer.copy()
            other.fill(2.0)
            buffer.copy_from(other)

    assert among_the_programs_work(program, work) == 2


def test_fills_of_memory_at_any_address(program):
    x = program.allocate(4, 0.0)
    buffer = vd.from_cuda_array(Array(x + 1, (8,), "|u1"))
    buffer.fill(7)
    assert buffer.read(0).tolist() == [7] * 8
    assert program.read(x, 4).view(np.uint8).tolist() == [0] + [7] * 8 + [0] * 7


def test_wide_fills_and_copies_with_gaps_on_a_stream(program):
    def fill(buffer):  # more bytes than a fill of the library's repeats
        with vd.on_stream(program.stream):
            buffer.view(vd.float64).view(vd.dvec4).fill([2.0, 3.0, 4.0, 5.0])

    def scatter(buffer):
        other = vd.full(buffer.size // 2, 2.0)
        with vd.on_stream(program.stream):
            buffer[::2] = other

    assert among_the_programs_work(program, fill, 8)[:2].view(np.float64)[0] == 2
    assert (among_the_programs_work(program, scatter, 8) == [2, 5] * 4).all()


def test_reads_and_writes_within_a_stream(program):
    x = program.allocate(4, 1.0)
    buffer = vd.from_cuda_array(Array(x, (4,)))
    gate = program.gate()
    program.set(x, 4, 8.0)
    timer = threading.Timer(0.05, gate.set)
    timer.start()
    with vd.on_stream(program.stream):
        assert (buffer.read(0) == 8).all()
        buffer.write(np.full(4, 3, np.float32))
    result = program.allocate(4)
    program.copy(result, x, 4)
    assert (program.read(result, 4) == 3).all()
    timer.join()


def test_an_arrays_stream_is_waited_for(program):
    x = program.allocate(4, 1.0)

    def read(**more):
        program.set(x, 4, 1.0)
        program.wait()
        gate = program.gate()
        program.set(x, 4, 9.0)
        buffer = vd.from_cuda_array(Array(x, (4,), **more))
        triple_and_add(buffer, 0.0)
        if more:
            gate.set()
        else:
            vd.queue_wait_idle()
            gate.set()
            program.wait()
        return buffer.read(0)[0]

    assert read(stream=program.stream) == 27
    assert read() == 9  # the control: the program's value comes last


def test_a_consumers_stream_waits(program):
    result = program.allocate(1 << 16)
    buffer = vd.zeros(1 << 16)
    for _ in range(20):
        buffer.fill(0)
        for _ in range(10):
            triple_and_add(buffer, 1.0)
        capsule = buffer.__dlpack__(stream=program.stream)
        program.copy(result, vd.from_dlpack(capsule).cuda_ptr, 1 << 16)
        assert (program.read(result, 1 << 16) == (3**10 - 1) / 2).all()


def test_a_producers_stream_waits_for_nobody_else(program):
    class Producer:
        """Orders the consumer's stream, as torch does."""

        def __init__(self, buffer):
            self.buffer, self.asked = buffer, []

        def __dlpack_device__(self):
            return self.buffer.__dlpack_device__()

        def __dlpack__(self, **wanted):
            self.asked.append(wanted)
            return self.buffer.__dlpack__(**wanted)

    producer = Producer(vd.ones(4))
    alias = vd.from_dlpack(producer)
    assert alias.is_external and producer.asked[0]["stream"] > 2 and producer.asked[0]["max_version"] == (1, 0)


def test_streams_nest_and_end(program):
    buffer = vd.ones(4)
    other = program.new_stream()

    class Torchs:
        cuda_stream = program.stream

    class CuPys:
        ptr = program.stream

    class Newest:
        def __cuda_stream__(self):
            return (0, program.stream)

    with vd.on_stream(program.stream), vd.on_stream(other), vd.on_stream(0):
        triple_and_add(buffer, 1.0)
    for stream in (Torchs(), CuPys(), Newest(), 1, 2):
        with vd.on_stream(stream):
            triple_and_add(buffer, 1.0)
    value = 1
    for _ in range(6):
        value = value * 3 + 1
    assert (buffer.read(0) == value).all()
    for wrong in (None, "stream", "1", True, 1.5, object()):
        with pytest.raises(TypeError, match="must be a CUDA stream"), vd.on_stream(wrong):
            pass
    with pytest.raises(ValueError, match="is no handle"), vd.on_stream(-1):
        pass
    with vd.Context(backend="host") as host:
        x = vd.ones(4, context=host)
        with pytest.raises(RuntimeError, match="is a stream of CUDA's"), sending_to(program.stream):
            triple_and_add(x, 1.0)


def test_another_backend_has_no_streams(host):
    with pytest.raises(RuntimeError, match="CUDA backend alone, not on 'host'"), vd.on_stream(1):
        pass
    with pytest.raises(RuntimeError, match="CUDA backend alone, not on 'host'"), vd.cuda_graph_capture(1):
        pass
    graph = vd.CommandGraph()
    triple_and_add(vd.ones(3), 1.0, graph=graph)
    with pytest.raises(RuntimeError, match="streams are CUDA's"):
        graph.submit(stream=1)


# ---- Captures


def test_launches_are_captured(program):
    x = program.allocate(4, 1.0)
    buffer = vd.from_cuda_array(Array(x, (4,)))
    graph = vd.CommandGraph()
    triple_and_add(buffer, 1.0, graph=graph)
    with program.capture() as captured, vd.cuda_graph_capture(program.stream) as capture:
        assert vd.get_cuda_capture() is capture and capture.cuda_stream == program.stream
        graph.submit()
        triple_and_add(buffer, 2.0)  # the first eager launch of the kernel: prepared in the middle of the capture
        other = vd.zeros(4)  # steps out
        other.write(np.full(4, 6, np.float32))
        assert (other.read(0) == 6).all()
    assert vd.get_cuda_capture() is None
    assert (program.read(x, 4) == 1).all()  # captured and not run
    expected = 1
    for value in (None, 7.0):
        if value is not None:  # with changed memory
            program.set(x, 4, value)
            expected = value
        captured["launch"]()
        expected = (expected * 3 + 1) * 3 + 2
        assert (program.read(x, 4) == expected).all()


def test_a_kernel_is_built_within_a_capture(program):
    @vd.shader("x.size")
    def unseen(x: Buff[f32]):
        x[vc.global_invocation_id().x] += 100

    buffer = vd.zeros(4)
    with program.capture() as captured, vd.cuda_graph_capture(program.stream):
        unseen(buffer)
    assert captured["status"] == 0
    captured["launch"]()
    program.wait()
    assert (buffer.read(0) == 100).all()


def test_fills_and_copies_are_captured(program):
    x, wide, gaps = vd.ones(4), vd.ones(4, vd.dvec4), vd.ones(8)
    source = vd.full(4, 6.0)
    with program.capture() as captured, vd.cuda_graph_capture(program.stream) as capture:
        x.fill(2.0)
        wide.fill([3.0, 4.0, 5.0, 6.0])
        gaps[::2] = source
        gaps[1::4].fill(7.0)
    assert captured["status"] == 0 and capture.cuda_stream == program.stream  # which keeps the wide element
    assert (x.read(0) == 1).all() and (wide.read(0) == 1).all() and (gaps.read(0) == 1).all()  # captured and not run
    captured["launch"]()
    program.wait()
    assert (x.read(0) == 2).all() and (wide.read(0) == [3, 4, 5, 6]).all()
    assert gaps.read(0).tolist() == [6, 7, 6, 1, 6, 7, 6, 1]


def test_captures_nest(program):
    with vd.cuda_graph_capture(program.stream) as outer:
        with vd.cuda_graph_capture(2) as inner:
            assert vd.get_cuda_capture() is inner
        assert vd.get_cuda_capture() is outer
    with pytest.raises(RuntimeError, match="must be a CUDA stream"), vd.cuda_graph_capture("stream"):
        pass


def test_a_capture_that_was_aborted(program):
    buffer = vd.ones(4)
    triple_and_add(buffer, 1.0)
    vd.queue_wait_idle()
    with program.capture() as captured, vd.cuda_graph_capture(program.stream):
        triple_and_add(buffer, 1.0)
        assert program.cuda.cuStreamSynchronize(ctypes.c_void_p(program.stream)) != 0  # the program's mistake
        with pytest.raises(RuntimeError, match="was aborted by an earlier error"):
            triple_and_add(buffer, 1.0)
    assert captured["status"] != 0 and "launch" not in captured
    triple_and_add(buffer, 1.0)
    assert (buffer.read(0) == 13).all()


def test_a_capture_refuses_what_it_cannot_order(program):
    buffer = vd.ones(4)
    with program.capture(), vd.on_stream(program.stream), pytest.raises(RuntimeError, match="is capturing"):
        buffer.read(0)  # cuda_graph_capture() steps out; on_stream() would have to wait for the stream


def test_a_variable_of_a_captured_graph(program):
    @vd.shader("x.size")
    def add(x: Buff[f32], n: Var[f32]):
        x[vc.global_invocation_id().x] += n

    buffer = vd.zeros(4)
    graph = vd.CommandGraph()
    add(buffer, graph.bind_var("n"), graph=graph)
    graph.set_var("n", 2.0)
    with program.capture() as captured, vd.cuda_graph_capture(program.stream):
        graph.submit()
    graph.set_var("n", 50.0)  # the captured launch has its value
    captured["launch"]()
    captured["launch"]()
    program.wait()
    assert (buffer.read(0) == 4).all()


def test_a_context_of_the_programs(on_backend):
    with on_backend("cuda"):
        pass  # or this is skipped
    with vd.Context(backend="cuda") as owner:
        handle = _native.raw.vd_context_get_native(owner._pointer, 0, "CUcontext")
        with vd.Context(backend="cuda", cuda_context=handle) as context:
            assert _native.raw.vd_context_get_native(context._pointer, 0, "CUcontext") == handle
            x = vd.asbuffer(np.arange(64, dtype=np.float32))
            x.fill(3)
            assert (x.read(0) == 3).all()
        with owner.active():  # CUDA's context lives
            assert (vd.asbuffer(np.ones(4, np.float32)).read(0) == 1).all()
        with pytest.raises(ValueError, match="cuda_context alone"):
            vd.Context(backend="cuda", cuda_context=handle, device=5)
