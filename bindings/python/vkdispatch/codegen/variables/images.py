"""Images of a kernel: those that it samples, and those that it loads and stores.

Coordinates are in texels, whose centers are whole numbers, the fastest axis first: (column, row) of an image whose NumPy
shape is (rows, columns), then the layer of an Image2DArray.

Example:
    @vd.shader("out.size")
    def flip(out: vc.StorageImage2D[f32], source: vc.Image2D[f32]):
        i, width = vc.global_invocation_id().x.to_dtype(i32), out.size().x
        column, row = i % width, i // width
        out.store((column, row), source.load((width - 1 - column, row)))

    source, out = vd.Image2D((2, 3)), vd.Image2D((2, 3))
    source.write(np.arange(6, dtype=np.float32).reshape(2, 3))
    flip(out, source)
    assert out.read().tolist() == [[2, 1, 0], [5, 4, 3]]
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from ..._native import enums as e
from ...base import dtype as dt
from .._numbers import as_index
from .._types import INTEGERS, TYPE_OF
from .bound import BoundVariable
from .operands import storable_number
from .variables import ShaderVariable

if TYPE_CHECKING:
    from ..trace import Trace

_TEXELS: dict[type[dt.dtype], type[dt.dtype]] = {dt.float32: dt.vec4, dt.int32: dt.ivec4, dt.uint32: dt.uvec4}


class ImageVariable(BoundVariable):
    """An image of `dimensions` dimensions, with layers if it is `layered`."""

    __slots__ = ()
    dimensions = 0
    layered = False

    def __init__(self, builder: Trace, channel: type[dt.dtype], value: int, name: str, binding: int | None = None):
        super().__init__(builder, channel, value, name, binding)

    @property
    def _texel(self) -> type[dt.dtype]:
        return _TEXELS[self.var_type]

    def _place(self, coord: Any, scalar: type[dt.dtype], at: int) -> int:
        """A coordinate as a scalar or vector with a component for each axis and for the layer."""
        b = self._builder
        count = self.dimensions + self.layered
        if isinstance(coord, ShaderVariable):
            parts = [coord] if dt.is_scalar(coord.var_type) else [coord[i] for i in range(coord.var_type.child_count)]
        elif isinstance(coord, Sequence):
            parts = list(coord)
        else:
            parts = [coord]
        if len(parts) < count:
            raise ValueError(f"'{self.name}': a place in this image has {count} coordinates (got {len(parts)})!")
        number = self._whole if scalar is dt.int32 else self._number
        values = [number(part, scalar, at) for part in parts[:count]]
        if count == 1:
            return values[0]
        vectors = (dt.vec2, dt.vec3) if scalar is dt.float32 else (dt.ivec2, dt.ivec3)
        return b.emit(e.VD_OP_CONSTRUCT, TYPE_OF[vectors[count - 2]], 0, at, *values)

    def _number(self, part: Any, scalar: type[dt.dtype], at: int) -> int:
        b = self._builder
        if not isinstance(part, ShaderVariable):
            return b.literal(part, scalar)
        if part.var_type is scalar:
            return part._value
        return b.emit(e.VD_OP_CONVERT, TYPE_OF[scalar], 0, at, part._value)

    def _whole(self, part: Any, scalar: type[dt.dtype], at: int) -> int:
        """A coordinate or level of a texel, which has no fraction."""
        given = part.var_type if isinstance(part, ShaderVariable) else None
        if given not in INTEGERS if given is not None else as_index(part) is None:
            name = given.name if given is not None else f"{type(part).__name__} ({part!r})"
            raise TypeError(
                f"'{self.name}': coordinates and levels of a texel are integers, not {name}! vc.to_int() drops a fraction, "
                "and sample() takes places between texels."
            )
        return self._number(part, scalar, at)

    def _channel(self, part: Any, at: int) -> int:
        """A number of a texel that is stored: one of the image's type."""
        if not isinstance(part, ShaderVariable):
            return self._builder.literal(storable_number(part, self.var_type), self.var_type)
        if part.var_type is not self.var_type:
            raise TypeError(
                f"'{self.name}': a texel of '{self.var_type.name}' cannot be set to '{part.var_type.name}'! "
                f"x.to_dtype(vd.{self.var_type.name}) converts."
            )
        return part._value

    def __getitem__(self, index: Any) -> NoReturn:
        raise TypeError(f"'{self.name}' is an image, which has no elements: load((column, row)) gives a texel")

    def load(self, coord: Any, lod: Any = None) -> ShaderVariable:
        """One texel at whole numbers, without a filter; zeros outside of the image."""
        b = self._builder
        at = b.location()
        operands = [self._value, self._place(coord, dt.int32, at)]
        if lod is not None:
            operands.append(self._whole(lod, dt.int32, at))
        return ShaderVariable(b, self._texel, b.emit(e.VD_OP_IMAGE_LOAD, 0, 0, at, *operands))

    def size(self, lod: Any = None) -> ShaderVariable:
        """An ivec4: width, height, depth or layers, and the number of levels. Missing axes are 1."""
        b = self._builder
        at = b.location()
        operands = [self._value] if lod is None else [self._value, self._whole(lod, dt.int32, at)]
        return ShaderVariable(b, dt.ivec4, b.emit(e.VD_OP_IMAGE_SIZE, 0, 0, at, *operands))


