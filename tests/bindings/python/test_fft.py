"""Transforms and convolutions against NumPy."""

import numpy as np
import pytest
import vkdispatch as vd
import vkdispatch.codegen as vc
from vkdispatch.codegen.abbreviations import Buff, Const, Var, c64, c128, f32

from .short_form import COMPILED, compiles_long, skip_long_compiles
from .transformed import error, needs, random, run

LENGTHS = [1, 2, 3, 4, 5, 7, 8, 11, 13, 16, 17, 30, 31, 64, 97, 100, 128, 210, 243, 257, 500, 1000, 1024]


@pytest.mark.parametrize("n", LENGTHS)
def test_each_length_and_back(host, n):
    data = random(5, n)
    assert error(run(vd.fft.fft, data), np.fft.fft(data)) < 2e-6
    assert error(run(vd.fft.ifft, data), np.fft.ifft(data)) < 2e-6
    assert error(run(vd.fft.ifft, data, normalize=False), np.fft.ifft(data) * n) < 2e-6


@pytest.mark.parametrize("shape", [(24,), (7, 30), (5, 16, 9), (3, 2, 17, 4)])
def test_each_axis(device, shape):
    data = random(*shape)
    for axis in range(-len(shape), len(shape)):
        assert error(run(vd.fft.fft, data, axis=axis), np.fft.fft(data, axis=axis)) < 2e-6
        assert error(run(vd.fft.ifft, data, axis=axis), np.fft.ifft(data, axis=axis)) < 2e-6


def test_many_lines(device):
    data = random(70001, 4)
    assert error(run(vd.fft.fft, data), np.fft.fft(data)) < 1e-6
    data = random(3, 8, 4099)
    assert error(run(vd.fft.fft, data, axis=1), np.fft.fft(data, axis=1)) < 1e-6


# A prime, and more than a dimension of a grid may have.
MANY = 65537


class TestManyLinesOfEachKind:
    """Lengths that compile quickly."""

    @pytest.mark.parametrize("shape", [(4, MANY), (MANY, 3, 2)])
    def test_columns(self, device, shape):
        data, axis = random(*shape), len(shape) - 2
        assert error(run(vd.fft.fft, data, axis=axis), np.fft.fft(data, axis=axis)) < 1e-6

    def test_real_lines(self, device):
        data = random(MANY, 6, real=True)
        rows = vd.asrfftbuffer(data)
        vd.fft.rfft(rows)
        assert error(rows.read_fourier(0), np.fft.rfft(data)) < 1e-6
        vd.fft.irfft(rows)
        assert error(rows.read_real(0), data) < 1e-6

    def test_convolutions(self, device):
        data, row = random(MANY, 4), random(4, seed=5)
        got = run(vd.fft.convolve, data, vd.asbuffer(row), kernel_inner_only=True)
        assert error(got, np.fft.ifft(np.fft.fft(data) * row.conj())) < 1e-6
        kernel = random(MANY, 4, seed=6)
        got = run(vd.fft.convolve, data.T, vd.asbuffer(np.ascontiguousarray(kernel.T)), axis=0)
        assert error(got, np.fft.ifft(np.fft.fft(data) * kernel.conj()).T) < 1e-6

    def test_a_large_prime_factor(self, device):
        data = random(MANY, 17)
        assert error(run(vd.fft.fft, data), np.fft.fft(data)) < 2e-6


def test_long_lines(device):
    for n in (32768,) if compiles_long(device, COMPILED) else (32768, 30030, 5003):
        data = random(2, n)
        assert error(run(vd.fft.fft, data), np.fft.fft(data)) < 4e-6


def test_two_and_three_axes(device):
    data = random(6, 10, 15)
    for transform, theirs in (
        (vd.fft.fft2, np.fft.fft2), (vd.fft.ifft2, np.fft.ifft2), (vd.fft.fft3, np.fft.fftn), (vd.fft.ifft3, np.fft.ifftn),
    ):  # fmt: skip
        assert error(run(transform, data), theirs(data)) < 2e-6
    assert error(run(vd.fft.fft2, data[0]), np.fft.fft2(data[0])) < 2e-6
    with pytest.raises(ValueError, match="2 or 3 dimensions"):
        vd.fft.fft2(vd.Buffer((4,), vd.complex64))
    with pytest.raises(ValueError, match="must have 3 dimensions"):
        vd.fft.fft3(vd.Buffer((4, 4), vd.complex64))


def check_real_lines(n, bound):
    data = random(3, n, real=True)
    rows = vd.asrfftbuffer(data)
    vd.fft.rfft(rows)
    assert error(rows.read_fourier(0), np.fft.rfft(data)) < bound
    vd.fft.irfft(rows)
    assert error(rows.read_real(0), data) < bound


@pytest.mark.parametrize("n", [1, 2, 9, 16, 97, 100])
def test_real_lines(device, n):
    check_real_lines(n, 2e-6)


def test_real_images(device):
    data = random(4, 6, 15, real=True)
    buffer = vd.asrfftbuffer(data)
    vd.fft.rfft2(buffer)
    assert error(buffer.read_fourier(0), np.fft.rfft2(data)) < 2e-6
    vd.fft.irfft2(buffer)
    assert error(buffer.read_real(0), data) < 2e-6
    vd.fft.rfft3(buffer)
    assert error(buffer.read_fourier(0), np.fft.rfftn(data)) < 2e-6
    vd.fft.irfft3(buffer)
    assert error(buffer.read_real(0), data) < 2e-6


