"""Images: texels on a device."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ... import _native
from ...compat import numpy_compat as npc
from .. import dtype as dt
from ..buffer import Buffer
from ..buffer._host_bytes import dtype_of, host_bytes
from ..context import Context, Handle, context_for, wait_before_write, wait_interruptibly
from ..errors import WrongTypeError
from ..host_values import note_other_dtype
from ..labels import checked_label
from ..words import bracketed, shown
from ._formats import image_format, image_type, image_view_type, select_image_format, texel_of
from ._sampler import Sampler
from ._texels import ImagePart, Texels, copy

if TYPE_CHECKING:
    import numpy.typing as npt

_enums = _native.enums
_VIEWS = {
    image_view_type.VIEW_TYPE_1D: (image_type.TYPE_1D, 1),
    image_view_type.VIEW_TYPE_2D: (image_type.TYPE_2D, 2),
    image_view_type.VIEW_TYPE_2D_ARRAY: (image_type.TYPE_2D, 2),
    image_view_type.VIEW_TYPE_3D: (image_type.TYPE_3D, 3),
}


class Image(Handle, Texels):
    """Texels of `channels` channels of `dtype`. Its contents are undefined until something is written.

    `enable_mipmaps` makes levels of half the size down to a single texel, which write() computes anew. Channels of uint8
    stand for 0 to 1 with `normalized`. `label` names it in messages.
    """

    def __init__(
        self,
        shape: Sequence[int],
        layers: int,
        dtype: type[dt.dtype],
        channels: int,
        view_type: image_view_type,
        enable_mipmaps: bool = False,
        *,
        normalized: bool = False,
        label: str | None = None,
        context: Context | None = None,
    ):
        kind = type(self).__name__
        view_type = image_view_type(view_type)
        self.type, dimensions = _VIEWS[view_type]
        dims = _counts(shape, f"{kind}: shape")
        if len(dims) != dimensions:
            raise ValueError(
                f"{kind}: shape {bracketed(shape)} must have {dimensions} axes, the slowest first; channels= counts the channels"
            )
        count = _counts((channels,), f"{kind}: channels")[0]
        if not 1 <= count <= 4:
            raise ValueError(f"{kind}: channels ({count}) must be 1 to 4")
        if not dt.is_dtype(dtype):
            try:
                dtype = dt.as_dtype(dtype, "An image's dtype")
            except TypeError as error:
                raise ValueError(f"{kind}: {error}") from None
        context = context_for(context, kind)
        if context.backend == "dummy":
            raise RuntimeError(f"{kind}: the dummy backend shows source only, it has no memory (vd_image_create)")
        #: The shape in which kernels see it.
        self.view_type: image_view_type = view_type
        #: The format of a texel, as it was asked for.
        self.format: image_format = select_image_format(dtype, count, normalized)
        self._texel = texel_of(self.format)
        #: The dtype of a channel.
        self.dtype: type[dt.dtype] = dtype
        #: The number of layers.
        self.layers: int = _counts((layers,), f"{kind}: layers")[0]
        #: The number of channels.
        self.channels: int = count
        #: Texels along each axis, the slowest first; layers, if there are several, before them.
        self.shape: tuple[int, ...] = ((self.layers,) if self.layers > 1 else ()) + dims
        width, height, depth = (*reversed(dims), 1, 1)[:3]
        #: Texels in all, those of all layers included.
        self.size: int = npc.prod(self.shape)
        #: Width, height and depth.
        self.extent: tuple[int, int, int] = (width, height, depth)
        #: The shape of the arrays that are written and read: with an axis of channels, unless there is one.
        self.array_shape: tuple[int, ...] = self.shape + ((count,) if count > 1 else ())
        #: Bytes of a texel in these arrays.
        self.block_size: int = dtype.item_size * count
        #: Bytes of such an array.
        self.mem_size: int = self.size * self.block_size
        #: The image's name in messages.
        self.label: str = checked_label(label, kind) or f"{self.format.name} of shape {self.shape}"
        super().__init__(context)
        flags = _enums.VD_IMAGE_STORAGE | (_enums.VD_IMAGE_PER_QUEUE if context.queue_count > 1 else 0)
        layered = view_type is image_view_type.VIEW_TYPE_2D_ARRAY
        desc = _native.raw.vd_image_desc(
            format=self._texel.number,
            dimensions=dimensions,
            layers=self.layers if layered else 0,
            extent=self.extent,
            mip_levels=_enums.VD_MIP_LEVELS_ALL if enable_mipmaps else 1,
            flags=flags,
            label=self.label,
        )
        with _native.naming(kind):
            self.register_handle(_native.raw.vd_image_create(context._pointer, desc))
        #: The number of mip levels.
        self.mip_levels: int = _native.raw.vd_image_get_info(self._pointer).mip_levels

    def __class_getitem__(cls, item: Any) -> Any:
        raise RuntimeError(
            f"vd.{cls.__name__} makes images; a kernel's parameter is annotated with vc.{cls.__name__}[...]"
        )

    def _description(self) -> str:
        return f" (it was {self.label})"

    # ---- Geometry

    def level_shape(self, level: int) -> tuple[int, ...]:
        """The shape of a level: half of the one before on each axis, at least 1. Layers stay."""
        self._check_alive()
        number = self._level(level, "Image.level_shape")
        axes = _VIEWS[self.view_type][1]
        with _native.naming("Image.level_shape"):
            extent = _native.raw.vd_image_get_level(self._pointer, number).extent
        return self.shape[: len(self.shape) - axes] + tuple(extent)[:axes][::-1]

    def _level(self, level: Any, what: str) -> int:
        """A level as an int, checked. `what` names the call in messages."""
        try:
            number = operator.index(level)
        except TypeError:
            raise WrongTypeError(f"{what}: level must be an integer (got {shown(level)})") from None
        if not 0 <= number < self.mip_levels:
            raise ValueError(f"{what}: level ({number}) is outside 0 to {self.mip_levels - 1}")
        return number

    def _region(self, level: int, offset: Sequence[int] | None, shape: Sequence[int] | None, method: str) -> Any:
        """A vd_image_region, its first texel, and its shape without channels. None stands for all of the level."""
        whole = self.level_shape(level)
        first = tuple(0 for _ in whole) if offset is None else _counts(offset, f"Image.{method}: offset", 0)
        if len(first) != len(whole):
            raise ValueError(f"Image.{method}: offset {bracketed(offset)} must have {len(whole)} axes")
        size = (
            tuple(n - o for n, o in zip(whole, first, strict=True))
            if shape is None
            else _counts(shape, f"Image.{method}: shape")
        )
        if len(size) != len(whole):
            raise ValueError(f"Image.{method}: shape {bracketed(shape)} must have {len(whole)} axes")
        for axis, (o, n, most) in enumerate(zip(first, size, whole, strict=True)):
            if shape is None and o >= most:
                raise ValueError(
                    f"Image.{method}: offset ({o}) on axis {axis} is past the edge of level {level} ({most})"
                )
            if n < 1 or o + n > most:
                raise ValueError(
                    f"Image.{method}: offset ({o}) and shape ({n}) on axis {axis} are past the edge of level {level} ({most})"
                )
        dimensions = _VIEWS[self.view_type][1]
        layers = len(whole) > dimensions
        starts, counts = tuple(reversed(first))[:dimensions], tuple(reversed(size))[:dimensions]
        region = _native.raw.vd_image_region(
            level=level,
            layer=first[0] if layers else 0,
            layer_count=size[0] if layers else 0,
            offset=(*starts, 0, 0)[:3],
            extent=(*counts, 0, 0)[:3],
        )
        return region, first, size

    # ---- Host and device

    def _queue(self, index: Any, method: str) -> int:
        self._check_alive()
        try:
            queue = operator.index(index)
        except TypeError:
            raise WrongTypeError(f"Image.{method}: device_index must be an integer (got {shown(index)})") from None
        if not -1 <= queue < self.context.queue_count or queue < 0 and method == "read":
            lowest = 0 if method == "read" else -1
            raise ValueError(
                f"Image.{method}: device_index ({queue}) is outside {lowest} to {self.context.queue_count - 1}"
            )
        return queue

    def write(
        self,
        data: Any,
        device_index: int = -1,
        *,
        level: int = 0,
        offset: Sequence[int] | None = None,
        shape: Sequence[int] | None = None,
    ) -> None:
        """Copy an array or bytes into the image, or into a part of a level, of all queues' replicas or of one queue's.

        The data has as many bytes as texels of array_shape, and is taken as it is. Levels above 0 are computed anew after
        a write of level 0, if there are any.
        """
        queue = self._queue(device_index, "write")
        number = self._level(level, "Image.write")
        region, _, size = self._region(number, offset, shape, "write")
        wanted = npc.prod(size) * self.block_size
        view, given = self._bytes(data)
        if given != wanted:
            cure = "; shape= says how many texels a part has" if shape is None and given < wanted else ""
            raise ValueError(
                f"Image.write: the data has {given} bytes, and {'x'.join(map(str, size))} texels of image '{self.label}' "
                f"{wanted}{cure}"
            )
        if self._texel.channels != self.channels:
            view = _widened(view, self.block_size, self._texel.channels * self.dtype.item_size)
        target = _enums.VD_QUEUE_ALL if queue < 0 and self.context.queue_count > 1 else max(queue, 0)
        with _native.naming("Image.write"):
            wait_before_write(self.context, None if queue < 0 else queue, wanted)
            _native.raw.vd_image_write(self._pointer, region, view, target)
        if number == 0 and self.mip_levels > 1:
            self.generate_mips(device_index)

    def _bytes(self, data: Any) -> tuple[Any, int]:
        if not npc.is_bytes_like(data) and not npc.is_array_like(data):
            raise WrongTypeError(f"Image.write: data must be an array or bytes (got {type(data).__name__})")
        note_other_dtype(dtype_of(data), self.dtype, "Image.write", "an image")
        return host_bytes(data, self.dtype, 0, "Image.write")

    def read(
        self,
        device_index: int = 0,
        *,
        level: int = 0,
        offset: Sequence[int] | None = None,
        shape: Sequence[int] | None = None,
    ) -> npt.NDArray[Any]:
        """The image, or a part of a level, as an array, after all earlier work of the queue."""
        queue = self._queue(device_index, "read")
        region, _, size = self._region(self._level(level, "Image.read"), offset, shape, "read")
        channels = self._texel.channels
        data = bytearray(self._bytes_of(size))
        with _native.naming("Image.read"):
            wait_interruptibly(self.context, queue)
            _native.raw.vd_image_read(self._pointer, region, queue, data)
        stored = npc.from_buffer(data, self.dtype.host, (*size, channels))
        if channels != self.channels:
            return stored[..., : self.channels]
        return stored.reshape(size) if channels == 1 else stored

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        """Return the array of the first queue, for `np.asarray(image)`."""
        if copy is False:
            raise ValueError("Image: a device's memory becomes an array by being copied, which copy=False forbids")
        array = self.read(0)
        return array if dtype is None else array.astype(dtype, copy=False)

    # ---- On the device

    def generate_mips(self, device_index: int = -1) -> None:
        """Compute all levels above the first, each texel as the mean of what it covers."""
        queue = self._queue(device_index, "generate_mips")
        with _native.naming("Image.generate_mips"):
            for q in self.context.queues(-2 if queue < 0 else queue):
                _native.raw.vd_image_generate_mips(self._pointer, q)

    def copy_from(self, source: Image | ImagePart | Buffer) -> None:
        """Copy another image or a part() of the same format and shape, or a buffer of as many texels, into level 0.

        Texels of three channels are stored as four. Levels above 0 stay as they are: generate_mips() computes them.
        """
        copy(source, self, "Image.copy_from")

    def copy_to(self, destination: Image | ImagePart | Buffer) -> None:
        """Copy level 0 to another image or a part() of the same format and shape, or to a buffer of as many texels.

        Texels of three channels are stored as four.
        """
        copy(self, destination, "Image.copy_to")

    def part(
        self, *, level: int = 0, offset: Sequence[int] | None = None, shape: Sequence[int] | None = None
    ) -> ImagePart:
        """A part of a level, for copies on the device: it has copy_from() and copy_to() as an image has, and CommandGraph.copy()
        takes it. It knows its image, level, offset and shape.

        Without `offset` it begins at the first texel, and without `shape` it ends at the edge.
        """
        number = self._level(level, "Image.part")
        region, first, size = self._region(number, offset, shape, "part")
        return ImagePart(self, number, first, size, region)

    def _place(self) -> tuple[Any, Any]:
        return self._pointer, None

    def _bytes_of(self, shape: tuple[int, ...]) -> int:
        """Bytes that texels of a shape take on the device."""
        return npc.prod(shape) * self._texel.channels * self.dtype.item_size

    def _bytes_stored(self) -> int:
        return self._bytes_of(self.shape)

    def _text(self) -> str:
        return f"image '{self.label}'"

    def sample(self, *args: Any, **kwargs: Any) -> Sampler:
        """A Sampler of this image, which a kernel's parameter takes. The arguments are those of Sampler."""
        return Sampler(self, *args, **kwargs)

    def _destroy(self) -> None:
        _native.raw.vd_image_discard(self._pointer)

    def __repr__(self) -> str:
        state = ", destroyed" if self.destroyed else ""
        levels = f", mip_levels={self.mip_levels}" if self.mip_levels > 1 else ""
        return f"{type(self).__name__}(shape={self.shape}, format={self.format.name}{levels}{state})"


