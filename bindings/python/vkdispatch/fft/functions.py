"""Transforms, convolutions and what prepares them, as functions of buffers."""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterable, Sequence
from types import NoneType
from typing import Any

from .. import _native
from ..base import dtype as dt
from ..base.buffer import Buffer, RFFTBuffer
from ..base.context import get_context
from ..codegen import arguments as ann
from ..codegen.mapping import MappingFunction, map_function
from ..compat import numpy_compat as npc
from .arguments import Parts, buffers_first, check_count, complete, parts_of
from .checks import check_kernel, refuse_moves_in_place, several_axes, warn_of_packed_rows
from .global_memory_iterators import read_op, write_op
from .precision import ensure_complex_precision, ensure_supported_complex_precision, resolve_compute_precision
from .ranges import normal_axis, normal_shape
from .shader_factories import (
    check_maps,
    get_transposed_size,
    make_convolution_shader,
    make_fft_shader,
    make_transpose_shader,
    recall_fft,
    remember_fft,
)
from .shifts import moves_elements

_Map = MappingFunction | None
_NUMBERS, _NAMES = (int, NoneType), (str, NoneType)


def _resolve_output_precision(buffers: Sequence[Any], output_map: Any, output_type: Any) -> Any:
    """The type of the output buffer; None with an output map."""
    if output_map is not None:
        return None
    resolved = output_type if output_type is not None else _complex_type(_buffer(buffers, 0, "output"))
    ensure_complex_precision(resolved, "output_type")
    ensure_supported_complex_precision(resolved, role="Output")
    return resolved


def _resolve_input_precision(
    buffers: Sequence[Any], input_map: Any, output_map: Any, input_type: Any, output_precision: Any
) -> Any:
    """The type of the input buffer; None with an input map. In place it is the output's."""
    if input_map is not None:
        return None
    if output_map is None:
        if input_type is not None and input_type is not output_precision:
            raise ValueError(
                "input_type must match output_type when input_map is None and output_map is None: the transform works in place"
            )
        return output_precision
    at = len(output_map.buffer_types)
    if len(buffers) <= at:
        raise ValueError(
            "With output_map and no input_map an input buffer argument must be provided after its arguments"
        )
    given = buffers[at]
    if not hasattr(given, "var_type"):
        raise ValueError(f"The input argument ({type(given).__name__}) must be a buffer")
    resolved = input_type if input_type is not None else given.var_type
    ensure_complex_precision(resolved, "input_type")
    ensure_supported_complex_precision(resolved, role="Input")
    return resolved


def _resolve_kernel_precision(buffers: Sequence[Any], kernel_map: Any, kernel_type: Any, at: int) -> Any:
    """The type of the kernel's buffer, which is argument number `at`; None with a kernel map."""
    if kernel_map is not None:
        if kernel_type is not None:
            raise ValueError("kernel_type cannot be provided when kernel_map is used")
        return None
    resolved = kernel_type if kernel_type is not None else _buffer(buffers, at, "kernel").var_type
    ensure_complex_precision(resolved, "kernel_type")
    ensure_supported_complex_precision(resolved, role="Kernel")
    return resolved


def _buffer(buffers: Sequence[Any], at: int, name: str) -> Any:
    if len(buffers) <= at:
        raise ValueError(f"Missing argument '{name}'!")
    if not isinstance(buffers[at], Buffer):
        cure = " vd.asbuffer(array) makes one." if npc.is_array_like(buffers[at]) else ""
        raise ValueError(f"Expected a buffer for argument '{name}' (got {type(buffers[at]).__name__})!{cure}")
    return buffers[at]


def _complex_type(buffer: Any) -> Any:
    """The dtype of a buffer that is transformed without a type being given; ValueError unless it is complex."""
    if not dt.is_complex(buffer.var_type):
        raise ValueError(
            f"Buffer '{buffer.label}' has elements of {buffer.var_type.name}, and a transform's must be one of complex32, "
            "complex64, or complex128: asbuffer(array.astype(np.complex64)) makes such a buffer; for real rows, "
            "asrfftbuffer(array) and fft.rfft()"
        )
    return buffer.var_type


