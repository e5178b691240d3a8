"""Transforms by VkFFT's conventions, against NumPy."""

import numpy as np
import pytest
import vkdispatch as vd
from vkdispatch.vkfft import vkfft_plan

from .short_form import skip_long_compiles
from .transformed import error, random, run


@pytest.mark.parametrize("shape", [(30,), (4, 21), (3, 8, 10)])
def test_complex_transforms(device, shape):
    data = random(*shape)
    for axis in (*range(len(shape)), None):
        along = -1 if axis is None else axis
        assert error(run(vd.vkfft.fft, data, axis=axis), np.fft.fft(data, axis=along)) < 2e-6
        assert error(run(vd.vkfft.ifft, data, axis=axis), np.fft.ifft(data, axis=along)) < 2e-6
    unscaled = np.fft.ifft(data) * shape[-1]
    assert error(run(vd.vkfft.ifft, data, normalize=False), unscaled) < 2e-6
    if len(shape) > 1:
        assert error(run(vd.vkfft.fft2, data), np.fft.fft2(data)) < 2e-6
        assert error(run(vd.vkfft.ifft2, data), np.fft.ifft2(data)) < 2e-6
        assert error(run(vd.vkfft.fft, data, axis=(0, 1)), np.fft.fft2(data, axes=(0, 1))) < 2e-6
    if len(shape) == 3:
        assert error(run(vd.vkfft.fft3, data), np.fft.fftn(data)) < 2e-6
        assert error(run(vd.vkfft.ifft3, data), np.fft.ifftn(data)) < 2e-6


def test_out_of_place(device):
    data = random(6, 25)
    source, target = vd.asbuffer(data), vd.asbuffer(np.zeros_like(data))
    vd.vkfft.fft(target, source, axis=(0, 1))
    assert error(target.read(0), np.fft.fft2(data)) < 2e-6
    assert np.array_equal(source.read(0), data)
    vd.vkfft.fft(target, source, inverse=True)
    assert error(target.read(0), np.fft.ifft(data)) < 2e-6


@pytest.mark.parametrize("shape", [(16,), (5, 9), (3, 6, 10)])
def test_real_transforms(device, shape):
    data = random(*shape, real=True)
    pairs = [(vd.vkfft.rfft, vd.vkfft.irfft, np.fft.rfft)]
    if len(shape) > 1:
        pairs.append((vd.vkfft.rfft2, vd.vkfft.irfft2, np.fft.rfft2))
    if len(shape) > 2:
        pairs.append((vd.vkfft.rfft3, vd.vkfft.irfft3, np.fft.rfftn))
    for forward, back, theirs in pairs:
        buffer = vd.asrfftbuffer(data)
        forward(buffer)
        assert error(buffer.read_fourier(0), theirs(data)) < 2e-6
        back(buffer)
        assert error(buffer.read_real(0), data) < 2e-6


@pytest.mark.parametrize("shape", [(12, 10), (3, 16, 16), (2, 34, 19)])
@pytest.mark.parametrize("conjugate", [False, True])
def test_convolutions(device, shape, conjugate):
    if conjugate:
        skip_long_compiles(device)
    for _ in range(2):  # the plans are kept
        data, kernel = random(*shape), random(*shape, seed=4)
        signal, response = vd.asbuffer(data), vd.asbuffer(kernel)
        vd.vkfft.transpose_kernel2D(response)
        vd.vkfft.convolve2D(signal, response, normalize=True, conjugate_kernel=conjugate)
        spectrum = np.fft.fft2(kernel)
        want = np.fft.ifft2(np.fft.fft2(data) * (np.conj(spectrum) if conjugate else spectrum))
        assert error(signal.read(0), want) < 2e-6
    signal = vd.asbuffer(data)
    vd.vkfft.convolve2D(signal, response, conjugate_kernel=conjugate)
    assert error(signal.read(0), want * shape[-1] * shape[-2]) < 2e-6


def test_padding(device):
    data, kernel = random(2, 8, 12), random(2, 8, 12, seed=5)
    signal, response = vd.asbuffer(data), vd.asbuffer(kernel)
    vd.vkfft.transpose_kernel2D(response)
    vd.vkfft.convolve2D(signal, response, normalize=True, padding=((5, 8), (3, 9)))
    padded = data.copy()
    padded[:, 5:8] = padded[:, :, 3:9] = 0
    want = np.fft.ifft2(np.fft.fft2(padded) * np.fft.fft2(kernel))
    assert error(signal.read(0), want) < 2e-6


