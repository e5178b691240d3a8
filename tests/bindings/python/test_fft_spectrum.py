"""Spectra in any order: transforms, products and kernels of convolutions."""

import numpy as np
import pytest
import vkdispatch as vd
import vkdispatch.codegen as vc
from vkdispatch.codegen.abbreviations import Buff, c32, c64, c128

from .transformed import error, filled, needs, numbers, random

SHAPE = (3, 240)


@pytest.fixture
def several_passes(monkeypatch):
    monkeypatch.setenv("VKDISPATCH_FFT_TUNE", "shared=128")


def circular(data, other, axis=-1):
    """The convolution along an axis, in double precision."""
    spectra = [np.fft.fft(a.astype(np.complex128), axis=axis) for a in (data, other)]
    return np.fft.ifft(spectra[0] * spectra[1], axis=axis)


@pytest.mark.parametrize("axis", [0, 1])
def test_a_product_and_a_kernel(device, several_passes, axis):
    if device == "opencl" and axis == 0:
        pytest.skip("PoCL compiles for long; one axis is tested")
    shape = SHAPE if axis else SHAPE[::-1]
    data, other = random(*shape), random(*shape, seed=5)
    want = circular(data, other, axis)

    @vd.shader(exec_size=lambda args: args.a.size)
    def multiply(a: Buff[c64], b: Buff[c64]):
        i = vc.global_invocation_id().x
        a[i] = vc.mult_complex(a[i], b[i])

    spectrum, kernel = vd.asbuffer(data), vd.asbuffer(other)
    vd.fft.fft(kernel, axis=axis, order="any")
    vd.fft.fft(spectrum, axis=axis, order="any")
    assert error(spectrum.read(0), np.fft.fft(data, axis=axis)) > 0.5
    multiply(spectrum, kernel)
    vd.fft.ifft(spectrum, axis=axis, order="any")
    assert error(spectrum.read(0), want) < 1e-6
    signal = vd.asbuffer(data)
    vd.fft.convolve(signal, kernel, axis=axis, conjugate_kernel=False, kernel_order="any")
    assert error(signal.read(0), want) < 1e-6


def test_into_another_buffer(host, several_passes):
    data = random(*SHAPE)
    held, spectrum, result = vd.asbuffer(data), vd.empty(SHAPE, vd.complex64), vd.empty(SHAPE, vd.complex64)
    vd.fft.fft(held, out=spectrum, order="any")
    vd.fft.ifft(spectrum, out=result, order="any")
    assert error(result.read(0), data) < 1e-6
    inverse = vd.asbuffer(spectrum.read(0))
    vd.fft.ifft(inverse, order="any")
    assert error(inverse.read(0), data) < 1e-6


@pytest.mark.parametrize("var_type, close", [(c32, 4e-3), (c128, 1e-14)], ids=lambda x: getattr(x, "name", ""))
def test_precisions(host, several_passes, var_type, close):
    needs(var_type)
    data = random(*SHAPE)
    held = filled(data, var_type)
    vd.fft.fft(held, order="any")
    assert error(numbers(held), np.fft.fft(data)) > 0.5
    vd.fft.ifft(held, order="any")
    assert error(numbers(held), data) < close


def test_several_axes(host, several_passes):
    data = random(40, 3, 48)
    held = vd.asbuffer(data)
    vd.fft.fftn(held, axes=[0, 2], order="any")
    assert error(held.read(0), np.fft.fftn(data, axes=[0, 2])) > 0.5
    vd.fft.ifftn(held, axes=[2, 0], order="any")
    assert error(held.read(0), data) < 1e-6


def circular_along_all(data, other, count):
    """The convolution along the last `count` axes, in double precision."""
    axes = range(-count, 0)
    spectra = [np.fft.fftn(a.astype(np.complex128), axes=axes) for a in (data, other)]
    return np.fft.ifftn(spectra[0] * spectra[1], axes=axes)


def test_planes(device, several_passes):
    data, other = random(2, 48, 240), random(2, 48, 240, seed=5)
    kernel, around = vd.asbuffer(other), vd.asbuffer(data)
    vd.fft.fft2(kernel, order="any")
    vd.fft.convolve2D(around, kernel, conjugate_kernel=False, kernel_order="any")
    assert error(around.read(0), circular_along_all(data, other, 2)) < 1e-6
    spectrum = kernel.read(0)
    assert error(spectrum, np.fft.fft2(other)) > 0.5
    vd.fft.ifft2(kernel, order="any")
    assert error(kernel.read(0), other) < 1e-6


