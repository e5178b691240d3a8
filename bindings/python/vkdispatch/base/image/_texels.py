"""Copies of texels on the device: between images, parts of images and buffers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ... import _native
from ..buffer import Buffer
from ..context import Context
from ..errors import WrongTypeError


class Texels:
    """An image, all of level 0, or a part of an image."""

    context: Context
    channels: int

    def _check_alive(self) -> None:
        raise NotImplementedError

    def _place(self) -> tuple[Any, Any]:
        """The image's pointer, and its vd_image_region or None."""
        raise NotImplementedError

    def _bytes_stored(self) -> int:
        raise NotImplementedError

    def _text(self) -> str:
        """Its name in messages."""
        raise NotImplementedError


class ImagePart(Texels):
    """A part of one level of an image, as Image.part() makes it: the same texels."""

    def __init__(self, image: Any, level: int, offset: tuple[int, ...], shape: tuple[int, ...], region: Any):
        #: The image that has the texels.
        self.image: Any = image
        #: The level.
        self.level: int = level
        #: Its first texel along each axis, the slowest first; layers, if there are several, before them.
        self.offset: tuple[int, ...] = offset
        #: Texels along each of these axes.
        self.shape: tuple[int, ...] = shape
        #: The image's context.
        self.context: Context = image.context
        #: The number of channels.
        self.channels: int = image.channels
        self._region = region

    def _check_alive(self) -> None:
        self.image._check_alive()

    def _place(self) -> tuple[Any, Any]:
        return self.image._pointer, self._region

    def _bytes_stored(self) -> int:
        return int(self.image._bytes_of(self.shape))

    def _text(self) -> str:
        shape = "x".join(map(str, self.shape))
        return f"{shape} texels of level {self.level} of {self.image._text()}"

    def copy_from(self, source: Texels | Buffer) -> None:
        """Copy an image or a part of one of the same format and shape, or a buffer of as many texels. Of an image it is level 0."""
        copy(source, self, "ImagePart.copy_from")

    def copy_to(self, destination: Texels | Buffer) -> None:
        """Copy to an image or a part of one of the same format and shape, or to a buffer of as many texels."""
        copy(self, destination, "ImagePart.copy_to")

    def __repr__(self) -> str:
        return f"ImagePart({self.image!r}, level={self.level}, offset={self.offset}, shape={self.shape})"


def copy(source: Any, destination: Any, what: str) -> None:
    """Copy on every queue. `what` names the call in messages."""
    now, _, places = _checked(source, destination, what)
    with _native.naming(what):
        for queue in destination.context.queues(-2):
            now(*places, queue)


def copy_node(source: Any, destination: Any, what: str) -> Callable[[Any], int]:
    """Records the copy into a graph."""
    _, record, places = _checked(source, destination, what)
    return lambda graph: int(record(graph, *places))


def _checked(
    source: Any, destination: Any, what: str
) -> tuple[Callable[..., Any], Callable[..., Any], tuple[Any, ...]]:
    """The call that copies, the call that records it, and the arguments of both that say from where to where."""
    for role, given in (("source", source), ("destination", destination)):
        if not isinstance(given, (Texels, Buffer)):
            raise WrongTypeError(
                f"{what}: {role} must be an Image, a part of one or a Buffer (got {type(given).__name__})"
            )
        given._check_alive()
    if source.context is not destination.context:
        raise ValueError(
            f"{what}: the source belongs to {source.context.name}, and the destination to {destination.context.name}"
        )
    raw = _native.raw
    if isinstance(source, Buffer):
        _check_size(source, destination, what)
        places = (*destination._place(), source._pointer, 0)
        return raw.vd_image_copy_from_buffer, raw.vd_graph_copy_buffer_to_image, places
    if isinstance(destination, Buffer):
        _check_size(destination, source, what)
        places = (*source._place(), destination._pointer, 0)
        return raw.vd_image_copy_to_buffer, raw.vd_graph_copy_image_to_buffer, places
    return raw.vd_image_copy, raw.vd_graph_copy_image, (*source._place(), *destination._place())


def _check_size(buffer: Buffer, texels: Texels, what: str) -> None:
    size = texels._bytes_stored()
    if buffer.mem_size != size:
        stored = " (three channels are stored as four)" if texels.channels == 3 else ""
        raise ValueError(
            f"{what}: the buffer '{buffer.label}' has {buffer.mem_size} bytes, {texels._text()} {size}{stored}"
        )
