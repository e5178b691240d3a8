"""Tensors: creation, types, views, ownership, memory types."""

import gc
import os
import subprocess
import sys
import time
import tracemalloc

import numpy as np
import pytest
import vkdispatch as vd
import vkdispatch.codegen as vc
from vkdispatch import _native, kp
from vkdispatch._native import enums
from vkdispatch.codegen.abbreviations import Buff, Const, u32

TYPES = {
    "float32": kp.DataTypes.float,
    "uint32": kp.DataTypes.uint,
    "int32": kp.DataTypes.int,
    "float64": kp.DataTypes.double,
    "bool": kp.DataTypes.bool,
    "int8": kp.DataTypes.char,
    "uint8": kp.DataTypes.uchar,
    "int16": kp.DataTypes.short,
    "uint16": kp.DataTypes.ushort,
    "int64": kp.DataTypes.long,
    "uint64": kp.DataTypes.ulong,
    "float16": kp.DataTypes.half,
    "complex64": kp.DataTypes.complex64,
    "complex128": kp.DataTypes.complex128,
}


@pytest.mark.parametrize(
    "data", [[1, 2, 3], (1, 2, 3), [[1, 2, 3]], np.array([1, 2, 3]), np.array([1.0, 2.0, 3.0]), np.float16([1, 2, 3])]
)
def test_tensor_is_float32_of_anything(anywhere, data):
    t = anywhere.tensor(data)
    assert t.data().dtype == np.float32 and t.data().tolist() == [1.0, 2.0, 3.0]
    assert t.size() == len(t) == 3 and t.data_type() is kp.DataTypes.float


def test_a_scalar_and_two_axes(anywhere):
    assert anywhere.tensor(7).data().tolist() == [7.0]
    t = anywhere.tensor(np.zeros([16, 8]))
    assert t.size() == 128 and t.shape == (16, 8) and t.data().shape == (128,) and t.nbytes == 512


@pytest.mark.parametrize("data", ["abc", None, {}, object(), [[1, 2], [3]], ["x"]])
def test_what_is_no_number_is_a_type_error(manager, data):
    with pytest.raises(TypeError, match="incompatible function arguments"):
        manager.tensor(data)


@pytest.mark.parametrize("data", [[], np.zeros((3, 0)), np.array([])])
def test_zero_sized(manager, data):
    with pytest.raises(kp.Error, match="Manager.tensor_from: a zero-sized tensor cannot be made"):
        manager.tensor_from(np.asarray(data))
    with pytest.raises(RuntimeError, match="zero-sized"):
        manager.tensor(data)
    with pytest.raises(kp.Error, match="zero-sized"):
        manager.tensor_t(np.zeros(0, np.int32))


@pytest.mark.parametrize("name", TYPES)
def test_tensor_t_keeps_the_dtype(anywhere, name):
    array = np.array([1, 0, 1, 1, 0], dtype=name)
    t = anywhere.tensor_t(array)
    assert t.data_type() is TYPES[name] and t.data().dtype == array.dtype and t.dtype == array.dtype
    other = anywhere.tensor_empty(5, name)
    anywhere.sequence().record(kp.OpSyncDevice([t])).record(kp.OpCopy([t, other])).record(
        kp.OpSyncLocal([other])
    ).eval()
    assert np.array_equal(other.data(), array)


@pytest.mark.parametrize("name", TYPES)
def test_dtypes_of_the_package_and_members_of_datatypes(manager, name):
    ours = [] if name == "bool" else [getattr(vd, name)]
    for dtype in [TYPES[name], *ours]:
        for made in (manager.tensor_empty(4, dtype), manager.tensor_t([0, 1], dtype=dtype)):
            assert made.data_type() is TYPES[name] and made.data().dtype == np.dtype(name)
    for make in (lambda t: manager.tensor_empty(4, t), lambda t: manager.tensor_t([1, 2], dtype=t)):
        with pytest.raises(kp.Error, match=r"no valid dtype supported \(vec4\); tensors take float32, "):
            make(vd.vec4)