def _is_type(given: Any) -> bool:
    return given is None or isinstance(given, type)


def _run(shader: Any, buffers: Sequence[Any], graph: Any, print_shader: bool) -> None:
    if print_shader:
        print(shader)
    try:
        shader(*buffers, graph=graph)
    except _native._errors.InvalidError:
        with _native.naming(getattr(shader, "described", shader.name)):
            raise


def _shape_of(buffers: Sequence[Any], buffer_shape: Any) -> tuple[int, ...]:
    if buffer_shape is not None:
        return normal_shape(buffer_shape)
    shape = _buffer(buffers, 0, "output").shape
    return shape if 1 <= len(shape) <= 8 else normal_shape(shape)


# ---- One axis --------------------------------------------------------------------------------------------------------


def fft(
    *buffers: Any,
    buffer_shape: Sequence[int] | None = None,
    graph: Any = None,
    print_shader: bool = False,
    axis: int | None = None,
    name: str | None = None,
    inverse: bool = False,
    normalize_inverse: bool = True,
    r2c: bool = False,
    input_map: _Map = None,
    output_map: _Map = None,
    output_type: Any = None,
    input_type: Any = None,
    compute_type: Any = None,
    input_signal_range: Any = None,
    output_signal_range: Any = None,
    **parameters: Any,
) -> None:
    """Transform along one axis, batched over the others; in place unless maps say otherwise.

    `buffers` are the output's arguments, then the input's; those of maps may be named, or left to their defaults. With `r2c` lines are real, as an RFFTBuffer holds them, and the
    spectrum is its first half; `buffer_shape` is then the real shape, which an RFFTBuffer knows. What lies outside of the
    ranges, (start, end) along the axis, is taken as zero and not read, or not written and stays as it was.
    """
    if parameters or input_map is not None or output_map is not None:
        buffers = tuple(complete("fft", buffers, (output_map, input_map, None), False, parameters))
    if not buffers:
        raise ValueError("At least one buffer must be provided")
    if buffer_shape is None and isinstance(buffers[0], RFFTBuffer):
        if r2c:
            buffer_shape = buffers[0].real_shape
        elif input_map is None and output_map is None:
            warn_of_packed_rows(buffers[0], axis)
    call = None
    bare = input_map is None and output_map is None and input_signal_range is None and output_signal_range is None
    if bare and isinstance(buffers[0], Buffer):
        shape = buffers[0].shape if buffer_shape is None else buffer_shape
        types = (output_type, input_type, compute_type)
        plain = type(shape) is tuple and type(axis) in _NUMBERS and type(name) in _NAMES and all(map(_is_type, types))
        # A number that only equals an integer is none.
        if plain and (buffer_shape is None or all(type(n) is int for n in shape)):
            call = (
                get_context().serial, buffers[0].var_type, shape, axis, bool(inverse), bool(normalize_inverse), bool(r2c),
                *types, name, len(buffers),
            )  # fmt: skip
            known = recall_fft(call)
            if known is not None:
                _run(known, buffers, graph, print_shader)
                return
    check_maps(output_map, input_map, output_type, input_type)
    if input_map is None and output_map is None and len(buffers) != 1:
        raise ValueError("fft() expects exactly one buffer unless input_map/output_map are used")
    output_precision = _resolve_output_precision(buffers, output_map, output_type)
    input_precision = _resolve_input_precision(
        buffers=buffers,
        input_map=input_map,
        output_map=output_map,
        input_type=input_type,
        output_precision=output_precision,
    )
    if not bare:
        refuse_moves_in_place(buffers, output_map, input_map)
    shader = make_fft_shader(
        _shape_of(buffers, buffer_shape),
        axis,
        inverse,
        normalize_inverse,
        r2c,
        input_map,
        output_map,
        input_precision,
        output_precision,
        compute_type,
        input_signal_range,
        name,
        output_signal_range,
    )
    if call is not None:
        remember_fft(call, shader)
    _run(shader, buffers, graph, print_shader)


