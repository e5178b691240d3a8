"""Transforms and convolutions with VkFFT's conventions, as functions of buffers.

Scaling and axes are VkFFT's: `normalize` says whether an inverse divides by the length.

Example:
    signal = np.random.default_rng(6).normal(size=(4, 32)).astype(np.complex64)
    buffer = vd.asbuffer(signal)
    vd.vkfft.fft(buffer)
    assert np.allclose(buffer.read(0), np.fft.fft(signal), atol=1e-3)
    vd.vkfft.ifft(buffer)
    assert np.allclose(buffer.read(0), signal, atol=1e-4)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..base.buffer import Buffer, RFFTBuffer
from ..base.errors import WrongTypeError
from ..fft.checks import check_kernel, warn_of_packed_rows
from .vkfft_plan import Padding, as_axes, as_padding, check_complex, graph_of, kept_plan

Axes = Sequence[int] | int | None


def _axes(axis: Axes, rank: int) -> tuple[int, ...]:
    return (rank - 1,) if axis is None else as_axes(axis)


def fft(
    buffer: Buffer,
    input_buffer: Buffer | None = None,
    buffer_shape: Sequence[int] | None = None,
    graph: Any = None,
    print_shader: bool = False,
    axis: Axes = None,
    inverse: bool = False,
    normalize_inverse: bool = True,
    r2c: bool = False,
) -> None:
    """Transform along one axis or several, in place or from another buffer; other axes are batches."""
    check_complex(buffer)
    shape = tuple(buffer.shape if buffer_shape is None else buffer_shape)
    if buffer_shape is None and not r2c:
        for along in _axes(axis, len(shape)):
            warn_of_packed_rows(buffer, along)
    plan = kept_plan(
        shape=shape,
        do_r2c=bool(r2c),
        axes=_axes(axis, len(shape)),
        normalize=bool(normalize_inverse),
        keep_shader_code=bool(print_shader),
    )
    plan.record(graph_of(graph), buffer, bool(inverse), input=input_buffer)


def _last(buffer: Any, count: int) -> tuple[int, ...]:
    if len(buffer.shape) < count:
        raise ValueError(f"Buffer must have at least {count} dimensions!")
    return tuple(range(len(buffer.shape) - count, len(buffer.shape)))


def fft2(buffer: Buffer, graph: Any = None, print_shader: bool = False) -> None:
    """Transform along the last two axes."""
    fft(buffer, graph=graph, print_shader=print_shader, axis=_last(buffer, 2))


def fft3(buffer: Buffer, graph: Any = None, print_shader: bool = False) -> None:
    """Transform along three axes."""
    fft(buffer, graph=graph, print_shader=print_shader, axis=_last(buffer, 3))


def ifft(
    buffer: Buffer, graph: Any = None, print_shader: bool = False, axis: Axes = None, normalize: bool = True
) -> None:
    """The inverse of fft()."""
    fft(buffer, graph=graph, print_shader=print_shader, axis=axis, inverse=True, normalize_inverse=normalize)


def ifft2(buffer: Buffer, graph: Any = None, print_shader: bool = False) -> None:
    """The inverse of fft2()."""
    fft(buffer, graph=graph, print_shader=print_shader, axis=_last(buffer, 2), inverse=True)


def ifft3(buffer: Buffer, graph: Any = None, print_shader: bool = False) -> None:
    """The inverse of fft3()."""
    fft(buffer, graph=graph, print_shader=print_shader, axis=_last(buffer, 3), inverse=True)


# ---- Real lines ------------------------------------------------------------------------------------------------------


def _real(buffer: Any, graph: Any, print_shader: bool, axis: Axes, inverse: bool, normalize: bool = True) -> None:
    if not isinstance(buffer, RFFTBuffer):
        raise WrongTypeError(f"Expected an RFFTBuffer (got {type(buffer).__name__})!")
    fft(
        buffer,
        buffer_shape=buffer.real_shape,
        graph=graph,
        print_shader=print_shader,
        axis=axis,
        inverse=inverse,
        normalize_inverse=normalize,
        r2c=True,
    )


def rfft(buffer: RFFTBuffer, graph: Any = None, print_shader: bool = False, axis: Axes = None) -> None:
    """Transform real rows into half spectra, in place; further axes as complex ones."""
    _real(buffer, graph, print_shader, axis, False)


def rfft2(buffer: RFFTBuffer, graph: Any = None, print_shader: bool = False) -> None:
    """Real rows, then columns."""
    _real(buffer, graph, print_shader, _last(buffer, 2), False)


def rfft3(buffer: RFFTBuffer, graph: Any = None, print_shader: bool = False) -> None:
    """Real rows, then the other two axes."""
    _real(buffer, graph, print_shader, _last(buffer, 3), False)


def irfft(
    buffer: RFFTBuffer, graph: Any = None, print_shader: bool = False, normalize: bool = True, axis: Axes = None
) -> None:
    """The inverse of rfft()."""
    _real(buffer, graph, print_shader, axis, True, normalize)


def irfft2(buffer: RFFTBuffer, graph: Any = None, print_shader: bool = False, normalize: bool = True) -> None:
    """The inverse of rfft2()."""
    _real(buffer, graph, print_shader, _last(buffer, 2), True, normalize)


def irfft3(buffer: RFFTBuffer, graph: Any = None, print_shader: bool = False, normalize: bool = True) -> None:
    """The inverse of rfft3()."""
    _real(buffer, graph, print_shader, _last(buffer, 3), True, normalize)


# ---- Convolutions ----------------------------------------------------------------------------------------------------


def _image(shape: Sequence[int], what: str) -> tuple[int, tuple[int, int]]:
    if len(shape) not in (2, 3):
        raise ValueError(f"{what} shape must be 2D or 3D!")
    rows, columns = shape[-2:]
    return (shape[0] if len(shape) == 3 else 1), (rows, columns)


def transpose_kernel2D(
    kernel: Buffer, shape: Sequence[int] | None = None, graph: Any = None, keep_shader_code: bool = False
) -> None:
    """Transform kernels in place into what convolve2D() takes."""
    check_complex(kernel)
    count, image = _image(tuple(kernel.shape if shape is None else shape), "Kernel")
    plan = kept_plan(
        shape=image,
        axes=(0, 1),
        kernel_convolution=True,
        num_batches=count,
        keep_shader_code=bool(keep_shader_code),
    )
    plan.record(graph_of(graph), kernel)


def convolve2D(
    buffer: Buffer,
    kernel: Buffer,
    normalize: bool = False,
    conjugate_kernel: bool = False,
    graph: Any = None,
    keep_shader_code: bool = False,
    padding: Padding | None = None,
) -> None:
    """Convolve each image with its own kernel, across the edges. Without `normalize` the result is rows * columns too large.

    Elements in the `padding` of an axis, (first, end) each, count as zero and are not read.
    """
    check_complex(buffer)
    check_complex(kernel)
    count, image = _image(tuple(buffer.shape), "Buffer")
    check_kernel("vkfft.convolve2D", kernel, buffer.shape)
    plan = kept_plan(
        shape=image,
        axes=(0, 1),
        normalize=bool(normalize),
        padding=None if padding is None else as_padding(padding),
        kernel_count=1,
        conjugate_convolution=bool(conjugate_kernel),
        num_batches=count,
        keep_shader_code=bool(keep_shader_code),
    )
    plan.record(graph_of(graph), buffer, kernel=kernel)
