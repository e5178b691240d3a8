"""torch and CuPy on a real GPU: one memory, one order. Each order has a control that goes wrong without it."""

import ctypes
import threading

import numpy as np
import pytest
import vkdispatch as vd
import vkdispatch.codegen as vc
from vkdispatch import kp
from vkdispatch.codegen.abbreviations import Buff, Const, f32


@vd.shader("x.size")
def triple_and_add(x: Buff[f32], n: Const[f32]):
    i = vc.global_invocation_id().x
    x[i] = x[i] * 3 + n


@vd.shader("out.size")
def biased(out: Buff[f32], x: Buff[f32], bias: Buff[f32]):
    i = vc.global_invocation_id().x
    out[i] = x[i] * 2 + bias[i]


# Kernels of some milliseconds: what is not waited for is not done yet.
COUNT = 1 << 26


@pytest.fixture
def torch(on_backend):
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("torch has no GPU")
    with on_backend("cuda"):
        yield torch
        torch.cuda.synchronize()


@pytest.fixture
def cupy(on_backend):
    cupy = pytest.importorskip("cupy")
    try:
        cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        pytest.skip(str(error))
    with on_backend("cuda"):
        yield cupy
        cupy.cuda.runtime.deviceSynchronize()


class Gate:
    """Holds up the work that a stream of CUDA is given later, until it is opened."""

    def __init__(self, stream):
        self._cuda = ctypes.CDLL("libcuda.so.1")
        word = ctypes.c_void_p()
        self._check(self._cuda.cuMemAllocHost_v2(ctypes.byref(word), ctypes.c_size_t(4)))
        self._address = word
        self._word = ctypes.c_uint32.from_address(word.value)
        self._word.value = 0
        at_least = ctypes.c_uint(0)
        self._check(self._cuda.cuStreamWaitValue32_v2(ctypes.c_void_p(stream), word, ctypes.c_uint32(1), at_least))
        self._given_up = threading.Timer(60, self._let_through)  # a call that waits for the stream ends, too
        self._given_up.start()

    def _check(self, result):
        assert result == 0, f"the driver returned {result}"

    def _let_through(self):
        self._word.value = 1

    def open(self):
        assert self._word.value == 0, "a call waited for the stream"
        self._let_through()

    def close(self):
        """Free it once the stream is through."""
        self._given_up.cancel()
        self._let_through()
        self._check(self._cuda.cuCtxSynchronize())
        self._check(self._cuda.cuMemFreeHost(self._address))


@pytest.fixture
def gate():
    """Makes gates: gate(stream)."""
    gates = []

    def make(stream):
        gates.append(Gate(stream))
        return gates[-1]

    yield make
    for each in gates:
        each.close()


# ---- torch


def test_torch_both_ways(torch):
    tensor = torch.arange(6, dtype=torch.float32, device="cuda").reshape(2, 3)
    for alias in (vd.from_dlpack(tensor), vd.from_cuda_array(tensor), vd.asbuffer(tensor)):
        assert alias.is_external and alias.shape == (2, 3) and alias.cuda_ptr == tensor.data_ptr()
        assert (alias.read(0) == tensor.cpu().numpy()).all()
    buffer = vd.asbuffer(np.arange(6, dtype=np.float32))
    for tensor in (torch.from_dlpack(buffer), torch.as_tensor(buffer, device="cuda")):
        assert tensor.device.type == "cuda" and tensor.tolist() == [0, 1, 2, 3, 4, 5]
    kept = torch.from_dlpack(buffer)
    buffer.destroy()
    assert kept.sum().item() == 15


def check_tensor_of_kp(source):
    """A tensor of kp's is a copy of six numbers, and kernels compute with it."""
    with kp.Manager(backend="cuda") as manager:
        t, out = manager.tensor_from(source), manager.tensor(np.zeros(6))
        assert t.shape == (2, 3) and t.dtype == "float32" and t.data().tolist() == [0, 1, 2, 3, 4, 5]
        manager.sequence().record(kp.OpMult([t, t, out], manager.algorithm([]))).record(kp.OpSyncLocal([out])).eval()
        assert out.data().tolist() == [0, 1, 4, 9, 16, 25]


def test_a_tensor_of_kp_from_torch(torch):
    check_tensor_of_kp(torch.arange(6, dtype=torch.float32, device="cuda").reshape(2, 3))


@pytest.mark.parametrize(
    "name", ["float16", "float64", "int8", "uint8", "int16", "int32", "int64", "complex64", "complex128", "bool"]
)
def test_torchs_dtypes(torch, name):
    tensor = torch.ones(4, dtype=getattr(torch, name), device="cuda")
    buffer = vd.from_dlpack(tensor)
    assert buffer.dtype.name.rstrip("_") == name and torch.equal(torch.from_dlpack(buffer), tensor)


