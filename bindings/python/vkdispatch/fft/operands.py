"""Helpers of calls with buffers: buffers among arguments, their types and shapes, and running a shader on them."""

from __future__ import annotations

import typing
from collections.abc import Sequence
from typing import Any

from .. import _native
from ..base import dtype as dt
from ..base.buffer import Buffer, StridedView
from ..base.errors import WrongTypeError
from ..base.image import Image
from ..base.launch_desc import image_of
from ..base.words import tensor_cure
from ..codegen.mapping import MappingFunction
from ..codegen.variables.images import StorageImageVariable
from ..compat import numpy_compat as npc
from .ranges import normal_shape

Map = MappingFunction | None


def buffer_at(buffers: Sequence[Any], at: int, name: str, called: str = "") -> Any:
    of = f" of '{called}'" if called else ""
    if len(buffers) <= at:
        raise ValueError(f"Missing argument '{name}'!")
    if not isinstance(buffers[at], Buffer):
        cure = " vd.asbuffer(array) makes one." if npc.is_array_like(buffers[at]) else tensor_cure(buffers[at])
        if isinstance(buffers[at], StridedView):
            cure = " Transforms take elements without gaps, or an axis: view.copy() has them."
        raise WrongTypeError(f"Expected a buffer for argument '{name}'{of} (got {type(buffers[at]).__name__})!{cure}")
    return buffers[at]


def complex_type(buffer: Any) -> Any:
    """The dtype of a buffer that is transformed without a type being given; ValueError unless it is complex."""
    if not dt.is_complex(buffer.var_type):
        raise ValueError(
            f"Buffer '{buffer.label}' has elements of {buffer.var_type.name}, and a transform's must be one of complex32, "
            "complex64, or complex128: asbuffer(array.astype(np.complex64)) makes such a buffer; for real rows, "
            "asrfftbuffer(array) and fft.rfft()"
        )
    return buffer.var_type


def stored_image(buffers: Sequence[Any], output_map: Map) -> Image | None:
    """The image that an output map stores into, where that comes first."""
    if output_map is None or not buffers or not output_map.buffer_types:
        return None
    kind = typing.get_origin(output_map.buffer_types[0])
    if not isinstance(kind, type) or not issubclass(kind, StorageImageVariable):
        return None
    return image_of(buffers[0])


def shape_of(buffers: Sequence[Any], buffer_shape: Any, output_map: Map = None) -> tuple[int, ...]:
    """The shape that is transformed: the first buffer's, or a stored image's, unless it is given."""
    if buffer_shape is not None:
        return normal_shape(buffer_shape)
    shape = (stored_image(buffers, output_map) or buffer_at(buffers, 0, "output")).shape
    return shape if 1 <= len(shape) <= 8 else normal_shape(shape)


def run(shader: Any, buffers: Sequence[Any], graph: Any, print_shader: bool) -> None:
    if print_shader:
        print(shader)
    try:
        shader(*buffers, graph=graph)
    except _native._errors.InvalidError:
        with _native.naming(getattr(shader, "described", shader.name)):
            raise