def test_double_precision(device):
    needs(c128)
    n, prime = (60, 323) if device == "host" else (12, 34)  # the others compile for longer
    data = random(3, n).astype(np.complex128)
    assert error(run(vd.fft.fft, data), np.fft.fft(data)) < 1e-14
    data = random(3, n)
    assert error(run(vd.fft.fft, data, compute_type=vd.complex128), np.fft.fft(data.astype(np.complex128))) < 1e-7
    data, kernel = random(3, prime).astype(np.complex128), random(3, prime, seed=4).astype(np.complex128)
    want = np.fft.ifft(np.fft.fft(data) * kernel.conj())
    assert error(run(vd.fft.convolve, data, vd.asbuffer(kernel)), want) < 1e-14


def test_a_range_of_the_signal(device):
    for axis in (0, 1):
        data = random(20, 24)
        index = np.arange(data.shape[axis])
        kept = np.where(((index >= 3) & (index < 11)).reshape([-1, 1] if axis == 0 else [1, -1]), data, 0)
        got = run(vd.fft.fft, data, axis=axis, input_signal_range=(3, 11))
        assert error(got, np.fft.fft(kept, axis=axis)) < 2e-6
    for wrong in ((3, 99), (None, 0), (5, 5), (data.shape[-1], None)):
        with pytest.raises(ValueError, match="input_signal_range"):
            vd.fft.fft(vd.asbuffer(data), input_signal_range=wrong)


def test_a_range_of_the_result(device):
    data, ones = random(20, 24), vd.asbuffer(np.ones((20, 24), np.complex64))
    for axis, (low, high) in ((0, (3, 11)), (1, (None, 5)), (1, (7, None))):
        want = data.copy()
        part = (slice(None),) * axis + (slice(low, high),)
        want[part] = np.fft.fft(data, axis=axis)[part]
        assert error(run(vd.fft.fft, data, axis=axis, output_signal_range=(low, high)), want) < 2e-6
    # Beside a range of the input; and around a kernel.
    kept = data.copy()
    kept[:, 9:] = 0
    ranges = {"input_signal_range": (0, 9), "output_signal_range": (4, 20)}
    want = data.copy()
    want[:, 4:20] = np.fft.fft(kept)[:, 4:20]
    assert error(run(vd.fft.fft, data, **ranges), want) < 2e-6
    want[:, 4:20] = kept[:, 4:20]
    assert error(run(vd.fft.convolve, data, ones, **ranges), want) < 2e-6
    explained = vd.fft.make_fft_shader((20, 24), output_signal_range=(4, 20)).explain()
    assert f"reads {20 * 24 * 8} and writes {20 * 16 * 8} bytes" in explained


@pytest.mark.parametrize("n", [15, 24])
def test_a_range_of_a_result_of_real_lines(host, n):
    data = random(3, n, real=True)
    rows = vd.asrfftbuffer(data)
    before = rows.read_fourier(0)
    vd.fft.fft(rows, r2c=True, output_signal_range=(2, 6))
    before[:, 2:6] = np.fft.rfft(data)[:, 2:6]
    assert error(rows.read_fourier(0), before) < 2e-6
    rows.write_fourier(np.fft.rfft(data))
    before = rows.read_real(0)
    vd.fft.fft(rows, r2c=True, inverse=True, output_signal_range=(1, 9))
    before[:, 1:9] = data[:, 1:9]
    assert error(rows.read_real(0), before) < 2e-6


def test_a_map_is_asked_for_what_is_wanted(device):
    @vd.map
    def one_more(result: Buff[c64]):
        op = vd.fft.write_op()
        op.register += 1
        op.write_to_buffer(result)

    data = random(3, 24)
    out = vd.asbuffer(np.zeros_like(data))
    vd.fft.fft(out, vd.asbuffer(data), output_map=one_more, output_signal_range=(5, 20))
    want = np.fft.fft(data) + 1
    want[:, :5] = want[:, 20:] = 0
    assert error(out.read(0), want) < 2e-6


def test_ranges_of_results_that_are_none(host):
    data = random(4, 24)
    for wrong in ((3, 99), (None, 0), (5, 5), (24, None), 3):
        with pytest.raises(ValueError, match="output_signal_range"):
            vd.fft.fft(vd.asbuffer(data), output_signal_range=wrong)
    with pytest.raises(ValueError, match="output_signal_range .* is not a range of 0 to 13"):
        vd.fft.fft(vd.asrfftbuffer(data.real), r2c=True, output_signal_range=(0, 14))


# ---- Maps


def test_maps_of_input_and_output(device):
    @vd.map
    def scaled(source: Buff[f32], factor: Const[f32]):
        op = vd.fft.read_op()
        op.register.real = source[op.io_index] * factor
        op.register.imag = 0

    @vd.map
    def magnitude(result: Buff[f32]):
        op = vd.fft.write_op()
        result[op.io_index] = vc.abs(op.register)

    for n in (12, 17, 64):
        data = random(3, n, real=True)
        result = vd.Buffer((3, n), vd.float32)
        vd.fft.fft(result, vd.asbuffer(data), 3.0, buffer_shape=(3, n), input_map=scaled, output_map=magnitude)
        assert error(result.read(0), abs(np.fft.fft(data * 3))) < 3e-6


