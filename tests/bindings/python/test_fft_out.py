"""Transforms from one buffer into another: `out=`."""

import numpy as np
import pytest
import vkdispatch as vd
from vkdispatch.codegen.abbreviations import Buff, Const, c64, f32

RNG = np.random.default_rng(5)
SHAPES = [(3, 60), (4, 5, 6), (64,), (2, 3, 17)]


def complex_data(shape, dtype=np.complex64):
    return (RNG.random(shape) + 1j * RNG.random(shape)).astype(dtype)


def check(call, data, wanted, out_type=vd.complex64, out=None, atol=2e-3, **options):
    x = data if isinstance(data, vd.Buffer) else vd.asbuffer(data)
    before = x.read(0)
    out = vd.full(wanted.shape, 9, out_type) if out is None else out
    assert call(x, out=out, **options) is None
    found = out.read_real(0) if isinstance(out, vd.RFFTBuffer) and wanted.dtype.kind == "f" else out.read(0)
    np.testing.assert_allclose(found, wanted, atol=atol)
    np.testing.assert_array_equal(x.read(0), before)  # what is transformed stays
    return out


def test_into_another_buffer_on_each_backend(device):
    data = complex_data((3, 60))
    check(vd.fft.fft, data, np.fft.fft(data))
    check(vd.fft.ifft, data, np.fft.ifft(data))
    check(vd.fft.rfft, data.real.copy(), np.fft.rfft(data.real))
    check(vd.fft.irfft, np.fft.rfft(data.real).astype(np.complex64), data.real, vd.float32)


@pytest.mark.parametrize("shape", SHAPES)
def test_along_each_axis(host, shape):
    data = complex_data(shape)
    for axis in range(-1, len(shape)):
        check(vd.fft.fft, data, np.fft.fft(data, axis=axis), axis=axis)
        check(vd.fft.ifft, data, np.fft.ifft(data, axis=axis), axis=axis)
        check(vd.fft.fft, data, np.fft.ifft(data, axis=axis), axis=axis, inverse=True)


def test_several_axes(host):
    image, volume = complex_data((6, 10)), complex_data((4, 6, 10))
    check(vd.fft.fft2, image, np.fft.fft2(image))
    check(vd.fft.ifft2, image, np.fft.ifft2(image))
    check(vd.fft.fft2, volume, np.fft.fft2(volume))
    check(vd.fft.fft3, volume, np.fft.fftn(volume))
    check(vd.fft.ifft3, volume, np.fft.ifftn(volume))
    check(vd.fft.fftn, volume, np.fft.fftn(volume))
    check(vd.fft.fftn, volume, np.fft.fftn(volume, axes=(2, 0)), axes=(2, 0))
    check(vd.fft.ifftn, volume, np.fft.ifftn(volume))
    with pytest.raises(ValueError, match="at least one axis"):
        vd.fft.fftn(vd.asbuffer(image), axes=(), out=vd.asbuffer(image))


@pytest.mark.parametrize("shape", [(3, 60), (3, 61), (2, 4, 10), (16,)])
@pytest.mark.parametrize("padded", [False, True])
def test_real_rows(host, shape, padded):
    data = RNG.random(shape).astype(np.float32)
    spectrum = np.fft.rfft(data).astype(np.complex64)

    def rows():
        return vd.asrfftbuffer(data) if padded else vd.asbuffer(data)

    def empty_rows():
        return vd.RFFTBuffer(shape) if padded else vd.zeros(shape)

    check(vd.fft.rfft, rows(), spectrum)
    check(vd.fft.fft, rows(), spectrum, r2c=True)
    check(vd.fft.rfft, rows(), spectrum, out=vd.RFFTBuffer(shape))
    check(vd.fft.irfft, spectrum, data, out=empty_rows())
    check(vd.fft.fft, spectrum, data, out=empty_rows(), r2c=True, inverse=True)
    if len(shape) >= 2:
        spectra = np.fft.rfft2(data).astype(np.complex64)
        check(vd.fft.rfft2, rows(), spectra)
        check(vd.fft.irfft2, spectra, data, out=empty_rows())
    if len(shape) == 3:
        spectra = np.fft.rfftn(data).astype(np.complex64)
        check(vd.fft.rfft3, rows(), spectra)
        check(vd.fft.irfft3, spectra, data, out=empty_rows())