def test_spellings_and_orders_of_bytes(manager):
    assert manager.tensor_t(np.array([1.5], "<f4")).data_type() is kp.DataTypes.float
    swapped = manager.tensor_t(np.array([1, 2, 3], ">i4"))
    assert swapped.data().tolist() == [1, 2, 3] and swapped.data_type() is kp.DataTypes.int
    assert manager.tensor_t(np.arange(10, dtype=np.float32)[::3]).data().tolist() == [0, 3, 6, 9]
    assert manager.tensor_t([1, 2], dtype=np.uint16).data().dtype == np.uint16


def test_records_are_custom(manager):
    kind = np.dtype([("x", "f4"), ("n", "u4")])
    t = manager.tensor_t(np.array([(1.5, 2), (2.5, 3)], kind))
    assert t.data_type() is kp.DataTypes.custom and t.data()["n"].tolist() == [2, 3]
    t.data()["x"][1] = 9
    assert t.data()["x"].tolist() == [1.5, 9.0] and t.data().base is t


@pytest.mark.parametrize("name", ["S4", "datetime64[s]", "U2"])
def test_no_valid_dtype(manager, name):
    with pytest.raises(RuntimeError, match="no valid dtype supported"):
        manager.tensor_t(np.zeros(2, name))


def test_data_is_a_view_of_the_host_memory(anywhere):
    t = anywhere.tensor([1, 2, 3])
    td = t.data()
    assert td.base is t and td.flags.writeable and not td.flags.owndata
    td[1] = 9
    assert t.data().tolist() == [1, 9, 3] and t[1] == 9
    t[2] = 5
    assert td.tolist() == [1, 9, 5] and list(t) == [1, 9, 5] and 9 in t and reversed(t) == [5, 9, 1]
    t.set_data([4, 5, 6])
    assert td.tolist() == [4, 5, 6]
    with pytest.raises(kp.Error, match="Cannot set data of different sizes"):
        t.set_data([1, 2])
    with pytest.raises(IndexError):
        t[3]
    with pytest.raises(TypeError):
        t[-1]


def test_numpy_ownership(anywhere):
    arr = np.array([1, 2, 3], np.float32)
    t = anywhere.tensor(arr)
    td = t.data()
    assert td.base.is_init() is True
    assert np.all(td == arr)
    del t
    gc.collect()
    assert td.base.is_init() is True and np.all(td == arr)
    anywhere.destroy()
    assert td.base.is_init() is False


def test_k30_views_stay_valid_after_destroy(anywhere):
    t = anywhere.tensor(np.arange(100000))
    held = anywhere.tensor([1, 2], kp.MemoryTypes.host)
    part, whole = t.data()[5:10], held.data()
    t.destroy()
    anywhere.destroy()
    part += 1
    whole[0] = 7
    assert part.tolist() == [6, 7, 8, 9, 10] and whole.tolist() == [7, 2]
    assert t.size() == 0 and not t and not t.is_init()
    with pytest.raises(kp.Error, match="destroyed"):
        t.data()
    with pytest.raises(kp.Error, match="__getitem__: the Tensor was destroyed"):
        t[0]
    with pytest.raises(kp.Error, match="__setitem__: the Tensor was destroyed"):
        t[0] = 1


