"""Buffers: sizes, valid writes, reads, and refusals."""

import array

import numpy as np
import pytest
import vkdispatch as vd
import vkdispatch.codegen as vc
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from vkdispatch.base.buffer import ExternalBufferInfo
from vkdispatch.codegen.abbreviations import Buff, f32, i32
from vkdispatch.compat import numpy_compat as npc


class TestShape:
    def test_attributes(self, device):
        buffer = vd.Buffer([3, np.int64(4)], vd.vec3)
        assert buffer.shape == (3, 4) and all(type(n) is int for n in buffer.shape)
        assert (buffer.size, buffer.mem_size, buffer.shader_shape) == (12, 144, (3, 4, 1, 12))
        assert buffer.var_type is vd.vec3 and not buffer.is_external and buffer.owns_memory and buffer.is_writable
        assert len(buffer.signals) == 1 and "vec3" in repr(buffer)
        assert vd.Buffer(5, vd.float32).shape == (5,)
        assert (buffer.cuda_ptr, buffer.cuda_source, buffer.cuda_array_stream) == (None, None, None)

    def test_eight_dimensions(self, host):
        assert vd.Buffer((1, 2, 1, 2, 1, 2, 1, 2), vd.float32).size == 16

    def test_a_kernel_sees_three_dimensions_and_the_size(self, device):
        @vd.shader(1)
        def look(out: Buff[i32], a: Buff[f32]):
            shape = a.shape
            for i, n in enumerate((shape.x, shape.y, shape.z, shape.w)):
                out[i] = vc.to_int(n)

        out, a = vd.Buffer((4,), vd.int32), vd.Buffer((2, 3, 4, 5), vd.float32)
        look(out, a)
        assert tuple(out.read(0)) == a.shader_shape == (2, 3, 4, 120)

    @pytest.mark.parametrize(
        "shape, error",
        [
            ((1,) * 9, ValueError),
            (-1, ValueError),
            ((2, -3), ValueError),
            (2.5, TypeError),
            ((2, "x"), TypeError),
            (None, TypeError),
            (1 << 60, ValueError),
        ],
    )
    def test_wrong_shapes(self, fresh, shape, error):
        with pytest.raises(error):
            vd.Buffer(shape, vd.float32)
        assert not vd.is_context_initialized()

    def test_zero_elements(self, host):
        for shape in (0, (3, 0)):
            with pytest.raises(ValueError, match="zero") as caught:
                vd.Buffer(shape, vd.float32)
            assert isinstance(caught.value, RuntimeError)
        assert vd.Buffer(1, vd.float32).size == 1

    def test_wrong_dtype(self, host):
        for wrong in (float, "quad", None, vd.dtype):
            with pytest.raises(TypeError):
                vd.Buffer(4, wrong)

    def test_annotation(self):
        assert vd.Buffer[vd.float32].__args__ == (vd.float32,)

    def test_too_large_for_memory(self, host):
        with pytest.raises((MemoryError, ValueError)):
            vd.Buffer(1 << 46, vd.float32)
        assert vd.asbuffer(np.ones(3, np.float32)).read(0).tolist() == [1, 1, 1]


