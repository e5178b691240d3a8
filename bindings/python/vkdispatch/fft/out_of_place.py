"""`out=` of the transforms: the arguments, read through an input map and written to another buffer.

A transform in place has one buffer. With `out=` the first pass reads the one, through a map that does nothing else, and writes
the other, in which the later passes work; so an array that is kept costs no copy.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

from ..base import dtype as dt
from ..base.buffer import Buffer, RFFTBuffer
from ..codegen import arguments as ann
from ..codegen.mapping import MappingFunction, map_function
from .global_memory_iterators import read_op, write_op
from .operands import Map, buffer_at
from .precision import resolve_compute_precision


@functools.cache
def plain_input(var_type: Any) -> MappingFunction:
    """The input map of a buffer that is only read."""

    def plain(input: Any) -> None:
        read_op().read_from_buffer(input)

    return map_function(plain, None, [ann.Buffer[var_type]])


@functools.cache
def plain_output(var_type: Any) -> MappingFunction:
    """The output map of a buffer that is only written."""

    def plain(output: Any) -> None:
        write_op().write_to_buffer(output)

    return map_function(plain, None, [ann.Buffer[var_type]])


@functools.cache
def _tight_input(var_type: Any) -> MappingFunction:
    """The input map of real rows that are not padded as an RFFTBuffer's."""

    def tight(input: Any) -> None:
        op = read_op()
        op.read_from_buffer(input, io_index=_tight_index(op))

    return map_function(tight, None, [ann.Buffer[var_type]])


@functools.cache
def _tight_output(var_type: Any) -> MappingFunction:
    """The output map of real rows that are not padded."""

    def tight(output: Any) -> None:
        op = write_op()
        op.write_to_buffer(output, io_index=_tight_index(op))

    return map_function(tight, None, [ann.Buffer[var_type]])