class Image1D(Image):
    """A row of texels."""

    def __init__(
        self, shape: int, dtype: type[dt.dtype], channels: int = 1, enable_mipmaps: bool = False, **options: Any
    ):
        dims: Any = (shape,) if npc.is_integer_scalar(shape) else shape
        super().__init__(dims, 1, dtype, channels, image_view_type.VIEW_TYPE_1D, enable_mipmaps, **options)


class Image2D(Image):
    """A rectangle of texels, of shape (height, width)."""

    def __init__(
        self,
        shape: Sequence[int],
        dtype: type[dt.dtype] = dt.float32,
        channels: int = 1,
        enable_mipmaps: bool = False,
        **options: Any,
    ):
        _refuse_layers(type(self).__name__, options)
        super().__init__(shape, 1, dtype, channels, image_view_type.VIEW_TYPE_2D, enable_mipmaps, **options)


class Image2DArray(Image):
    """Layers of rectangles of texels."""

    def __init__(
        self,
        shape: Sequence[int],
        layers: int,
        dtype: type[dt.dtype] = dt.float32,
        channels: int = 1,
        enable_mipmaps: bool = False,
        **options: Any,
    ):
        super().__init__(shape, layers, dtype, channels, image_view_type.VIEW_TYPE_2D_ARRAY, enable_mipmaps, **options)


