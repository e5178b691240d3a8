"""Two axes of planes in one pass, against NumPy, on every backend."""

import numpy as np
import pytest
import vkdispatch as vd
from vkdispatch import _native
from vkdispatch.shader.generated import CorePlan

from .transformed import error, random

_e = _native.enums


@pytest.fixture(autouse=True)
def _planes_in_one_pass(monkeypatch):
    monkeypatch.setenv("VKDISPATCH_FFT_TUNE", "strategy=plane")


def launch(shape, buffers, **fields):
    """Transforms two axes of an array of that shape, the last ones if none are given, in one pass."""
    raw = _native.raw
    desc = {"rank": len(shape), "shape": list(shape), "axis_count": 2, "axes": [-1, -2], **fields}
    rows, n = (shape[axis] for axis in sorted(axis % len(shape) for axis in desc["axes"]))
    plan = CorePlan(
        vd.get_context(), lambda c, d: raw.vd_plan_create_fft(c._pointer, raw.vd_fft_desc(**desc)), "planes"
    )
    text = plan.explain()
    assert text.count(f", two axes of {rows} by {n}") == 1, text
    assert "workspace: 0 bytes" in text
    vd.global_graph()._launch(plan, (0, 0, 0), [(b, 0, 0) for b in buffers], b"", [])


@pytest.mark.parametrize(
    "shape", [(1, 16, 16), (5, 32, 32), (3, 12, 20), (4, 15, 9), (2, 27, 25), (7, 8, 33), (2, 64, 16)]
)
def test_planes_and_back(device, shape):
    data = random(*shape)
    buffer = vd.asbuffer(data)
    launch(shape, [buffer])
    assert error(buffer.read(0), np.fft.fft2(data)) < 2e-6
    launch(shape, [buffer], direction=_e.VD_FFT_DIRECTION_INVERSE)
    assert error(buffer.read(0), data) < 2e-6


def test_far_planes_of_a_cube(device):
    data = random(12, 3, 16)
    buffer = vd.asbuffer(data)
    launch(data.shape, [buffer], axes=[2, 0])
    assert error(buffer.read(0), np.fft.fftn(data, axes=(0, 2))) < 2e-6


def test_strided_planes(device):
    planes, rows, n = shape = (3, 12, 15)
    room = random(planes, rows + 2, n + 4)
    buffer = vd.asbuffer(room)
    strides = [(rows + 2) * (n + 4), n + 4, 1]
    launch(shape, [buffer], in_strides=strides, out_strides=strides, in_offset=n + 6, out_offset=n + 6)
    want = room.copy()
    want[:, 1 : rows + 1, 2 : n + 2] = np.fft.fft2(room[:, 1 : rows + 1, 2 : n + 2])
    got = buffer.read(0)
    assert error(got, want) < 2e-6
    want[:, 1 : rows + 1, 2 : n + 2] = got[:, 1 : rows + 1, 2 : n + 2]
    assert np.array_equal(got, want)


@pytest.mark.parametrize("shape", [(3, 16, 16), (2, 12, 20), (4, 9, 16), (2, 8, 15)])
def test_real_planes_and_back(device, shape):
    planes, rows, n = shape
    data = random(*shape, real=True)
    source, spectrum = vd.asbuffer(data), vd.Buffer((planes, rows, n // 2 + 1), vd.complex64)
    launch(shape, [spectrum, source], kind=_e.VD_FFT_KIND_R2C, flags=_e.VD_FFT_OUT_OF_PLACE)
    assert error(spectrum.read(0), np.fft.rfft2(data)) < 2e-6
    launch(shape, [spectrum], kind=_e.VD_FFT_KIND_C2R, axes=[-2, -1])
    back = spectrum.read(0).view(np.float32).reshape(planes, rows, -1)[:, :, :n]
    assert error(back, data) < 2e-6


@pytest.mark.parametrize("shape", [(3, 16, 16), (2, 12, 20), (2, 9, 15)])
@pytest.mark.parametrize("conjugate", [False, True])
def test_convolutions_of_planes(device, shape, conjugate):
    data, kernel = random(*shape), random(*shape, seed=5)
    result = vd.Buffer(shape, vd.complex64)
    flags = _e.VD_FFT_CONVOLVE | _e.VD_FFT_OUT_OF_PLACE | (_e.VD_FFT_CONJUGATE if conjugate else 0)
    launch(shape, [result, vd.asbuffer(data), vd.asbuffer(kernel)], flags=flags)
    want = np.fft.ifft2(np.fft.fft2(data) * (kernel.conj() if conjugate else kernel))
    assert error(result.read(0), want) < 4e-6
