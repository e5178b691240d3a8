"""DLPack and the buffer protocol between buffers and NumPy: aliases, copies, lifetimes and what is refused."""

import array
import ctypes
import gc
import subprocess
import sys
import threading
import time
import weakref

import numpy as np
import pytest
import vkdispatch as vd
import vkdispatch.codegen as vc
from vkdispatch._native import _errors
from vkdispatch._native._extension import EXTENSION
from vkdispatch.codegen.abbreviations import Buff, Const, f32


@vd.shader("x.size")
def add_to(x: Buff[f32], n: Const[f32]):
    x[vc.global_invocation_id().x] += n


class Tensor:
    """A producer whose answers tests choose, over NumPy's."""

    def __init__(self, array, device=(1, 0)):
        self.array, self.device, self.asked = array, device, []

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **wanted):
        self.asked.append(wanted)
        return self.array.__dlpack__()


def until(condition):
    end = time.monotonic() + 10
    while not condition() and time.monotonic() < end:
        gc.collect()
        time.sleep(0.001)
    return condition()


DTYPES = [
    "float16",
    "float32",
    "float64",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "complex64",
    "complex128",
]


@pytest.mark.parametrize("name", DTYPES)
def test_every_dtype_both_ways(host, name):
    given = np.arange(6).reshape(2, 3).astype(name)
    buffer = vd.from_dlpack(given)
    assert buffer.dtype.name == name and buffer.shape == (2, 3) and buffer.is_external and not buffer.owns_memory
    assert (buffer.read(0) == given).all()
    back = np.from_dlpack(vd.asbuffer(given))
    assert back.dtype == given.dtype and (back == given).all()


def test_truth_vectors_and_matrices(host):
    assert vd.from_dlpack(np.array([True, False])).dtype is vd.bool_
    assert np.from_dlpack(vd.asbuffer(np.array([True, False]))).dtype == np.bool_
    points = vd.Buffer(2, vd.vec3)
    points.write(np.arange(6, dtype=np.float32))
    assert np.from_dlpack(points).tolist() == [[0, 1, 2], [3, 4, 5]]
    matrices = vd.Buffer(2, vd.mat2)
    matrices.write(np.arange(8, dtype=np.float32))
    assert np.from_dlpack(matrices).shape == (2, 2, 2)


def test_both_are_one_memory(host):
    given = np.zeros((2, 3), np.float32)
    buffer = vd.from_dlpack(given)
    add_to(buffer, 2.0)
    vd.queue_wait_idle()
    assert (given == 2).all()
    alias = np.from_dlpack(buffer)
    add_to(buffer, 1.0)
    vd.queue_wait_idle()
    assert (alias == 3).all() and (given == 3).all()
    given[0, 0] = 9
    assert buffer.read(0)[0, 0] == 9


@vd.shader("x.size")
def count_up(x: Buff[f32], turns: Const[f32]):
    n = vc.new_float_register(0.0)
    with vc.while_block(n < turns):
        n += 1.0
    x[vc.global_invocation_id().x] = n


def test_a_consumer_of_any_thread_sees_earlier_work(host):
    x, turns, seen = vd.zeros(64), float(1 << 22), []
    count_up(x, 1.0)
    x.read(0)
    count_up(x, turns)
    thread = threading.Thread(target=lambda: seen.append(np.from_dlpack(x).copy()))
    thread.start()
    thread.join()
    assert (seen[0] == turns).all()


def test_two_buffers_over_one_memory_conflict(host):
    given = np.zeros(1 << 16, np.float32)
    whole, tail = vd.from_dlpack(given), vd.from_dlpack(given[100:])
    for _ in range(50):
        add_to(whole, 1.0)
        add_to(tail, 1.0)
    assert (whole.read(0)[:100] == 50).all() and (tail.read(0) == 100).all()