def test_padding_along_an_axis_that_stays(device):
    data = random(12, 6)
    padded = data.copy()
    padded[4:8] = 0
    buffer = vd.asbuffer(data)
    plan = vd.vkfft.VkFFTPlan((12, 6), axes=[1], padding=((4, 8), (0, 0)))
    plan.record_forward(vd.global_graph(), buffer)
    assert error(buffer.read(0), np.fft.fft(padded)) < 2e-6


def test_plans_that_were_used_last_are_kept(device, monkeypatch):
    monkeypatch.setattr(vkfft_plan, "KEPT_PLANS", 2)
    vd.vkfft.clear_plan_cache()
    data = random(3, 6)
    buffer = vd.asbuffer(data)
    for axis, made in ((0, 1), (1, 2), (np.int64(0), 2), ([0, 1], 2)):
        vd.vkfft.fft(buffer, axis=axis)
        assert len(vkfft_plan._plans) == made
    kept = [dict(key)["axes"] for key in vkfft_plan._plans]
    assert kept == [(0,), (0, 1)]
    vd.destroy_context()
    vd.make_context()
    buffer = vd.asbuffer(data)
    vd.vkfft.fft(buffer, axis=(0, 1))  # with the plan that the context before was closed over
    assert error(buffer.read(0), np.fft.fft2(data)) < 2e-6


def test_plans(host):
    data = random(4, 10, 6)
    plan = vd.vkfft.VkFFTPlan((10, 6), normalize=True, num_batches=4)
    buffer, graph = vd.asbuffer(data), vd.CommandGraph()
    plan.record_forward(graph, buffer)
    graph.submit()
    assert error(buffer.read(0), np.fft.fft2(data)) < 2e-6
    graph.reset()
    plan.record_inverse(graph, buffer)
    graph.submit()
    assert error(buffer.read(0), data) < 2e-6
    shared = vd.vkfft.VkFFTPlan((10, 6), normalize=True, num_batches=4, single_kernel_multiple_batches=True)
    kernel = random(10, 6, seed=9)
    shared.record(vd.global_graph(), buffer, kernel=vd.asbuffer(np.fft.fft2(kernel).astype(np.complex64)))
    assert error(buffer.read(0), np.fft.ifft2(np.fft.fft2(data) * np.fft.fft2(kernel))) < 4e-6
    plan.destroy()
    with pytest.raises(RuntimeError, match="destroyed"):
        plan.record_forward(graph, buffer)
    vd.vkfft.clear_plan_cache()


def test_features_have_a_kernel_each(device):
    data, kernel = random(3, 8, 6), random(3, 8, 6, seed=4)
    signal, response = vd.asbuffer(data), vd.asbuffer(kernel)
    options = {"convolution_features": 3, "normalize": True}
    vd.vkfft.VkFFTPlan((8, 6), kernel_convolution=True, **options).record(vd.global_graph(), response)
    vd.vkfft.VkFFTPlan((8, 6), **options).record(vd.global_graph(), signal, kernel=response)
    assert error(signal.read(0), np.fft.ifft2(np.fft.fft2(data) * np.fft.fft2(kernel))) < 2e-6


@pytest.mark.parametrize("conjugate", [False, True])
def test_features_of_several_batches(device, conjugate):
    """With a kernel each, and with those of one batch for all."""
    data, kernel = random(2, 3, 8, 6), random(2, 3, 8, 6, seed=4)
    spectra = np.fft.fft2(kernel).astype(np.complex64)
    options = {"convolution_features": 3, "num_batches": 2, "normalize": True, "conjugate_convolution": conjugate}
    for shared in (False, True):
        signal, response = vd.asbuffer(data), vd.asbuffer(spectra[:1] if shared else spectra)
        plan = vd.vkfft.VkFFTPlan((8, 6), single_kernel_multiple_batches=shared, **options)
        plan.record(vd.global_graph(), signal, kernel=response)
        by = spectra[:1] if shared else spectra
        want = np.fft.ifft2(np.fft.fft2(data) * (by.conj() if conjugate else by))
        assert error(signal.read(0), want) < 2e-6
    rows = vd.vkfft.VkFFTPlan((8, 6), axes=1, num_batches=2, normalize=True, single_kernel_multiple_batches=True)
    signal = vd.asbuffer(data[:, 0])
    rows.record(vd.global_graph(), signal, kernel=vd.asbuffer(spectra[0, 0]))
    assert error(signal.read(0), np.fft.ifft(np.fft.fft(data[:, 0]) * spectra[0, 0])) < 2e-6


