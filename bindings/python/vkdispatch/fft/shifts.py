"""Maps that move the zero of a spectrum into the middle, and back.

Example:
    centred = vd.fft.fftshift_map((8, 8))
    picture = vd.asbuffer(np.ones((8, 8), np.complex64))
    vd.fft.fft2(picture, output_map=centred)
    assert np.allclose(picture.read(0), np.fft.fftshift(np.fft.fft2(np.ones((8, 8)))), atol=1e-4)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..base import dtype as dt
from ..codegen import arguments as ann
from ..codegen.mapping import MappingFunction, map_function
from .global_memory_iterators import read_op, write_op
from .ranges import normal_axis, normal_shape


def moves_elements(mapping: MappingFunction) -> bool:
    """Whether a map is one of these, which needs an output and an input that are two buffers."""
    return getattr(mapping.mapping_function, "moves_elements", False)


def _moving(function: Any, var_type: Any) -> MappingFunction:
    function.moves_elements = True
    return map_function(function, None, [ann.Buffer[var_type]])


def _shifted(io_index: Any, shape: tuple[int, ...], axes: Sequence[int]) -> Any:
    """The element half a line further along some axes."""
    result: Any = None
    step = 1
    for axis in reversed(range(len(shape))):
        n = shape[axis]
        at = io_index // step % n
        if axis in axes:
            at = (at + n // 2) % n
        result = at * step if result is None else result + at * step
        step *= n
    return result


def fftshift_map(
    buffer_shape: Sequence[int], axes: Sequence[int] | None = None, var_type: Any = dt.complex64
) -> MappingFunction:
    """An output map that writes a spectrum with its zero in the middle, as numpy.fft.fftshift does.

    Output and input are two buffers; fft2() and its like also take one, and work in another of their own.
    """
    shape, along = _shift_of(buffer_shape, axes)

    def fftshift(output: Any) -> None:
        op = write_op()
        op.write_to_buffer(output, io_index=_shifted(op.io_index, shape, along))

    return _moving(fftshift, var_type)


def ifftshift_map(
    buffer_shape: Sequence[int], axes: Sequence[int] | None = None, var_type: Any = dt.complex64
) -> MappingFunction:
    """An input map that reads an array whose zero is in the middle, as numpy.fft.ifftshift does; buffers as fftshift_map()'s."""
    shape, along = _shift_of(buffer_shape, axes)

    def ifftshift(input: Any) -> None:
        op = read_op()
        op.read_from_buffer(input, io_index=_shifted(op.io_index, shape, along))

    return _moving(ifftshift, var_type)


def _shift_of(buffer_shape: Sequence[int], axes: Sequence[int] | None) -> tuple[tuple[int, ...], tuple[int, ...]]:
    shape = normal_shape(buffer_shape)
    along = range(len(shape)) if axes is None else axes
    return shape, tuple(normal_axis(axis, len(shape)) for axis in along)
