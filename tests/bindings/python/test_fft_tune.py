"""Transforms whose passes are measured on the device."""

import os
import re
import subprocess
import sys

import numpy as np
import pytest
import vkdispatch as vd

from .short_form import COMPILED, compiles_long, skip_long_compiles

PROGRAM = """
import sys
import numpy as np
import vkdispatch as vd

x = (np.random.default_rng(3).normal(size=(6, 60, 2)) @ [1, 1j]).astype(np.complex64)
for axis in (0, 1):
    transform = vd.fft.make_fft_shader(x.shape, axis, tune=int(sys.argv[1]))
    held = vd.asbuffer(x)
    transform(held)
    assert np.allclose(held.read(0), np.fft.fft(x, axis=axis), atol=1e-3), transform.explain()
    print(transform.explain().splitlines()[0])
"""
TUNED = re.compile(r"tuned: (\d+) candidates? measured, (\d+) pass(?:es)? from the cache")


@pytest.fixture
def run(device, tmp_path):
    """A process of its own on the device: (candidates measured, passes from the cache), along each axis."""
    (tmp_path / "program.py").write_text(PROGRAM)
    environment = os.environ | {"VKDISPATCH_BACKEND": device, "VKDISPATCH_CACHE_DIR": str(tmp_path / "cache")}

    def of(level):
        done = subprocess.run(
            [sys.executable, tmp_path / "program.py", str(level)],
            check=False,
            env=environment,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        return [tuple(map(int, found)) for found in TUNED.findall(done.stdout)]

    return of


def test_a_second_process_measures_nothing(device, run, tmp_path):
    skip_long_compiles(device)
    first = run(1)
    assert [kept for _, kept in first] == [0, 0] and all(2 <= measured <= 4 for measured, _ in first)
    assert run(1) == [(0, 1), (0, 1)]
    # A damaged entry counts as none.
    entries = list((tmp_path / "cache").rglob("*.entry"))
    assert entries
    for entry in entries:
        held = bytearray(entry.read_bytes())
        held[-1] ^= 1
        entry.write_bytes(held)
    assert run(1) == first
    if compiles_long(device, COMPILED):
        return  # lavapipe compiles all candidates for seconds
    # The best four are not all, while all are more than the best four.
    everything = run(2)
    assert all(measured > 4 and kept == 0 for measured, kept in everything)
    assert run(2) == run(1) == [(0, 1), (0, 1)]


def test_lines_of_several_passes_are_tuned(device, monkeypatch):
    monkeypatch.setenv("VKDISPATCH_FFT_TUNE", "shared=256")
    x = (np.random.default_rng(5).normal(size=(2, 600, 2)) @ [1, 1j]).astype(np.complex64)
    held = vd.asbuffer(x)
    transform = vd.fft.make_fft_shader(x.shape, tune=1)
    transform(held)
    assert np.allclose(held.read(0), np.fft.fft(x), atol=1e-2), transform.explain()
    assert transform.explain().count("of lanes idle") > 1


def test_lengths_with_a_prime_above_31_are_measured(device, monkeypatch):
    skip_long_compiles(device)
    monkeypatch.setenv("VKDISPATCH_FFT_TUNE", "strategy=rader")  # and no chirp
    x = (np.random.default_rng(6).normal(size=(5, 122, 2)) @ [1, 1j]).astype(np.complex64)
    held = vd.asbuffer(x)
    transform = vd.fft.make_fft_shader(x.shape, tune=1)
    transform(held)
    assert np.allclose(held.read(0), np.fft.fft(x), atol=1e-3), transform.explain()
    assert "61(" in transform.explain()
    measured, kept = map(int, TUNED.findall(transform.explain())[0])
    assert kept or 2 <= measured <= 4


def test_keyword_of_functions(device):
    x = (np.random.default_rng(7).normal(size=(3, 32, 2)) @ [1, 1j]).astype(np.complex64)
    held = vd.asbuffer(x)
    vd.fft.fft(held, tune=1)
    assert np.allclose(held.read(0), np.fft.fft(x), atol=1e-3)
    vd.fft.ifft(held, tune=1)
    assert np.allclose(held.read(0), x, atol=1e-3)


@pytest.mark.parametrize("wrong", [3, -1, "best", 1.5, None])
def test_levels_that_there_are_not(host, wrong):
    with pytest.raises(ValueError, match=r"tune \(.*\) must be 0, 1 or 2!"):
        vd.fft.make_fft_shader((4, 8), tune=wrong)


def test_maps_are_not_measured(host):
    held, other = (vd.asbuffer(np.ones((2, 8), np.complex64)) for _ in range(2))
    with pytest.raises(
        ValueError, match=r"^fft\(\): tune \(1\) measures transforms in place .* with out=, .* must be 0"
    ):
        vd.fft.fft(held, out=other, tune=1)