def test_an_output_map_with_its_input(device):
    @vd.map
    def reversed_rows(result: Buff[c64]):
        op = vd.fft.write_op()
        row = op.io_index // op.fft_size
        op.write_to_buffer(result, io_index=row * op.fft_size + (op.fft_size - 1 - op.fft_index))

    data = random(4, 30)
    result = vd.Buffer((4, 30), vd.complex64)
    vd.fft.fft(result, vd.asbuffer(data), output_map=reversed_rows)
    assert error(result.read(0), np.fft.fft(data)[:, ::-1]) < 2e-6
    with pytest.raises(ValueError, match="input buffer argument must be provided"):
        vd.fft.fft(result, output_map=reversed_rows)
    with pytest.raises(ValueError, match="must be a buffer"):
        vd.fft.fft(result, 3, output_map=reversed_rows)


def test_maps_of_helpers(device):
    @vd.map
    def twice(source: Buff[c64]):
        op = vd.fft.read_op()
        op.read_from_buffer(source)
        op.register *= 2

    @vd.map
    def shifted(result: Buff[c64]):
        op = vd.fft.write_op()
        op.register += 1
        op.write_to_buffer(result)

    data = random(6, 10)
    assert error(run(vd.fft.fft2, data, input_map=twice, output_map=shifted), np.fft.fft2(2 * data) + 1) < 2e-6
    assert error(run(vd.fft.ifft, data, input_map=twice), np.fft.ifft(2 * data)) < 2e-6
    assert error(run(vd.fft.ifft2, data, output_map=shifted), np.fft.ifft2(data) + 1) < 2e-6


def test_equal_maps_are_traced_once(host):
    vd.fft.cache_clear()

    def make():
        def zero(source: Buff[c64]):
            vd.fft.read_op().read_from_buffer(source)

        return vd.map(zero)

    data = vd.asbuffer(random(2, 8))
    for _ in range(3):
        vd.fft.fft(data, data, input_map=make())
    info = vd.fft.get_cache_info()
    assert (info.hits, info.misses, info.currsize) == (2, 1, 1)
    vd.fft.cache_clear()
    assert vd.fft.get_cache_info().currsize == 0


def test_ops_are_there_inside_maps_only(host):
    for op in (vd.fft.read_op, vd.fft.write_op):
        with pytest.raises(ValueError, match="operation is set for the current thread"):
            op()
    assert vd.fft.mapped_kernel_index() is None


def test_an_error_in_a_map_is_the_users(host):
    @vd.map
    def wrong(source: Buff[c64]):
        raise KeyError("mine")

    data = vd.asbuffer(random(2, 8))
    with pytest.raises(KeyError, match="mine"):
        vd.fft.fft(data, data, input_map=wrong)
    vd.fft.fft(data)


def test_what_a_map_is_told(host):
    seen = []

    @vd.map
    def look(source: Buff[c64]):
        op = vd.fft.read_op()
        seen.append((op.element_id, op.element_count, op.fft_size, op.fft_stride, op.r2c, op.inverse, op.instance_id))
        assert op.signal_range_end == 20 and op.io_index_2 is op.io_index and op.r2c_inverse_offset == 13
        with vc.if_block(op.check_in_signal_range()):
            op.register[:] = source[op.io_index]
        copy = vd.fft.GlobalReadOp.from_memory_op(
            op, register=op.register, io_index=op.io_index, r2c=False, inverse=False, signal_range=(None, None)
        )
        assert copy.fft_size == 24 and copy.check_in_signal_range() is None

    data = random(24, 3)
    result = vd.asbuffer(data)
    vd.fft.fft(result, vd.asbuffer(data), axis=0, input_map=look, input_signal_range=(4, 20))
    kept = data.copy()
    kept[:4] = kept[20:] = 0
    assert error(result.read(0), np.fft.fft(kept, axis=0)) < 2e-6
    assert [s[0] for s in seen] == list(range(seen[0][1]))
    assert seen[0][2:] == (24, 3, False, False, 0)


# ---- Convolutions


@pytest.mark.parametrize("n", [1, 6, 17, 30, 34, 64, 323, 1000])
def test_convolution_along_an_axis(device, n):
    if n in (34, 323, 1000):
        skip_long_compiles(device, ("opencl",) if n == 34 else COMPILED)
    signal, kernel = random(3, n), random(3, n, seed=5)
    want = np.fft.ifft(np.fft.fft(signal) * np.fft.fft(kernel).conj())
    spectrum = vd.asbuffer(np.fft.fft(kernel).astype(np.complex64))
    assert error(run(vd.fft.convolve, signal, spectrum), want) < 3e-6
    want = np.fft.ifft(np.fft.fft(signal) * np.fft.fft(kernel))
    assert error(run(vd.fft.convolve, signal, spectrum, conjugate_kernel=False), want) < 3e-6
    columns = np.fft.ifft(np.fft.fft(signal, axis=0) * kernel.conj(), axis=0)
    assert error(run(vd.fft.convolve, signal, vd.asbuffer(kernel), axis=0), columns) < 3e-6