@buffers_first("buffer")
def ifft(
    *buffers: Any,
    graph: Any = None,
    print_shader: bool = False,
    axis: int | None = None,
    name: str | None = None,
    normalize: bool = True,
    input_map: _Map = None,
    output_map: _Map = None,
    output_type: Any = None,
    input_type: Any = None,
    compute_type: Any = None,
    buffer_shape: Sequence[int] | None = None,
) -> None:
    """The inverse of fft(), with its arguments; or one buffer, which each map is given as its own."""
    if input_map is not None or output_map is not None:
        check_maps(output_map, input_map, output_type, input_type)
        parts = parts_of("ifft", buffers, input_map, output_map)
        buffers = (*parts.output, *parts.input)
    fft(
        *buffers,
        buffer_shape=buffer_shape,
        graph=graph,
        print_shader=print_shader,
        axis=axis,
        name=name,
        inverse=True,
        normalize_inverse=normalize,
        input_map=input_map,
        output_map=output_map,
        output_type=output_type,
        input_type=input_type,
        compute_type=compute_type,
    )


# ---- Several axes ----------------------------------------------------------------------------------------------------


@functools.cache
def _plain(var_type: Any) -> MappingFunction:
    """The input map of a buffer that is only read."""

    def plain(input: Any) -> None:
        read_op().read_from_buffer(input)

    return map_function(plain, None, [ann.Buffer[var_type]])


@functools.cache
def _plain_output(var_type: Any) -> MappingFunction:
    """The output map of a buffer that is only written."""

    def plain(output: Any) -> None:
        write_op().write_to_buffer(output)

    return map_function(plain, None, [ann.Buffer[var_type]])


class _Passes:
    """Passes along several axes: the input map in the first, the output map in the last, and between them one buffer."""

    def __init__(
        self, parts: Parts, shape: tuple[int, ...], input_map: _Map, output_map: _Map, output_type: Any, input_type: Any,
        compute_type: Any, **common: Any,
    ):  # fmt: skip
        self.common = {"buffer_shape": shape, "compute_type": compute_type, **common}
        self.types = {"output_type": output_type, "input_type": input_type}
        self.work = parts.between
        reads = None
        moved = [*parts.output] if output_map is not None and moves_elements(output_map) else []
        moved += parts.input if input_map is not None and moves_elements(input_map) else []
        if (
            self.work is None
            or (output_map is not None and not dt.is_complex(self.work.var_type))
            or any(buffer is self.work for buffer in moved)
        ):
            if input_map is None:
                reads = input_type if input_type is not None else _complex_type(_buffer(parts.input, 0, "input"))
                input_map = _plain(ensure_complex_precision(reads, "input_type"))
            if output_map is None:
                writes = output_type if output_type is not None else _complex_type(_buffer(parts.output, 0, "output"))
                output_map = _plain_output(ensure_complex_precision(writes, "output_type"))
            self.work = Buffer(shape, resolve_compute_precision([reads], compute_type))
            self.types = {}
        self._parts, self._input_map, self._output_map = parts, input_map, output_map

    def first(self, axis: int, **options: Any) -> None:
        """Out of the input."""
        if self._input_map is None:
            return self.inner(axis, **options)
        types = {**self.types, "input_type": None}
        fft(self.work, *self._parts.input, axis=axis, input_map=self._input_map, **types, **options, **self.common)

    def inner(self, axis: int, **options: Any) -> None:
        """In place."""
        fft(self.work, axis=axis, **self.types, **options, **self.common)

    def last(self, axis: int, **options: Any) -> None:
        """Into the output."""
        if self._output_map is None:
            return self.inner(axis, **options)
        types = {**self.types, "output_type": None}
        fft(*self._parts.output, self.work, axis=axis, output_map=self._output_map, **types, **options, **self.common)


