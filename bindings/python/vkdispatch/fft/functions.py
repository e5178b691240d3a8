"""Transforms along one axis, as functions of buffers.

Buffers are of complex numbers, and lines are along the axis `axis` (by default the last) of their shape. Forward
nothing is scaled; the inverse divides by the length. Shapes, axes and dtypes that do not fit are a ValueError.

Example:
    signal = np.random.default_rng(1).normal(size=(3, 100)).astype(np.complex64)
    buffer = vd.asbuffer(signal)
    vd.fft.fft(buffer)
    assert np.allclose(buffer.read(0), np.fft.fft(signal), atol=1e-3)
    vd.fft.ifft(buffer)
    assert np.allclose(buffer.read(0), signal, atol=1e-5)
    spectrum = vd.empty((3, 100), vd.complex64)
    vd.fft.fft(buffer, out=spectrum, axis=0)
"""

from __future__ import annotations

import importlib
import inspect
import itertools
from collections.abc import Sequence
from types import NoneType
from typing import Any

from ..base.buffer import Buffer, RFFTBuffer
from ..base.context import get_context, on_context_of_arguments
from ..base.errors import WrongTypeError
from ..base.words import bracketed
from .arguments import buffers_first, called_as, complete, not_one_buffer, parts_of
from .checks import refuse_inner_real_axis, refuse_moves_in_place, warn_of_packed_rows, warn_of_row_length
from .operands import Map, buffer_at, complex_type, run, shape_of, stored_image
from .out_of_place import complex_call, real_call
from .precision import ensure_complex_precision, ensure_supported_complex_precision, ours
from .ranges import normal_axis
from .shader_factories import (
    check_maps,
    make_fft_shader,
    recall_fft,
    remember_fft,
)

_NUMBERS, _NAMES = (int, NoneType), (str, NoneType)


def _resolve_output_precision(buffers: Sequence[Any], output_map: Any, output_type: Any) -> Any:
    """The type of the output buffer; None with an output map."""
    if output_map is not None:
        return None
    resolved = output_type if output_type is not None else complex_type(buffer_at(buffers, 0, "output"))
    resolved = ensure_complex_precision(resolved, "output_type")
    ensure_supported_complex_precision(resolved, role="Output")
    return resolved


def _resolve_input_precision(
    buffers: Sequence[Any], input_map: Any, output_map: Any, input_type: Any, output_precision: Any
) -> Any:
    """The type of the input buffer; None with an input map. In place it is the output's."""
    if input_map is not None:
        return None
    if output_map is None:
        if input_type is not None and ours(input_type) is not output_precision:
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
        raise WrongTypeError(f"The input argument ({type(given).__name__}) must be a buffer")
    resolved = input_type if input_type is not None else given.var_type
    resolved = ensure_complex_precision(resolved, "input_type")
    ensure_supported_complex_precision(resolved, role="Input")
    return resolved


def _resolve_kernel_precision(buffers: Sequence[Any], kernel_map: Any, kernel_type: Any, at: int) -> Any:
    """The type of the kernel's buffer, which is argument number `at`; None with a kernel map."""
    if kernel_map is not None:
        if kernel_type is not None:
            raise ValueError("kernel_type cannot be provided when kernel_map is used")
        return None
    resolved = kernel_type if kernel_type is not None else buffer_at(buffers, at, "kernel").var_type
    resolved = ensure_complex_precision(resolved, "kernel_type")
    ensure_supported_complex_precision(resolved, role="Kernel")
    return resolved


def _is_type(given: Any) -> bool:
    return given is None or isinstance(given, type)