def test_one_kernel_for_all(device):
    signal, kernel = random(5, 4, 24), random(4, 24, seed=6)
    want = np.fft.ifft(np.fft.fft(signal, axis=1) * kernel.conj(), axis=1)
    assert error(run(vd.fft.convolve, signal, vd.asbuffer(kernel), axis=1, kernel_inner_only=True), want) < 3e-6


# A length that a workgroup takes, one that it does not, and two with large prime factors.
@pytest.mark.parametrize("n", [20, 1500, 74, 83])
def test_kernel_maps_and_several_kernels(device, n, monkeypatch):
    if n in (1500, 83):
        skip_long_compiles(device, COMPILED)
    if n == 1500:
        monkeypatch.setenv("VKDISPATCH_FFT_TUNE", "shared=512")

    @vd.map
    def scale(factor: Const[f32]):
        vd.fft.read_op().register *= factor

    signal = random(3, n)
    assert error(run(vd.fft.convolve, signal, 2.5, kernel_map=scale), 2.5 * signal) < 2e-6

    @vd.map
    def each(kernel: Buff[c64]):
        op = vd.fft.read_op()
        factor = op.register.to_register()
        op.read_from_buffer(kernel, register=factor, io_index=op.io_index + vd.fft.mapped_kernel_index() * 3 * n)
        op.register[:] = vc.mult_complex(op.register, factor)

    kernels = random(2, 3, n, seed=9)
    want = np.fft.ifft(np.fft.fft(signal) * kernels)
    result = vd.Buffer((2, 3, n), vd.complex64)
    result.write(np.concatenate([signal[None], signal[None]]))
    vd.fft.convolve(result, vd.asbuffer(kernels), kernel_map=each, kernel_num=2, buffer_shape=(3, n))
    assert error(result.read(0), want) < 5e-6

    # Without a map of its own, too; and one row for all.
    result.write(np.concatenate([signal[None], signal[None]]))
    vd.fft.convolve(result, vd.asbuffer(kernels), kernel_num=2, buffer_shape=(3, n), conjugate_kernel=False)
    assert error(result.read(0), want) < 5e-6
    rows = random(2, n, seed=4)
    result.write(np.concatenate([signal[None], signal[None]]))
    vd.fft.convolve(result, vd.asbuffer(rows), kernel_num=2, buffer_shape=(3, n), kernel_inner_only=True)
    want = np.fft.ifft(np.fft.fft(signal) * rows[:, None].conj())
    assert error(result.read(0), want) < 5e-6


