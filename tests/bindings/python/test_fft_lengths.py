"""Transforms of many lengths on every backend, and properties of all transforms."""

import importlib.util
import resource
from pathlib import Path

import numpy as np
import pytest
import vkdispatch as vd

from .transformed import error, random, run

_spec = importlib.util.spec_from_file_location("fft_lengths", Path(__file__).parents[2] / "support" / "fft_lengths.py")
fft_lengths = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(fft_lengths)


# In the short form lavapipe and PoCL compile what takes them less than a second.
LONGEST = {} if fft_lengths.FULL else {"vulkan": 260, "opencl": 70}
# PoCL, unoptimised, keeps all values of a kernel on a thread's stack, which those of long lines overflow.
LONGEST_ON_A_SMALL_STACK = 130
STACK = 256 << 20


def small_stack():
    """Whether threads of this process have less than `ulimit -s 262144` gives them."""
    size = resource.getrlimit(resource.RLIMIT_STACK)[0]
    return size != resource.RLIM_INFINITY and size < STACK


def test_lengths_of_each_class(device, tell):
    chosen = fft_lengths.lengths(LONGEST.get(device), tell)
    if device == "opencl" and small_stack():
        tell(f"none above {LONGEST_ON_A_SMALL_STACK}: PoCL needs `ulimit -s {STACK >> 10}` for them")
        chosen = [n for n in chosen if n <= LONGEST_ON_A_SMALL_STACK]
    for number, n in enumerate(chosen):
        data = random(3, n, seed=n)
        exact = data.astype(np.complex128)
        # Rows and columns, forward and back, in turn.
        if number % 2 == 0:
            got, want = run(vd.fft.fft, data), np.fft.fft(exact)
        else:
            got, want = run(vd.fft.ifft, data.T, axis=0), np.fft.ifft(exact.T, axis=0)
        assert error(got, want) < 3e-6, f"length {n}"
        if number % 8 == 7:
            real = vd.asrfftbuffer(data.real.copy())
            vd.fft.rfft(real)
            assert error(real.read_fourier(0), np.fft.rfft(exact.real)) < 3e-6, f"real length {n}"
            vd.fft.irfft(real)
            assert error(real.read_real(0), exact.real) < 3e-6, f"real length {n}"


def test_long_lines(device, tell):
    if device == "opencl" and (small_stack() or not fft_lengths.FULL):
        pytest.skip("PoCL compiles long lines for seconds, and keeps them on the stack")
    powers = [1 << 16, 1 << 18, 1 << 20] if fft_lengths.FULL else [1 << 18]
    for n in [*fft_lengths.large_primes(tell), 65537, *powers]:
        data = random(n, seed=n)
        assert error(run(vd.fft.fft, data), np.fft.fft(data.astype(np.complex128))) < 2e-6, f"length {n}"


def check_identities(n):
    a, b = random(2, n, seed=1), random(2, n, seed=2)
    spectrum = run(vd.fft.fft, a)
    # Linear.
    assert error(run(vd.fft.fft, 2 * a - 3j * b), 2 * spectrum - 3j * run(vd.fft.fft, b)) < 2e-6
    # A shift is a turn of each frequency.
    by = n // 3 + 1
    turn = np.exp(-2j * np.pi * by * np.arange(n) / n)
    assert error(run(vd.fft.fft, np.roll(a, by, axis=1)), spectrum * turn) < 2e-6
    # The energy stays (Parseval).
    before, after = (abs(x.astype(np.complex128)) ** 2 for x in (a, spectrum))
    assert np.allclose(before.sum(axis=1), after.sum(axis=1) / n, rtol=2e-6)
    # There and back.
    assert error(run(vd.fft.ifft, spectrum), a) < 2e-6
    # The spectrum of an impulse at 0 is flat, that of another impulse is a wave.
    impulses = np.zeros((2, n), np.complex64)
    impulses[0, 0] = impulses[1, n // 2] = 1
    wave = np.exp(-2j * np.pi * (n // 2) * np.arange(n) / n)
    assert abs(run(vd.fft.fft, impulses) - [np.ones(n), wave]).max() < 2e-6


@pytest.mark.parametrize("n", [1, 2, 7, 64, 97, 243, 1000])
def test_identities(host, n):
    check_identities(n)


@pytest.mark.parametrize("n", [12, 17])
def test_identities_on_every_backend(device, n):
    check_identities(n)
