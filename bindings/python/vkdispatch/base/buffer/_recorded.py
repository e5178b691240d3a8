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
    """Records a fill, and the program's buffer at each argument of its node, or None."""
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
        one, aside = _copy_of_elements, origin._overlaps(to)
    else:
        to._check_source(source, what)
        origin = source
        one, aside = _copy_of_bytes, source._overlaps(to)
    if not aside:
        return [one(source, destination)]
    passing = origin._like(source.shape, source.var_type)
    (first, _), (second, _) = one(source, passing), one(passing, destination)
    return [(first, [origin, None]), (second, [None, to])]


def _copy_of_elements(source: Any, to: Any) -> tuple[Record, list[Any]]:
    buffers = [part.buffer if isinstance(part, StridedView) else part for part in (source, to)]
    return lambda graph: record_copy(graph, source, to), buffers


def _copy_of_bytes(source: Buffer, to: Buffer) -> tuple[Record, list[Any]]:
    size = to.mem_size
    return lambda graph: int(_native.raw.vd_graph_copy(graph, source._pointer, 0, to._pointer, 0, size)), [source, to]
