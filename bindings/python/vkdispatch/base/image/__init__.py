"""Images and samplers: texels that kernels read between, with an address mode past the edges, and store.

An image's shape is NumPy's, the slowest axis first, so its width is the last axis; a kernel's coordinates begin with the
width. Channels are a last axis of the arrays that are written and read, unless there is one. Three channels are stored as
four. `image.sample(...)` is what a kernel's parameter `Img2[f32]` is given.

Example:
    @vd.shader("out.size")
    def halfway(out: Buff[f32], image: Img2[f32]):
        i = vc.global_invocation_id().x
        out[i] = image.sample(vc.new_vec2_register(i.to_dtype(f32) + 0.5, 0.5)).x  # between four texels

    image = vd.Image2D((2, 3), vd.float32)
    image.write(np.arange(6, dtype=np.float32).reshape(2, 3))
    out = vd.empty(2)
    halfway(out, image.sample())
    assert list(out.read(0)) == [2, 3]
"""

from __future__ import annotations

from ._formats import (
    AddressMode,
    BorderColor,
    Filter,
    image_format,
    image_type,
    image_view_type,
    select_image_format,
    storage_texel,
)
from ._image import Image, Image1D, Image2D, Image2DArray, Image3D
from ._sampler import Sampler
from ._texels import ImagePart

__all__ = [
    "AddressMode",
    "BorderColor",
    "Filter",
    "Image",
    "Image1D",
    "Image2D",
    "Image2DArray",
    "Image3D",
    "ImagePart",
    "Sampler",
    "image_format",
    "image_type",
    "image_view_type",
    "select_image_format",
    "storage_texel",
]
