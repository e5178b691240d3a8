"""Transforms whose addresses are sums in 64 bits (VKDISPATCH_FFT_TUNE=wide=1), against NumPy on every backend.

On Vulkan their kernels have the buffers' addresses then (lavapipe has such); elsewhere only the sums are others.
"""

import numpy as np
import pytest
import vkdispatch as vd

from .transformed import error, random, run


@pytest.fixture(autouse=True)
def _wide_addresses(monkeypatch):
    monkeypatch.setenv("VKDISPATCH_FFT_TUNE", "wide=1")


@pytest.mark.parametrize("shape, axis", [((5, 60), -1), ((3, 512), -1), ((60, 33), 0), ((2, 64, 24), 1), ((3, 37), -1)])
def test_lines_and_columns_and_back(device, shape, axis):
    data = random(*shape)
    assert error(run(vd.fft.fft, data, axis=axis), np.fft.fft(data, axis=axis)) < 1e-6
    assert error(run(vd.fft.ifft, data, axis=axis), np.fft.ifft(data, axis=axis)) < 1e-6


def test_lines_of_several_passes(device, monkeypatch):
    monkeypatch.setenv("VKDISPATCH_FFT_TUNE", "wide=1,strategy=four_step,factors=16x24")
    data = random(3, 384)
    assert error(run(vd.fft.fft, data), np.fft.fft(data)) < 1e-6


def test_parts_of_buffers(device):
    data = random(4, 60)
    buffer = vd.asbuffer(data)
    vd.fft.fft(buffer[1:3])
    want = data.copy()
    want[1:3] = np.fft.fft(data[1:3])
    assert error(buffer.read(0), want) < 1e-6


def test_convolutions(device):
    data, kernel = random(6, 60), random(6, 60, seed=4)
    want = np.fft.ifft(np.fft.fft(data) * kernel)
    assert error(run(vd.fft.convolve, data, vd.asbuffer(kernel), conjugate_kernel=False), want) < 2e-6
