"""Enumerations of images and samplers, with the numbers of Vulkan, and the format of an image's channels."""

from __future__ import annotations

import enum
from typing import NamedTuple

from ... import _native
from .. import dtype as dt
from ..dtype import dtype

_enums = _native.enums


class image_format(enum.Enum):
    """The components of a texel; the numbers of Vulkan."""

    R8_UNORM = 9
    R8G8_UNORM = 16
    R8G8B8_UNORM = 23
    R8G8B8A8_UNORM = 37
    R8_UINT = 13
    R8_SINT = 14
    R8G8_UINT = 20
    R8G8_SINT = 21
    R8G8B8_UINT = 27
    R8G8B8_SINT = 28
    R8G8B8A8_UINT = 41
    R8G8B8A8_SINT = 42
    R16_UINT = 74
    R16_SINT = 75
    R16_SFLOAT = 76
    R16G16_UINT = 81
    R16G16_SINT = 82
    R16G16_SFLOAT = 83
    R16G16B16_UINT = 88
    R16G16B16_SINT = 89
    R16G16B16_SFLOAT = 90
    R16G16B16A16_UINT = 95
    R16G16B16A16_SINT = 96
    R16G16B16A16_SFLOAT = 97
    R32_UINT = 98
    R32_SINT = 99
    R32_SFLOAT = 100
    R32G32_UINT = 101
    R32G32_SINT = 102
    R32G32_SFLOAT = 103
    R32G32B32_UINT = 104
    R32G32B32_SINT = 105
    R32G32B32_SFLOAT = 106
    R32G32B32A32_UINT = 107
    R32G32B32A32_SINT = 108
    R32G32B32A32_SFLOAT = 109
    R64_UINT = 110
    R64_SINT = 111
    R64_SFLOAT = 112
    R64G64_UINT = 113
    R64G64_SINT = 114
    R64G64_SFLOAT = 115
    R64G64B64_UINT = 116
    R64G64B64_SINT = 117
    R64G64B64_SFLOAT = 118
    R64G64B64A64_UINT = 119
    R64G64B64A64_SINT = 120
    R64G64B64A64_SFLOAT = 121


class image_type(enum.Enum):
    """The number of dimensions of an image."""

    TYPE_1D = 0
    TYPE_2D = 1
    TYPE_3D = 2


class image_view_type(enum.Enum):
    """The shape in which kernels see an image."""

    VIEW_TYPE_1D = 0
    VIEW_TYPE_2D = 1
    VIEW_TYPE_3D = 2
    VIEW_TYPE_2D_ARRAY = 5


class Filter(enum.Enum):
    """The way in which texels are combined."""

    NEAREST = 0
    LINEAR = 1


class AddressMode(enum.Enum):
    """The value of texels outside an image."""

    REPEAT = 0
    MIRRORED_REPEAT = 1
    CLAMP_TO_EDGE = 2
    CLAMP_TO_BORDER = 3
    MIRROR_CLAMP_TO_EDGE = 4


class BorderColor(enum.Enum):
    """The colour outside an image with CLAMP_TO_BORDER."""

    FLOAT_TRANSPARENT_BLACK = 0
    INT_TRANSPARENT_BLACK = 1
    FLOAT_OPAQUE_BLACK = 2
    INT_OPAQUE_BLACK = 3
    FLOAT_OPAQUE_WHITE = 4
    INT_OPAQUE_WHITE = 5


_KIND_OF: dict[type[dtype], str] = {
    dt.uint8: "UINT", dt.int8: "SINT", dt.uint16: "UINT", dt.int16: "SINT", dt.float16: "SFLOAT",
    dt.uint32: "UINT", dt.int32: "SINT", dt.float32: "SFLOAT",
}  # fmt: skip
_FORMAT_OF: dict[tuple[type[dtype], int], image_format] = {
    (t, channels): image_format["".join(f"{c}{8 * t.item_size}" for c in "RGBA"[:channels]) + f"_{kind}"]
    for t, kind in _KIND_OF.items()
    for channels in (1, 2, 3, 4)
}


def select_image_format(var_type: type[dtype], channels: int, normalized: bool = False) -> image_format:
    """The format of 1 to 4 channels of a dtype of 8, 16 or 32 bits; of uint8 also the one whose channels stand for 0 to 1.

    Channels of 64 bits are an UnsupportedError: no backend samples them.
    """
    if dt.is_dtype(var_type) and var_type in (dt.float64, dt.int64, dt.uint64):
        raise _native.UnsupportedError(
            f"Images: channels of {var_type.name} have 64 bits, and no backend samples more than 32",
            _enums.VD_ERR_UNSUPPORTED,
        )
    if dt.is_dtype(var_type) and var_type.child_count:
        raise ValueError(
            f"Unsupported image format: channels of {var_type.name}; the dtype is that of a channel, and channels= counts them"
        )
    if not dt.is_dtype(var_type) or (var_type, channels) not in _FORMAT_OF:
        raise ValueError(f"Unsupported image format: {channels!r} channels of {var_type!r}")
    if not normalized:
        return _FORMAT_OF[var_type, channels]
    if var_type is not dt.uint8:
        raise ValueError(f"Only channels of uint8 stand for 0 to 1 (normalized=True), not of {var_type.name}!")
    return image_format["".join(f"{c}8" for c in "RGBA"[:channels]) + "_UNORM"]


class Texel(NamedTuple):
    """A format as the library stores it."""

    number: int  # a vd_format
    channels: int
    scalar: type[dtype]  # of a channel as kernels see it: float32, int32 or uint32


def texel_of(form: image_format) -> Texel:
    """The stored form of a format: three channels become four. UnsupportedError for channels of 64 bits."""
    width, _, kind = form.name.rpartition("_")
    if "64" in width:
        raise _native.UnsupportedError(
            f"Images: format {form.name} has channels of 64 bits, and no backend samples more than 32",
            _enums.VD_ERR_UNSUPPORTED,
        )
    channels = sum(c in "RGBA" for c in width)
    bits = width[1:].partition("G")[0]
    stored = 4 if channels == 3 else channels
    name = {1: "R", 2: "RG", 4: "RGBA"}[stored] + bits
    end = {"UINT": f"U{bits}", "SINT": f"I{bits}", "SFLOAT": f"F{bits}", "UNORM": "UNORM"}[kind]
    scalar = {"UINT": dt.uint32, "SINT": dt.int32}.get(kind, dt.float32)
    return Texel(getattr(_enums, f"VD_FORMAT_{name}_{end}"), stored, scalar)


def storage_texel(kind: type[dtype] | image_format) -> Texel:
    """The format of a texel that kernels store: of a dtype's scalar with as many channels as it has components, or as given."""
    if isinstance(kind, image_format):
        return texel_of(kind)
    vector = not dt.is_scalar(kind)
    if vector and not dt.is_vector(kind):
        raise ValueError(f"A texel is a scalar or a vector of 2 to 4, not {kind.name}!")
    return texel_of(select_image_format(kind.child_type if vector else kind, kind.child_count if vector else 1))
