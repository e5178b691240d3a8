"""Convolutions with a kernel's spectrum, and its preparation.

The kernel is a spectrum, of as many numbers as a line (or image), and its conjugate is taken unless
`conjugate_kernel=False`. The result is scaled as by fft() and ifft() together, which is by 1.

Example:
    signal = np.random.default_rng(4).normal(size=16).astype(np.complex64)
    smooth = np.fft.fft(np.eye(16)[0] + np.eye(16)[1]).astype(np.complex64)
    buffer = vd.asbuffer(signal)
    vd.fft.convolve(buffer, vd.asbuffer(smooth), conjugate_kernel=False)
    assert np.allclose(buffer.read(0), signal + np.roll(signal, 1), atol=1e-4)
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

from ..base import dtype as dt
from ..base.buffer import Buffer, RFFTBuffer
from ..base.context import get_context, on_context_of_arguments
from ..compat import numpy_compat as npc
from .arguments import buffers_first, check_count, complete, parts_of, refuse_other_keywords
from .checks import check_kernel, refuse_moves_in_place, warn_of_packed_rows, warn_of_row_length
from .functions import _resolve_input_precision, _resolve_kernel_precision, _resolve_output_precision, fft
from .operands import Map, buffer_at, run, shape_of
from .options import Options
from .out_of_place import convolution_call, real_shape_of
from .precision import ours, resolve_compute_precision
from .ranges import normal_axis, normal_shape
from .real import rows_of
from .several_axes import Passes
from .shader_factories import (
    check_maps,
    checked_kernel_num,
    get_transposed_size,
    is_any_order,
    make_convolution_shader,
    make_transpose_shader,
)


@on_context_of_arguments
def convolve(
    *buffers: Any,
    kernel_map: Map = None,
    kernel_num: int = 1,
    buffer_shape: Sequence[int] | None = None,
    graph: Any = None,
    print_shader: bool = False,
    axis: int | None = None,
    normalize: bool = True,
    name: str | None = None,
    transposed_kernel: bool = False,
    kernel_inner_only: bool = False,
    input_map: Map = None,
    output_map: Map = None,
    output_type: Any = None,
    input_type: Any = None,
    kernel_type: Any = None,
    compute_type: Any = None,
    input_signal_range: Any = None,
    conjugate_kernel: bool = True,
    r2c: bool = False,
    output_signal_range: Any = None,
    out: Any = None,
    kernel_order: str = "natural",
    **parameters: Any,
) -> None:
    """Transform, multiply by the conjugate of a kernel's spectrum (or what `kernel_map` says), and transform back.

    `buffers` are the output's arguments, then the input's, then the kernel's. With `r2c` lines are real, as an RFFTBuffer
    holds them, and the kernel is the half spectrum that rfft() gives. The ranges are those of fft(). `kernel_order` is the
    `order` with which fft() made the kernel.
    Without maps of the output and the input, `out` is where the result goes in place of the first buffer.
    """
    if out is not None:
        if input_map is not None or output_map is not None:
            parameters["out"] = out  # which is a map's then
        else:
            buffers, input_map, output_map, buffer_shape, compute_type = convolution_call(
                "convolve", buffers, out, buffer_shape, compute_type, checked_kernel_num(kernel_num), bool(r2c)
            )
    buffers = tuple(complete("convolve", buffers, (output_map, input_map, kernel_map), True, parameters, _OPTIONS))
    check_maps(output_map, input_map, output_type, input_type, kernel_map)
    if kernel_map is None and len(buffers) < 2:
        raise ValueError("convolve() requires at least an output buffer and kernel buffer")
    if not buffers:
        raise ValueError("At least one buffer must be provided")
    kernel_num = checked_kernel_num(kernel_num)
    check_count("convolve", buffers, input_map, output_map, kernel_map, kernel_num)
    refuse_moves_in_place(buffers, output_map, input_map)
    if buffer_shape is None and isinstance(buffers[0], RFFTBuffer):
        if r2c:
            buffer_shape = buffers[0].real_shape
        elif input_map is None and output_map is None:
            warn_of_packed_rows(buffers[0], axis)
    elif r2c and input_map is None and output_map is None:
        warn_of_row_length(buffers[0], buffer_shape)
    shape = shape_of(buffers, buffer_shape, output_map)
    if kernel_map is None:
        along = normal_axis(axis, len(shape))
        spectrum = (*shape[:-1], shape[-1] // 2 + 1) if r2c else shape
        spectrum = spectrum[along:] if kernel_inner_only else spectrum
        if kernel_num > 1:
            spectrum = (kernel_num, *spectrum)
        kernel = buffer_at(buffers, _kernel_at(output_map, input_map), "kernel")
        check_kernel(
            "convolve", kernel, spectrum, kernel_type, transposed_kernel, kernel_inner_only, shape[-1] if r2c else None
        )
    convolve_lines(
        buffers, shape, graph, print_shader, kernel_map=kernel_map, kernel_num=kernel_num, axis=axis, normalize=normalize,
        name=name, transposed_kernel=transposed_kernel, kernel_inner_only=kernel_inner_only, input_map=input_map,
        output_map=output_map, output_type=output_type, input_type=input_type, kernel_type=kernel_type,
        compute_type=compute_type, input_signal_range=input_signal_range, conjugate_kernel=conjugate_kernel, r2c=r2c,
        output_signal_range=output_signal_range, kernel_order=kernel_order,
    )  # fmt: skip


_OPTIONS = tuple(inspect.unwrap(convolve).__kwdefaults__)


def _kernel_at(output_map: Map, input_map: Map) -> int:
    """The position of the first filter among a convolution's arguments."""
    outputs = 1 if output_map is None else len(output_map.buffer_types)
    return outputs + (len(input_map.buffer_types) if input_map is not None else int(output_map is not None))