def test_copy_says_whether_it_is_an_alias(host):
    given = np.arange(4, dtype=np.float32)
    assert vd.from_dlpack(given, copy=False).is_external
    copied = vd.from_dlpack(given, copy=True)
    given[0] = 7
    assert not copied.is_external and list(copied.read(0)) == [0, 1, 2, 3]
    buffer = vd.asbuffer(given)
    tensor = np.from_dlpack(buffer)
    other = np.from_dlpack(Tensor(np.asarray(buffer)))
    buffer.fill(1)
    vd.queue_wait_idle()
    assert list(tensor) == [1, 1, 1, 1] and other[0] == 7
    capsule = buffer.__dlpack__(copy=True, max_version=(1, 0))
    buffer.fill(2)
    assert list(vd.from_dlpack(capsule).read(0)) == [1, 1, 1, 1]
    with pytest.raises(TypeError, match="copy"):
        vd.from_dlpack(given, copy=1)


def test_gaps_are_copied_or_refused(host):
    given = np.arange(12, dtype=np.float32).reshape(3, 4)
    for strided in (given.T, given[:, 1:3], given[::2], np.broadcast_to(given[0], (3, 4))):
        with pytest.raises(BufferError, match=r"strides.*copy=False forbids|.*readonly|.*"):
            vd.from_dlpack(strided, copy=False)
    for strided in (given.T, given[:, 1:3], given[::2]):
        copied = vd.from_dlpack(strided)
        assert not copied.is_external and (copied.read(0) == strided).all()
    with pytest.raises(ValueError, match=r"strides \(-1,\).*rising order"):
        vd.from_dlpack(np.arange(5)[::-1])
    assert vd.from_dlpack(given[:1, :2].T[:, :1]).is_external  # an axis of one element has no gap


def test_read_only(host):
    given = np.zeros(4, np.float32)
    given.flags.writeable = False
    try:
        buffer = vd.from_dlpack(given)
    except BufferError:
        pytest.skip("this NumPy exports no read-only arrays")
    assert not buffer.is_writable
    with pytest.raises(ValueError, match="^Buffer.write: the buffer '.*' is read-only, like the memory"):
        buffer.write(np.ones(4, np.float32))
    with pytest.raises(ValueError, match="^Buffer.fill: the buffer '.*' is read-only"):
        buffer.fill(1)
    graph = vd.CommandGraph()
    with pytest.raises(ValueError, match="the buffer '.*' is read-only"):
        graph.fill(buffer, 1)
    with pytest.raises(ValueError, match="is written, and buffer .* is read-only"):
        add_to(buffer, 1.0)
    with pytest.raises(BufferError, match="read-only"):
        buffer.__dlpack__()
    assert not np.from_dlpack(buffer).flags.writeable
    assert not given.any()


def test_the_producer_lives_as_long_as_the_alias(host):
    class Owned(np.ndarray):
        pass

    given = np.zeros(1 << 14, np.float32).view(Owned)
    alive = weakref.ref(given)
    buffer = vd.from_dlpack(given)
    del given
    gc.collect()
    assert alive() is not None
    for _ in range(20):
        add_to(buffer, 1.0)
    del buffer  # with work in flight
    assert until(lambda: alive() is None)


def test_a_freed_import_is_an_error(host):
    buffer = vd.from_dlpack(np.zeros(4, np.float32))
    buffer.destroy()
    with pytest.raises(RuntimeError, match="was destroyed"):
        buffer.read(0)
    with pytest.raises(RuntimeError, match="was destroyed"):
        buffer.__dlpack__()
    with pytest.raises(RuntimeError, match="was destroyed"):
        add_to(buffer, 1.0)


def test_a_tensor_outlives_its_buffer(host):
    buffer = vd.asbuffer(np.arange(4, dtype=np.float32))
    tensor = np.from_dlpack(buffer)
    buffer.destroy()
    del buffer
    gc.collect()
    tensor += 1
    assert list(tensor) == [1, 2, 3, 4]
    thread = threading.Thread(target=lambda kept: None, args=(tensor,))
    del tensor
    thread.start()
    thread.join()  # which may be the last to hold it


def test_capsules_are_used_once(host):
    used = vd.ones(2).__dlpack__()
    assert list(vd.from_dlpack(used).read(0)) == [1, 1]
    with pytest.raises(TypeError, match="used before"):
        vd.from_dlpack(used)
    for wrong in (None, 3, object(), "capsule"):
        with pytest.raises(TypeError, match="no capsule of DLPack"):
            vd.from_dlpack(wrong)
    del used
    unused = vd.ones(2).__dlpack__(max_version=(1, 1))
    assert "dltensor_versioned" in repr(unused)
    before = vd.get_context().memory_in_use()
    del unused
    assert until(lambda: vd.get_context().memory_in_use() < before)


