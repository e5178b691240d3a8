"""`python -m vkdispatch.fft_records SHAPE ...`: measures transforms and writes a file of records for the device.

A shape is 1024x4096 or 4096x1024@0: the axis after the @, else the last one. docs/adding.md says what the file is for.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

import vkdispatch as vd

_FIRST = "vkdispatch fft records 1"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m vkdispatch.fft_records", description=__doc__)
    parser.add_argument("shapes", nargs="+", metavar="SHAPE", help="such as 1024x4096, or 4096x1024@0 along axis 0")
    parser.add_argument("--backend", help="vulkan, cuda, opencl or host; the automatic choice otherwise")
    parser.add_argument("--tune", type=int, choices=(1, 2), default=2, help="1: the best four ways of a pass, 2: all")
    parser.add_argument("--double", action="store_true", help="transform complex128")
    return parser


def read_shape(text: str) -> tuple[tuple[int, ...], int]:
    """The dimensions and the axis of a shape in words."""
    dims, _, axis = text.partition("@")
    try:
        shape = tuple(int(dim) for dim in dims.split("x"))
        along = int(axis) if axis else len(shape) - 1
    except ValueError:
        raise ValueError(f"Shape ({text!r}) is not of the form 1024x4096 or 4096x1024@0!") from None
    if min(shape) < 1 or not 0 <= along < len(shape):
        raise ValueError(f"Shape ({text!r}) has a dimension below 1 or an axis that it has not!")
    return shape, along


def records_of(explanation: str) -> list[str]:
    """The lines of a tuned plan's explanation that are records."""
    return [line for line in explanation.splitlines() if line.startswith("choice ")]


def write(shapes: Sequence[tuple[tuple[int, ...], int]], tune: int, double: bool) -> str:
    """The file's text. Each pass is in it once, also if several shapes have it."""
    info = vd.get_context().device_infos[0]
    lines = [_FIRST, f"device {info.device_name}", f"for device backend={info.backend}"]
    kind = vd.complex128 if double else vd.complex64
    for shape, axis in shapes:
        transform = vd.fft.make_fft_shader(shape, axis, input_type=kind, output_type=kind, tune=tune)
        lines += [line for line in records_of(transform.explain()) if line not in lines]
    return "\n".join(lines) + "\n"


def run(argv: Sequence[str] | None = None) -> int:
    """Print the file; the exit status."""
    parser = _parser()
    options = parser.parse_args(argv)
    try:
        shapes = [read_shape(text) for text in options.shapes]
    except ValueError as error:
        parser.error(str(error))
    if options.backend:
        os.environ["VKDISPATCH_BACKEND"] = options.backend
    print(write(shapes, options.tune, options.double), end="")
    return 0


if __name__ == "__main__":
    sys.exit(run())