@pytest.mark.skipif(
    "asan" not in os.environ.get("LD_PRELOAD", ""), reason="a control of .ci/run asan, which preloads it"
)
def test_k30_the_sanitizer_notices_memory_that_is_gone():
    """That AddressSanitizer watches the host's memory of tensors: after the last view it is freed."""
    code = """
import ctypes, gc, sys
from vkdispatch import kp
m = kp.Manager(backend="host")
t = m.tensor([1] * 100_000)
view = t.data()
address = view.ctypes.data
m.destroy()
view[:] = 2
print("still there", flush=True)
del t, view
gc.collect()
ctypes.memset(address, 0, 8)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "still there\n" and done.returncode != 0, done.stderr
    assert "heap-use-after-free" in done.stderr


def test_memory_of_the_host_goes_with_the_last_view(manager):
    context = manager.context
    before = context.memory_in_use()
    t = manager.tensor(np.zeros(1 << 18))
    view = t.data()
    assert context.memory_in_use() >= before + (2 << 20)
    t.destroy()
    gc.collect()  # nothing but the array refers to the memory
    assert before < context.memory_in_use() <= before + (1 << 20) + 4096
    del view
    assert context.memory_in_use() == before


def test_k7_small_tensors_cost_little(anywhere):
    data = np.ones(256, np.float32)
    kept = [anywhere.tensor_t(data) for _ in range(80)]
    live = _native.raw.vd_live_objects()
    tracemalloc.start()
    before = tracemalloc.take_snapshot()
    kept += [anywhere.tensor_t(data * i) for i in range(1600)]
    grown = sum(line.size_diff for line in tracemalloc.take_snapshot().compare_to(before, "filename"))
    tracemalloc.stop()
    # A buffer and its block, and an eighth of those of the mirrors: buffer, block and mapping.
    assert _native.raw.vd_live_objects() - live <= 1600 * 2.5
    assert grown / 1600 < 1000
    for i in (0, 7, 8, 1599):
        assert (kept[80 + i].data() == i).all()
    kept[81].data()[:] = 5
    assert kept[80].data().max() == 0 and kept[82].data().min() == 2
    kept[80].destroy()
    anywhere.sequence().eval(kp.OpSyncDevice(kept[81:])).eval(kp.OpSyncLocal(kept[81:]))
    assert [kept[81 + i].data()[255] for i in range(3)] == [5, 2, 3]


def operations_of(manager, work):
    """The number of copies, fills and launches that the device gets from work()."""
    raw, on_device = _native.raw, (enums.VD_SPAN_LAUNCH, enums.VD_SPAN_COPY, enums.VD_SPAN_FILL)
    profile = raw.vd_profile_create(manager.context._pointer, raw.vd_profile_desc(capacity=1000))
    work()
    raw.vd_context_wait_idle(manager.context._pointer, enums.VD_QUEUE_ALL, enums.VD_WAIT_FOREVER)
    raw.vd_profile_stop(profile, enums.VD_WAIT_FOREVER)
    count = raw.vd_profile_get_info(profile).span_count
    return sum(raw.vd_profile_get_span(profile, i).kind in on_device for i in range(count))


def test_tensors_are_made_without_work_for_the_device(anywhere):
    made = []
    assert operations_of(anywhere, lambda: made.extend(anywhere.tensor([i, i]) for i in range(10))) == 0
    upload = anywhere.sequence().record(kp.OpSyncDevice(made))
    assert operations_of(anywhere, upload.eval) == 10
    assert operations_of(anywhere, upload.eval) == 10


def test_device_memory_is_zero_until_something_writes_it(anywhere):
    def read(t):
        anywhere.sequence().eval(kp.OpSyncLocal([t]))
        return t.data().tolist()

    def others():
        return [anywhere.tensor([7, 7]) for _ in range(4)]

    zeros = [anywhere.tensor([7, 7]) for _ in range(4)]
    assert read(zeros[0]) == [0, 0]
    out, copied, filled, given = others()
    anywhere.sequence().eval(kp.OpMult([zeros[1], zeros[2], out], anywhere.algorithm([])))
    anywhere.sequence().eval(kp.OpCopy([zeros[3], copied]))
    anywhere.sequence().eval(kp.OpFill(filled, 3))
    assert read(out) == read(copied) == [0, 0] and read(filled) == [3, 3]
    # A sequence that is recorded and not evaluated gives nothing its contents.
    waiting = anywhere.sequence().record(kp.OpSyncDevice([given]))
    assert waiting.graph is not None
    assert read(given) == [0, 0]
    given.data()[:] = 4
    waiting.eval()
    given.data()[:] = 0
    assert read(given) == [4, 4]
    # Work that a program submits by itself is not lost, whatever comes later.
    early, late, _, _ = others()
    graph = anywhere.sequence().record(kp.OpSyncDevice([early, late])).graph
    graph.submit()
    graph.wait()
    early.data()[:] = 0
    assert read(early) == [7, 7]
    assert late.buffer.read(0).tolist() == [7, 7]


@pytest.mark.parametrize("kind", [kp.MemoryTypes.host, kp.MemoryTypes.deviceAndHost, kp.MemoryTypes.device])
def test_memory_types(anywhere, kind):
    a, b, out = (anywhere.tensor(x, kind) for x in ([2, 2, 2], [1, 2, 3], [0, 0, 0]))
    assert a.memory_type() is a.tensor_type() is kind
    sq = anywhere.sequence().record(kp.OpSyncDevice([a, b]))
    sq.record(kp.OpMult([a, b, out], anywhere.algorithm([]))).record(kp.OpSyncLocal([out])).eval()
    assert out.data().tolist() == [2, 4, 6]
    a.data()[:] = 10
    sq.eval()
    assert out.data().tolist() == [10, 20, 30]


def test_host_memory_needs_no_sync(anywhere):
    a, b, out = (anywhere.tensor(x, kp.MemoryTypes.host) for x in ([2, 2, 2], [1, 2, 3], [0, 0, 0]))
    anywhere.sequence().eval(kp.OpMult([a, b, out], anywhere.algorithm([])))
    assert out.data().tolist() == [2, 4, 6]


def test_k35_storage_has_its_data_and_shows_none(anywhere):
    stored = anywhere.tensor([1, 2, 3], kp.MemoryTypes.storage)
    shown = anywhere.tensor([0, 0, 0])
    anywhere.sequence().record(kp.OpCopy([stored, shown])).record(kp.OpSyncLocal([stored, shown])).eval()
    assert shown.data().tolist() == [1, 2, 3]
    with pytest.raises(kp.Error, match="storage"):
        stored.data()


def test_trap_device_copy_has_no_data_before_a_sync(anywhere):
    a = anywhere.tensor([1, 2, 3])
    anywhere.sequence().eval(kp.OpSyncLocal([a]))
    assert a.data().tolist() == [0, 0, 0]


def test_memory_type_wants_the_enum(manager):
    for wrong in (0, "device", 1.5, kp.DataTypes.float):
        with pytest.raises(TypeError):
            manager.tensor([1], wrong)
    assert manager.tensor([1], tensor_type=kp.TensorTypes.staging).memory_type() is kp.MemoryTypes.host
    with pytest.raises(TypeError):
        manager.tensor([1], kp.MemoryTypes.host, tensor_type=kp.MemoryTypes.host)


def test_k7_many_tensors(manager):
    tensors = [manager.tensor([i, i + 1]) for i in range(20000)]
    manager.sequence().record(kp.OpSyncDevice(tensors[::1000])).record(kp.OpSyncLocal(tensors[::1000])).eval()
    assert tensors[19000].data().tolist() == [19000, 19001] and tensors[-1].data().tolist() == [19999, 20000]


@vd.shader(1024)
def add_index(out: Buff[u32], first: Const[u32]):
    i = vc.global_invocation_id().x + first
    out[i] = out[i] + i


@pytest.mark.skipif(not os.environ.get("VD_TEST_FULL"), reason="takes 10 GiB and more; VD_TEST_FULL=1 runs it")
def test_k8_a_tensor_of_5_gib(anywhere):
    count = 5 * 2**30 // 4
    available = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_AVPHYS_PAGES")
    memory = anywhere.get_device_properties()["memory_bytes"]
    needed = (5 if anywhere.get_device_properties()["device_type"] == "discrete" else 10) * 2**30 + 2**30
    if memory < 6 * 2**30 or available < needed:
        pytest.skip(f"the device has {memory} bytes, and the host {available} that are free")
    try:
        t = anywhere.tensor_empty(count, np.uint32)
    except kp.Error as error:
        if "allocates at once" not in str(error):
            raise
        pytest.skip(str(error))
    ends = [0, 2**30 - 512, count - 1024]  # the middle one crosses 4 GiB
    data = t.data()
    assert t.size() == count and t.nbytes == 5 * 2**30 and data.nbytes == t.nbytes
    for first in ends:
        data[first : first + 1024] = first % 1000
    sq = anywhere.sequence().record(kp.OpSyncDevice([t]))
    for first in ends:
        sq.record(kp.OpAlgoDispatch(anywhere.algorithm([t], add_index, push_consts=np.array([first], np.uint32))))
    sq.record(kp.OpSyncLocal([t])).eval()
    for first in ends:
        want = np.arange(first, first + 1024, dtype=np.uint64) + first % 1000
        assert (data[first : first + 1024] == want).all(), first
    assert not data[2048:4096].any() and not data[count - 4096 : count - 2048].any()


def test_k9_the_host_reads_as_fast_as_its_own_memory(anywhere):
    """The host's memory of a tensor is cached: the best of as many copies as it takes, since others have the processors, too."""
    plain = np.ones(2**22, np.float32)
    t = anywhere.tensor_t(plain)
    anywhere.sequence().record(kp.OpSyncDevice([t])).record(kp.OpSyncLocal([t])).eval()
    target = np.empty_like(plain)

    def seconds(source):
        begin = time.perf_counter()
        np.copyto(target, source)
        return time.perf_counter() - begin

    ours, numpys = [], []
    while not ours or min(ours) > 4 * min(numpys):
        assert len(ours) < 500, (min(ours), min(numpys))  # memory that is not cached never is as fast
        ours.append(seconds(t.data()))
        numpys.append(seconds(plain))
    assert (target == 1).all()