@pytest.mark.parametrize("shape", [(1,), (20,), (21,), (3, 20)])
def test_several_kernels_of_real_lines(device, shape):
    """Each result is an array of the output, whose rows are padded: one line, too."""
    data = random(*shape).real.astype(np.float32)
    kernels = random(3, *shape[:-1], shape[-1] // 2 + 1, seed=4)
    results = vd.asrfftbuffer(np.stack([data] * 3))
    vd.fft.convolve(results, vd.asbuffer(kernels), buffer_shape=shape, kernel_num=3, r2c=True)
    want = np.fft.irfft(np.fft.rfft(data) * kernels.conj(), shape[-1])
    assert error(results.read_real(0), want) < 5e-6


@pytest.mark.parametrize("n", [24, 1500, 38])
def test_maps_know_the_number_of_their_kernel(device, n, monkeypatch):
    if n == 1500:
        skip_long_compiles(device, COMPILED)
        monkeypatch.setenv("VKDISPATCH_FFT_TUNE", "shared=512")

    @vd.map
    def each(kernel: Buff[c64]):
        op = vd.fft.read_op()
        factor = vc.new_complex_register()
        op.read_from_buffer(kernel, register=factor, io_index=op.io_index + vd.fft.mapped_kernel_index() * 3 * n)
        op.register[:] = vc.mult_complex(op.register, factor) * float(1 + vd.fft.mapped_kernel_index())

    @vd.map
    def sums(out: Buff[c64], offset: Const[f32]):
        op = vd.fft.write_op()
        op.register.real += offset
        op.register.imag += float(vd.fft.mapped_kernel_index())
        op.write_to_buffer(out, io_index=op.io_index + vd.fft.mapped_kernel_index() * 3 * n)

    signal, kernels = random(3, n), random(2, 3, n, seed=9)
    result = vd.Buffer((2, 3, n), vd.complex64)
    arguments = (result, 2.5, vd.asbuffer(signal), vd.asbuffer(kernels))
    vd.fft.convolve(*arguments, kernel_map=each, output_map=sums, kernel_num=2, buffer_shape=(3, n))
    want = (
        np.fft.ifft(np.fft.fft(signal) * kernels * np.array([1, 2])[:, None, None])
        + 2.5
        + 1j * np.arange(2)[:, None, None]
    )
    assert error(result.read(0), want) < 5e-6


# The last pass of a long line reads rows and writes columns.
def test_lines_written_as_columns(device, monkeypatch):
    monkeypatch.setenv("VKDISPATCH_FFT_TUNE", "shared=2048")
    for n in (3375, 4096):
        data = random(3, n)
        assert error(run(vd.fft.fft, data), np.fft.fft(data)) < 4e-6
        assert "read as lines and written as columns" in vd.fft.make_fft_shader((3, n)).explain()


# Exchanges in parts are for lines that shared memory has no room for.
@pytest.mark.parametrize("words", ["parts=2", "parts=4,planar=1", "parts=2,planar=1,registers=32,radix=32"])
def test_exchanges_in_parts(device, monkeypatch, words):
    monkeypatch.setenv("VKDISPATCH_FFT_TUNE", words)
    longest, lengths = 1024, (60, 243, 1024)
    if compiles_long(device, COMPILED):
        if "radix=32" in words:
            skip_long_compiles(device, COMPILED)
        longest, lengths = 64, (64,)
    for n in lengths:
        data = random(5, n)
        assert error(run(vd.fft.fft, data), np.fft.fft(data)) < 4e-6
        assert f"in {words[6]} parts" in vd.fft.make_fft_shader((5, n)).explain()
        columns = random(2, n, 5)
        assert error(run(vd.fft.ifft, columns, axis=1), np.fft.ifft(columns, axis=1)) < 4e-6
    data, kernel = random(2, longest), random(2, longest)
    assert error(run(vd.fft.convolve, data, vd.asbuffer(kernel)), np.fft.ifft(np.fft.fft(data) * kernel.conj())) < 5e-6


# Their halves, packed, are complex lines of several passes; the last one of them makes half a spectrum.
def test_real_lines_of_several_passes(device, monkeypatch):
    monkeypatch.setenv("VKDISPATCH_FFT_TUNE", "shared=2048")
    for n in (5000, 8192):
        check_real_lines(n, 4e-6)
    text = vd.fft.make_fft_shader((3, 8192), r2c=True).explain()
    assert "to half a spectrum" in text and text.count("of lanes idle") == 2


def test_lines_of_many_passes(device, monkeypatch):
    monkeypatch.setenv("VKDISPATCH_FFT_TUNE", "shared=128")
    data = random(2, 6000)
    assert error(run(vd.fft.fft, data), np.fft.fft(data)) < 4e-6
    shader = vd.fft.make_fft_shader((2, 6000))
    assert shader.explain().count("of lanes idle") == 3
    data = random(4096, 3)
    assert error(run(vd.fft.ifft, data, axis=0), np.fft.ifft(data, axis=0)) < 4e-6
    data, kernel = random(2, 3003, real=True), random(2, 3003, real=True)
    buffer, spectrum = vd.asrfftbuffer(data), vd.asrfftbuffer(kernel)
    vd.fft.rfft(spectrum)
    vd.fft.convolve(buffer, spectrum, r2c=True)
    assert error(buffer.read_real(0), np.fft.irfft(np.fft.rfft(data) * np.fft.rfft(kernel).conj(), 3003)) < 5e-6


def test_a_range_of_a_convolution_with_a_large_prime(device):
    signal, kernel = random(3, 323), random(3, 323, seed=5)
    got = run(vd.fft.convolve, signal, vd.asbuffer(kernel), input_signal_range=(10, 200))
    signal[:, :10] = signal[:, 200:] = 0
    assert error(got, np.fft.ifft(np.fft.fft(signal) * kernel.conj())) < 5e-6


@pytest.mark.parametrize("shape", [(3, 12, 20), (2, 34, 19)])
def test_images(device, shape):
    signal, kernel = random(*shape), random(*shape, seed=7)
    want = np.fft.ifft2(np.fft.fft2(signal) * np.fft.fft2(kernel).conj())
    spectrum = vd.asbuffer(kernel)
    vd.fft.fft2(spectrum)
    assert error(run(vd.fft.convolve2D, signal, spectrum), want) < 3e-6
    prepared = vd.fft.transpose(spectrum, axis=1)
    assert prepared.size == vd.fft.get_transposed_size(shape, axis=1)
    assert error(run(vd.fft.convolve2D, signal, prepared, transposed_kernel=True), want) < 3e-6


def test_real_images_convolved(device):
    signal, kernel = random(162, 13, real=True), random(162, 13, seed=7, real=True)
    want = np.fft.ifft2(np.fft.fft2(signal) * np.fft.fft2(kernel).conj()).real
    buffer, spectrum = vd.asrfftbuffer(signal), vd.asrfftbuffer(kernel)
    vd.fft.rfft2(spectrum)
    vd.fft.convolve2DR(buffer, spectrum)
    assert error(buffer.read_real(0), want) < 3e-6


# ---- Graphs, sources, errors


def test_recorded_in_a_graph(device):
    data = random(4, 64)
    buffer = vd.asbuffer(data)
    graph = vd.CommandGraph()
    vd.fft.fft(buffer, graph=graph)
    vd.fft.ifft(buffer, graph=graph)
    assert np.array_equal(buffer.read(0), data)
    graph.submit(3)
    assert error(buffer.read(0), data) < 4e-6


def test_sources_need_no_device(dummy):
    source = vd.fft.fft_src((4, 60))
    assert "void main" in source.code and source.local_size[0] >= 1
    for name in ("fft2", "ifft2", "rfft2", "irfft2", "convolve2D", "convolve2DR"):
        assert len(getattr(vd.fft, f"{name}_src")((6, 10))) == (3 if "conv" in name else 2)
    for name in ("fft3", "ifft3", "rfft3", "irfft3"):
        assert len(getattr(vd.fft, f"{name}_src")((6, 10, 4))) == 3
    for name in ("ifft", "rfft", "irfft", "convolve", "transpose"):
        assert getattr(vd.fft, f"{name}_src")((6, 10)).code
    with pytest.raises(RuntimeError):
        vd.fft.make_fft_shader((8,))(None)


PRINTED = {
    (4, 60): ["fft", "ifft", "rfft", "irfft", "convolve", "transpose"],
    (6, 10): ["fft2", "ifft2", "rfft2", "irfft2", "convolve2D", "convolve2DR"],
    (6, 10, 4): ["fft3", "ifft3", "rfft3", "irfft3"],
}


@pytest.mark.parametrize(("name", "shape"), [(name, shape) for shape, names in PRINTED.items() for name in names])
def test_each_printer_prints_its_sources(dummy, capsys, name, shape):
    getattr(vd.fft.src_functions, f"{name}_print_src")(shape)
    printed = capsys.readouterr().out
    assert name == "transpose" or hasattr(vd.fft, f"{name}_print_src")
    sources = getattr(vd.fft, f"{name}_src")(shape)
    stages = sources if isinstance(sources, tuple) else (sources,)
    assert printed.count(f"// {name}: stage") == len(stages) and all(str(stage) in printed for stage in stages)


def test_factories_and_what_their_cache_says(host, capsys):
    vd.fft.cache_clear()
    data, kernel = random(3, 12), random(3, 12, seed=5)
    buffer, prepared = vd.asbuffer(data), vd.Buffer((36,), c64)
    vd.fft.make_transpose_shader((3, 12))(prepared, vd.asbuffer(kernel))
    convolution = vd.fft.make_convolution_shader((3, 12), transposed_kernel=True)
    convolution(buffer, prepared)
    assert error(buffer.read(0), np.fft.ifft(np.fft.fft(data) * kernel.conj())) < 3e-6
    assert vd.fft.make_convolution_shader((3, 12), transposed_kernel=True) is convolution
    vd.fft.print_cache_info()
    said = capsys.readouterr().out.splitlines()
    assert len(said) == 2 and "Convolution cache: CacheInfo(hits=1, misses=1" in said[1]


def test_print_shader_and_explain(host, capsys):
    buffer = vd.asbuffer(random(2, 64))
    vd.fft.fft(buffer, print_shader=True)
    assert "Source Code for" in capsys.readouterr().out
    vd.fft.fft_print_src((2, 64))
    assert capsys.readouterr().out.startswith("// fft")
    assert "16x4" in vd.fft.make_fft_shader((2, 64)).explain()


@pytest.mark.parametrize("dtype, feature", [(vd.complex32, "float_16_support"), (vd.complex128, "float_64_support")])
def test_a_precision_that_the_device_lacks(host, monkeypatch, dtype, feature):
    buffer = vd.Buffer((4,), dtype)
    info = vd.get_context().device_infos[0]
    monkeypatch.setattr(info, feature, 0)
    with pytest.raises(
        ValueError, match=f"'{dtype.name}' is not supported .* needs (16|64)-bit floats, which device '"
    ) as caught:
        vd.fft.fft(buffer)
    assert info.device_name in str(caught.value)


def test_wrong_calls(host):
    buffer = vd.asbuffer(random(4, 8))
    with pytest.raises(ValueError, match="At least one buffer"):
        vd.fft.fft()
    with pytest.raises(ValueError, match="exactly one buffer"):
        vd.fft.fft(buffer, buffer)
    with pytest.raises(ValueError, match="axis"):
        vd.fft.fft(buffer, axis=2)
    with pytest.raises(ValueError, match="must match output_type"):
        vd.fft.fft(buffer, input_type=c128)
    with pytest.raises(ValueError, match="complex32, complex64, or complex128"):
        vd.fft.fft(vd.Buffer((4,), vd.float32))
    with pytest.raises(ValueError, match="contiguous"):
        vd.fft.fft(buffer, axis=0, r2c=True)
    with pytest.raises(ValueError, match="at least an output buffer and kernel"):
        vd.fft.convolve(buffer)
    with pytest.raises(ValueError, match="CommandGraph"):
        vd.fft.fft(buffer, graph=3)
    with pytest.raises(ValueError, match="Expected a buffer"):
        vd.fft.fft(3)
    with pytest.raises(ValueError, match="smaller than expected"):
        vd.fft.transpose(buffer, out_buffer=vd.Buffer((2,), vd.complex64))


def test_lengths_to_pad_to():
    assert [vd.fft.pad_dim(n) for n in (1, 17, 97, 1009)] == [1, 18, 98, 1014]
    assert vd.fft.pad_dim(17, 2) == 32
    with pytest.raises(ValueError, match="greater than 0"):
        vd.fft.pad_dim(0)


def test_any_axes(device):
    data = random(4, 6, 5, 3)
    assert error(run(vd.fft.fftn, data), np.fft.fftn(data)) < 2e-6
    assert error(run(vd.fft.fftn, data, axes=(-1, 1)), np.fft.fftn(data, axes=(1, 3))) < 2e-6
    assert error(run(vd.fft.ifftn, data, axes=(0, 2)), np.fft.ifftn(data, axes=(0, 2))) < 2e-6
    with pytest.raises(ValueError, match="twice"):
        vd.fft.fftn(vd.asbuffer(data), axes=(1, -3))


def test_volumes(device):
    for shape in ((4, 6, 5), (2, 3, 8, 4)):
        data, kernel = random(*shape), random(*shape, seed=8)
        axes = (-3, -2, -1)
        spectrum = np.fft.fftn(kernel, axes=axes)
        buffer, response = vd.asbuffer(data), vd.asbuffer(kernel)
        vd.fft.fftn(response, axes=axes)
        vd.fft.convolve3D(buffer, response, conjugate_kernel=False)
        want = np.fft.ifftn(np.fft.fftn(data, axes=axes) * spectrum, axes=axes)
        assert error(buffer.read(0), want) < 3e-6
    with pytest.raises(ValueError, match="3 or 4 dimensions"):
        vd.fft.convolve3D(vd.asbuffer(data[0, 0]), response)


def test_shifts_inside_of_transforms(device):
    for shape, axes in (((4, 9), None), ((6, 10), (1,)), ((3, 5, 8), (0, 2))):
        data = random(*shape)
        out, source = vd.asbuffer(np.zeros_like(data)), vd.asbuffer(data)
        vd.fft.fft(out, source, buffer_shape=shape, output_map=vd.fft.fftshift_map(shape, axes))
        assert error(out.read(0), np.fft.fftshift(np.fft.fft(data), axes=axes)) < 2e-6
        vd.fft.fft(out, source, buffer_shape=shape, input_map=vd.fft.ifftshift_map(shape, axes))
        assert error(out.read(0), np.fft.fft(np.fft.ifftshift(data, axes=axes))) < 2e-6


def test_variables_of_a_transform(device):
    @vd.map
    def scaled(source: Buff[c64], factor: Var[f32]):
        op = vd.fft.read_op()
        op.read_from_buffer(source)
        op.register[:] = op.register * factor

    data = random(3, 40)
    out, source = vd.asbuffer(np.zeros_like(data)), vd.asbuffer(data)
    graph = vd.CommandGraph()
    vd.fft.fft(out, source, graph.bind_var("factor"), buffer_shape=data.shape, input_map=scaled, graph=graph)
    for factor in (2.0, -0.5):
        graph.set_var("factor", factor)
        graph.submit()
        assert error(out.read(0), factor * np.fft.fft(data)) < 2e-6


@pytest.mark.parametrize("shape", [(12,), (5, 9), (3, 4, 40), (2, 20000), (3, 34), (2, 323)])
def test_convolutions_of_real_lines(device, shape):
    if shape[-1] > 300:
        skip_long_compiles(device, ("opencl",) if shape[-1] == 20000 else COMPILED)
    data, kernel = random(*shape, real=True), random(*shape, real=True)[..., ::-1].copy()
    spectrum = np.fft.rfft(kernel)
    for conjugate in (False, True):
        buffer, response = vd.asrfftbuffer(data), vd.asrfftbuffer(kernel)
        vd.fft.rfft(response)
        vd.fft.convolve(buffer, response, r2c=True, conjugate_kernel=conjugate)
        want = np.fft.irfft(np.fft.rfft(data) * (spectrum.conj() if conjugate else spectrum), n=shape[-1])
        assert error(buffer.read_real(0), want) < 4e-6

    @vd.map
    def squared(kernel: Buff[c64]):
        op = vd.fft.read_op()
        value = vc.new_complex_register()
        op.read_from_buffer(kernel, register=value)
        op.register[:] = vc.mult_complex(vc.mult_complex(op.register, value), value)

    buffer = vd.asrfftbuffer(data)
    vd.fft.convolve(buffer, response, kernel_map=squared, r2c=True)
    assert error(buffer.read_real(0), np.fft.irfft(np.fft.rfft(data) * spectrum**2, n=shape[-1])) < 4e-6
    if len(shape) > 1:
        with pytest.raises(ValueError, match="contiguous"):
            vd.fft.convolve(buffer, response, r2c=True, axis=0)


# 600 and 1024 take one pass, 613 is padded, and 2**15 takes several.
@pytest.mark.parametrize("n", [20, 600, 613, 1024, 2**15])
def test_a_map_minds_a_range_where_it_reads_as_the_transform_does(device, n):
    if n > 20:
        skip_long_compiles(device, COMPILED)

    @vd.map
    def plain(x: Buff[c64]):
        vd.fft.read_op().read_from_buffer(x)

    @vd.map
    def own(x: Buff[c64]):
        op = vd.fft.read_op()
        op.register[:] = x[op.io_index] * (op.fft_index % 2).to_dtype(vd.float32)

    @vd.map
    def real(x: Buff[f32]):
        op = vd.fft.read_op()
        op.register.real = x[op.io_index]
        op.register.imag = 1.0 if not op.r2c else 0.0

    @vd.map
    def asking(x: Buff[f32]):
        op = vd.fft.read_op()
        with vc.if_block(op.check_in_signal_range()):
            op.register.real = x[op.io_index]

    data = random(3, n)
    odd = data * (np.arange(n) % 2)
    source, reals = vd.asbuffer(data), vd.asbuffer(data.real)
    out, rows, real_rows = vd.Buffer((3, n), vd.complex64), vd.RFFTBuffer((3, n)), vd.asrfftbuffer(data.real)
    for low, high in ((0, 12), (5, None), (3, n - 1)):
        signal = {"buffer_shape": (3, n), "input_signal_range": (low, high)}
        kept = np.zeros_like(data)
        kept[:, low:high] = data[:, low:high]
        vd.fft.fft(out, source, input_map=plain, **signal)
        assert error(out.read(0), np.fft.fft(kept)) < 2e-6
        vd.fft.fft(out, reals, input_map=asking, **signal)
        assert error(out.read(0), np.fft.fft(kept.real)) < 2e-6
        # These pad as they like.
        vd.fft.fft(out, source, input_map=own, **signal)
        assert error(out.read(0), np.fft.fft(odd)) < 2e-6
        vd.fft.fft(out, reals, input_map=real, **signal)
        assert error(out.read(0), np.fft.fft(data.real + 1j)) < 2e-6
        vd.fft.fft(rows, real_rows, input_map=real, r2c=True, **signal)
        assert error(rows.read_fourier(0), np.fft.rfft(data.real)) < 2e-6
        ones = vd.asbuffer(np.ones_like(data))
        vd.fft.convolve(out, source, ones, input_map=own, **signal)
        assert error(out.read(0), odd) < 2e-6
        vd.fft.convolve(out, source, ones, input_map=plain, **signal)
        assert error(out.read(0), kept) < 2e-6


def test_an_rfft_buffer_knows_its_real_shape(host):
    data = random(4, 50, real=True)
    rows = vd.asrfftbuffer(data)
    vd.fft.fft(rows, r2c=True)
    assert error(rows.read_fourier(0), np.fft.rfft(data)) < 2e-6
    vd.fft.fft(rows, r2c=True, inverse=True)
    assert error(rows.read_real(0), data) < 2e-6


def test_messages_of_real_buffers(host):
    with pytest.raises(ValueError, match=r"'float32 of shape \(4,\)' has elements of float32.*fft.rfft\(\)"):
        vd.fft.fft(vd.Buffer((4,), vd.float32))


def test_images_convolved_without_conjugation(host):
    image, kernel = random(12, 16), random(12, 16, seed=4)
    want = np.fft.ifft2(np.fft.fft2(image) * np.fft.fft2(kernel))
    spectrum = vd.asbuffer(kernel)
    vd.fft.fft2(spectrum)
    assert error(run(vd.fft.convolve2D, image, spectrum, conjugate_kernel=False), want) < 2e-6
    rows, spectrum = vd.asrfftbuffer(image.real), vd.asrfftbuffer(kernel.real)
    vd.fft.rfft2(spectrum)
    vd.fft.convolve2DR(rows, spectrum, conjugate_kernel=False)
    want = np.fft.irfft2(np.fft.rfft2(image.real) * np.fft.rfft2(kernel.real), s=image.shape)
    assert error(rows.read_real(0), want) < 2e-6


def test_a_map_of_a_half_spectrum_with_a_range(host):
    @vd.map
    def plain(x: Buff[c64]):
        vd.fft.read_op().read_from_buffer(x)

    data = np.fft.rfft(random(3, 20, real=True)).astype(np.complex64)
    kept = data.copy()
    kept[:, 5:] = 0
    rows, source = vd.RFFTBuffer((3, 20)), vd.RFFTBuffer((3, 20))
    source.write_fourier(data)
    vd.fft.fft(rows, source, r2c=True, inverse=True, input_map=plain, input_signal_range=(0, 5))
    assert error(rows.read_real(0), np.fft.irfft(kept)) < 2e-6

    @vd.map
    def own(x: Buff[c64]):
        op = vd.fft.read_op()
        mirrored = op.fft_index > op.fft_size // 2
        op.register[:] = x[op.io_index]
        with vc.if_block(mirrored):
            op.register.imag = -op.register.imag

    vd.fft.fft(rows, source, r2c=True, inverse=True, input_map=own, input_signal_range=(0, 5))
    assert error(rows.read_real(0), np.fft.irfft(data)) < 2e-6


def test_what_a_convolution_cannot_take_is_named(host):
    planes, volume = vd.asbuffer(random(2, 8, 8)), vd.asbuffer(random(8, 8, 8))
    for convolve, data in ((vd.fft.convolve2D, planes), (vd.fft.convolve3D, volume)):
        with pytest.raises(ValueError, match="kernel is the buffer itself"):
            convolve(data, data)
    real = vd.asrfftbuffer(np.ones((8, 8), np.float32))
    with pytest.raises(ValueError, match="kernel is the buffer itself"):
        vd.fft.convolve2DR(real, real)
    with pytest.raises(ValueError, match="kernel_map must be a vd.map function"):
        vd.fft.convolve(planes, kernel_map=lambda register: None)
    for number in (0, -1, "two"):
        with pytest.raises(ValueError, match="kernel_num"):
            vd.fft.convolve(planes, planes, kernel_num=number)
    with pytest.raises(ValueError, match="in_buffer has 24 elements; a kernel of shape .* takes 32"):
        vd.fft.transpose(vd.asbuffer(random(3, 8)), conv_shape=(4, 8))
    row = random(8)
    inner = vd.fft.transpose(vd.asbuffer(row), conv_shape=(4, 8), kernel_inner_only=True)
    lines = random(4, 8, seed=9)
    got = run(vd.fft.convolve, lines, inner, transposed_kernel=True, kernel_inner_only=True)
    assert error(got, np.fft.ifft(np.fft.fft(lines) * row.conj())) < 3e-6
