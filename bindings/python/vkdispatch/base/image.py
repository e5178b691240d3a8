"""Images and samplers. Their enumerations are complete; the classes come with the images part of the package.

Example:
    try:
        vd.Image2D((8, 8), vd.image_format.R8_UINT)
    except NotImplementedError as error:
        print(error)
    assert vd.image_format.R32_SFLOAT.value == 100
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Any, NoReturn

from .. import _native
from ..base.context import Handle
from ..base.dtype import dtype, float32, int32, is_dtype, uint32

if TYPE_CHECKING:
    import numpy.typing as npt

_PART = "Images: images and samplers are not in this version"


def _missing() -> NoReturn:
    raise _native.UnsupportedError(_PART, _native.enums.VD_ERR_UNSUPPORTED)


class image_format(enum.Enum):
    """The components of a texel; the numbers of Vulkan."""

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


_FORMAT_OF: dict[tuple[type[dtype], int], image_format] = {
    (t, channels): image_format["".join(f"{c}32" for c in "RGBA"[:channels]) + f"_{kind}"]
    for t, kind in ((uint32, "UINT"), (int32, "SINT"), (float32, "SFLOAT"))
    for channels in (1, 2, 3, 4)
}


def select_image_format(var_type: type[dtype], channels: int) -> image_format:
    """The format of 1 to 4 channels of uint32, int32 or float32."""
    if not is_dtype(var_type) or (var_type, channels) not in _FORMAT_OF:
        raise ValueError(f"Unsupported image format: {channels!r} channels of {var_type!r}")
    return _FORMAT_OF[var_type, channels]


class Sampler(Handle):
    """The way in which a kernel reads an image."""

    def __init__(self, image: Image, *args: Any, **kwargs: Any):
        _missing()


class Image(Handle):
    """Texels in one, two or three dimensions."""

    def __init__(self, *args: Any, **kwargs: Any):
        _missing()

    def __class_getitem__(cls, item: Any) -> Any:
        raise RuntimeError(
            f"vd.{cls.__name__} makes images; a kernel's parameter is annotated with vc.{cls.__name__}[...]"
        )

    def write(self, data: Any, device_index: int = -1) -> None:
        """Copy `data` into the image."""
        _missing()

    def read(self, device_index: int = 0) -> npt.NDArray[Any]:
        """The image as an array."""
        _missing()

    def sample(self, *args: Any, **kwargs: Any) -> Sampler:
        """A Sampler of this image."""
        _missing()


class Image1D(Image):
    """A row of texels."""


class Image2D(Image):
    """A rectangle of texels."""


class Image2DArray(Image):
    """Layers of rectangles of texels."""


class Image3D(Image):
    """A block of texels."""
