"""Filter and addressing of an image."""

from __future__ import annotations

import math
from typing import Any

from ... import _native
from .. import dtype as dt
from ..context import Handle
from ..errors import WrongTypeError
from ..words import shown
from ._formats import AddressMode, BorderColor, Filter


class Sampler(Handle):
    """An image as a kernel samples it. `image.sample()` makes one.

    `max_lod=None` samples all levels, 0.0 level 0 alone. Images of integers are not filtered: LINEAR is NEAREST for them.
    """

    def __init__(
        self,
        image: Any,
        mag_filter: Filter = Filter.LINEAR,
        min_filter: Filter = Filter.LINEAR,
        mip_filter: Filter = Filter.LINEAR,
        address_mode: AddressMode = AddressMode.CLAMP_TO_EDGE,
        mip_lod_bias: float = 0.0,
        min_lod: float = 0.0,
        max_lod: float | None = None,
        border_color: BorderColor = BorderColor.FLOAT_OPAQUE_WHITE,
    ):
        if not hasattr(image, "_texel"):  # Image imports this file
            raise WrongTypeError(f"Sampler: image must be a vd.Image (got {shown(image)})")
        image._check_alive()
        super().__init__(image.context)
        #: The Image that it samples.
        self.image: Any = image
        filters = [
            _member(Filter, value, name)
            for name, value in (("mag_filter", mag_filter), ("min_filter", min_filter), ("mip_filter", mip_filter))
        ]
        if image._texel.scalar is not dt.float32:
            filters = [Filter.NEAREST.value] * 3
        numbers = [
            _number(value, name)
            for name, value in (("mip_lod_bias", mip_lod_bias), ("min_lod", min_lod), ("max_lod", max_lod or 0.0))
        ]
        if max_lod is not None and numbers[2] <= 0:
            numbers[2] = float(_native.enums.VD_LOD_BASE)
        desc = _native.raw.vd_sampler_desc(
            mag_filter=filters[0],
            min_filter=filters[1],
            mip_filter=filters[2],
            address_mode=_member(AddressMode, address_mode, "address_mode"),
            border_color=_member(BorderColor, border_color, "border_color"),
            mip_lod_bias=numbers[0],
            min_lod=numbers[1],
            max_lod=numbers[2],
        )
        with _native.naming("Sampler"):
            self.register_handle(_native.raw.vd_sampler_create(self.context._pointer, desc))
        self.register_parent(image)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of its image."""
        return tuple(self.image.shape)

    def __repr__(self) -> str:
        return f"<Sampler of {self.image!r}>"


def _member(kind: Any, value: Any, name: str) -> int:
    try:
        return kind(value).value
    except ValueError:
        raise WrongTypeError(f"Sampler: {name} must be one of vd.{kind.__name__} (got {shown(value)})") from None


def _number(value: Any, name: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise WrongTypeError(f"Sampler: {name} must be a number (got {shown(value)})") from None
    if not math.isfinite(number):
        raise ValueError(f"Sampler: {name} ({number}) must be finite")
    return number
