"""Transforms along several axes, one after the other.

Example:
    image = np.random.default_rng(3).normal(size=(2, 8, 6)).astype(np.complex64)
    buffer = vd.asbuffer(image)
    vd.fft.fft2(buffer)
    assert np.allclose(buffer.read(0), np.fft.fft2(image), atol=1e-3)
    vd.fft.ifft2(buffer)
    vd.fft.fftn(buffer, axes=[0, 2])
    assert np.allclose(buffer.read(0), np.fft.fftn(image, axes=[0, 2]), atol=1e-3)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ..base import dtype as dt
from ..base.buffer import Buffer
from ..base.context import on_context_of_arguments
from ..base.words import bracketed
from .arguments import Parts, buffers_first, refuse_other_keywords
from .checks import several_axes
from .functions import fft
from .operands import Map, buffer_at, complex_type, shape_of
from .options import Options
from .out_of_place import plain_input, plain_output
from .precision import ensure_complex_precision, resolve_compute_precision
from .ranges import normal_axis
from .shifts import moves_elements


class Passes:
    """Passes along several axes: the input map in the first, the output map in the last, and between them one buffer."""

    def __init__(self, parts: Parts, shape: tuple[int, ...], options: Options, **common: Any):
        input_map, output_map, compute_type = options.input_map, options.output_map, options.compute_type
        input_type, output_type = options.input_type, options.output_type
        self.common = {"buffer_shape": shape, "compute_type": compute_type, **options.of_run, **common}
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
                reads = input_type if input_type is not None else complex_type(buffer_at(parts.input, 0, "input"))
                input_map = plain_input(ensure_complex_precision(reads, "input_type"))
            if output_map is None:
                writes = output_type if output_type is not None else complex_type(buffer_at(parts.output, 0, "output"))
                output_map = plain_output(ensure_complex_precision(writes, "output_type"))
            # The precision of the buffer in which they would work otherwise.
            kept = self.work.var_type if self.work is not None and dt.is_complex(self.work.var_type) else None
            self.work = Buffer(shape, resolve_compute_precision([reads, kept], compute_type))
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


def _several(name: str, buffers: Sequence[Any], most: int, inverse: bool, options: Options) -> None:
    buffers = options.resolve_out(name, buffers)
    direction: dict[str, Any] = {"inverse": inverse, "normalize_inverse": options.normalize}
    if options.input_map is None and options.output_map is None and len(buffers) == 1:  # the short way
        for axis in several_axes(name, shape_of(buffers, options.buffer_shape), most):
            fft(
                *buffers, buffer_shape=options.buffer_shape, axis=axis, output_type=options.output_type,
                input_type=options.input_type, compute_type=options.compute_type, order=options.order, **options.of_run,
                **direction,
            )  # fmt: skip
        return
    parts, shape = options.parts_of(name, buffers)
    first, *inner, last = several_axes(name, shape, most)
    passes = Passes(parts, shape, options, order=options.order, **direction)
    passes.first(first)
    for axis in inner:
        passes.inner(axis)
    passes.last(last)


@on_context_of_arguments
@buffers_first("buffer")
def fft2(
    *buffers: Any,
    graph: Any = None,
    print_shader: bool = False,
    input_map: Map = None,
    output_map: Map = None,
    output_type: Any = None,
    input_type: Any = None,
    compute_type: Any = None,
    buffer_shape: Sequence[int] | None = None,
    out: Any = None,
    order: str = "natural",
) -> None:
    """Transform along the last two axes, into `out` if given. The input map belongs to the first pass, the output map to the last.

    `buffers` are those of fft(): the output's arguments, then the input's; or one buffer, which each map is given as its own.
    `order` is fft()'s, along both axes.
    """
    _several("fft2", buffers, 2, False, Options.of(locals()))


@on_context_of_arguments
@buffers_first("buffer")
def fft3(
    *buffers: Any,
    graph: Any = None,
    print_shader: bool = False,
    input_map: Map = None,
    output_map: Map = None,
    output_type: Any = None,
    input_type: Any = None,
    compute_type: Any = None,
    buffer_shape: Sequence[int] | None = None,
    out: Any = None,
    order: str = "natural",
) -> None:
    """Transform along all three axes."""
    _several("fft3", buffers, 3, False, Options.of(locals()))


@on_context_of_arguments
@buffers_first("buffer")
def ifft2(
    *buffers: Any,
    graph: Any = None,
    print_shader: bool = False,
    normalize: bool = True,
    input_map: Map = None,
    output_map: Map = None,
    output_type: Any = None,
    input_type: Any = None,
    compute_type: Any = None,
    buffer_shape: Sequence[int] | None = None,
    out: Any = None,
    order: str = "natural",
) -> None:
    """The inverse of fft2()."""
    _several("ifft2", buffers, 2, True, Options.of(locals()))


@on_context_of_arguments
@buffers_first("buffer")
def ifft3(
    *buffers: Any,
    graph: Any = None,
    print_shader: bool = False,
    normalize: bool = True,
    input_map: Map = None,
    output_map: Map = None,
    output_type: Any = None,
    input_type: Any = None,
    compute_type: Any = None,
    buffer_shape: Sequence[int] | None = None,
    out: Any = None,
    order: str = "natural",
) -> None:
    """The inverse of fft3()."""
    _several("ifft3", buffers, 3, True, Options.of(locals()))


@on_context_of_arguments
@refuse_other_keywords()
def fftn(
    buffer: Any,
    axes: Sequence[int] | int | None = None,
    graph: Any = None,
    print_shader: bool = False,
    compute_type: Any = None,
    inverse: bool = False,
    normalize: bool = True,
    out: Any = None,
    order: str = "natural",
) -> None:
    """Transform along several axes, by default all, in place unless `out` is another buffer. `order` is fft()'s."""
    rank = len(buffer_at([buffer], 0, "buffer").shape)
    given = range(rank) if axes is None else axes if isinstance(axes, Iterable) else [axes]
    along = [normal_axis(axis, rank) for axis in given]
    if len(set(along)) != len(along):
        raise ValueError(f"fftn(): axes {bracketed(axes)} name an axis twice!")
    if out is not None and not along:
        raise ValueError("fftn(): axes must name at least one axis, since out is written by the first transform!")
    for axis in along:
        fft(
            buffer,
            graph=graph,
            print_shader=print_shader,
            axis=axis,
            inverse=inverse,
            normalize_inverse=normalize,
            compute_type=compute_type,
            out=out,
            order=order,
        )
        if out is not None:
            buffer, out = out, None


@on_context_of_arguments
@refuse_other_keywords()
def ifftn(
    buffer: Any,
    axes: Sequence[int] | int | None = None,
    graph: Any = None,
    print_shader: bool = False,
    normalize: bool = True,
    compute_type: Any = None,
    out: Any = None,
    order: str = "natural",
) -> None:
    """The inverse of fftn()."""
    fftn(buffer, axes, graph, print_shader, compute_type, True, normalize, out, order)