def test_torchs_strides_and_views(torch):
    tensor = torch.arange(12, dtype=torch.float32, device="cuda").reshape(3, 4)
    with pytest.raises(BufferError, match="strides"):
        vd.from_dlpack(tensor.T, copy=False)
    with pytest.raises(BufferError, match="contiguous"):
        vd.from_dlpack(tensor.T)
    assert (vd.from_dlpack(tensor[:, 1:3]).read(0) == tensor[:, 1:3].cpu().numpy()).all()
    view = vd.from_dlpack(tensor[1:])
    triple_and_add(view, 1.0)
    assert view.is_external and view.read(0)[0, 0] == 13 and tensor[1, 0].item() == 13
    copied = vd.from_dlpack(tensor, copy=True)
    tensor.zero_()
    assert copied.read(0)[0, 1] == 1


@pytest.mark.parametrize("ordered", [True, False])
def test_torchs_work_comes_first(torch, gate, ordered):
    tensor = torch.empty(COUNT, device="cuda").fill_(0.0)
    triple_and_add(vd.from_dlpack(tensor), 0.0)  # each kernel is loaded before the gate is closed
    vd.queue_wait_idle()
    stream = torch.cuda.Stream()
    torch.cuda.synchronize()
    with torch.cuda.stream(stream):
        closed = gate(stream.cuda_stream)
        tensor.fill_(5.0)
        buffer = vd.from_dlpack(tensor) if ordered else vd.from_cuda_array(Unordered(tensor))
    triple_and_add(buffer, 1.0)
    if not ordered:  # the control: ours is done before theirs
        vd.queue_wait_idle()
    closed.open()
    stream.synchronize()
    assert (buffer.read(0) == (16 if ordered else 5)).all()


class Unordered:
    """An array whose interface says nothing of a stream."""

    def __init__(self, tensor):
        self.tensor = tensor
        self.__cuda_array_interface__ = {**tensor.__cuda_array_interface__, "stream": None}


@pytest.mark.parametrize("ordered", [True, False])
def test_eager_launches_on_torchs_stream(torch, gate, ordered):
    tensor = torch.empty(COUNT, device="cuda").fill_(0.0)
    buffer = vd.from_dlpack(tensor)
    triple_and_add(buffer, 0.0)
    vd.queue_wait_idle()
    stream = torch.cuda.Stream()
    torch.cuda.synchronize()
    with torch.cuda.stream(stream):
        closed = gate(stream.cuda_stream)
        tensor.fill_(5.0)
        if ordered:
            with vd.on_stream(stream):
                triple_and_add(buffer, 1.0)
        else:
            triple_and_add(buffer, 1.0)
            vd.queue_wait_idle()
        closed.open()
        result = tensor * 2
    stream.synchronize()
    assert (result == (32 if ordered else 10)).all()


@pytest.mark.parametrize("ordered", [True, False])
def test_a_graph_on_torchs_stream(torch, gate, ordered):
    tensor = torch.empty(COUNT, device="cuda").fill_(0.0)
    buffer = vd.from_dlpack(tensor)
    graph = vd.CommandGraph()
    for _ in range(4):
        triple_and_add(buffer, 1.0, graph=graph)
    for _ in range(3):
        graph.submit()  # the second prepares it
    vd.queue_wait_idle()
    stream = torch.cuda.Stream()
    torch.cuda.synchronize()
    with torch.cuda.stream(stream):
        closed = gate(stream.cuda_stream)
        tensor.fill_(0.0)
        graph.submit(stream=stream if ordered else None)
        if not ordered:
            vd.queue_wait_idle()
        closed.open()
        result = tensor.clone()
    stream.synchronize()
    assert (result == (40 if ordered else 0)).all()


def test_torch_reads_what_we_wrote(torch):
    buffer = vd.zeros(COUNT)
    stream = torch.cuda.Stream()
    for _ in range(3):
        buffer.fill(0)
        for _ in range(8):
            triple_and_add(buffer, 1.0)
        with torch.cuda.stream(stream):
            assert torch.from_dlpack(buffer).max().item() == (3**8 - 1) / 2


def test_torch_captures_our_launches(torch):
    x = torch.arange(1024, dtype=torch.float32, device="cuda")
    bias = torch.ones(1024, device="cuda")
    out = torch.empty_like(x)
    buffers = [vd.from_cuda_array(tensor) for tensor in (out, x, bias)]
    graph = vd.CommandGraph()
    biased(out=buffers[0], x=buffers[1], bias=buffers[2], graph=graph)
    captured = torch.cuda.CUDAGraph()
    with torch.cuda.graph(captured), vd.cuda_graph_capture(torch.cuda.current_stream()) as capture:
        y = x + 1
        graph.submit()
        biased(*buffers)  # an eager launch, too
        z = out * y
    for i in range(3):
        x.fill_(float(i))
        captured.replay()
        torch.cuda.synchronize()
        assert (out == 2 * i + 1).all() and (z == (2 * i + 1) * (i + 1)).all()
    del capture