@on_context_of_arguments
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
    input_map: Map = None,
    output_map: Map = None,
    output_type: Any = None,
    input_type: Any = None,
    compute_type: Any = None,
    input_signal_range: Any = None,
    output_signal_range: Any = None,
    out: Any = None,
    tune: int = 0,
    order: str = "natural",
    **parameters: Any,
) -> None:
    """Transform along one axis, batched over the others; in place unless `out`, another buffer, or maps say otherwise.

    `buffers` are the output's arguments, then the input's. Those of maps may be images and values, too, and may be named,
    or left to their defaults. With `r2c` lines are real, as an RFFTBuffer holds them, and the spectrum is its first half;
    `buffer_shape` is then the real shape, which an RFFTBuffer knows. Elements outside of the ranges, (start, end) along the axis, count as zero
    and are not read, or are not written and keep their contents. `tune` is make_fft_shader()'s. `order` is that of the
    spectrum, which is written or, with `inverse`, read: "any" saves a long line a transposition.
    """
    if tune and (out is not None or input_map is not None or output_map is not None):
        raise ValueError(
            f"fft(): tune {bracketed(tune)} measures transforms in place without functions of the caller's; with out=, input_map= or "
            "output_map= it must be 0!"
        )
    if out is not None:
        if input_map is not None or output_map is not None:
            parameters["out"] = out  # which is a map's then
        elif r2c:
            real_shape = shape_of(buffers, buffer_shape)
            refuse_inner_real_axis(normal_axis(axis, len(real_shape)), real_shape)
            buffers, input_map, output_map, buffer_shape, compute_type = real_call(
                "fft", buffers, out, buffer_shape, compute_type, bool(inverse)
            )
        else:
            buffers, input_map, output_map, buffer_shape, compute_type = complex_call(
                "fft", buffers, out, buffer_shape, compute_type
            )
    if parameters or input_map is not None or output_map is not None:
        buffers = tuple(complete("fft", buffers, (output_map, input_map, None), False, parameters, _OPTIONS))
    if not buffers:
        raise ValueError(f"{called_as(inverse, r2c)}: At least one buffer must be provided")
    if buffer_shape is None and isinstance(buffers[0], RFFTBuffer):
        if r2c:
            buffer_shape = buffers[0].real_shape
        elif input_map is None and output_map is None:
            warn_of_packed_rows(buffers[0], axis)
    elif r2c and input_map is None and output_map is None:
        warn_of_row_length(buffers[0], buffer_shape)
    call = None
    bare = input_map is None and output_map is None and input_signal_range is None and output_signal_range is None
    if bare and isinstance(buffers[0], Buffer):
        shape = buffers[0].shape if buffer_shape is None else buffer_shape
        types = (output_type, input_type, compute_type)
        plain = (
            type(shape) is tuple
            and type(axis) in _NUMBERS
            and type(name) in _NAMES
            and type(tune) is int
            and type(order) is str
            and all(map(_is_type, types))
        )
        # A number that is not an int, but equals one, does not count.
        if plain and (buffer_shape is None or all(type(n) is int for n in shape)):
            call = (
                get_context().serial, buffers[0].var_type, shape, axis, bool(inverse), bool(normalize_inverse), bool(r2c),
                *types, name, len(buffers), tune, order,
            )  # fmt: skip
            known = recall_fft(call)
            if known is not None:
                run(known, buffers, graph, print_shader)
                return
    check_maps(output_map, input_map, output_type, input_type)
    if input_map is None and output_map is None and len(buffers) != 1:
        raise not_one_buffer("fft")
    called = called_as(inverse, r2c)
    if output_map is None:
        buffer_at(buffers, 0, "output", called)
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
    if r2c and not inverse and buffer_shape is None and stored_image(buffers, output_map) is not None:
        raise ValueError(
            f"{called}: an image of half spectra does not say how long the rows were; buffer_shape= is the real shape"
        )
    lengths = shape_of(buffers, buffer_shape, output_map)
    shader = make_fft_shader(
        lengths,
        normal_axis(axis, len(lengths), f"{called}: "),
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
        tune,
        order=order,
    )
    if call is not None:
        remember_fft(call, shader)
    run(shader, buffers, graph, print_shader)


_OPTIONS = tuple(inspect.unwrap(fft).__kwdefaults__)


@on_context_of_arguments
@buffers_first("buffer")
def ifft(
    *buffers: Any,
    graph: Any = None,
    print_shader: bool = False,
    axis: int | None = None,
    name: str | None = None,
    normalize: bool = True,
    input_map: Map = None,
    output_map: Map = None,
    output_type: Any = None,
    input_type: Any = None,
    compute_type: Any = None,
    buffer_shape: Sequence[int] | None = None,
    out: Any = None,
    tune: int = 0,
    order: str = "natural",
) -> None:
    """The inverse of fft(), with its arguments; or one buffer, which each map is given as its own."""
    if out is not None:
        buffers, input_map, output_map, buffer_shape, compute_type = complex_call(
            "ifft", buffers, out, buffer_shape, compute_type
        )
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
        tune=tune,
        order=order,
    )


# In vkdispatch 0.1 this module has every function of buffers.
_ELSEWHERE = {
    "several_axes": ("fft2", "fft3", "fftn", "ifft2", "ifft3", "ifftn"),
    "real": ("irfft", "irfft2", "irfft3", "rfft", "rfft2", "rfft3"),
    "convolutions": ("convolve", "convolve2D", "convolve2DR", "convolve3D", "transpose"),
}
__all__ = ["fft", "ifft", *itertools.chain(*_ELSEWHERE.values())]  # noqa: PLE0604


def __getattr__(name: str) -> Any:
    for module, names in _ELSEWHERE.items():
        if name in names:
            return getattr(importlib.import_module(f"{__package__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