def convolve_lines(
    buffers: Sequence[Any],
    shape: Sequence[int],
    graph: Any,
    print_shader: bool,
    kernel_map: Map = None,
    input_map: Map = None,
    output_map: Map = None,
    output_type: Any = None,
    input_type: Any = None,
    kernel_type: Any = None,
    **options: Any,
) -> None:
    """Perform convolve() on checked arguments. The options are those of make_convolution_shader()."""
    output = _resolve_output_precision(buffers, output_map, output_type)
    shader = make_convolution_shader(
        shape,
        kernel_map=kernel_map,
        input_map=input_map,
        output_map=output_map,
        output_type=output,
        input_type=_resolve_input_precision(buffers, input_map, output_map, input_type, output),
        kernel_type=_resolve_kernel_precision(buffers, kernel_map, kernel_type, _kernel_at(output_map, input_map)),
        **options,
    )
    run(shader, buffers, graph, print_shader)


def _kernel_of(work: Any, kernels: Sequence[Any]) -> Any:
    """The kernel's buffer, which is not that in which the passes work."""
    kernel = buffer_at(kernels, 0, "kernel")
    if kernel is work:
        raise ValueError("The kernel is the buffer itself, which the first pass changes!")
    return kernel


def _convolve(name: str, buffers: Sequence[Any], dimensions: int, options: Options) -> None:
    """There along all of the last axes but one, with the kernel along that, and back."""
    is_any_order(options.kernel_order, "kernel_order")
    buffers = options.resolve_out(name, buffers)
    parts, shape = options.parts_of(name, buffers, True)
    if len(shape) not in (dimensions, dimensions + 1):
        raise ValueError(
            f"{name}(): Buffer must have {dimensions} or {dimensions + 1} dimensions (got {len(shape)}, of shape {shape})"
        )
    passes = Passes(parts, shape, options, order=options.kernel_order)
    middle, *others = range(len(shape) - dimensions, len(shape))
    last = others[-1]
    if options.kernel_map is None:
        spectrum = shape[middle:] if options.kernel_inner_only else shape
        kernel = _kernel_of(passes.work, parts.kernel)
        check_kernel(name, kernel, spectrum, options.kernel_type, options.transposed_kernel, options.kernel_inner_only)
    passes.first(last)
    for axis in others[-2::-1]:
        passes.inner(axis)
    convolve_lines((passes.work, *parts.kernel), shape, **options.of_run, axis=middle, **options.of_kernel)
    for axis in others[:-1]:
        passes.inner(axis, inverse=True, normalize_inverse=options.normalize)
    passes.last(last, inverse=True, normalize_inverse=options.normalize)


@on_context_of_arguments
@buffers_first("buffer", "kernel")
def convolve2D(
    *buffers: Any,
    kernel_map: Map = None,
    buffer_shape: Sequence[int] | None = None,
    graph: Any = None,
    print_shader: bool = False,
    normalize: bool = True,
    transposed_kernel: bool = False,
    kernel_inner_only: bool = False,
    input_map: Map = None,
    output_map: Map = None,
    output_type: Any = None,
    input_type: Any = None,
    kernel_type: Any = None,
    compute_type: Any = None,
    conjugate_kernel: bool = True,
    out: Any = None,
    kernel_order: str = "natural",
) -> None:
    """Convolve images along their last two axes: rows forward, columns with the kernel, rows back.

    `buffers` are those of convolve(): the output's arguments, the input's, the kernel's; or one buffer, which the maps of
    output and input are given as their own, and then the kernel's arguments. `kernel_order` is the `order` with which
    fft2() made the kernel.
    """
    _convolve("convolve2D", buffers, 2, Options.of(locals()))


