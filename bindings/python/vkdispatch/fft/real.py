"""Transforms of real arrays: in an RFFTBuffer in place, or from one buffer into another.

A line of n reals has n // 2 + 1 complex numbers; an RFFTBuffer keeps both in the same memory. Scaling is that of fft() and
ifft().

Example:
    real = np.random.default_rng(2).normal(size=(4, 10)).astype(np.float32)
    lines = vd.asrfftbuffer(real)
    vd.fft.rfft(lines)
    assert np.allclose(lines.read_fourier(0), np.fft.rfft(real), atol=1e-4)
    vd.fft.irfft(lines)
    assert np.allclose(lines.read_real(0), real, atol=1e-5)
"""

from __future__ import annotations

from typing import Any

from ..base.buffer import Buffer, RFFTBuffer
from ..base.context import on_context_of_arguments
from ..base.errors import WrongTypeError
from .arguments import refuse_other_keywords
from .checks import several_axes
from .functions import fft, ifft
from .operands import buffer_at
from .out_of_place import Call, real_call, real_shape_of

_ROWS = "; real lines are along the last axis, and fft(axis=) and fftn(axes=) take complex ones along others"


def rows_of(name: str, buffer: Any) -> RFFTBuffer:
    if not isinstance(buffer, RFFTBuffer):
        raise WrongTypeError(
            f"{name}(): Expected an RFFTBuffer (got {type(buffer).__name__})! vd.asrfftbuffer(array) makes one, "
            "vd.RFFTBuffer(shape) an empty one; with out= rows and half spectra are buffers of their own."
        )
    return buffer


def _along_rows(called: str, buffer: Any, out: Any, compute_type: Any, inverse: bool = False, **options: Any) -> None:
    """fft() along the rows, in place or into `out`, for the function that was called."""
    if out is None:
        call = Call((rows_of(called, buffer),), None, None, None, compute_type)
    else:
        call = real_call(called, [buffer], out, None, compute_type, inverse)
    given = call._asdict()
    fft(*given.pop("buffers"), r2c=True, inverse=inverse, **given, **options)


@on_context_of_arguments
@refuse_other_keywords(axis=_ROWS, axes=_ROWS)
def rfft(
    buffer: Buffer,
    graph: Any = None,
    print_shader: bool = False,
    name: str | None = None,
    compute_type: Any = None,
    out: Any = None,
) -> None:
    """Transform real rows into half spectra: in place, or from a buffer of real numbers into `out`, one of complex numbers."""
    _along_rows("rfft", buffer, out, compute_type, graph=graph, print_shader=print_shader, name=name)


@on_context_of_arguments
@refuse_other_keywords(axis=_ROWS, axes=_ROWS)
def irfft(
    buffer: Buffer,
    graph: Any = None,
    print_shader: bool = False,
    name: str | None = None,
    normalize: bool = True,
    compute_type: Any = None,
    out: Any = None,
) -> None:
    """Transform half spectra into real rows: in place, or into `out`, a buffer of real numbers, whose rows have `out`'s length."""
    options = {"graph": graph, "print_shader": print_shader, "name": name, "normalize_inverse": normalize}
    _along_rows("irfft", buffer, out, compute_type, True, **options)


def _other_axes(name: str, buffer: Any, out: Any, most: int) -> list[int]:
    """The axes besides the last; `buffer` is the one with the real rows."""
    rows = buffer_at([buffer], 0, "buffer") if out is not None else rows_of(name, buffer)
    return several_axes(name, real_shape_of(rows), most)[:-1]


def _forward(
    name: str, buffer: Any, most: int, graph: Any, print_shader: bool, compute_type: Any, out: Any, order: str
) -> None:
    axes = _other_axes(name, buffer, out, most)
    _along_rows(name, buffer, out, compute_type, graph=graph, print_shader=print_shader)
    work = buffer if out is None else out
    for axis in reversed(axes):
        fft(work, graph=graph, print_shader=print_shader, axis=axis, compute_type=compute_type, order=order)


@on_context_of_arguments
@refuse_other_keywords(axis=_ROWS, axes=_ROWS)
def rfft2(
    buffer: Buffer,
    graph: Any = None,
    print_shader: bool = False,
    compute_type: Any = None,
    out: Any = None,
    order: str = "natural",
) -> None:
    """Real rows and then columns; `out` is that of rfft(). `order` is fft()'s, along the columns: rows are natural."""
    _forward("rfft2", buffer, 2, graph, print_shader, compute_type, out, order)


@on_context_of_arguments
@refuse_other_keywords(axis=_ROWS, axes=_ROWS)
def rfft3(
    buffer: Buffer,
    graph: Any = None,
    print_shader: bool = False,
    compute_type: Any = None,
    out: Any = None,
    order: str = "natural",
) -> None:
    """Real rows, then axis 1, then axis 0; `out` is that of rfft(), and `order` that of rfft2()."""
    _forward("rfft3", buffer, 3, graph, print_shader, compute_type, out, order)


def _inverse(
    name: str,
    buffer: Any,
    most: int,
    graph: Any,
    print_shader: bool,
    normalize: bool,
    compute_type: Any,
    out: Any,
    order: str,
) -> None:
    axes = _other_axes(name, buffer if out is None else out, out, most)
    work = buffer
    if out is not None:
        source = buffer_at([buffer], 0, "buffer")
        real_call(name, [source], out, None, compute_type, True)  # says what does not fit, before anything runs
        if out is not buffer:
            work = out if isinstance(out, RFFTBuffer) else Buffer(source.shape, source.var_type)
    for i, axis in enumerate(axes):
        first = buffer if i == 0 else work
        ifft(first, graph, print_shader, axis, None, normalize, compute_type=compute_type, out=work, order=order)
    irfft(work, graph, print_shader, None, normalize, compute_type, out if work is not out else None)


@on_context_of_arguments
@refuse_other_keywords(axis=_ROWS, axes=_ROWS)
def irfft2(
    buffer: Buffer,
    graph: Any = None,
    print_shader: bool = False,
    normalize: bool = True,
    compute_type: Any = None,
    out: Any = None,
    order: str = "natural",
) -> None:
    """The inverse of rfft2(); `out` is that of irfft()."""
    _inverse("irfft2", buffer, 2, graph, print_shader, normalize, compute_type, out, order)


@on_context_of_arguments
@refuse_other_keywords(axis=_ROWS, axes=_ROWS)
def irfft3(
    buffer: Buffer,
    graph: Any = None,
    print_shader: bool = False,
    normalize: bool = True,
    compute_type: Any = None,
    out: Any = None,
    order: str = "natural",
) -> None:
    """The inverse of rfft3(); `out` is that of irfft()."""
    _inverse("irfft3", buffer, 3, graph, print_shader, normalize, compute_type, out, order)