def test_a_deleter_is_called_once(host):
    calls = []
    deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(calls.append)
    data = (ctypes.c_float * 4)(1, 2, 3, 4)
    shape = (ctypes.c_int64 * 1)(4)
    block = (ctypes.c_uint64 * 8)()  # a DLManagedTensor
    block[0] = ctypes.addressof(data)
    block[1] = 1  # the CPU
    block[2] = 1 | (2 | 32 << 8 | 1 << 16) << 32  # one axis; float, 32 bits, one lane
    block[3] = ctypes.addressof(shape)
    block[7] = ctypes.cast(deleter, ctypes.c_void_p).value
    new = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(
        ("PyCapsule_New", ctypes.pythonapi)
    )
    buffer = vd.from_dlpack(new(ctypes.addressof(block), b"dltensor", None))
    assert list(buffer.read(0)) == [1, 2, 3, 4] and not calls
    buffer.destroy()
    assert until(lambda: calls == [ctypes.addressof(block)])
    vd.from_dlpack(new(ctypes.addressof(block), b"dltensor", None), copy=True).destroy()
    assert until(lambda: len(calls) == 2)
    block[2] = 1 | (4 | 16 << 8 | 1 << 16) << 32  # bfloat16
    with pytest.raises(BufferError, match="type code 4, 16 bits"):
        vd.from_dlpack(new(ctypes.addressof(block), b"dltensor", None))
    assert len(calls) == 2  # its capsule has it still


WRONG_TENSORS = {
    "ndim_negative": ({"ndim": -1}, ValueError, r"ndim \(-1\) is outside 0 to 8"),
    "ndim_large": ({"ndim": 1 << 30, "shape": None}, ValueError, r"ndim \(1073741824\) is outside 0 to 8"),
    "no_shape": ({"shape": None}, ValueError, "has 1 dimensions, and its shape is null"),
    "strides": ({"stride": 1 << 62}, ValueError, r"ends past the last address \(shape \(4,\), strides \(4611"),
    "offset": ({"offset": (1 << 64) - 1}, ValueError, "byte_offset 18446744073709551615"),
    "cuda": ({"device": 2}, BufferError, r"is in memory of CUDA, which context \d+ \(host.*\) does not reach"),
    "unknown": ({"device": 99}, BufferError, "is in memory of 99"),
}


@pytest.mark.parametrize("name", WRONG_TENSORS)
def test_tensors_that_cannot_be_are_refused(host, name):
    given, error, message = WRONG_TENSORS[name]
    data, shape = (ctypes.c_float * 4)(1, 2, 3, 4), (ctypes.c_int64 * 1)(4)
    stride = (ctypes.c_int64 * 1)(given.get("stride", 1))
    block = (ctypes.c_uint64 * 9)()  # a DLManagedTensor
    block[0] = ctypes.addressof(data)
    block[1] = given.get("device", 1)
    block[2] = given.get("ndim", 1) & 0xFFFFFFFF | 2 << 32 | 32 << 40 | 1 << 48
    block[3] = ctypes.addressof(shape) if given.get("shape", 4) else 0
    block[4] = ctypes.addressof(stride)
    block[5] = given.get("offset", 0)
    new = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(
        ("PyCapsule_New", ctypes.pythonapi)
    )
    with pytest.raises(error, match=message):
        vd.from_dlpack(new(ctypes.addressof(block), b"dltensor", None))


def test_devices_that_are_not_reached(host):
    elsewhere = Tensor(np.zeros(4, np.float32), (2, 0))
    with pytest.raises(BufferError, match="memory of CUDA.*copy=False forbids"):
        vd.from_dlpack(elsewhere, copy=False)
    assert not elsewhere.asked
    copied = vd.from_dlpack(elsewhere)  # by the producer
    assert elsewhere.asked[0] == {"max_version": (1, 0), "dl_device": (1, 0), "copy": True} and copied.shape == (4,)
    buffer = vd.zeros(4)
    with pytest.raises(BufferError, match=r"dl_device \(2, 0\)"):
        buffer.__dlpack__(dl_device=(2, 0))
    with pytest.raises(ValueError, match="stream .* must be None on the CPU"):
        buffer.__dlpack__(stream=1)