def test_real_numbers_become_complex_ones(host):
    data = RNG.random((3, 20)).astype(np.float32)
    check(vd.fft.fft, data, np.fft.fft(data))
    whole = RNG.integers(0, 9, (3, 20)).astype(np.int32)
    check(vd.fft.rfft, whole, np.fft.rfft(whole))


def test_double_precision_is_kept(host):
    data = complex_data((3, 60), np.complex128)
    check(vd.fft.fft, data, np.fft.fft(data), vd.complex128, atol=1e-12)
    check(vd.fft.rfft, data.real.copy(), np.fft.rfft(data.real), vd.complex128, atol=1e-12)
    check(vd.fft.irfft, np.fft.rfft(data.real), data.real, vd.float64, atol=1e-12)
    check(vd.fft.fft, data.astype(np.complex64), np.fft.fft(data), vd.complex128, atol=1e-4)
    check(vd.fft.fft, data, np.fft.fft(data), vd.complex64, atol=1e-4)


def test_ranges_and_graphs(host):
    data = complex_data((3, 60))
    padded = data.copy()
    padded[:, 20:] = 0
    check(vd.fft.fft, data, np.fft.fft(padded), input_signal_range=(0, 20))
    graph, x, out = vd.CommandGraph(), vd.asbuffer(data), vd.zeros((3, 60), vd.complex64)
    vd.fft.fft(x, out=out, graph=graph)
    assert not out.read(0).any()
    graph.submit()
    np.testing.assert_allclose(out.read(0), np.fft.fft(data), atol=2e-3)


def test_convolutions(host):
    data, kernel = complex_data((4, 60)), complex_data((4, 60))
    spectrum = np.fft.fft(kernel).astype(np.complex64)
    wanted = np.fft.ifft(np.fft.fft(data) * spectrum)
    x, k, out = vd.asbuffer(data), vd.asbuffer(spectrum), vd.zeros((4, 60), vd.complex64)
    vd.fft.convolve(x, k, out=out, conjugate_kernel=False)
    np.testing.assert_allclose(out.read(0), wanted, atol=2e-2)
    np.testing.assert_array_equal(x.read(0), data)

    several = vd.zeros((2, 4, 60), vd.complex64)
    kernels = np.stack([spectrum, 2 * spectrum])
    vd.fft.convolve(x, vd.asbuffer(kernels), out=several, conjugate_kernel=False, kernel_num=2)
    np.testing.assert_allclose(several.read(0), np.stack([wanted, 2 * wanted]), atol=4e-2)

    spectrum2 = np.fft.fft2(kernel).astype(np.complex64)
    wanted2 = np.fft.ifft2(np.fft.fft2(data) * spectrum2)
    vd.fft.convolve2D(x, vd.asbuffer(spectrum2), out=out, conjugate_kernel=False)
    np.testing.assert_allclose(out.read(0), wanted2, atol=5e-2)

    volume = complex_data((3, 4, 10))
    spectrum3 = np.fft.fftn(volume).astype(np.complex64)
    third = vd.zeros(volume.shape, vd.complex64)
    vd.fft.convolve3D(vd.asbuffer(volume), vd.asbuffer(spectrum3), out=third, conjugate_kernel=False)
    np.testing.assert_allclose(third.read(0), np.fft.ifftn(np.fft.fftn(volume) ** 2), atol=5e-2)