class SampledImageVariable(ImageVariable):
    """An image that is sampled as the sampler of a call says."""

    __slots__ = ()

    def sample(self, coord: Any, lod: Any = None) -> ShaderVariable:
        """The texels around a place, filtered; a layer comes last. `lod` is a level of detail, 0 without it.

        The value is a vec4, of integers an ivec4 or uvec4. Channels that the image lacks are 0, the fourth 1;
        of three channels, which are stored as four, the fourth is what is stored, 0 after Image.write().
        """
        b = self._builder
        at = b.location()
        operands = [self._value, self._place(coord, dt.float32, at)]
        if lod is not None:
            operands.append(self._number(lod, dt.float32, at))
        return ShaderVariable(b, self._texel, b.emit(e.VD_OP_IMAGE_SAMPLE, 0, 0, at, *operands))

    def store(self, coord: Any, value: Any) -> NoReturn:
        """A TypeError: the kernel samples the image."""
        raise TypeError(
            f"'{self.name}' is sampled and not stored: its annotation would be one of vc.StorageImage2D and its like!"
        )


class StorageImageVariable(ImageVariable):
    """An image that the kernel loads and stores, without a sampler."""

    __slots__ = ()

    def sample(self, coord: Any, lod: Any = None) -> NoReturn:
        """A TypeError: the kernel stores the image."""
        raise TypeError(
            f"'{self.name}' is stored and has no sampler: load() gives a texel, and an image that is annotated as vc.Image2D or "
            "its like is sampled!"
        )

    def store(self, coord: Any, value: Any) -> None:
        """Store one texel: a vector of four channels, or a number for the first, with 0, 0 and 1 behind.

        Outside of the image nothing happens. Numbers past those of the format become the nearest that it has. A variable of
        another type is a TypeError.
        """
        b = self._builder
        at = b.location()
        place = self._place(coord, dt.int32, at)
        if isinstance(value, ShaderVariable) and not dt.is_scalar(value.var_type):
            given = [value[i] for i in range(value.var_type.child_count)]
        else:
            given = list(value) if isinstance(value, Sequence) else [value]
        if not 1 <= len(given) <= 4:
            raise ValueError(f"'{self.name}': a texel has one to four channels (got {len(given)})!")
        filled = [*given, *(0, 0, 0, 1)[len(given) :]]
        channels = [self._channel(part, at) for part in filled]
        texel = b.emit(e.VD_OP_CONSTRUCT, TYPE_OF[self._texel], 0, at, *channels)
        b.emit(e.VD_OP_IMAGE_STORE, 0, 0, at, self._value, place, texel)
