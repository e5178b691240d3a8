"""Workspaces of transforms: their size, and buffers of the caller's."""

import numpy as np
import pytest
import vkdispatch as vd

from .transformed import error, random

SHAPE = (3, 1024)


@pytest.fixture
def several_passes(monkeypatch):
    monkeypatch.setenv("VKDISPATCH_FFT_TUNE", "shared=512")


def test_a_workspace_of_the_callers(device, several_passes):
    if device == "opencl":
        pytest.skip("PoCL compiles for long; the order of work is the library's own")
    transform = vd.fft.make_fft_shader(SHAPE, workspace=True)
    size = transform.workspace_size
    assert size == vd.fft.make_fft_shader(SHAPE).workspace_size == 3 * 1024 * 8
    data = random(*SHAPE)
    held, other = vd.asbuffer(data), vd.asbuffer(data[::-1].copy())
    workspace = vd.Buffer((size // 8,), vd.complex64)
    transform(held, workspace=workspace)
    transform(other, workspace=workspace)
    want = np.fft.fft(data.astype(np.complex128))
    assert error(held.read(0), want) < 1e-6
    assert error(other.read(0), want[::-1]) < 1e-6


def test_mistakes(host, several_passes):
    transform = vd.fft.make_fft_shader(SHAPE, workspace=True)
    held = vd.asbuffer(random(*SHAPE))
    with pytest.raises(TypeError, match=r"takes its workspace: workspace=, of workspace_size bytes"):
        transform(held)
    with pytest.raises(ValueError, match=r"argument 1 \(\"workspace\"\).*24576"):
        transform(held, workspace=vd.Buffer((3071,), vd.complex64))
    with pytest.raises(ValueError, match=r"\"workspace\".*share bytes"):
        transform(held, workspace=held)


def test_one_pass_needs_none(host):
    assert vd.fft.make_fft_shader((4, 16)).workspace_size == 0