def _several(
    name: str,
    buffers: Sequence[Any],
    most: int,
    inverse: bool,
    normalize: bool,
    graph: Any,
    print_shader: bool,
    input_map: _Map,
    output_map: _Map,
    output_type: Any,
    input_type: Any,
    compute_type: Any,
    buffer_shape: Sequence[int] | None,
) -> None:
    if input_map is None and output_map is None and len(buffers) == 1:  # the short way
        for axis in several_axes(name, _shape_of(buffers, buffer_shape), most):
            fft(
                *buffers, buffer_shape=buffer_shape, graph=graph, print_shader=print_shader, axis=axis, inverse=inverse,
                normalize_inverse=normalize, output_type=output_type, input_type=input_type, compute_type=compute_type,
            )  # fmt: skip
        return
    check_maps(output_map, input_map, output_type, input_type)
    parts = parts_of(name, buffers, input_map, output_map)
    shape = _shape_of(buffers, buffer_shape)
    first, *inner, last = several_axes(name, shape, most)
    passes = _Passes(
        parts, shape, input_map, output_map, output_type, input_type, compute_type, graph=graph, print_shader=print_shader,
        inverse=inverse, normalize_inverse=normalize,
    )  # fmt: skip
    passes.first(first)
    for axis in inner:
        passes.inner(axis)
    passes.last(last)


@buffers_first("buffer")
def fft2(
    *buffers: Any,
    graph: Any = None,
    print_shader: bool = False,
    input_map: _Map = None,
    output_map: _Map = None,
    output_type: Any = None,
    input_type: Any = None,
    compute_type: Any = None,
    buffer_shape: Sequence[int] | None = None,
) -> None:
    """Transform along the last two axes. The input map belongs to the first pass, the output map to the last.

    `buffers` are those of fft(): the output's arguments, then the input's; or one buffer, which each map is given as its own.
    """
    _several(
        "fft2", buffers, 2, False, True, graph, print_shader, input_map, output_map, output_type, input_type,
        compute_type, buffer_shape,
    )  # fmt: skip


@buffers_first("buffer")
def fft3(
    *buffers: Any,
    graph: Any = None,
    print_shader: bool = False,
    input_map: _Map = None,
    output_map: _Map = None,
    output_type: Any = None,
    input_type: Any = None,
    compute_type: Any = None,
    buffer_shape: Sequence[int] | None = None,
) -> None:
    """Transform along all three axes."""
    _several(
        "fft3", buffers, 3, False, True, graph, print_shader, input_map, output_map, output_type, input_type,
        compute_type, buffer_shape,
    )  # fmt: skip


@buffers_first("buffer")
def ifft2(
    *buffers: Any,
    graph: Any = None,
    print_shader: bool = False,
    normalize: bool = True,
    input_map: _Map = None,
    output_map: _Map = None,
    output_type: Any = None,
    input_type: Any = None,
    compute_type: Any = None,
    buffer_shape: Sequence[int] | None = None,
) -> None:
    """The inverse of fft2()."""
    _several(
        "ifft2", buffers, 2, True, normalize, graph, print_shader, input_map, output_map, output_type, input_type,
        compute_type, buffer_shape,
    )  # fmt: skip


@buffers_first("buffer")
def ifft3(
    *buffers: Any,
    graph: Any = None,
    print_shader: bool = False,
    normalize: bool = True,
    input_map: _Map = None,
    output_map: _Map = None,
    output_type: Any = None,
    input_type: Any = None,
    compute_type: Any = None,
    buffer_shape: Sequence[int] | None = None,
) -> None:
    """The inverse of fft3()."""
    _several(
        "ifft3", buffers, 3, True, normalize, graph, print_shader, input_map, output_map, output_type, input_type,
        compute_type, buffer_shape,
    )  # fmt: skip


# ---- Real lines ------------------------------------------------------------------------------------------------------


def _real(buffer: Any) -> RFFTBuffer:
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
    shape = _real(buffer).real_shape
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
        buffer_shape=_real(buffer).real_shape,
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
    return several_axes(name, _real(buffer).real_shape, most)[:-1]


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


# ---- Convolutions ----------------------------------------------------------------------------------------------------


