"""Copies of images and the computation of their levels as nodes of graphs."""

from __future__ import annotations

from typing import Any

from ... import _native
from ..buffer import Buffer
from ..buffer._recorded import Record
from ..errors import WrongTypeError
from ._image import Image


def copy_record(source: Any, destination: Any, what: str) -> tuple[Record, list[Any]]:
    """Records a copy between images, or an image and a buffer, and what is at each argument of its node."""
    for part in (source, destination):
        if not isinstance(part, (Image, Buffer)):
            raise WrongTypeError(f"{what}: with an image goes an Image or a Buffer (got {type(part).__name__})")
        part._check_alive()
    raw = _native.raw
    if isinstance(source, Buffer):
        destination._check_buffer(source, what)
        record = lambda graph: raw.vd_graph_copy_buffer_to_image(graph, destination._pointer, None, source._pointer, 0)
    elif isinstance(destination, Buffer):
        source._check_buffer(destination, what)
        record = lambda graph: raw.vd_graph_copy_image_to_buffer(graph, source._pointer, None, destination._pointer, 0)
    else:
        record = lambda graph: raw.vd_graph_copy_image(graph, source._pointer, None, destination._pointer)
    return lambda graph: int(record(graph)), [source, destination]


def mips_record(image: Any, what: str) -> tuple[Record, None]:
    """Records the computation of an image's levels, whose accesses are always ordered: each level needs the one before."""
    if not isinstance(image, Image):
        raise WrongTypeError(f"{what}: expected an Image (got {type(image).__name__})")
    image._check_alive()
    return lambda graph: int(_native.raw.vd_graph_generate_mips(graph, image._pointer)), None