def test_an_object_that_offers_dlpack_alone_is_an_array(device):
    given = np.arange(6, dtype=np.float32).reshape(2, 3)
    tensor = Tensor(given)
    buffer = vd.asbuffer(tensor, label="numbers")
    assert (buffer.read(0) == given).all() and buffer.label == "numbers" and not buffer.is_external
    assert vd.asbuffer(tensor, vd.vec3).shape == (2,)
    buffer.fill(0)
    assert given[1, 2] == 5  # a copy
    buffer.write(tensor)
    assert (buffer.read(0) == given).all()
    buffer.write_async(Tensor(given.T)).result()  # gaps between its elements
    assert (buffer.read(0).ravel() == given.T.ravel()).all()
    buffer[1:].write(Tensor(np.full(3, 7, np.float32)))
    buffer[:, 0] = Tensor(np.float32([8, 9]))
    assert buffer.read(0)[:, 0].tolist() == [8, 9] and buffer.read(0)[1, 2] == 7
    elsewhere = Tensor(given, (7, 0))
    buffer.write(elsewhere)
    assert elsewhere.asked == [{"max_version": (1, 0), "dl_device": (1, 0), "copy": True}]
    with pytest.raises(ValueError, match=r"array of float32, shape \(2, 2\) has 16 bytes, the buffer"):
        buffer.write(Tensor(np.zeros((2, 2), np.float32)))
    with pytest.warns(
        UserWarning, match=r"Buffer\.write: an array of int32 goes into a buffer of float32 byte by byte"
    ):
        buffer.write(Tensor(np.zeros(6, np.int32)))
    with pytest.raises(ValueError, match=r"^Buffer\.write: the tensor has the strides \(-3, 1\)"):
        buffer.write(Tensor(given[::-1]))


def test_a_tensor_is_held_as_long_as_its_array(host):
    class Owner(np.ndarray):
        pass

    given = np.arange(3, dtype=np.float32).view(Owner)
    gone = weakref.ref(given)
    buffer = vd.zeros(3)
    buffer.write(Tensor(given))
    assert list(buffer.read(0)) == [0, 1, 2]
    del given
    assert until(lambda: gone() is None)


def test_other_backends_copy(device):
    given = np.arange(6, dtype=np.float32).reshape(2, 3)
    buffer = vd.from_dlpack(given)
    assert buffer.is_external == (device == "host") and (buffer.read(0) == given).all()
    if device == "host":
        return
    with pytest.raises(BufferError, match="memory of CPU.*copy=False forbids"):
        vd.from_dlpack(given, copy=False)
    capsule = buffer.__dlpack__(dl_device=(1, 0))
    with vd.Context(backend="host") as here:
        assert (vd.from_dlpack(capsule, context=here).read(0) == given).all()
    if device != "cuda":
        assert buffer.__dlpack_device__() == (1, 0) and (np.from_dlpack(buffer) == given).all()
        with pytest.raises(BufferError, match="copy=False forbids"):
            buffer.__dlpack__(copy=False)
        _check_import_of_the_cpus_memory()
        with pytest.raises(AttributeError, match="is CUDA's"):
            _ = buffer.__cuda_array_interface__


def _check_import_of_the_cpus_memory():
    owner = np.arange(1000, dtype=np.float32)
    if vd.get_context().device_infos[0].host_import_alignment == 0:
        with pytest.raises(vd.UnsupportedError, match="imports no memory"):
            vd.Buffer(1000, vd.float32, owner)
        return
    buffer = vd.Buffer(900, vd.float32, owner[50:950])
    buffer.fill(3)
    vd.queue_wait_idle()
    assert (owner[50:950] == 3).all() and (owner[:50] == np.arange(50)).all() and owner[950] == 950
    owner[60] = 7
    assert buffer.read(0)[10] == 7


def test_no_elements(host):
    with pytest.raises(ValueError, match="zero elements"):
        vd.from_dlpack(np.zeros((0, 3), np.float32))


