"""Fills and copies of buffers and views as nodes of graphs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ... import _native
from ..errors import WrongTypeError
from ._buffer import Buffer
from ._elements import element_bytes
from ._strided import MOST_PATTERN, StridedView, check_elements, record_copy, record_fill

#: Records into a graph of the library and gives the node's number.
Record = Callable[[Any], int]


def buffer_of(part: Any, what: str) -> Buffer:
    """The buffer of a buffer or a view, which is alive."""
    buffer = part.buffer if isinstance(part, StridedView) else part
    if not isinstance(buffer, Buffer):
        raise WrongTypeError(f"{what}: expected a Buffer or a view (got {type(part).__name__})")
    buffer._check_alive()
    return buffer


def fill_record(part: Any, value: Any, what: str) -> tuple[Record, list[Any]]:
    """Records a fill, and the buffer at each argument of its node."""
    buffer = buffer_of(part, what)
    buffer._check_writable(what)
    element = element_bytes(value, part.var_type, what)
    one = isinstance(part, StridedView) or len(element) > MOST_PATTERN
    return lambda graph: record_fill(graph, part, element), [None, buffer] if one else [buffer]


def copy_records(source: Any, destination: Any, what: str) -> list[tuple[Record, list[Any]]]:
    """The same for a copy, from the first buffer to the second; two where the elements lie among each other."""
    to = buffer_of(destination, what)
    if isinstance(source, StridedView) or isinstance(destination, StridedView):
        check_elements(source, destination, what)
        origin = buffer_of(source, what)
        to._check_writable(what)
        if origin._owner() is not to._owner():
            return [(lambda graph: record_copy(graph, source, destination), [origin, to])]
        passing = origin._like(source.shape, source.var_type)
        return [
            (lambda graph: record_copy(graph, source, passing), [origin, passing]),
            (lambda graph: record_copy(graph, passing, destination), [passing, to]),
        ]
    to._check_source(source, what)
    if not source._overlaps(to):
        return [_copy_record(source, to)]
    passing = source._like(source.shape, source.var_type)
    return [_copy_record(source, passing), _copy_record(passing, to)]


def _copy_record(source: Buffer, to: Buffer) -> tuple[Record, list[Any]]:
    record = lambda graph: _native.raw.vd_graph_copy(graph, source._pointer, 0, to._pointer, 0, to.mem_size)
    return lambda graph: int(record(graph)), [source, to]