@pytest.mark.parametrize("input_shape", [(5, 6), (8, 4), (3, 2), (10, 9), (6, 12)])
def test_an_input_of_another_shape(device, input_shape):
    """A smaller one is zero behind its end, of a larger one the rest is left out."""
    source = random(3, *input_shape)
    want = np.zeros((3, 8, 6), np.complex64)
    rows, columns = min(8, input_shape[0]), min(6, input_shape[1])
    want[:, :rows, :columns] = source[:, :rows, :columns]
    result = vd.Buffer((3, 8, 6), vd.complex64)
    plan = vd.vkfft.VkFFTPlan((8, 6), input_shape=input_shape, num_batches=3, normalize=True)
    plan.record(vd.global_graph(), result, input=vd.asbuffer(source))
    assert error(result.read(0), np.fft.fft2(want)) < 2e-6
    plan.record(vd.global_graph(), result, input=vd.asbuffer(source), inverse=True)
    assert error(result.read(0), np.fft.ifft2(want)) < 2e-6
    with pytest.raises(ValueError, match="input must hold"):
        plan.record(vd.global_graph(), result, input=vd.Buffer((2, *input_shape), vd.complex64))


@pytest.mark.parametrize("width", [9, 10, 11, 12, 14])
def test_real_rows_of_another_length(device, width):
    source, want = random(4, width, real=True), np.zeros((4, 11), np.float32)
    want[:, : min(11, width)] = source[:, :11]
    result = vd.RFFTBuffer((4, 11))
    plan = vd.vkfft.VkFFTPlan((4, 11), do_r2c=True, input_shape=(4, width))
    plan.record(vd.global_graph(), result, input=vd.asrfftbuffer(source))
    assert error(result.read_fourier(0), np.fft.rfft2(want)) < 2e-6


def test_zeros_in_a_spectrum(device):
    """Zeros in the inverse's input and in a convolution's spectrum; a forward transform may leave anything there."""
    data, kernel = random(2, 12, 10), np.fft.fft2(random(2, 12, 10, seed=5)).astype(np.complex64)
    options = {"num_batches": 2, "normalize": True, "padding": ((4, 9), (7, 10)), "pad_frequency_domain": True}
    plan = vd.vkfft.VkFFTPlan((12, 10), **options)
    zeros = np.ones((12, 10), np.complex64)
    zeros[4:9] = zeros[:, 7:10] = 0
    buffer = vd.asbuffer(data)
    plan.record_inverse(vd.global_graph(), buffer)
    assert error(buffer.read(0), np.fft.ifft2(data * zeros)) < 2e-6
    buffer.write(data)
    plan.record(vd.global_graph(), buffer, kernel=vd.asbuffer(kernel))
    assert error(buffer.read(0), np.fft.ifft2(np.fft.fft2(data) * kernel * zeros)) < 2e-6
    buffer.write(data)
    plan.record_forward(vd.global_graph(), buffer)
    assert error(buffer.read(0) * zeros, np.fft.fft2(data) * zeros) < 2e-6


def test_the_library_itself(on_backend, capsys):
    with on_backend("vulkan"):
        data = random(4, 30)
        buffer = vd.asbuffer(data)
        vd.vkfft.fft(buffer, print_shader=True)
        assert error(buffer.read(0), np.fft.fft(data)) < 2e-6
        assert "#version" in capsys.readouterr().out
        wide = random(4, 30).astype(np.complex128)
        assert error(run(vd.vkfft.fft, wide), np.fft.fft(wide)) < 1e-14
        # Numbers 10 to 20 of the spectrum count as zero.
        plan = vd.vkfft.VkFFTPlan((30,), normalize=True, num_batches=4, padding=((10, 20),), pad_frequency_domain=True)
        buffer = vd.asbuffer(data)
        plan.record_inverse(vd.global_graph(), buffer)
        padded = data.copy()
        padded[:, 10:20] = 0
        assert error(buffer.read(0), np.fft.ifft(padded)) < 2e-6