class TestRoundTrip:
    @pytest.mark.parametrize("name", sorted(vd.base.dtype.ALL_DTYPES))
    def test_every_dtype(self, device, name):
        t = vd.base.dtype.ALL_DTYPES[name]
        rng = np.random.default_rng(1)
        data = rng.integers(0, 100, 7 * t.item_size, dtype=np.uint8).tobytes()
        buffer = vd.Buffer((7,), t)
        buffer.write(data)
        result = buffer.read(0)
        assert result.shape == (7, *t.true_numpy_shape) and result.flags.writeable and result.flags.owndata
        if t is vd.complex32:
            assert result.dtype == np.complex64
            halves = np.frombuffer(data, np.float16).astype(np.float32)
            np.testing.assert_array_equal(result.view(np.float32), halves)
        else:
            assert result.tobytes() == data
            assert result.dtype == (t.numpy if t.scalar is None else t.scalar.numpy)

    def test_arrays_of_other_shapes_and_types(self, device):
        buffer = vd.Buffer((3, 4), vd.float32)
        data = np.arange(12, dtype=np.float32)
        buffer.write(data)
        np.testing.assert_array_equal(buffer.read(0), data.reshape(3, 4))
        buffer.write(data.reshape(4, 3).T)
        np.testing.assert_array_equal(buffer.read(0).ravel(), data.reshape(4, 3).T.ravel())
        pairs = vd.Buffer(3, vd.vec2)
        pairs.write(np.arange(6, dtype=np.float32).reshape(3, 2))
        assert pairs.read(0).shape == (3, 2)
        halves = vd.Buffer(3, vd.complex32)
        halves.write(np.arange(6, dtype=np.float16))
        assert halves.read(0).tolist() == [1j, 2 + 3j, 4 + 5j]

    def test_other_sources(self, device):
        buffer = vd.buffer_i32(4)
        for data in (
            [1, 2, 3, 4],
            (1, 2, 3, 4),
            array.array("i", [1, 2, 3, 4]),
            npc.CompatArray(npc.pack_values([1, 2, 3, 4], "int32"), "int32", (2, 2)),
            memoryview(np.array([1, 2, 3, 4], np.int32)),
            [[1, 2], [3, 4]],
        ):
            buffer.write([0] * 4)
            buffer.write(data)
            assert buffer.read(0).tolist() == [1, 2, 3, 4]
        buffer.write(7)
        assert buffer.read(0).tolist() == [7] * 4
        complexes = vd.buffer_c64(2)
        complexes.write([1 + 2j, 3])
        assert complexes.read(0).tolist() == [1 + 2j, 3]

    def test_bytes_may_be_a_prefix(self, device):
        buffer = vd.buffer_u32(4)
        buffer.write(np.arange(4, dtype=np.uint32))
        buffer.write(b"\xff\xff\xff\xff")
        assert buffer.read(0).tolist() == [0xFFFFFFFF, 1, 2, 3]
        buffer.write(b"")
        buffer.write(bytearray(16))
        assert buffer.read(0).tolist() == [0] * 4

    def test_offset(self, device):
        buffer = vd.buffer_u32(4)
        buffer.write([0] * 4)
        buffer.write(np.array([5, 6], np.uint32), offset=2)
        assert buffer.read(0).tolist() == [0, 0, 5, 6]
        with pytest.raises(ValueError):
            buffer.write(np.array([5, 6], np.uint32), offset=3)
        with pytest.raises(ValueError):
            buffer.write(b"", offset=5)

    def test_read_forms(self, device):
        buffer = vd.asbuffer(np.arange(6, dtype=np.float32).reshape(2, 3))
        assert buffer.read().shape == (1, 2, 3)
        np.testing.assert_array_equal(buffer.read()[0], buffer.read(0))
        out = np.empty((2, 3), np.float32)
        assert buffer.read(0, out=out) is out and out[1, 2] == 5
        with pytest.raises(ValueError):
            buffer.read(0, out=np.empty(2, np.float32))
        every = np.empty((1, 2, 3), np.float32)
        assert buffer.read(out=every) is every and every[0, 1, 2] == 5
        gaps = np.empty((1, 2), np.float32)
        assert buffer[:, 2].read(out=gaps) is gaps and gaps.tolist() == [[2, 5]]
        np.testing.assert_array_equal(np.asarray(buffer), out)

    def test_the_array_may_change_after_the_write(self, device):
        buffer = vd.buffer_f32(1 << 16)
        data = np.ones(1 << 16, np.float32)
        buffer.write(data)
        data[:] = 2
        assert (buffer.read(0) == 1).all()

    def test_many_writes_in_order(self, device):
        buffer = vd.buffer_i32(1000)
        for i in range(200):
            buffer.write(np.full(1000, i, np.int32))
        assert (buffer.read(0) == 199).all()

    @settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(
        shape=st.lists(st.integers(1, 9), min_size=1, max_size=3),
        name=st.sampled_from(["int16", "uint32", "float64", "complex64", "float16"]),
        seed=st.integers(0, 1 << 30),
    )
    def test_arrays_come_back(self, host, shape, name, seed):
        data = np.random.default_rng(seed).integers(-100, 100, shape).astype(name)
        result = vd.asbuffer(data).read(0)
        assert result.dtype == data.dtype
        np.testing.assert_array_equal(result, data)


