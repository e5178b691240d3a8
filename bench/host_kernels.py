"""The host backend beside NumPy and SciPy on the same arithmetic, in one process and in turns; results are compared in the run.

    .venv/bin/python bench/host_kernels.py [--repeats N]

Prints a line of JSON a case: seconds of each (median and spread) and the ratios ours / NumPy or SciPy. All processors of
the process count; `taskset -c 0` before the command leaves it one.
"""

import argparse
import cmath
import json
import os
import statistics
import time
from collections.abc import Callable

import numpy as np
import scipy.fft
import vkdispatch as vd
import vkdispatch.codegen as vc
from vkdispatch.codegen.abbreviations import Buff, Const, c64, f32, i32, u32


def interleaved(repeats: int, **functions: Callable[[], object]) -> dict[str, list[float]]:
    """Time functions in turns, forward and backward, after one warm-up each, so that noise affects all."""
    for function in functions.values():
        function()
    times: dict[str, list[float]] = {name: [] for name in functions}
    for turn in range(repeats):
        for name in list(functions)[:: 1 if turn % 2 == 0 else -1]:
            start = time.perf_counter()
            functions[name]()
            times[name].append(time.perf_counter() - start)
    return times


def report(case: str, times: dict[str, list[float]], difference: float) -> None:
    line = {"case": case, "backend": vd.get_backend(), "difference": difference}
    for name, each in times.items():
        line |= {f"{name}_s": round(statistics.median(each), 5), f"{name}_spread_s": round(max(each) - min(each), 5)}
    for name in list(times)[1:]:
        line[f"ratio_{name}"] = round(statistics.median(times["ours"]) / statistics.median(times[name]), 3)
    print(json.dumps(line), flush=True)


def blur_case(repeats: int, size: int = 2048) -> None:
    rng = np.random.default_rng(1)
    image = rng.random((size, size), dtype=np.float32)
    weights = rng.random((9, 9)).astype(np.float32) / 40
    padded = np.pad(image, 4, mode="edge")

    @vd.shader(exec_size=(size, size), local_size=(64, 4, 1))
    def blur(out: Buff[f32], picture: Buff[f32]):
        x = vc.global_invocation_id().x.to_dtype(i32).to_register("x")
        y = vc.global_invocation_id().y.to_dtype(i32).to_register("y")
        total = vc.new_float_register(0, var_name="total")
        corner = (y * (size + 8) + x).to_register("corner")
        for dy in range(9):
            for dx in range(9):
                total += picture[corner + (dy * (size + 8) + dx)] * float(weights[dy, dx])
        out[y * size + x] = total

    source, target = vd.asbuffer(padded), vd.Buffer((size, size), vd.float32)

    def ours():
        blur(target, source)
        vd.queue_wait_idle()

    result = np.empty_like(image)
    scratch = np.empty_like(image)

    def theirs():
        result[:] = 0
        for dy in range(9):
            for dx in range(9):
                np.multiply(padded[dy : dy + size, dx : dx + size], weights[dy, dx], out=scratch)
                np.add(result, scratch, out=result)

    times = interleaved(repeats, ours=ours, numpy=theirs)
    report(f"blur_9x9_{size}", times, float(np.abs(target.read(0) - result).max()))


def nbody_case(repeats: int, bodies: int = 2048) -> None:
    rng = np.random.default_rng(2)
    position = rng.random((3, bodies), dtype=np.float32)

    @vd.shader(exec_size=bodies, local_size=64)
    def nbody(out: Buff[f32], x: Buff[f32], y: Buff[f32], z: Buff[f32], count: Const[u32]):
        i = vc.global_invocation_id().x
        xi, yi, zi = x[i].to_register("xi"), y[i].to_register("yi"), z[i].to_register("zi")
        ax, ay, az = (vc.new_float_register(0, var_name=name) for name in ("ax", "ay", "az"))
        j = vc.new_uint_register(0, var_name="j")
        with vc.while_block(j < count):
            dx, dy, dz = (x[j] - xi).to_register(), (y[j] - yi).to_register(), (z[j] - zi).to_register()
            squared = (dx * dx + dy * dy + dz * dz + 1e-3).to_register()
            inverse = (1.0 / (squared * vc.sqrt(squared))).to_register()
            ax += dx * inverse
            ay += dy * inverse
            az += dz * inverse
            j += 1
        out[i * 3] = ax
        out[i * 3 + 1] = ay
        out[i * 3 + 2] = az

    buffers = [vd.asbuffer(position[k]) for k in range(3)]
    target = vd.Buffer(3 * bodies, vd.float32)

    def ours():
        nbody(target, *buffers, bodies)
        vd.queue_wait_idle()

    result = np.empty((bodies, 3), dtype=np.float32)

    def theirs():
        delta = position[:, None, :] - position[:, :, None]
        squared = (delta * delta).sum(axis=0) + np.float32(1e-3)
        inverse = 1 / (squared * np.sqrt(squared))
        result[:] = (delta * inverse).sum(axis=2).T

    times = interleaved(repeats, ours=ours, numpy=theirs)
    got = target.read(0).reshape(bodies, 3)
    report(f"nbody_{bodies}", times, float(np.abs(got - result).max() / np.abs(result).max()))