@pytest.mark.parametrize("padded_in", [False, True])
@pytest.mark.parametrize("padded_out", [False, True])
def test_real_convolutions(host, padded_in, padded_out):
    data, kernel = RNG.random((2, 4, 10)).astype(np.float32)
    x = vd.asrfftbuffer(data) if padded_in else vd.asbuffer(data)

    def found(call, spectrum, **options):
        out = vd.RFFTBuffer(data.shape) if padded_out else vd.zeros(data.shape)
        call(x, vd.asbuffer(spectrum.astype(np.complex64)), out=out, conjugate_kernel=False, **options)
        assert np.array_equal(x.read_real(0) if padded_in else x.read(0), data)
        return out.read_real(0) if padded_out else out.read(0)

    lines = np.fft.rfft(kernel)
    wanted = np.fft.irfft(np.fft.rfft(data) * lines, 10)
    np.testing.assert_allclose(found(vd.fft.convolve, lines, r2c=True), wanted, atol=1e-3)
    images = np.fft.rfft2(kernel)
    wanted = np.fft.irfft2(np.fft.rfft2(data) * images, data.shape)
    np.testing.assert_allclose(found(vd.fft.convolve2DR, images), wanted, atol=1e-3)


def test_transpose_has_it_too(host):
    data = complex_data((4, 60))
    out = vd.zeros(vd.fft.get_transposed_size((4, 60), 1), vd.complex64)
    assert vd.fft.transpose(vd.asbuffer(data), axis=1, out=out) is out
    np.testing.assert_array_equal(out.read(0), data.ravel())
    with pytest.raises(TypeError, match="several values for argument 'out'"):
        vd.fft.transpose(vd.asbuffer(data), out=out, out_buffer=out)


def test_the_same_buffer_is_transformed_in_place(host):
    data = complex_data((3, 60))
    x = vd.asbuffer(data)
    vd.fft.fft(x, out=x)
    np.testing.assert_allclose(x.read(0), np.fft.fft(data), atol=2e-3)
    rows = vd.asrfftbuffer(data.real)
    vd.fft.rfft(rows, out=rows)
    np.testing.assert_allclose(rows.read_fourier(0), np.fft.rfft(data.real), atol=2e-3)


@pytest.mark.parametrize(
    "call, out, said",
    [
        (vd.fft.fft, lambda: np.zeros((3, 60), np.complex64), "Expected a buffer for argument 'out' .*asbuffer"),
        (vd.fft.fft, lambda: vd.zeros((3, 60)), "out has elements of float32"),
        (vd.fft.fft, lambda: vd.zeros((3, 61), vd.complex64), r"out has shape \(3, 61\), and .* \(3, 60\)"),
        (vd.fft.fft2, lambda: vd.zeros((60, 3), vd.complex64), r"fft2\(\): out has shape \(60, 3\)"),
        (vd.fft.fftn, lambda: vd.zeros(180, vd.complex64), r"out has shape \(180,\)"),
        (vd.fft.irfft, lambda: vd.zeros((3, 60)), r"half spectra of shape \(3, 31\), and the argument has shape"),
        (vd.fft.irfft, lambda: vd.zeros((3, 119), vd.vec2), "out has elements of vec2"),
        (vd.fft.rfft, lambda: vd.zeros((3, 31), vd.complex64), "the argument has elements of complex64"),
    ],
)
def test_what_does_not_fit_is_refused(host, call, out, said):
    data = complex_data((3, 60))
    x = vd.asbuffer(data)
    with pytest.raises(ValueError, match=said):
        call(x, out=out())
    np.testing.assert_array_equal(x.read(0), data)


def test_with_maps_out_is_a_parameter_of_theirs(host):
    data = complex_data((3, 60))

    @vd.map
    def power(out: Buff[f32]):
        op = vd.fft.write_op()
        out[op.io_index] = op.register.real * op.register.real

    out = vd.zeros((3, 60))
    vd.fft.fft(vd.asbuffer(data), out=out, buffer_shape=(3, 60), output_map=power)
    np.testing.assert_allclose(out.read(0), np.fft.fft(data).real ** 2, rtol=1e-3, atol=1e-3)
    vd.fft.fft2(vd.asbuffer(data), out=out, output_map=power, buffer_shape=(3, 60))
    np.testing.assert_allclose(out.read(0), np.fft.fft2(data).real ** 2, rtol=1e-3, atol=1e-1)

    @vd.map
    def halved(x: Buff[c64]):
        vd.fft.read_op().register[:] = x[vd.fft.read_op().io_index] * 0.5

    with pytest.raises(TypeError, match="unexpected keyword argument 'out'"):
        vd.fft.fft(out, vd.asbuffer(data), out=out, input_map=halved)