class TestRefused:
    def test_sizes(self, host):
        buffer = vd.buffer_f32(4)
        for wrong in (np.zeros(3, np.float32), np.zeros(5, np.float32), np.zeros(4, np.float64)):
            with pytest.raises(ValueError, match="Numpy buffer sizes must match!"):
                buffer.write(wrong)
        with pytest.raises(ValueError):
            buffer.write(bytes(17))

    @pytest.mark.parametrize("wrong", [None, "text", object(), [1, "x"], {1: 2}])
    def test_data(self, host, wrong):
        with pytest.raises(TypeError):
            vd.buffer_f32(4).write(wrong)

    @pytest.mark.parametrize("index", ["0", 0.0, 1, -1, [0]])
    def test_index(self, host, index):
        buffer = vd.buffer_f32(4)
        with pytest.raises(ValueError):
            buffer.write(np.zeros(4, np.float32), index)
        with pytest.raises(ValueError):
            buffer.read(index)
        buffer.write(np.zeros(4, np.float32), np.int32(0))

    def test_external_memory(self, host):
        with pytest.raises(ValueError, match="handle \\(0\\) is a null pointer, not the address of memory"):
            vd.Buffer(4, vd.float32, ExternalBufferInfo(True, {}, None, 0))
        with pytest.raises(vd.UnsupportedError, match="the host backend imports no memory"):
            vd.Buffer(4, vd.float32, ExternalBufferInfo(True, {}, None, 4096))
        with pytest.raises(RuntimeError):
            vd.from_cuda_array(object())


class TestAsbuffer:
    def test_shape_and_dtype(self, device):
        buffer = vd.asbuffer(np.ones((2, 3), np.int16))
        assert buffer.shape == (2, 3) and buffer.var_type is vd.int16
        assert vd.asbuffer(np.array(4, np.float32)).shape == ()

    def test_the_last_axes_are_a_vector_or_a_matrix(self, device):
        points = np.arange(30, dtype=np.float32).reshape(2, 5, 3)
        for part, shape in ((points, (2, 5)), (points[0], (5,)), (points[0, 0], ())):
            buffer = vd.asbuffer(part, vd.vec3)
            assert buffer.shape == shape and buffer.dtype is vd.vec3
            assert (buffer.read(0) == part).all()
        assert vd.asbuffer(np.zeros((4, 2, 2), np.float32), vd.mat2).shape == (4,)
        assert vd.asbuffer(np.zeros((4, 2), np.int32), vd.uint32).shape == (4, 2)
        for wrong in (np.zeros((3, 2), np.float32), np.zeros((2, 3))):
            with pytest.raises(ValueError, match=r"array of .* the buffer 'vec3 of shape"):
                vd.asbuffer(wrong, vd.vec3)

    def test_a_label_is_the_librarys_too(self, device):
        for buffer in (
            vd.asbuffer(np.ones(4, np.float32), label="signal"),
            vd.asrfftbuffer(np.ones(4, np.float32), label="signal"),
        ):
            assert buffer.label == "signal"
            graph = vd.CommandGraph()
            graph.fill(buffer, 1)
            graph.fill(buffer, 2)
            assert r"buffer \"signal\"" in graph.dot()

    def test_refused(self, host):
        for wrong in ([1, 2], None, "x"):
            with pytest.raises(TypeError, match="Expected an array-like object"):
                vd.asbuffer(wrong)
        for wrong in (np.zeros(3, "datetime64[s]"), np.array(["x"])):
            with pytest.raises(ValueError):
                vd.asbuffer(wrong)


class TestDevice:
    def test_fill(self, device):
        for t, value in ((vd.float32, 1.5), (vd.uint16, 7), (vd.int32, -1), (vd.float64, 2.5), (vd.vec3, 3.0)):
            buffer = vd.Buffer(6, t)
            buffer.fill(value)
            assert (buffer.read(0) == value).all()

    def test_copy(self, device):
        data = np.arange(100, dtype=np.float32)
        source = vd.asbuffer(data)
        target = source.copy()
        source.fill(0)
        np.testing.assert_array_equal(target.read(0), data)
        with pytest.raises(ValueError):
            target.copy_from(vd.buffer_f32(3))


def test_allocators(host):
    for name, t in (("u32", vd.uint32), ("uv3", vd.uvec3), ("c64", vd.complex64), ("dv4", vd.dvec4), ("m3", vd.mat3)):
        buffer = getattr(vd, f"buffer_{name}", None) or getattr(vd.base.buffer_allocators, f"buffer_{name}")
        assert buffer((2, 3)).var_type is t


