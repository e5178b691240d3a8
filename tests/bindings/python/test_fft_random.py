"""Descriptors of transforms drawn at random, against NumPy: what no helper of the package asks for, too."""

import os

import numpy as np
import pytest
import vkdispatch as vd
from vkdispatch import _native
from vkdispatch.codegen._types import TYPE_OF
from vkdispatch.fft.precision import supports_complex_precision
from vkdispatch.shader.generated import CorePlan

_e = _native.enums
FULL = bool(os.environ.get("VD_TEST_FULL"))
SEED = int(os.environ.get("VD_TEST_SEED", "20240611"))

KINDS = {"c2c": _e.VD_FFT_KIND_C2C, "r2c": _e.VD_FFT_KIND_R2C, "c2r": _e.VD_FFT_KIND_C2R}
COMPLEX = {"f16": vd.complex32, "f32": vd.complex64, "f64": vd.complex128}
REAL = {"f16": vd.float16, "f32": vd.float32, "f64": vd.float64}
SCALAR = {"f16": np.float16, "f32": np.float32, "f64": np.float64}
TOLERANCE = {"f16": 4e-3, "f32": 6e-6, "f64": 1e-13}


def packed(shape):
    strides = [1] * len(shape)
    for i in reversed(range(len(shape) - 1)):
        strides[i] = strides[i + 1] * shape[i + 1]
    return strides


