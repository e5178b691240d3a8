"""Copies of images and the computation of their levels as nodes of graphs."""

from __future__ import annotations

from typing import Any

from ... import _native
from ..buffer._recorded import Record
from ..errors import WrongTypeError
from ._image import Image
from ._texels import ImagePart, copy_node


def copy_record(source: Any, destination: Any, what: str) -> tuple[Record, list[Any]]:
    """Records a copy between images, parts of images and buffers, and what is at each argument of its node."""
    arguments = [part.image if isinstance(part, ImagePart) else part for part in (source, destination)]
    return copy_node(source, destination, what), arguments


def mips_record(image: Any, what: str) -> tuple[Record, None]:
    """Records the computation of an image's levels, whose accesses are always ordered: each level needs the one before."""
    if not isinstance(image, Image):
        raise WrongTypeError(f"{what}: expected an Image (got {type(image).__name__})")
    image._check_alive()
    return lambda graph: int(_native.raw.vd_graph_generate_mips(graph, image._pointer)), None