def transform_case(repeats: int, case: str, shape: tuple[int, ...], axes: int) -> None:
    """Transforms along the last axes, there and back in place, so that the numbers stay as large as they are."""
    rng = np.random.default_rng(4)
    data = (rng.standard_normal(shape) + 1j * rng.standard_normal(shape)).astype(np.complex64)
    along = list(range(-axes, 0))
    buffer = vd.asbuffer(data)

    def ours():
        vd.fft.fftn(buffer, axes=along)
        vd.fft.ifftn(buffer, axes=along)
        vd.queue_wait_idle()

    def scipys(workers: int):
        held = data.copy()

        def there_and_back():  # both in place
            spectrum = scipy.fft.fftn(held, axes=along, overwrite_x=True, workers=workers)
            scipy.fft.ifftn(spectrum, axes=along, overwrite_x=True, workers=workers)

        return there_and_back

    workers = len(os.sched_getaffinity(0))
    peers = {"scipy": scipys(1)} | ({f"scipy_{workers}_workers": scipys(workers)} if workers > 1 else {})
    vd.fft.fftn(buffer, axes=along)
    wanted = scipy.fft.fftn(data, axes=along)
    difference = float(np.abs(buffer.read(0) - wanted).max() / np.abs(wanted).max())
    if not difference < 1e-6:
        raise SystemExit(f"{case}: the results differ by {difference} of the largest number")
    buffer.write(data)
    report(case, interleaved(repeats, ours=ours, **peers), difference)


def build_case(repeats: int, points: int = 128) -> None:
    """From the first line traced to a kernel that is ready, for an unrolled Fourier transform in registers.

    Its 448 butterflies are some 5,000 operations on real numbers. A constant changes in each round, so that no part of
    an earlier kernel can be reused.
    """
    bits = points.bit_length() - 1
    reversed_bits = [int(f"{k:0{bits}b}"[::-1], 2) for k in range(points)]

    def once(scale: float):
        start = time.perf_counter()

        @vd.shader(exec_size=1, local_size=1)
        def transform(data: Buff[c64]):
            values = [data[k].to_register() for k in reversed_bits]
            half = 1
            while half < points:
                for first in range(0, points, 2 * half):
                    for k in range(half):
                        a, b = values[first + k], values[first + k + half]
                        turned = vc.mult_complex(b, cmath.exp(-1j * cmath.pi * k / half)).to_register()
                        b[:] = a - turned
                        a[:] = a + turned
                half *= 2
            for k in range(points):
                data[k] = values[k] * scale

        traced = time.perf_counter()
        transform.build()
        return traced - start, time.perf_counter() - traced, transform

    *_, transform = once(1.0)
    signal = np.random.default_rng(3).random(points).astype(np.complex64)
    buffer = vd.asbuffer(signal)
    transform(buffer)
    wanted = np.fft.fft(signal)
    difference = float(np.abs(buffer.read(0) - wanted).max() / np.abs(wanted).max())
    times = [once(1.5 + turn)[:2] for turn in range(repeats)]
    line = {"case": "build_5000_ops", "backend": vd.get_backend(), "difference": difference}
    for name, seconds in (
        ("trace", [t for t, _ in times]),
        ("build", [b for _, b in times]),
        ("ours", [sum(t) for t in times]),
    ):
        line |= {f"{name}_s": round(statistics.median(seconds), 5)}
    line["ours_spread_s"] = round(max(map(sum, times)) - min(map(sum, times)), 5)
    print(json.dumps(line))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=7)
    options = parser.parse_args()
    vd.initialize(backend="host")
    blur_case(options.repeats)
    nbody_case(options.repeats)
    transform_case(options.repeats, "lines_1024", (4096, 1024), 1)
    transform_case(options.repeats, "planes_512", (16, 512, 512), 2)
    build_case(options.repeats)