class Side:
    """One array of a transform: where its elements lie, and which count."""

    def __init__(self, draw, shape, axes, scalar, real):
        self.shape, self.scalar, self.real = shape, scalar, real
        self.offset = int(draw.choice([0, 0, 1, 2, 3, 16]))
        self.given = [0] * len(shape)
        self.strides = packed(shape)
        if draw.random() < 0.6:  # gaps, and dimensions in any order
            order = draw.permutation(len(shape)) if draw.random() < 0.4 else reversed(range(len(shape)))
            step = int(draw.choice([1, 1, 2, 3]))
            self.strides = list(self.strides)
            for i in order:
                self.strides[i] = step
                step = step * shape[i] + int(draw.choice([0, 0, 1, 5]))
            self.given = self.strides
        self.low, self.high = [0] * len(shape), [0] * len(shape)
        if draw.random() < 0.3:
            for axis in axes:
                low, high = sorted(int(v) for v in draw.integers(0, shape[axis] + 1, 2))
                if low < high and draw.random() < 0.6:
                    self.low[axis], self.high[axis] = low, high

    @property
    def size(self):
        return self.offset + sum((n - 1) * s for n, s in zip(self.shape, self.strides, strict=True)) + 1

    @property
    def inside(self):
        mask = np.zeros(self.shape, bool)
        mask[tuple(slice(low, high or None) for low, high in zip(self.low, self.high, strict=True))] = True
        return mask

    def view(self, flat):
        return np.lib.stride_tricks.as_strided(
            flat[self.offset :], self.shape, [s * flat.itemsize for s in self.strides]
        )

    def fill(self, draw):
        """Random numbers as the buffer holds them, and the buffer."""
        scalars = draw.uniform(-1, 1, (self.size, 1 if self.real else 2)).astype(SCALAR[self.scalar])
        data = scalars.tobytes()
        data += bytes(-len(data) % 4)
        buffer = vd.Buffer((len(data) // 4,), vd.uint32)
        buffer.write(np.frombuffer(data, np.uint32))
        return self.numbers(scalars), buffer

    def numbers(self, scalars):
        wide = scalars.reshape(self.size, -1).astype(np.float64)
        return wide[:, 0] + (0 if self.real else 1j * wide[:, -1])

    def read(self, buffer):
        count = self.size * (1 if self.real else 2)
        return self.numbers(np.frombuffer(buffer.read(0).tobytes(), SCALAR[self.scalar])[:count])

    def type(self):
        return TYPE_OF[(REAL if self.real else COMPLEX)[self.scalar]]


def draw_shape(draw, most):
    rank = int(draw.choice([1, 2, 2, 3, 3, 4, 5]))
    long = int(draw.choice([draw.integers(1, 40), draw.integers(2, 300), draw.integers(300, 5000)], p=[0.6, 0.3, 0.1]))
    shape = [long] + [int(draw.choice([1, 2, 3, 4, 5, 7, 8, 13, 16, 17])) for _ in range(rank - 1)]
    draw.shuffle(shape)
    while np.prod(shape) > most:
        at = int(np.argmax(shape))
        shape[at] = max(1, shape[at] // 2)
    return [int(n) for n in shape]


def expected(kind, numbers, axes, shape, inverse):
    """Unscaled, as NumPy has it."""
    others = [axis for axis in axes if axis != len(shape) - 1]
    count = np.prod([shape[axis] for axis in axes])
    if kind == "c2c":
        return np.fft.ifftn(numbers, axes=axes) * count if inverse else np.fft.fftn(numbers, axes=axes)
    if kind == "r2c":
        half = np.fft.rfft(numbers.real)
        return np.fft.fftn(half, axes=others) if others else half
    if others:
        numbers = np.fft.ifftn(numbers, axes=others)
    return np.fft.irfft(numbers, shape[-1]) * count


def check(seed, scalars, most):
    draw = np.random.default_rng(seed)
    shape = draw_shape(draw, most)
    rank, last = len(shape), len(shape) - 1
    kind = str(draw.choice(["c2c", "c2c", "r2c", "c2r"]))
    axes = [int(a) for a in draw.permutation(rank)[: int(draw.integers(1, rank + 1)) if draw.random() < 0.4 else 1]]
    if rank > 1 and draw.random() < 0.25:  # two axes that a workgroup may do together
        axes = [last, int(draw.integers(0, last))]
        shape[last] = int(draw.choice([8, 12, 15, 16, 24, 32]))
        while np.prod(shape) > most:
            shape[int(np.argmax(shape))] //= 2
    if kind == "r2c":
        axes = [last] + [a for a in axes if a != last]
    if kind == "c2r":
        axes = [*(a for a in axes if a != last), last] if draw.random() < 0.5 else [last]
    inverse = kind == "c2r" or (kind == "c2c" and draw.random() < 0.5)
    in_place = kind == "c2c" and draw.random() < 0.4
    reads, writes = (str(s) for s in draw.choice(scalars, 2))
    half = [*shape[:-1], shape[-1] // 2 + 1]
    source = Side(draw, half if kind == "c2r" else shape, axes, reads, kind == "r2c")
    target = Side(draw, half if kind == "r2c" else shape, axes, writes, kind == "c2r")
    if in_place:
        wanted = target.low, target.high
        target = Side(draw, shape, [], reads, False)
        target.given, target.strides, target.offset = source.given, source.strides, source.offset
        target.low, target.high = wanted
    norm = int(draw.integers(0, 4))
    scale = float(draw.choice([0, 1, 2, -0.5]))
    fields = {
        "kind": KINDS[kind],
        "direction": _e.VD_FFT_DIRECTION_INVERSE if inverse else _e.VD_FFT_DIRECTION_FORWARD,
        "flags": 0 if in_place else _e.VD_FFT_OUT_OF_PLACE,
        "norm": norm,
        "rank": rank,
        "shape": shape,
        "axis_count": len(axes),
        "axes": [axis - rank if draw.random() < 0.3 else axis for axis in axes],
        "scale": scale,
        "in_type": source.type(),
        "out_type": target.type(),
    }
    for side, array in (("in", source), ("out", target)):
        fields.update({f"{side}_strides": array.given, f"{side}_offset": array.offset})
        fields.update({f"{side}_low": array.low, f"{side}_high": array.high})
    what = f"seed {seed}: {fields}"

    raw = _native.raw
    plan = CorePlan(
        vd.get_context(), lambda c, d: raw.vd_plan_create_fft(c._pointer, raw.vd_fft_desc(**fields)), "random"
    )
    numbers, buffer = source.fill(draw)
    before, result = (numbers, buffer) if in_place else target.fill(draw)
    buffers = [result] if in_place else [result, buffer]
    vd.global_graph()._launch(plan, (0, 0, 0), [(b, 0, 0) for b in buffers], b"", [])
    got = target.read(result)

    given = np.where(source.inside, source.view(numbers), 0)
    count = float(np.prod([shape[axis] for axis in axes]))
    by = {
        _e.VD_FFT_NORM_INVERSE: count if inverse else 1,
        _e.VD_FFT_NORM_NONE: 1,
        _e.VD_FFT_NORM_ORTHO: np.sqrt(count),
        _e.VD_FFT_NORM_FORWARD: 1 if inverse else count,
    }[norm]
    want = expected(kind, given, axes, shape, inverse) / by * (scale or 1)
    inside = target.inside
    tolerance = (
        TOLERANCE[target.scalar] if "f64" in (reads, writes) else max(TOLERANCE["f32"], TOLERANCE[target.scalar])
    )
    difference = abs(target.view(got) - want)[inside].max(initial=0)
    assert difference <= 2 * tolerance * max(abs(want).max(), 1e-3), what
    if in_place:
        return
    # Unwanted elements keep their contents, and so do the gaps between the results, and the input.
    kept = np.ones(target.size, bool)
    if len(axes) == 1:
        target.view(kept)[inside] = False
    else:
        target.view(kept)[...] = False
    assert np.array_equal(got[kept], before[kept]), what
    assert np.array_equal(source.read(buffer), numbers), what


@pytest.mark.parametrize("part", range(4))
def test_on_the_host(host, part):
    for number in range(400 if FULL else 40):
        check(SEED + 1000 * part + number, ["f32", "f32", "f64", "f16"], 30000)


def test_on_every_backend(device):
    for number in range(60 if FULL else 6):
        check(SEED + 5000 + number, ["f32"], 3000)
    # And between the other elements.
    others = [scalar for scalar in ("f16", "f64") if supports_complex_precision(COMPLEX[scalar])]
    for number in range(30 if FULL else 3 if device != "opencl" else 1) if others else ():
        check(SEED + 6000 + number, [*others, "f32"], 1000)