class Image3D(Image):
    """A block of texels, of shape (depth, height, width)."""

    def __init__(
        self,
        shape: Sequence[int],
        dtype: type[dt.dtype] = dt.float32,
        channels: int = 1,
        enable_mipmaps: bool = False,
        **options: Any,
    ):
        _refuse_layers(type(self).__name__, options)
        super().__init__(shape, 1, dtype, channels, image_view_type.VIEW_TYPE_3D, enable_mipmaps, **options)


def _refuse_layers(kind: str, options: dict[str, Any]) -> None:
    if "layers" in options:
        raise TypeError(f"{kind}: it has no layers; vd.Image2DArray has them")


def _counts(values: Any, what: str, least: int = 1) -> tuple[int, ...]:
    if npc.is_integer_scalar(values):
        raise WrongTypeError(f"{what} ({values}) must be a sequence of integers, one for each axis")
    try:
        counts = tuple(operator.index(n) for n in values)
    except TypeError:
        raise ValueError(f"{what} {bracketed(values)} must be made of integers") from None
    for n in counts:
        if n < least:
            raise ValueError(f"{what} {bracketed(values)} must be at least {least} everywhere")
        if n >= 1 << 32:
            raise ValueError(f"{what} {bracketed(values)} must be below 2**32 everywhere")
    return counts


def _widened(data: Any, size: int, stored: int) -> bytes:
    """Texels of `size` bytes as texels of `stored` bytes, with zeros behind."""
    np = npc.numpy_module()
    if np is not None:
        texels = np.frombuffer(data, np.uint8).reshape(-1, size)
        wide = np.zeros((len(texels), stored), np.uint8)
        wide[:, :size] = texels
        return wide.tobytes()
    given = bytes(data)
    rest = bytes(stored - size)
    return b"".join(given[at : at + size] + rest for at in range(0, len(given), size))