def test_calls_of_0_6_on_a_tensor_of_today(anywhere, caplog):
    t = anywhere.tensor([1, 2])
    copy = t.numpy()
    copy[0] = 9
    t.map_data_from_host()
    t.map_data_into_host()
    assert t.data().tolist() == [1, 2] and caplog.text.count("staging") == 2


def test_tensor_from(anywhere):
    import vkdispatch as vd

    with anywhere.context.active():
        buffer = vd.asbuffer(np.arange(4, dtype=np.float32))
    t = anywhere.tensor_from(buffer)
    anywhere.sequence().eval(kp.OpSyncLocal([t]))
    assert t.data().tolist() == [0, 1, 2, 3]
    assert np.array_equal(t.buffer.read(0), [0, 1, 2, 3])


class OnlyDlpack:
    """An array that says of itself what DLPack asks, and nothing else, as a tensor of torch's on the CPU."""

    def __init__(self, array, device=None):
        self._array, self._device = array, device

    def __dlpack__(self, dl_device=None, **arguments):
        if self._device is not None:
            raise TypeError("dl_device is not known")
        return self._array.__dlpack__()

    def __dlpack_device__(self):
        return self._device or self._array.__dlpack_device__()


@pytest.mark.parametrize("name", ["float32", "int16", "float64", "complex64"])
def test_tensor_from_dlpack(anywhere, name):
    array = np.arange(6).reshape(2, 3).astype(name)
    t = anywhere.tensor_from(OnlyDlpack(array))
    want = array.ravel().tolist()
    array[:] = 0  # the tensor is a copy
    assert t.shape == (2, 3) and t.dtype == name and t.data().tolist() == want
    t.data()[:] = 0
    anywhere.sequence().eval(kp.OpSyncLocal([t]))
    assert t.data().tolist() == want


