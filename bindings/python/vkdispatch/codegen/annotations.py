"""What may annotate a parameter of a kernel."""

from __future__ import annotations

import dataclasses
import typing
from typing import Any

from ..base import dtype as dt
from . import arguments as ann

_KINDS = (ann.Buffer, ann.Constant, ann.Variable, ann.Image1D, ann.Image2D, ann.Image2DArray, ann.Image3D)


def check_annotation(annotation: Any, name: str) -> Any:
    """`annotation` itself if it can annotate a kernel's parameter: `Buffer[T]` and its like, or a dataclass."""
    if isinstance(annotation, type) and dataclasses.is_dataclass(annotation):
        return annotation
    arguments = typing.get_args(annotation)
    if not arguments:
        raise TypeError(f"Argument '{name}' must have a type annotation like Buffer[float32], not {annotation!r}")
    if len(arguments) != 1:
        raise ValueError(f"Type '{annotation}' of argument '{name}' must have exactly one type argument")
    if typing.get_origin(annotation) not in _KINDS:
        raise ValueError(f"Unsupported type '{annotation}' of argument '{name}'")
    if dt.is_dtype(arguments[0]):
        return annotation
    element = arguments[0]
    if isinstance(element, typing.ForwardRef):  # Buff["float32"]
        element = element.__forward_arg__
    try:
        return typing.get_origin(annotation)[dt.as_dtype(element)]
    except TypeError:
        raise TypeError(f"Argument '{name}': {arguments[0]!r} is not a dtype") from None