class TestRfft:
    def test_real_and_fourier(self, device):
        data = np.random.default_rng(0).random((4, 6)).astype(np.float32)
        buffer = vd.asrfftbuffer(data)
        assert buffer.real_shape == (4, 6) and buffer.fourier_shape == buffer.shape == (4, 4)
        assert buffer.var_type is vd.complex64 and buffer.real_type is vd.float32
        np.testing.assert_array_equal(buffer.read_real(0), data)
        assert buffer.read_real().shape == (1, 4, 6)
        spectrum = np.fft.rfft2(data).astype(np.complex64)
        buffer.write_fourier(spectrum)
        np.testing.assert_array_equal(buffer.read_fourier(0), spectrum)
        copied = buffer.copy()
        vd.fft.irfft(copied)
        np.testing.assert_allclose(copied.read_real(0), np.fft.irfft(spectrum, 6), atol=1e-5)

    def test_precisions(self, host):
        for dtype, t in ((np.float16, vd.complex32), (np.int32, vd.complex64), (np.float64, vd.complex128)):
            assert vd.asrfftbuffer(np.zeros((2, 5), dtype)).var_type is t
        assert vd.asrfftbuffer([[1.0, 2.0, 3.0]]).var_type is vd.complex128

    def test_refused(self, host):
        with pytest.raises(ValueError):
            vd.RFFTBuffer((4, 4), vd.float32)
        buffer = vd.RFFTBuffer([4, 6])
        for wrong in (np.zeros((4, 5)), np.zeros((4, 6), complex)):
            with pytest.raises(ValueError):
                buffer.write_real(wrong)
        for wrong in (np.zeros((4, 6), complex), np.zeros((4, 4))):
            with pytest.raises(ValueError):
                buffer.write_fourier(wrong)
        with pytest.raises(ValueError, match="asrfftbuffer: Data must be real"):
            vd.asrfftbuffer(np.zeros(4, complex))
        with pytest.raises(ValueError, match=r"asrfftbuffer: .*\(uint8\)! Supported are .*array.astype\(np.float32\)"):
            vd.asrfftbuffer(np.zeros((4, 6), np.uint8))
        with pytest.raises(ValueError, match=r"asbuffer: .*\(<U1\)! Supported are .*array.astype\(np.float32\)"):
            vd.asbuffer(np.array(["x"]))

    def test_photographs_by_astype(self, host):
        data = np.arange(24, dtype=np.uint8).reshape(4, 6)
        np.testing.assert_array_equal(vd.asrfftbuffer(data.astype(np.float32)).read_real(0), data)
        rows = vd.RFFTBuffer((4, 6))
        rows.write_real(data)  # into the buffer's type
        np.testing.assert_array_equal(rows.read_real(0), data)

    def test_dtype_is_var_type(self, host):
        assert vd.RFFTBuffer((4, 6)).dtype is vd.complex64 and vd.Buffer((3,), vd.vec3).dtype is vd.vec3
        with pytest.raises(AttributeError):
            vd.Buffer((3,), vd.float32).dtype = vd.int32


def test_scalars_of_numpy_are_numbers(host):
    x = vd.zeros(3)
    for number in (np.float64(5), np.int32(6), np.float16(7), np.bool_(True)):
        x.write(number)
        assert x.read(0).tolist() == [float(number)] * 3
    x[1:] = np.int64(9)
    assert x.read(0).tolist() == [1, 9, 9]
    x.write(4, offset=2)  # fills what is behind
    assert x.read(0).tolist() == [1, 9, 4]


def test_copies_between_imports_of_memory_that_they_share(host):
    memory = np.arange(40, dtype=np.int32)
    first, second = (vd.Buffer(32, vd.int32, memory[begin : begin + 32]) for begin in (0, 1))
    expected = memory.copy()
    second.copy_from(first)
    expected[1:33] = expected[:32].copy()
    vd.queue_wait_idle()
    assert (memory == expected).all()
    first[::2].copy_from(second[::2])
    expected[0:32:2] = expected[1:33:2].copy()
    vd.queue_wait_idle()
    assert (memory == expected).all()
    with vd.record() as graph:
        graph.copy(first, second)
        graph.copy(second[1::3], first[1::3])
    graph.submit()
    graph.wait()
    expected[1:33] = expected[:32].copy()
    expected[1:32:3] = expected[2:33:3].copy()
    assert (memory == expected).all()