def convolve(
    *buffers: Any,
    kernel_map: _Map = None,
    kernel_num: int = 1,
    buffer_shape: Sequence[int] | None = None,
    graph: Any = None,
    print_shader: bool = False,
    axis: int | None = None,
    normalize: bool = True,
    name: str | None = None,
    transposed_kernel: bool = False,
    kernel_inner_only: bool = False,
    input_map: _Map = None,
    output_map: _Map = None,
    output_type: Any = None,
    input_type: Any = None,
    kernel_type: Any = None,
    compute_type: Any = None,
    input_signal_range: Any = None,
    conjugate_kernel: bool = True,
    r2c: bool = False,
    output_signal_range: Any = None,
    **parameters: Any,
) -> None:
    """Transform, multiply by the conjugate of a kernel's spectrum (or what `kernel_map` says), and transform back.

    `buffers` are the output's arguments, then the input's, then the kernel's. With `r2c` lines are real, as an RFFTBuffer
    holds them, and the kernel is the half spectrum that rfft() gives. The ranges are those of fft().
    """
    buffers = tuple(complete("convolve", buffers, (output_map, input_map, kernel_map), True, parameters))
    check_maps(output_map, input_map, output_type, input_type, kernel_map)
    if kernel_map is None and len(buffers) < 2:
        raise ValueError("convolve() requires at least an output buffer and kernel buffer")
    if not buffers:
        raise ValueError("At least one buffer must be provided")
    check_count("convolve", buffers, input_map, output_map, kernel_map, kernel_num)
    refuse_moves_in_place(buffers, output_map, input_map)
    if buffer_shape is None and isinstance(buffers[0], RFFTBuffer):
        if r2c:
            buffer_shape = buffers[0].real_shape
        elif input_map is None and output_map is None:
            warn_of_packed_rows(buffers[0], axis)
    shape = _shape_of(buffers, buffer_shape)
    if kernel_map is None:
        along = normal_axis(axis, len(shape))
        spectrum = (*shape[:-1], shape[-1] // 2 + 1) if r2c else shape
        spectrum = spectrum[along:] if kernel_inner_only else spectrum
        if hasattr(kernel_num, "__index__") and kernel_num > 1:
            spectrum = (operator.index(kernel_num), *spectrum)
        kernel = _buffer(buffers, _kernel_at(output_map, input_map), "kernel")
        check_kernel(
            "convolve", kernel, spectrum, kernel_type, transposed_kernel, kernel_inner_only, shape[-1] if r2c else None
        )
    convolve_lines(
        buffers, shape, graph, print_shader, kernel_map=kernel_map, kernel_num=kernel_num, axis=axis, normalize=normalize,
        name=name, transposed_kernel=transposed_kernel, kernel_inner_only=kernel_inner_only, input_map=input_map,
        output_map=output_map, output_type=output_type, input_type=input_type, kernel_type=kernel_type,
        compute_type=compute_type, input_signal_range=input_signal_range, conjugate_kernel=conjugate_kernel, r2c=r2c,
        output_signal_range=output_signal_range,
    )  # fmt: skip


def _kernel_at(output_map: _Map, input_map: _Map) -> int:
    """Which argument of a convolution is the kernel's first."""
    outputs = 1 if output_map is None else len(output_map.buffer_types)
    return outputs + (len(input_map.buffer_types) if input_map is not None else int(output_map is not None))


def convolve_lines(
    buffers: Sequence[Any],
    shape: Sequence[int],
    graph: Any,
    print_shader: bool,
    kernel_map: _Map = None,
    input_map: _Map = None,
    output_map: _Map = None,
    output_type: Any = None,
    input_type: Any = None,
    kernel_type: Any = None,
    **options: Any,
) -> None:
    """convolve() of what is checked. The options are those of make_convolution_shader()."""
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
    _run(shader, buffers, graph, print_shader)


def _kernel_of(work: Any, kernels: Sequence[Any]) -> Any:
    """The kernel's buffer, which is not that in which the passes work."""
    kernel = _buffer(kernels, 0, "kernel")
    if kernel is work:
        raise ValueError("The kernel is the buffer itself, which the first pass changes!")
    return kernel


def _convolve(
    name: str,
    buffers: Sequence[Any],
    dimensions: int,
    buffer_shape: Sequence[int] | None,
    normalize: bool,
    input_map: _Map,
    output_map: _Map,
    output_type: Any,
    input_type: Any,
    compute_type: Any,
    graph: Any,
    print_shader: bool,
    kernel_map: _Map,
    transposed_kernel: bool,
    kernel_inner_only: bool,
    kernel_type: Any,
    conjugate_kernel: bool,
) -> None:
    """There along all of the last axes but one, with the kernel along that, and back."""
    check_maps(output_map, input_map, output_type, input_type, kernel_map)
    parts = parts_of(name, buffers, input_map, output_map, kernel_map, True)
    shape = _shape_of(buffers, buffer_shape)
    if len(shape) not in (dimensions, dimensions + 1):
        raise ValueError(
            f"{name}(): Buffer must have {dimensions} or {dimensions + 1} dimensions (got {len(shape)}, of shape {shape})"
        )
    common = {"graph": graph, "print_shader": print_shader}
    passes = _Passes(parts, shape, input_map, output_map, output_type, input_type, compute_type, **common)
    middle, *others = range(len(shape) - dimensions, len(shape))
    last = others[-1]
    if kernel_map is None:
        spectrum = shape[middle:] if kernel_inner_only else shape
        kernel = _kernel_of(passes.work, parts.kernel)
        check_kernel(name, kernel, spectrum, kernel_type, transposed_kernel, kernel_inner_only)
    passes.first(last)
    for axis in others[-2::-1]:
        passes.inner(axis)
    convolve_lines(
        (passes.work, *parts.kernel), shape, graph, print_shader, kernel_map=kernel_map, axis=middle, normalize=normalize,
        compute_type=compute_type, transposed_kernel=transposed_kernel, kernel_inner_only=kernel_inner_only,
        kernel_type=kernel_type, conjugate_kernel=conjugate_kernel,
    )  # fmt: skip
    for axis in others[:-1]:
        passes.inner(axis, inverse=True, normalize_inverse=normalize)
    passes.last(last, inverse=True, normalize_inverse=normalize)


@buffers_first("buffer", "kernel")
def convolve2D(
    *buffers: Any,
    kernel_map: _Map = None,
    buffer_shape: Sequence[int] | None = None,
    graph: Any = None,
    print_shader: bool = False,
    normalize: bool = True,
    transposed_kernel: bool = False,
    kernel_inner_only: bool = False,
    input_map: _Map = None,
    output_map: _Map = None,
    output_type: Any = None,
    input_type: Any = None,
    kernel_type: Any = None,
    compute_type: Any = None,
    conjugate_kernel: bool = True,
) -> None:
    """Convolve images along their last two axes: rows forward, columns with the kernel, rows back.

    `buffers` are those of convolve(): the output's arguments, the input's, the kernel's; or one buffer, which the maps of
    output and input are given as their own, and then the kernel's arguments.
    """
    _convolve(
        "convolve2D", buffers, 2, buffer_shape, normalize, input_map, output_map, output_type, input_type, compute_type,
        graph, print_shader, kernel_map, transposed_kernel, kernel_inner_only, kernel_type, conjugate_kernel,
    )  # fmt: skip


@buffers_first("buffer", "kernel")
def convolve2DR(
    *buffers: Any,
    kernel_map: _Map = None,
    buffer_shape: Sequence[int] | None = None,
    transposed_kernel: bool = False,
    kernel_inner_only: bool = False,
    graph: Any = None,
    print_shader: bool = False,
    normalize: bool = True,
    compute_type: Any = None,
    conjugate_kernel: bool = True,
) -> None:
    """Convolve real images along their last two axes, in half spectra: a buffer, and the kernel's arguments."""
    check_maps(None, None, None, None, kernel_map)
    parts = parts_of("convolve2DR", buffers, None, None, kernel_map, True)
    buffer = _real(parts.between)
    shape = normal_shape(buffer.real_shape if buffer_shape is None else buffer_shape)
    if len(shape) not in (2, 3):
        raise ValueError(f"convolve2DR(): Buffer must have 2 or 3 dimensions (got {len(shape)}, of shape {shape})")
    half = (*shape[:-1], shape[-1] // 2 + 1)
    if kernel_map is None:
        kernel = _kernel_of(buffer, parts.kernel)
        spectrum = half[-2:] if kernel_inner_only else half
        check_kernel("convolve2DR", kernel, spectrum, None, transposed_kernel, kernel_inner_only, shape[-1])
    common = {"graph": graph, "print_shader": print_shader, "compute_type": compute_type}
    fft(buffer, buffer_shape=shape, r2c=True, **common)
    convolve_lines(
        (buffer, *parts.kernel), half, graph, print_shader, kernel_map=kernel_map, axis=len(shape) - 2, normalize=normalize,
        transposed_kernel=transposed_kernel, kernel_inner_only=kernel_inner_only, conjugate_kernel=conjugate_kernel,
        compute_type=compute_type,
    )  # fmt: skip
    fft(buffer, buffer_shape=shape, r2c=True, inverse=True, normalize_inverse=normalize, **common)


@buffers_first("buffer", "kernel")
def convolve3D(
    *buffers: Any,
    kernel_map: _Map = None,
    buffer_shape: Sequence[int] | None = None,
    graph: Any = None,
    print_shader: bool = False,
    normalize: bool = True,
    transposed_kernel: bool = False,
    kernel_inner_only: bool = False,
    kernel_type: Any = None,
    compute_type: Any = None,
    conjugate_kernel: bool = True,
    input_map: _Map = None,
    output_map: _Map = None,
    output_type: Any = None,
    input_type: Any = None,
) -> None:
    """Convolve volumes along their last three axes, with the arguments of convolve2D(); the kernel is fftn() of a volume."""
    _convolve(
        "convolve3D", buffers, 3, buffer_shape, normalize, input_map, output_map, output_type, input_type, compute_type,
        graph, print_shader, kernel_map, transposed_kernel, kernel_inner_only, kernel_type, conjugate_kernel,
    )  # fmt: skip


# ---- Any axes --------------------------------------------------------------------------------------------------------


def fftn(
    buffer: Any,
    axes: Sequence[int] | int | None = None,
    graph: Any = None,
    print_shader: bool = False,
    compute_type: Any = None,
    inverse: bool = False,
    normalize: bool = True,
) -> None:
    """Transform along several axes, all unless told, in place."""
    rank = len(_buffer([buffer], 0, "buffer").shape)
    given = range(rank) if axes is None else axes if isinstance(axes, Iterable) else [axes]
    along = [normal_axis(axis, rank) for axis in given]
    if len(set(along)) != len(along):
        raise ValueError(f"fftn(): axes ({axes}) name an axis twice!")
    for axis in along:
        fft(
            buffer,
            graph=graph,
            print_shader=print_shader,
            axis=axis,
            inverse=inverse,
            normalize_inverse=normalize,
            compute_type=compute_type,
        )


def ifftn(
    buffer: Any,
    axes: Sequence[int] | int | None = None,
    graph: Any = None,
    print_shader: bool = False,
    normalize: bool = True,
    compute_type: Any = None,
) -> None:
    """The inverse of fftn()."""
    fftn(buffer, axes, graph, print_shader, compute_type, True, normalize)


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
) -> Any:
    """Prepare a kernel's spectrum for convolve(transposed_kernel=True) of the same shape and axis; gives its buffer."""
    source = _buffer([in_buffer], 0, "in_buffer")
    shape = normal_shape(source.shape if conv_shape is None else conv_shape)
    reads = input_type if input_type is not None else source.var_type
    writes = output_type if output_type is not None else reads
    size = get_transposed_size(shape, axis, compute_type or dt.complex64)
    needed = npc.prod(shape[normal_axis(axis, len(shape)) :] if kernel_inner_only else shape)
    if source.size < needed:
        raise ValueError(f"in_buffer has {source.size} elements; a kernel of shape {shape} takes {needed}!")
    get_context()
    if out_buffer is None:
        out_buffer = Buffer((size,), writes)
    elif _buffer([out_buffer], 0, "out_buffer").var_type is not writes:
        raise ValueError(f"Output buffer type {out_buffer.var_type.name} does not match output_type {writes.name}")
    elif out_buffer.size < size:
        raise ValueError(f"Output buffer size {out_buffer.size} is smaller than expected transposed size {size}")
    shader = make_transpose_shader(shape, axis, kernel_inner_only, reads, writes)
    _run(shader, [out_buffer, source], graph, print_shader)
    return out_buffer