# ---- The buffer protocol


def test_memory_of_the_buffer_protocol(host):
    for owner in (bytearray(16), array.array("f", [0] * 4), np.zeros(4, np.float32), memoryview(bytearray(16))):
        buffer = vd.Buffer(4, vd.float32, owner)
        assert buffer.is_external and buffer.is_writable
        add_to(buffer, 3.0)
        vd.queue_wait_idle()
        assert list(np.frombuffer(owner, np.float32)) == [3, 3, 3, 3]
    read_only = vd.Buffer(4, vd.float32, bytes(16))
    assert not read_only.is_writable and not read_only.read(0).any()
    part = bytearray(32)
    vd.Buffer(2, vd.float32, memoryview(part)[8:16]).fill(1)
    vd.queue_wait_idle()
    assert np.frombuffer(part, np.float32).tolist() == [0, 0, 1, 1, 0, 0, 0, 0]


def test_an_owner_is_held_and_not_resized(host):
    owner = bytearray(16)
    buffer = vd.Buffer(4, vd.float32, owner)
    with pytest.raises(BufferError):
        owner.extend(b"more")
    buffer.destroy()

    def resizes():
        try:
            owner.append(0)
        except BufferError:
            return False
        return True

    assert until(resizes)


def test_what_is_no_memory(host):
    with pytest.raises(ValueError, match="external_buffer has 8 bytes, and shape .* takes 16"):
        vd.Buffer(4, vd.float32, bytearray(8))
    with pytest.raises(ValueError, match="external_buffer has 0 bytes, and shape .* takes 16"):
        vd.Buffer(4, vd.float32, bytearray(0))
    with pytest.raises(ValueError, match="external_buffer has Python objects as elements"):
        vd.Buffer(4, vd.float32, np.array([None] * 8))
    assert vd.Buffer(4, vd.float32, np.zeros(4, [("Objects", np.float32)])).is_external
    with pytest.raises(ValueError, match="not contiguous"):
        vd.Buffer(2, vd.float32, np.zeros((4, 2), np.float32)[:, 0])
    for wrong in (3, "text", object()):
        with pytest.raises(TypeError, match="external_buffer"):
            vd.Buffer(4, vd.float32, wrong)
    with pytest.raises(ValueError, match="not a multiple of 4"):
        add_to(vd.Buffer(2, vd.float32, memoryview(bytearray(16))[2:10]), 1.0)


# ---- The end of the process


# With the extension alone: without it a call of the library's may still meet the interpreter's end (docs/status.md).
@pytest.mark.skipif(not EXTENSION, reason="the extension is not built")
def test_the_end_of_the_process():
    text = """
import numpy as np, vkdispatch as vd
vd.initialize(backend="host")
class Owned(np.ndarray): pass
kept = [vd.from_dlpack(np.zeros(1000, np.float32).view(Owned)) for _ in range(10)]
tensors = [np.from_dlpack(vd.ones(1000)) for _ in range(10)]
capsules = [vd.ones(10).__dlpack__(max_version=(1, 0)) for _ in range(10)]
other = vd.Context(backend="host")
more = [vd.from_dlpack(np.zeros(1000, np.float32), context=other) for _ in range(10)]
again = np.from_dlpack(vd.from_dlpack(np.zeros(1000, np.float32)))  # outlives its context
for buffer in kept + more:
    buffer.fill(1)
print("end")
"""
    done = subprocess.run([sys.executable, "-c", text], check=False, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and done.stdout == "end\n" and not done.stderr, done.stderr


def test_an_import_that_fails_gives_the_tensor_back(host, monkeypatch):
    from vkdispatch import _native

    class Owned(np.ndarray):
        pass

    given = np.zeros(8, np.float32).view(Owned)
    alive = weakref.ref(given)

    def fail(context, desc):
        raise _errors.OutOfMemoryError("vd_buffer_import: no memory", -4)

    monkeypatch.setattr(_native.raw, "vd_buffer_import", fail)
    with pytest.raises(vd.OutOfMemoryError):
        vd.from_dlpack(given)
    del given
    assert until(lambda: alive() is None)