def _tight_index(op: Any) -> Any:
    padded = 2 * (op.fft_size // 2 + 1)
    return op.io_index // padded * op.fft_size + op.io_index % padded


class Call(NamedTuple):
    """A transform's call, in terms of a buffer and `out=`."""

    buffers: tuple[Any, ...]
    input_map: Map
    output_map: Map
    buffer_shape: Sequence[int] | None
    compute_type: Any


def _both(name: str, buffers: Sequence[Any], out: Any) -> tuple[Buffer, Buffer]:
    """The buffer that is transformed and `out`: one object if they are the same elements, an RFFTBuffer if either is."""
    source, target = buffer_at(buffers, 0, "buffer"), buffer_at([out], 0, f"out' of '{name}()")
    if source is target:
        return source, target
    if not source._overlaps(target):
        return source, target
    first, begin = source._place()[1], target._place()[1]
    if (first, source.shape, source.var_type) == (begin, target.shape, target.var_type):
        same = target if isinstance(target, RFFTBuffer) else source
        return same, same
    raise ValueError(
        f"{name}(): out is bytes {begin} to {begin + target.mem_size} of a buffer of which the one that is transformed is "
        f"bytes {first} to {first + source.mem_size}: what is written would be read again. Give memory that they do not share, "
        "or the same elements as both."
    )


def _refuse_plain_rows(name: str, rows: Buffer) -> None:
    """ValueError for a real transform in place whose rows have no room for their half spectra."""
    if not isinstance(rows, RFFTBuffer):
        raise ValueError(
            f"{name}(): out is the buffer that is transformed, a {type(rows).__name__} of shape {rows.shape}: in place only an "
            "RFFTBuffer has room for half spectra (vd.asrfftbuffer(array) makes one); else give another buffer as out."
        )


def _widest(source: Buffer, target: Buffer, compute_type: Any) -> Any:
    """The type to compute in: maps would leave it at complex64."""
    if compute_type is not None:
        return compute_type
    elements = [t.child_type or t for t in (source.var_type, target.var_type)]
    return resolve_compute_precision([_COMPLEX_OF.get(t) for t in elements])


_COMPLEX_OF = {dt.float16: dt.complex32, dt.float32: dt.complex64, dt.float64: dt.complex128}


def complex_call(
    name: str, buffers: Sequence[Any], out: Any, buffer_shape: Sequence[int] | None, compute_type: Any
) -> Call:
    """A transform of complex numbers, or of real ones as such, from the first buffer into `out`."""
    source, target = _both(name, buffers, out)
    if source is target:
        return Call(tuple(buffers), None, None, buffer_shape, compute_type)
    if not dt.is_complex(target.var_type):
        raise ValueError(f"{name}(): out has elements of {target.var_type.name}, and what is written is complex")
    if buffer_shape is None and target.shape != source.shape:
        raise ValueError(f"{name}(): out has shape {target.shape}, and the buffer that is transformed {source.shape}")
    compute_type = _widest(source, target, compute_type)
    return Call((target, source, *buffers[1:]), plain_input(source.var_type), None, buffer_shape, compute_type)


def real_call(
    name: str, buffers: Sequence[Any], out: Any, buffer_shape: Any, compute_type: Any, inverse: bool = False
) -> Call:
    """A transform of real rows, padded in an RFFTBuffer or not, into half spectra, or with `inverse` the way back."""
    source, target = _both(name, buffers, out)
    if source is target:
        _refuse_plain_rows(name, source)
        return Call((source, *buffers[1:]), None, None, buffer_shape, compute_type)
    rows, spectra = (target, source) if inverse else (source, target)
    rows_are, spectra_are = ("out", "the argument") if inverse else ("the argument", "out")
    if not dt.is_complex(spectra.var_type):
        raise ValueError(
            f"{name}(): {spectra_are} has elements of {spectra.var_type.name}, and half spectra are complex"
        )
    padded = isinstance(rows, RFFTBuffer)
    if not padded and not dt.is_scalar(rows.var_type):
        raise ValueError(
            f"{name}(): {rows_are} has elements of {rows.var_type.name}, and real rows are numbers or an RFFTBuffer"
        )
    if buffer_shape is None:
        buffer_shape = real_shape_of(rows)
        half = half_shape(buffer_shape)
        if spectra.shape != half:
            raise ValueError(
                f"{name}(): real rows of shape {buffer_shape} have half spectra of shape {half}, and {spectra_are} has shape "
                f"{spectra.shape}"
            )
    compute_type = _widest(source, target, compute_type)
    given = (target, source, *buffers[1:])
    if inverse:
        writes = (plain_output if padded else _tight_output)(target.var_type)
        return Call(given, plain_input(source.var_type), writes, buffer_shape, compute_type)
    reads = (plain_input if padded else _tight_input)(source.var_type)
    return Call(given, reads, None, buffer_shape, compute_type)


def convolution_call(
    name: str,
    buffers: Sequence[Any],
    out: Any,
    buffer_shape: Any,
    compute_type: Any,
    kernel_num: int = 1,
    r2c: bool = False,
) -> Call:
    """A convolution of the first buffer, complex or with `r2c` real rows, into `out`."""
    source, target = _both(name, buffers, out)
    if source is target:
        return Call(tuple(buffers), None, None, buffer_shape, compute_type)
    if not r2c and kernel_num == 1:
        return complex_call(name, buffers, out, buffer_shape, compute_type)
    for part, what in ((source, "the argument"), (target, "out")):
        if r2c and not isinstance(part, RFFTBuffer) and not dt.is_scalar(part.var_type):
            raise ValueError(f"{name}(): {what} has elements of {part.var_type.name}, and is to hold real rows")
    if buffer_shape is None:
        buffer_shape = real_shape_of(source) if r2c else source.shape
        wanted = buffer_shape if kernel_num == 1 else (kernel_num, *buffer_shape)
        given = real_shape_of(target) if r2c else target.shape
        if given != wanted:
            raise ValueError(f"{name}(): out has shape {given}, and the results have {wanted}")
    reads = _tight_input if r2c and not isinstance(source, RFFTBuffer) else plain_input
    writes = _tight_output(target.var_type) if r2c and not isinstance(target, RFFTBuffer) else None
    compute_type = _widest(source, target, compute_type)
    return Call((target, source, *buffers[1:]), reads(source.var_type), writes, buffer_shape, compute_type)


def real_shape_of(rows: Buffer) -> tuple[int, ...]:
    """The shape of real rows, without the padding of an RFFTBuffer."""
    return rows.real_shape if isinstance(rows, RFFTBuffer) else rows.shape


def half_shape(real_shape: Sequence[int]) -> tuple[int, ...]:
    """The shape of the half spectra of real rows."""
    *others, length = real_shape
    return (*others, length // 2 + 1)
