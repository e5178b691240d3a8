"""Transforms of real arrays in an RFFTBuffer, in place."""

from __future__ import annotations

from typing import Any

from ..base.buffer import RFFTBuffer
from .checks import several_axes
from .functions import fft, ifft


def rows_of(buffer: Any) -> RFFTBuffer:
    if not isinstance(buffer, RFFTBuffer):
        raise ValueError(
            f"Expected an RFFTBuffer (got {type(buffer).__name__})! vd.asrfftbuffer(array) makes one, vd.RFFTBuffer(shape) an "
            "empty one."
        )
    return buffer


def rfft(
    buffer: RFFTBuffer, graph: Any = None, print_shader: bool = False, name: str | None = None, compute_type: Any = None
) -> None:
    """Transform real rows into half spectra, in place."""
    shape = rows_of(buffer).real_shape
    fft(
        buffer,
        buffer_shape=shape,
        graph=graph,
        print_shader=print_shader,
        name=name,
        r2c=True,
        compute_type=compute_type,
    )


def irfft(
    buffer: RFFTBuffer,
    graph: Any = None,
    print_shader: bool = False,
    name: str | None = None,
    normalize: bool = True,
    compute_type: Any = None,
) -> None:
    """Transform half spectra into real rows, in place."""
    fft(
        buffer,
        buffer_shape=rows_of(buffer).real_shape,
        graph=graph,
        print_shader=print_shader,
        name=name,
        inverse=True,
        normalize_inverse=normalize,
        r2c=True,
        compute_type=compute_type,
    )


def _other_axes(name: str, buffer: Any, most: int) -> list[int]:
    """The axes besides the last."""
    return several_axes(name, rows_of(buffer).real_shape, most)[:-1]


def rfft2(buffer: RFFTBuffer, graph: Any = None, print_shader: bool = False, compute_type: Any = None) -> None:
    """Real rows and then columns."""
    axes = _other_axes("rfft2", buffer, 2)
    rfft(buffer, graph, print_shader, None, compute_type)
    for axis in axes:
        fft(buffer, graph=graph, print_shader=print_shader, axis=axis, compute_type=compute_type)


def rfft3(buffer: RFFTBuffer, graph: Any = None, print_shader: bool = False, compute_type: Any = None) -> None:
    """Real rows, then axis 1, then axis 0."""
    axes = _other_axes("rfft3", buffer, 3)
    rfft(buffer, graph, print_shader, None, compute_type)
    for axis in reversed(axes):
        fft(buffer, graph=graph, print_shader=print_shader, axis=axis, compute_type=compute_type)


def irfft2(
    buffer: RFFTBuffer, graph: Any = None, print_shader: bool = False, normalize: bool = True, compute_type: Any = None
) -> None:
    """The inverse of rfft2()."""
    for axis in _other_axes("irfft2", buffer, 2):
        ifft(buffer, graph, print_shader, axis, None, normalize, compute_type=compute_type)
    irfft(buffer, graph, print_shader, None, normalize, compute_type)


def irfft3(
    buffer: RFFTBuffer, graph: Any = None, print_shader: bool = False, normalize: bool = True, compute_type: Any = None
) -> None:
    """The inverse of rfft3()."""
    for axis in _other_axes("irfft3", buffer, 3):
        ifft(buffer, graph, print_shader, axis, None, normalize, compute_type=compute_type)
    irfft(buffer, graph, print_shader, None, normalize, compute_type)
