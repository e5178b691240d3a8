"""`vdlist --selftest`: a short check that a device computes what it should, against values that are known beforehand.

Each check is a function that returns what is wrong, or "". It needs no NumPy. An exception of a check is its failure.
"""

from __future__ import annotations

import cmath
import struct
import sys
from collections.abc import Callable, Iterable

import vkdispatch as vd
import vkdispatch.codegen as vc
from vkdispatch.codegen.abbreviations import Buff, Const, f32, i32

from .compat import numpy_compat as npc

_COUNT = 100_003
_LINE = 1000
# Errors of the package and of drivers, and those that a wrong result may lead to.
_FAILURES = (ArithmeticError, ImportError, MemoryError, OSError, RuntimeError, TypeError, ValueError)


def _read(buffer: vd.Buffer) -> list:
    return npc.flatten(buffer.read(0))


def _wrong(got: Iterable, wanted: Iterable, bound: float = 0.0) -> str:
    """The first value that is not within the bound of the wanted one."""
    for i, (value, good) in enumerate(zip(got, wanted, strict=True)):
        if not abs(value - good) <= bound:  # nor not-a-number
            return f"element {i} is {value}, not {good}"
    return ""


def _copies() -> str:
    """To the device, on it, and back, whole and filled."""
    wanted = [float(i % 8191) for i in range(_COUNT)]
    first, second = vd.Buffer((_COUNT,), vd.float32), vd.Buffer((_COUNT,), vd.float32)
    first.write(struct.pack(f"<{_COUNT}f", *wanted))
    second.fill(-1.0)
    if wrong := _wrong(_read(second), [-1.0] * _COUNT):
        return f"fill: {wrong}"
    second.copy_from(first)
    return _wrong(_read(second), wanted)


def _kernel() -> str:
    """A kernel with two buffers and a value."""

    @vd.shader("out.size")
    def scale(out: Buff[f32], x: Buff[f32], factor: Const[f32]):
        i = vc.global_invocation_id().x
        out[i] = x[i] * factor + i.to_dtype(f32)

    x, out = vd.Buffer((_COUNT,), vd.float32), vd.Buffer((_COUNT,), vd.float32)
    x.write(struct.pack(f"<{_COUNT}f", *(float(i % 100) for i in range(_COUNT))))
    scale(out, x, 0.5)
    return _wrong(_read(out), [0.5 * (i % 100) + i for i in range(_COUNT)])


def _fft() -> str:
    """A line whose transform is three peaks, and back."""
    peaks = {3: 2.0, 250: -1.0, 999: 0.5}
    line = [sum(h * cmath.exp(2j * cmath.pi * k * n / _LINE) for k, h in peaks.items()) for n in range(_LINE)]
    buffer = vd.Buffer((_LINE,), vd.complex64)
    buffer.write(struct.pack(f"<{2 * _LINE}f", *(part for z in line for part in (z.real, z.imag))))
    vd.fft.fft(buffer)
    if wrong := _wrong(_read(buffer), [_LINE * peaks.get(k, 0.0) for k in range(_LINE)], 0.02):
        return f"forward: {wrong}"
    vd.fft.ifft(buffer)
    return _wrong(_read(buffer), line, 1e-4)


def _reduction() -> str:
    """A sum of integers, which is exact."""

    @vd.reduce.reduce(0)
    def total(a: i32, b: i32) -> i32:
        return a + b  # type: ignore[operator]  # variables of a kernel

    x = vd.Buffer((_COUNT,), vd.int32)
    x.write(struct.pack(f"<{_COUNT}i", *(i % 1000 - 400 for i in range(_COUNT))))
    return _wrong(_read(total(x))[:1], [sum(i % 1000 - 400 for i in range(_COUNT))])


#: The checks by name, in their order.
CHECKS: dict[str, Callable[[], str]] = {"copies": _copies, "kernel": _kernel, "fft": _fft, "reduction": _reduction}


def run() -> int:
    """Check the device of the process's context, a line for each check; the exit status."""
    try:
        context = vd.get_context()
    except _FAILURES as error:
        print(f"Error initializing Vkdispatch: {error}", file=sys.stderr)
        return 1
    print(f"{context.backend}: {context.device_infos[0].device_name}")
    if context.backend == "dummy":
        print("the dummy backend shows source only, it runs nothing", file=sys.stderr)
        return 1
    failures = 0
    for name, check in CHECKS.items():
        try:
            wrong = check()
        except _FAILURES as error:
            wrong = f"{type(error).__name__}: {' '.join(str(error).split())}"
        failures += wrong != ""
        print(f"{name}: fail: {wrong}" if wrong else f"{name}: pass", flush=True)
    return 1 if failures else 0