def test_a_tensor_by_dlpack(anywhere):
    """The device's memory where NumPy reaches it, elsewhere a copy in memory of the CPU."""
    t = anywhere.tensor([1, 2, 3])
    anywhere.sequence().eval(kp.OpSyncDevice([t]))
    on_cpu = t.__dlpack_device__()[0] == 1
    given = np.from_dlpack(t) if on_cpu else anywhere.tensor_from(t.buffer).data()
    assert given.tolist() == [1, 2, 3] and given.dtype == np.float32
    assert "dltensor" in repr(t.__dlpack__(max_version=None) if on_cpu else t.__dlpack__())


def test_tensor_from_memory_that_is_not_reached(anywhere):
    metal = (8, 0)
    with pytest.raises(kp.Error, match="Manager.tensor_from: source: .* does not reach") as raised:
        anywhere.tensor_from(OnlyDlpack(np.zeros(3, np.float32), metal))
    assert raised.value.status == enums.VD_ERR_INVALID


def test_tensor_from_torch(anywhere):
    """From its memory on the CPU; test_torch_cupy.py has that of a GPU."""
    torch = pytest.importorskip("torch")
    t = anywhere.tensor_from(torch.arange(6, dtype=torch.float32).reshape(2, 3))
    assert t.shape == (2, 3) and t.dtype == "float32" and t.data().tolist() == [0, 1, 2, 3, 4, 5]