@on_context_of_arguments
@buffers_first("buffer", "kernel")
def convolve2DR(
    *buffers: Any,
    kernel_map: Map = None,
    buffer_shape: Sequence[int] | None = None,
    transposed_kernel: bool = False,
    kernel_inner_only: bool = False,
    graph: Any = None,
    print_shader: bool = False,
    normalize: bool = True,
    compute_type: Any = None,
    conjugate_kernel: bool = True,
    out: Any = None,
    kernel_order: str = "natural",
) -> None:
    """Convolve real images along their last two axes, in half spectra: a buffer, and the kernel's arguments.

    With `out` the buffer and `out` hold real numbers, each as an RFFTBuffer or not. `kernel_order` is the `order` with which
    rfft2() made the kernel.
    """
    options = Options.of(locals())
    is_any_order(kernel_order, "kernel_order")
    check_maps(None, None, None, None, kernel_map)
    parts = parts_of("convolve2DR", buffers, None, None, kernel_map, True)
    rows = parts.between if out is not None else rows_of("convolve2DR", parts.between)
    shape = normal_shape(real_shape_of(rows) if buffer_shape is None else buffer_shape)
    if len(shape) not in (2, 3):
        raise ValueError(f"convolve2DR(): Buffer must have 2 or 3 dimensions (got {len(shape)}, of shape {shape})")
    half = (*shape[:-1], shape[-1] // 2 + 1)
    buffer = rows if out is None else out
    if out is not None:
        options.compute_type = convolution_call(
            "convolve2DR", [rows], out, buffer_shape, compute_type, r2c=True
        ).compute_type
        if not isinstance(out, RFFTBuffer):
            buffer = Buffer(half, resolve_compute_precision([], options.compute_type))
    if kernel_map is None:
        kernel = _kernel_of(buffer, parts.kernel)
        spectrum = half[-2:] if kernel_inner_only else half
        check_kernel("convolve2DR", kernel, spectrum, None, transposed_kernel, kernel_inner_only, shape[-1])
    common = {**options.of_run, "compute_type": options.compute_type}
    fft(rows, buffer_shape=shape, r2c=True, out=buffer, **common)
    convolve_lines((buffer, *parts.kernel), half, **options.of_run, axis=len(shape) - 2, **options.of_kernel)
    fft(buffer, buffer_shape=shape, r2c=True, inverse=True, normalize_inverse=normalize, out=out, **common)


@on_context_of_arguments
@buffers_first("buffer", "kernel")
def convolve3D(
    *buffers: Any,
    kernel_map: Map = None,
    buffer_shape: Sequence[int] | None = None,
    graph: Any = None,
    print_shader: bool = False,
    normalize: bool = True,
    transposed_kernel: bool = False,
    kernel_inner_only: bool = False,
    kernel_type: Any = None,
    compute_type: Any = None,
    conjugate_kernel: bool = True,
    input_map: Map = None,
    output_map: Map = None,
    output_type: Any = None,
    input_type: Any = None,
    out: Any = None,
    kernel_order: str = "natural",
) -> None:
    """Convolve volumes along their last three axes, with the arguments of convolve2D(); the kernel is fftn() of a volume."""
    _convolve("convolve3D", buffers, 3, Options.of(locals()))


@on_context_of_arguments
@refuse_other_keywords()
def transpose(
    in_buffer: Any,
    conv_shape: Sequence[int] | None = None,
    axis: int | None = None,
    out_buffer: Any = None,
    graph: Any = None,
    kernel_inner_only: bool = False,
    print_shader: bool = False,
    input_type: Any = None,
    output_type: Any = None,
    compute_type: Any = None,
    out: Any = None,
) -> Buffer:
    """Prepare a kernel's spectrum for convolve(transposed_kernel=True) of the same shape and axis; gives its buffer.

    `out` is another name of `out_buffer`.
    """
    if out is not None and out_buffer is not None:
        raise TypeError("transpose() got several values for argument 'out': out_buffer is another name of it!")
    out_buffer = out if out is not None else out_buffer
    source = buffer_at([in_buffer], 0, "in_buffer")
    shape = normal_shape(source.shape if conv_shape is None else conv_shape)
    reads = ours(input_type) if input_type is not None else source.var_type
    writes = ours(output_type) if output_type is not None else reads
    size = get_transposed_size(shape, axis, compute_type or dt.complex64)
    needed = npc.prod(shape[normal_axis(axis, len(shape)) :] if kernel_inner_only else shape)
    if source.size < needed:
        raise ValueError(f"in_buffer has {source.size} elements; a kernel of shape {shape} takes {needed}!")
    get_context()
    if out_buffer is None:
        out_buffer = Buffer((size,), writes)
    elif buffer_at([out_buffer], 0, "out_buffer").var_type is not writes:
        raise ValueError(f"Output buffer type {out_buffer.var_type.name} does not match output_type {writes.name}")
    elif out_buffer.size < size:
        raise ValueError(f"Output buffer size {out_buffer.size} is smaller than expected transposed size {size}")
    shader = make_transpose_shader(shape, axis, kernel_inner_only, reads, writes)
    run(shader, [out_buffer, source], graph, print_shader)
    return out_buffer
