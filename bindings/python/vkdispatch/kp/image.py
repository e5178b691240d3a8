"""Images: texels of one, two or four channels, which kernels load and store.

Example:
    manager = kp.Manager()
    image = manager.image_t(np.zeros(12, np.uint8), 3, 2, 2)  # 3 wide, 2 high, 2 channels
    assert image.size() == 12 and image.shape == (2, 3, 2)
"""

from __future__ import annotations

from typing import Any

from .. import _native
from .elements import IMAGE_ELEMENTS, Data, Element, typed_data
from .enums import MemoryTypes
from .errors import invalid
from .home import Home
from .host_memory import HostMemory, Pages
from .memory import Memory

_enums = _native.enums
_LETTERS = {"f": "F", "i": "I", "u": "U"}


def _format_of(element: Element, channels: int) -> int:
    bits = 8 * element.size
    return int(getattr(_enums, f"VD_FORMAT_{'RGBA'[:channels]}{bits}_{_LETTERS[element.code[0]]}{bits}"))


class Image(Memory):
    """A two-dimensional image with one level and one layer.

    The host's memory has its texels by rows, without gaps. Kernels use an image of type host where it is, if the device
    has such images. Any other image is in the layout that the device likes best, beside a mirror.
    """

    _width: int
    _height: int
    _channels: int
    # The library's number of the format.
    _format: int

    @classmethod
    def _of(cls, home: Home, data: Data, width: int, height: int, channels: int, kind: Any, what: str) -> Any:
        element = data.element
        if element.name not in IMAGE_ELEMENTS:
            raise invalid(f"{what}: no valid dtype supported ({element.name}); images take {', '.join(IMAGE_ELEMENTS)}")
        if width == 0 or height == 0:
            raise invalid(f"{what}: a zero-sized image cannot be made ({width} by {height})")
        if channels == 0:
            raise invalid(f"{what}: an image with no channels cannot be made")
        if channels not in (1, 2, 4):
            raise invalid(f"{what}: images can only have up to 1, 2 or 4 channels (got {channels})")
        count = width * height * channels
        if data.count < count:
            raise invalid(
                f"{what}: the data is smaller than the requested image size ({data.count} elements for {width} x {height} x "
                f"{channels})"
            )
        self = cls._new(home, element, count, kind)
        self._width, self._height, self._channels = width, height, channels
        self._format = _format_of(element, channels)
        self._allocate(home, data)
        return self

    def _allocate(self, home: Home, data: Data) -> None:
        raw = _native.raw
        desc = raw.vd_image_desc(
            format=self._format,
            dimensions=2,
            extent=[self._width, self._height, 1],
            flags=_enums.VD_IMAGE_STORAGE,
        )
        texels = memoryview(data.bytes).cast("B")[: self._bytes]
        if self._kind in (MemoryTypes.host, MemoryTypes.deviceAndHost):
            if self._lies_on_host(home, desc):
                self._need_host().fill(texels)
                return
            self._follows_host = True
        self._device = raw.vd_image_create(home.pointer, desc)
        if self._kind is MemoryTypes.storage:
            raw.vd_image_write(self._device, None, texels, 0)
            return
        if self._kind is MemoryTypes.device:
            raw.vd_image_write(self._device, None, bytes(self._bytes), 0)
        self._host = HostMemory(home, self._bytes)
        self._host.fill(texels)

    def _lies_on_host(self, home: Home, desc: Any) -> bool:
        """Whether the host uses the texels where they are."""
        raw = _native.raw
        if self._kind is MemoryTypes.deviceAndHost:
            features = raw.vd_context_get_device(home.pointer, 0).features
            if not features & _enums.VD_FEATURE_UNIFIED_MEMORY:
                return False
        plain, desc.flags = desc.flags, desc.flags | _enums.VD_IMAGE_HOST
        try:
            support = raw.vd_context_get_image_support(home.pointer, desc)
            image = raw.vd_image_create(home.pointer, desc) if support.mappable else None
        finally:
            desc.flags = plain
        pages = None if image is None else Pages.of_image(image, self._bytes)
        if pages is None:
            return False
        self._device, self._host = image, HostMemory(home, self._bytes, pages)
        return True

    @property
    def width(self) -> int:
        """Texels of a row."""
        return self._width

    @property
    def height(self) -> int:
        """The number of rows."""
        return self._height

    @property
    def num_channels(self) -> int:
        """Numbers of a texel."""
        return self._channels

    @property
    def shape(self) -> tuple[int, int, int]:
        """Height, width and channels; data() is flat."""
        return self._height, self._width, self._channels

    def _convert(self, data: Any, what: str) -> Data:
        return typed_data(data, what, self.dtype)

    def _discard(self) -> None:
        _native.raw.vd_image_discard(self._device)

    def _upload(self, graph: Any) -> None:
        if self._mirrored:
            self._from_host(graph)

    def _download(self, graph: Any) -> None:
        if self._mirrored:
            self._to_host(graph)

    def _before_kernel(self, graph: Any) -> None:
        if self._follows_host:
            self._from_host(graph)

    def _after_kernel(self, graph: Any) -> None:
        if self._follows_host:
            self._to_host(graph)

    def _from_host(self, graph: Any) -> None:
        host = self._need_host()
        _native.raw.vd_graph_copy_buffer_to_image(graph, self._handle(), None, host.buffer, host.first)

    def _to_host(self, graph: Any) -> None:
        host = self._need_host()
        _native.raw.vd_graph_copy_image_to_buffer(graph, self._handle(), None, host.buffer, host.first)

    def _copy_host(self, graph: Any, mirror: HostMemory) -> None:
        if self._mirrored or self._follows_host:
            super()._copy_host(graph, mirror)
        else:
            _native.raw.vd_graph_copy_image_to_buffer(graph, self._handle(), None, mirror.buffer, mirror.first)

    def _sampler(self) -> Any:
        """A sampler between neighbouring texels, of integers the nearest one, by the edges' texels past them."""
        kind = _enums.VD_FILTER_LINEAR if self._element.code[0] == "f" else _enums.VD_FILTER_NEAREST

        def make() -> Any:
            desc = _native.raw.vd_sampler_desc(
                mag_filter=kind, min_filter=kind, address_mode=_enums.VD_ADDRESS_CLAMP_TO_EDGE
            )
            return _native.raw.vd_sampler_create(self._home.pointer, desc)

        return self._home.cached(("sampler", kind), make)

    def _binding(self, graph: Any) -> dict[str, Any]:
        return {"image": self._handle(), "level": 0}