def test_tensor_from_a_tensor(anywhere):
    source = anywhere.tensor_t(np.arange(6, dtype=np.int32).reshape(2, 3))
    anywhere.sequence().eval(kp.OpSyncDevice([source]))
    source.data()[0] = 9
    copy = anywhere.tensor_from(source)
    source.data()[1] = 7
    assert copy.shape == (2, 3) and copy.data_type() is kp.DataTypes.int and copy.data().tolist() == [9, 1, 2, 3, 4, 5]
    anywhere.sequence().eval(kp.OpSyncLocal([copy]))
    assert copy.data().tolist() == [0, 1, 2, 3, 4, 5]
    stored = anywhere.tensor([3, 4], kp.MemoryTypes.storage)
    copy = anywhere.tensor_from(stored)
    anywhere.sequence().eval(kp.OpSyncLocal([copy]))
    assert copy.data().tolist() == [3, 4] and copy.memory_type() is kp.MemoryTypes.device
    records = np.array([(1, 2.5), (3, 4.5)], [("a", "<i4"), ("b", "<f4")])
    assert (anywhere.tensor_from(anywhere.tensor_t(records)).data() == records).all()
    other = kp.Manager(backend=anywhere.backend)
    with pytest.raises(kp.Error, match=r"belongs to Manager \d+ .* and is used with Manager \d+"):
        other.tensor_from(source)
    other.destroy()
    source.destroy()
    with pytest.raises(kp.Error, match="destroyed"):
        anywhere.tensor_from(source)


def test_classes_without_constructor():
    for kind in (kp.Memory, kp.Image, kp.Algorithm, kp.Sequence, kp.OpBase):
        with pytest.raises(TypeError, match="No constructor defined"):
            kind()


def test_objects_are_equal_to_themselves_alone(manager):
    a, b = manager.tensor([1]), manager.tensor([1])
    same = a
    assert a == same and a != b and len({a, b}) == 2 and [a, b] != [b, a]


def test_numpys_arrays_of_a_tensor(anywhere):
    """docs/kompute.md says which memory they have."""
    t = anywhere.tensor(np.arange(6).reshape(2, 3))
    assert np.asarray(t).shape == (6,) and np.shares_memory(np.asarray(t), t.data())
    if anywhere.backend == "cuda":  # whose memory NumPy does not take
        with pytest.raises((BufferError, RuntimeError), match="device"):
            np.from_dlpack(t)
        return
    assert np.from_dlpack(t).tolist() == [[0, 0, 0], [0, 0, 0]], "the device's memory"
    anywhere.sequence().eval(kp.OpSyncDevice([t]))
    taken = np.from_dlpack(t)
    assert taken.tolist() == [[0, 1, 2], [3, 4, 5]]
    anywhere.sequence().eval(kp.OpFill(t, 9))
    assert taken[0, 0] == (9 if anywhere.backend == "host" else 0)
    stored = anywhere.tensor([1, 2], kp.MemoryTypes.storage)
    assert np.from_dlpack(stored).tolist() == [1, 2]
    with pytest.raises(kp.Error, match="memory of type storage is not reached by the host"):
        np.asarray(stored)
    image = anywhere.image([1, 2, 3, 4], 2, 2, 1)
    assert np.asarray(image).shape == (4,) and not hasattr(image, "__dlpack__")
