"""Lengths with a large prime factor whose constants the device computes: a chirp and its filter's spectrum."""

import time

import numpy as np
import pytest
import vkdispatch as vd
from vkdispatch.codegen.abbreviations import c32, c64, c128

from .short_form import COMPILED, skip_long_compiles
from .transformed import error, filled, needs, numbers, random

CLOSE = {c32: 4e-3, c64: 1e-6, c128: 1e-14}


@pytest.mark.parametrize("var_type", CLOSE, ids=lambda t: t.name)
@pytest.mark.parametrize("n", [1201, 4099])
def test_short_ones_that_the_device_is_left_with(device, n, var_type, monkeypatch):
    needs(var_type)
    if n == 4099:
        skip_long_compiles(device, COMPILED)
    if device == "opencl" and var_type is not c64:
        pytest.skip("PoCL compiles for long; f32 is tested")
    monkeypatch.setenv("VKDISPATCH_FFT_TUNE", "strategy=chirp,host_chirp=0")
    data = random(3, n)
    rows, columns = filled(data, var_type), filled(data.T.copy(), var_type)
    vd.fft.fft(rows)
    assert error(numbers(rows), np.fft.fft(data.astype(np.complex128))) < CLOSE[var_type]
    vd.fft.ifft(columns, axis=0)
    assert error(numbers(columns), np.fft.ifft(data.T.astype(np.complex128), axis=0)) < CLOSE[var_type]


# The processor took 2 seconds for the last length's.
@pytest.mark.parametrize("n", [300007, 1000003, 4194301])
def test_long_primes(device, n, tell):
    if device == "opencl" or (device == "vulkan" and n != 300007):
        pytest.skip("PoCL compiles for long, and lavapipe runs for long with millions of elements")
    data = random(n)
    start = time.perf_counter()
    transform = vd.fft.make_fft_shader(data.shape, 0)
    transform.explain()
    planned = time.perf_counter() - start
    tell(f"{device}, length {n}: planned in {planned:.2f} s")
    held = filled(data, c64)
    transform(held)
    assert error(numbers(held), np.fft.fft(data.astype(np.complex128))) < 1e-6
    if device == "host":
        assert planned < 1