def test_mistakes(host):
    with pytest.raises(ValueError, match="Shape must be 1D, 2D, or 3D!"):
        vd.vkfft.VkFFTPlan((2, 2, 2, 2))
    with pytest.raises(ValueError, match="is not an axis"):
        vd.vkfft.VkFFTPlan((4, 4), axes=2)
    with pytest.raises(ValueError, match="last axis"):
        vd.vkfft.VkFFTPlan((4, 4), do_r2c=True, axes=0)
    with pytest.raises(ValueError, match="each of 2 axes"):
        vd.vkfft.VkFFTPlan((4, 4), padding=((0, 1),))
    with pytest.raises(ValueError, match=r"padding\[1\] \(2, 5\) is not within 0 to 4"):
        vd.vkfft.VkFFTPlan((4, 4), padding=((0, 0), (2, 5)))
    with pytest.raises(ValueError, match="axis .'x'. must be an integer or several"):
        vd.vkfft.fft(vd.asbuffer(random(4)), axis="x")
    with pytest.raises(ValueError, match=r"input_shape \(4,\) must have 2 dimension"):
        vd.vkfft.VkFFTPlan((4, 4), input_shape=(4,))
    with pytest.raises(ValueError, match=r"an input of shape \(2, 4\): name its buffer"):
        vd.vkfft.VkFFTPlan((4, 4), input_shape=(2, 4)).record(vd.global_graph(), vd.asbuffer(random(4, 4)))
    with pytest.raises(ValueError, match="at least 2 dimensions"):
        vd.vkfft.fft2(vd.asbuffer(random(4)))
    with pytest.raises(ValueError, match="Kernel shape must be 2D or 3D!"):
        vd.vkfft.transpose_kernel2D(vd.asbuffer(random(4)))
    with pytest.raises(ValueError, match="RFFTBuffer"):
        vd.vkfft.rfft(vd.asbuffer(random(4)))
    with pytest.raises(ValueError, match="complex numbers"):
        vd.vkfft.fft(vd.asbuffer(random(4, real=True)))
    with pytest.raises(ValueError, match="positive dimensions"):
        vd.vkfft.VkFFTPlan((0, 4))
    with pytest.raises(ValueError, match="num_batches .-1. must be at least 1"):
        vd.vkfft.VkFFTPlan((4,), num_batches=-1)
    for axes in ((), (0, 0), (1, -1)):
        with pytest.raises(ValueError, match="must name one axis or several, and none twice"):
            vd.vkfft.fft(vd.asbuffer(random(4, 4)), axis=axes)
    for padding in (3, ((1,), (2, 3)), (("a", 1), (0, 0))):
        with pytest.raises(ValueError, match="two integers"):
            vd.vkfft.convolve2D(vd.asbuffer(random(4, 4)), vd.asbuffer(random(4, 4)), padding=padding)


def test_buffers_that_do_not_fit(device):
    image = vd.asbuffer(random(4, 4))
    plan, graph = vd.vkfft.VkFFTPlan((4, 4)), vd.global_graph()
    with pytest.raises(ValueError, match="Expected a buffer"):
        plan.record(graph, 3)
    with pytest.raises(ValueError, match="must hold complex numbers"):
        plan.record(graph, vd.Buffer((16,), vd.float32))
    with pytest.raises(ValueError, match="kernel must hold 16 numbers"):
        plan.record(graph, image, kernel=vd.asbuffer(random(3, 4)))
    with pytest.raises(ValueError, match="input must hold 16 numbers"):
        vd.vkfft.fft(image, vd.asbuffer(random(15)))
    with pytest.raises(ValueError, match="The kernel is the buffer itself"):
        vd.vkfft.convolve2D(image, image)
    with pytest.raises(ValueError, match="Expected a buffer"):
        vd.vkfft.fft(3)


def test_an_input_of_another_precision(device):
    data = random(3, 10)
    out = vd.asbuffer(np.zeros((3, 10), np.complex64))
    vd.vkfft.fft(out, vd.asbuffer(data.astype(np.complex128)))
    assert error(out.read(0), np.fft.fft(data)) < 2e-6