def test_other_threads_do_not_end_a_capture(torch):
    x = torch.zeros(1024, device="cuda")
    buffer = vd.from_dlpack(x)
    stop = threading.Event()
    failures = []

    def work():
        try:
            while not stop.is_set():
                mine = vd.zeros(1 << 16)
                triple_and_add(mine, 1.0)
                mine.read(0)
                mine.destroy()
        except Exception as error:
            failures.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        for _ in range(10):
            captured = torch.cuda.CUDAGraph()
            with torch.cuda.graph(captured), vd.cuda_graph_capture(torch.cuda.current_stream()):
                triple_and_add(buffer, 1.0)
            captured.replay()
    finally:
        stop.set()
        thread.join()
    torch.cuda.synchronize()
    value = 0
    for _ in range(10):
        value = value * 3 + 1
    assert not failures and (x == value).all()


def test_a_tensor_of_the_cpu(torch):
    tensor = torch.ones(4)
    assert not vd.from_dlpack(tensor).is_external  # copied
    with pytest.raises(BufferError, match="memory of CPU"):
        vd.from_dlpack(tensor, copy=False)
    with vd.Context(backend="host") as cpu:
        alias = vd.from_dlpack(tensor, context=cpu)
        triple_and_add(alias, 1.0)
        vd.queue_wait_idle(context=cpu)
        assert tensor.tolist() == [4, 4, 4, 4]
    pinned = torch.ones(1 << 20).pin_memory()
    alias = vd.Buffer(1 << 20, vd.float32, pinned.numpy())  # host memory in place, over the bus
    triple_and_add(alias, 1.0)
    vd.queue_wait_idle()
    assert (pinned == 4).all()


def test_vulkan_takes_a_copy_of_torchs(torch):
    try:
        other = vd.Context(backend="vulkan")
    except vd.BackendUnavailableError as error:
        pytest.skip(str(error))
    with other:
        buffer = vd.from_dlpack(torch.ones(4, device="cuda"), context=other)
        triple_and_add(buffer, 1.0)
        assert not buffer.is_external and torch.from_dlpack(buffer).tolist() == [4, 4, 4, 4]


# ---- CuPy


def test_cupy_both_ways(cupy):
    array = cupy.arange(6, dtype=cupy.float32).reshape(2, 3)
    for alias in (vd.from_dlpack(array), vd.from_cuda_array(array)):
        assert alias.is_external and alias.cuda_ptr == array.data.ptr
    triple_and_add(alias, 1.0)
    assert (alias.read(0) == array.get()).all() and array.get()[0, 1] == 4
    buffer = vd.asbuffer(np.arange(6, dtype=np.float32))
    for theirs in (cupy.from_dlpack(buffer), cupy.asarray(buffer)):
        assert theirs.get().tolist() == [0, 1, 2, 3, 4, 5]
    with pytest.raises(ValueError, match="strides"):
        vd.from_cuda_array(array.T)
    with pytest.raises(ValueError, match="past the last address|rising order"):  # a stride of -3 is CuPy's 2**62 - 3
        vd.from_dlpack(array[::-1])


@pytest.mark.parametrize("ordered", [True, False])
def test_eager_launches_on_cupys_stream(cupy, gate, ordered):
    array = cupy.empty(COUNT, cupy.float32)
    array.fill(5)  # each kernel is loaded before the gate is closed; of zeros there is none
    array.copy()
    buffer = vd.from_cuda_array(array)
    triple_and_add(buffer, 0.0)
    vd.queue_wait_idle()
    stream = cupy.cuda.Stream(non_blocking=True)
    cupy.cuda.runtime.deviceSynchronize()
    with stream:
        closed = gate(stream.ptr)
        array.fill(5)
        if ordered:
            with vd.on_stream(stream):
                triple_and_add(buffer, 1.0)
        else:
            triple_and_add(buffer, 1.0)
            vd.queue_wait_idle()
        closed.open()
        result = array.copy()
    stream.synchronize()
    assert (result.get() == (16 if ordered else 5)).all()


def test_a_tensor_of_kp_from_cupy(cupy):
    check_tensor_of_kp(cupy.arange(6, dtype=cupy.float32).reshape(2, 3))


def test_cupys_stream_is_waited_for(cupy):
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        array = cupy.zeros(COUNT, cupy.float32)
        array.fill(5)
        buffer = vd.from_cuda_array(array)  # by the interface's stream
    triple_and_add(buffer, 1.0)
    assert (buffer.read(0)[-100:] == 16).all()