def test_plain_rows_are_not_transformed_in_place(device):
    numbers = np.arange(32, dtype=np.float32).reshape(4, 8)
    for of in (np.float32, np.complex64):
        buffer = vd.asbuffer(numbers.astype(of))
        for name in ("rfft", "irfft", "rfft2", "irfft2"):
            with pytest.raises(ValueError, match=rf"^{name}\(\): out .* in place only an RFFTBuffer has room"):
                getattr(vd.fft, name)(buffer, out=buffer)
        assert (buffer.read(0) == numbers).all()
    rows = vd.asrfftbuffer(numbers)
    vd.fft.rfft2(rows, out=rows)
    assert np.allclose(rows.read_fourier(0), np.fft.rfft2(numbers), atol=1e-3)
    # A view of all of it is the same elements, whichever of the two it is.
    vd.fft.irfft2(rows[:], out=rows)
    assert np.allclose(rows.read_real(0), numbers, atol=1e-4)
    vd.fft.rfft(rows, out=rows[:])
    assert np.allclose(rows.read_fourier(0), np.fft.rfft(numbers), atol=1e-3)
    vd.fft.irfft(rows[:], out=rows)
    assert np.allclose(rows.read_real(0), numbers, atol=1e-4)


@pytest.mark.parametrize("n", [64, 4096])
def test_views_that_share_bytes_are_refused_as_out(device, n):
    numbers = np.random.default_rng(7).normal(size=3 * n).astype(np.complex64)
    buffer = vd.asbuffer(numbers)
    first = buffer[: 2 * n].reshape(2, n)
    with pytest.raises(ValueError, match=rf"fft\(\): out is bytes {4 * n} to {20 * n} .* bytes 0 to {16 * n}: what is"):
        vd.fft.fft(first, out=buffer[n // 2 : n // 2 + 2 * n].reshape(2, n))
    assert (buffer.read(0) == numbers).all()
    vd.fft.fft(buffer[:n], out=buffer[2 * n :])  # beside it
    vd.fft.fft(buffer[n : 2 * n], out=buffer[n : 2 * n])  # the same elements
    lines = np.fft.fft(numbers.reshape(3, n))
    assert np.allclose(buffer.read(0).reshape(3, n), [numbers[:n], lines[1], lines[0]], atol=1e-2)


def test_real_rows_lie_along_the_last_axis(host):
    with pytest.raises(ValueError, match=r"with r2c=True axis \(0\) must be the last one \(1\) of shape \(100, 4\)"):
        vd.fft.fft(vd.zeros((100, 4)), axis=0, r2c=True, out=vd.zeros((51, 4), vd.complex64))


def test_a_transform_says_how_it_takes_other_elements(host):
    transform = vd.fft.make_fft_shader((8, 100), compute_type=vd.complex128)
    said = r"array.astype\(np.complex64\) before .* input_type= or output_type=vd.complex128 takes it as it is"
    with pytest.raises(ValueError, match=said):
        transform(vd.zeros((8, 100), vd.complex128))


def test_missing_arguments_of_maps_are_named(host):
    @vd.map
    def low_pass(out: Buff[c64], cut: Const[f32]):
        op = vd.fft.write_op()
        out[op.io_index] = op.register * cut

    z = vd.zeros((4, 8), vd.complex64)
    with pytest.raises(ValueError, match=r"fft2\(\) takes 3 argument\(s\) .* but 2 were given! They are \(.*cut.*\)"):
        vd.fft.fft2(z, z, output_map=low_pass)