def test_planes_into_another_buffer(host, several_passes):
    data, other = random(40, 48), random(40, 48, seed=5)
    held, spectrum, result = vd.asbuffer(data), vd.empty((40, 48), vd.complex64), vd.empty((40, 48), vd.complex64)
    vd.fft.fft2(held, out=spectrum, order="any")
    vd.fft.ifft2(spectrum, out=result, order="any")
    assert error(result.read(0), data) < 1e-6
    kernel = vd.asbuffer(other)
    vd.fft.fft2(kernel, order="any")
    vd.fft.convolve2D(held, kernel, out=result, conjugate_kernel=False, kernel_order="any")
    assert error(result.read(0), circular_along_all(data, other, 2)) < 1e-6
    assert error(held.read(0), data) == 0


def test_one_kernel_for_all_planes(host, several_passes):
    data, other = random(3, 40, 48), random(40, 48, seed=5)
    kernel, around = vd.asbuffer(other), vd.asbuffer(data)
    vd.fft.fft2(kernel, order="any")
    vd.fft.convolve2D(around, kernel, kernel_inner_only=True, conjugate_kernel=False, kernel_order="any")
    assert error(around.read(0), circular_along_all(data, other, 2)) < 1e-6


def test_volumes(host, several_passes):
    data, other = random(40, 48, 20), random(40, 48, 20, seed=5)
    kernel, around = vd.asbuffer(other), vd.asbuffer(data)
    vd.fft.fftn(kernel, order="any")
    vd.fft.convolve3D(around, kernel, conjugate_kernel=False, kernel_order="any")
    assert error(around.read(0), circular_along_all(data, other, 3)) < 1e-6
    vd.fft.fft3(around, order="any")
    assert error(around.read(0), np.fft.fftn(circular_along_all(data, other, 3))) > 0.5
    vd.fft.ifft3(around, order="any")
    assert error(around.read(0), circular_along_all(data, other, 3)) < 1e-6


def test_real_planes(host, several_passes):
    data, other = random(40, 60, real=True), random(40, 60, real=True, seed=5)
    kernel, around = vd.asrfftbuffer(other), vd.asrfftbuffer(data)
    vd.fft.rfft2(kernel, order="any")
    assert error(kernel.read_fourier(0), np.fft.rfft2(other)) > 0.5
    vd.fft.convolve2DR(around, kernel, conjugate_kernel=False, kernel_order="any")
    assert error(around.read_real(0), circular_along_all(data, other, 2).real) < 1e-6
    vd.fft.irfft2(kernel, order="any")
    assert error(kernel.read_real(0), other) < 1e-6


def test_real_volumes(host, several_passes):
    data = random(40, 48, 20, real=True)
    held = vd.asrfftbuffer(data)
    vd.fft.rfft3(held, order="any")
    assert error(held.read_fourier(0), np.fft.rfftn(data)) > 0.5
    vd.fft.irfft3(held, order="any")
    assert error(held.read_real(0), data) < 1e-6


def test_passes_and_workspace(host, several_passes):
    natural = vd.fft.make_fft_shader(SHAPE)
    ordered = vd.fft.make_fft_shader(SHAPE, order="any")
    assert ordered.workspace_size == 0 < natural.workspace_size
    assert ordered is vd.fft.make_fft_shader(SHAPE, order="any") is not natural
    around = vd.fft.make_convolution_shader(SHAPE, kernel_order="any")
    assert around.explain().count(" of lanes idle") == 3
    assert around.workspace_size == 0 < vd.fft.make_convolution_shader(SHAPE).workspace_size


def test_real_rows_are_natural(host, several_passes):
    data = random(*SHAPE, real=True)
    held = vd.asrfftbuffer(data)
    vd.fft.fft(held, r2c=True, order="any")
    assert error(held.read_fourier(0), np.fft.rfft(data)) < 1e-6


def test_mistakes(host):
    held = vd.asbuffer(random(*SHAPE))
    with pytest.raises(ValueError, match=r"order \('best'\) must be 'natural' or 'any'"):
        vd.fft.fft(held, order="best")
    with pytest.raises(ValueError, match=r"kernel_order \(3\) must be 'natural' or 'any'"):
        vd.fft.convolve(held, held, kernel_order=3)
    for call in (vd.fft.fft2, vd.fft.ifft2):
        with pytest.raises(ValueError, match=r"order \('best'\) must be 'natural' or 'any'"):
            call(held, order="best")
    with pytest.raises(ValueError, match=r"kernel_order \('best'\) must be 'natural' or 'any'"):
        vd.fft.convolve2D(held, vd.asbuffer(random(*SHAPE)), kernel_order="best")
    rows = vd.asrfftbuffer(random(*SHAPE, real=True))
    with pytest.raises(ValueError, match=r"kernel_order \('best'\) must be 'natural' or 'any'"):
        vd.fft.convolve2DR(rows, rows, kernel_order="best")
    with pytest.raises(ValueError, match=r"a range of the spectrum"):
        vd.fft.fft(held, order="any", output_signal_range=(0, 100))
