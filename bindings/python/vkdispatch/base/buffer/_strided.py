"""Elements of a buffer with gaps between them."""

from __future__ import annotations

from numbers import Number
from typing import TYPE_CHECKING, Any

from ... import _native
from ..._native._launcher import BufferBase
from ...compat import numpy_compat as npc
from .. import dtype as dt
from ..context import wait_before_write, wait_interruptibly
from ..event import Event, Future, order_after
from ..host_values import note_other_bits, note_other_dtype
from ..streams import beside_stream, copy_order, note_captured
from ._elements import element_bytes, new_array
from ._host_bytes import dtype_of, fill_out, host_bytes, host_data
from ._region import Region

if TYPE_CHECKING:
    import numpy.typing as npt

_enums = _native.enums
#: Bytes of a pattern that the library fills with.
MOST_PATTERN = 16


def copy_desc(source: Region, destination: Region) -> Any:
    """The descriptor of a copy of elements, between regions of one shape."""
    return _native.raw.vd_strided_copy_desc(
        element_size=source.item_size,
        counts=source.shape,
        source_offset=source.offset,
        source_strides=source.strides,
        destination_offset=destination.offset,
        destination_strides=destination.strides,
    )


def passing_buffer(context: Any, size: int) -> Any:
    """Memory that elements pass through, on their way from or to a region with gaps."""
    flags = _enums.VD_BUFFER_PER_QUEUE if context.queue_count > 1 else 0
    return _native.raw.vd_buffer_create(
        context._pointer, _native.raw.vd_buffer_desc(size=size, flags=flags, label="elements on their way")
    )


def repeat_element(pointer: Any, context: Any, region: Region, element: bytes, queues: Any) -> None:
    """Write one element to all places of a region."""
    raw = _native.raw
    one = passing_buffer(context, len(element))
    raw.vd_buffer_write(one, 0, element, _enums.VD_QUEUE_ALL)
    note_captured(one)
    for queue in queues:
        raw.vd_buffer_copy_strided(one, pointer, copy_desc(_repeated(region), region), queue, copy_order())


def _repeated(region: Region) -> Region:
    """One element in all places of a region."""
    return Region(0, region.shape, (0,) * len(region.shape), region.item_size)


class StridedView:
    """Elements of a buffer with gaps between them, as `buffer[::2]` and `buffer[:, 0]` are: the same memory.

    It is read, written, filled and copied like a buffer. Kernels take buffers without gaps alone: `copy()` makes one.
    """

    def __init__(self, buffer: Any, region: Region):
        #: The buffer that has the elements.
        self.buffer: Any = buffer
        self._region = region
        #: The dtype of an element.
        self.var_type: Any = buffer.var_type
        #: Elements along each axis.
        self.shape: tuple[int, ...] = region.shape
        #: Bytes from an element to the next along each axis.
        self.strides: tuple[int, ...] = region.strides
        #: Elements in all.
        self.size: int = region.size

    @property
    def dtype(self) -> type[dt.dtype]:
        """The dtype of an element: another name of `var_type`."""
        return self.var_type

    @property
    def nbytes(self) -> int:
        """Bytes of the elements, without those in the gaps."""
        return self._region.nbytes

    @property
    def ndim(self) -> int:
        """The number of axes of `shape`."""
        return len(self.shape)

    def __len__(self) -> int:
        return self.shape[0]

    def __bool__(self) -> bool:
        return True

    def __getitem__(self, key: Any) -> Any:
        return self.buffer._part(self._region.select(key, "StridedView"))

    def __setitem__(self, key: Any, value: Any) -> None:
        assign(self[key], value)

    def _pointer(self) -> Any:
        return self.buffer._live_pointer()

    # ---- Host and device

    def read(self, index: int | None = None, out: Any = None) -> npt.NDArray[Any]:
        """The elements as an array without gaps, after all earlier work of the queue. Those between them are not read.

        `index` and `out` are those of Buffer.read().
        """
        queue = self.buffer._queue(index)
        if out is not None:
            queues = self.buffer.context.queues(-2 if queue is None else queue)
            fill_out(self._read_queue, self, queues, out, "StridedView.read", "the view")
            return out
        if queue is None:
            arrays: Any = [self.read(i) for i in range(self.buffer.context.queue_count)]
            np = npc.numpy_module()
            return np.stack(arrays) if np is not None else arrays
        data, finish = new_array(self.var_type, self.shape)
        self._read_queue(queue, data)
        return finish()

    def _read_queue(self, queue: int, out: Any) -> None:
        context = self.buffer.context
        with _native.naming("StridedView.read"), beside_stream(context, queue):
            gathered = self._gather(queue)
            wait_interruptibly(context, queue)
            _native.raw.vd_buffer_read(gathered, 0, queue, out)

    def _gather(self, queue: int, order: Any = None) -> Any:
        gathered = passing_buffer(self.buffer.context, self.nbytes)
        dense = Region.whole(self.shape, self._region.item_size)
        _native.raw.vd_buffer_copy_strided(self._pointer(), gathered, copy_desc(self._region, dense), queue, order)
        return gathered

    def read_async(self, index: int = 0, after: Any = ()) -> Future[npt.NDArray[Any]]:
        """A future of what read(index) gives. Later work may overwrite the elements at once."""
        queue = self.buffer._one_queue(index, "read_async")
        order = order_after(after, self.buffer.context, "StridedView.read_async")
        with _native.naming("StridedView.read_async"), beside_stream(self.buffer.context, queue):
            gathered = self._gather(queue, order)
            return self.buffer._fetch(gathered, self.nbytes, self.shape, queue, None)

    def write(self, data: Any, index: int | None = None) -> None:
        """Copy `data` to the elements; those between them stay as they are. It must have as many bytes as they."""
        self._scatter(data, index, None, "write")

    def write_async(self, data: Any, index: int | None = None, after: Any = ()) -> Future[None]:
        """Like write(), after events, and with a future that says when the device has the data."""
        order = order_after(after, self.buffer.context, "StridedView.write_async")
        tickets = self._scatter(data, index, order, "write_async")
        return Future(Event.of(self.buffer.context, tickets), lambda: None)

    def _scatter(self, data: Any, index: int | None, order: Any, method: str) -> list[int]:
        buffer, context, raw = self.buffer, self.buffer.context, _native.raw
        queue = buffer._queue(index, method)
        data = host_data(data, f"StridedView.{method}")
        view, size = host_bytes(data, self.var_type, self.nbytes, f"StridedView.{method}")
        if size != self.nbytes:
            raise ValueError(f"StridedView.{method}: the data has {size} bytes, the view {self.nbytes}")
        note_other_dtype(dtype_of(data), self.var_type, f"StridedView.{method}", "a view")
        dense = Region.whole(self.shape, self._region.item_size)
        with _native.naming(f"StridedView.{method}"), beside_stream(context, queue):
            passing = passing_buffer(context, size)
            wait_before_write(context, queue, size)
            raw.vd_buffer_write(passing, 0, view, _enums.VD_QUEUE_ALL if queue is None else queue)
            return [
                raw.vd_buffer_copy_strided(passing, self._pointer(), copy_desc(dense, self._region), q, order)
                for q in context.queues(-2 if queue is None else queue)
            ]

    # ---- Device to device

    def fill(self, value: Any = 0, index: int | None = None) -> None:
        """Set every element to `value`: a number, or the numbers of an element."""
        queue = self.buffer._queue(index, "fill")
        element = element_bytes(value, self.var_type, "StridedView.fill")
        whole = element * (self._region.item_size // len(element))
        with _native.naming("StridedView.fill"):
            queues = self.buffer.context.queues(-2 if queue is None else queue)
            repeat_element(self._pointer(), self.buffer.context, self._region, whole, queues)

    def copy_from(self, source: Any) -> None:
        """Copy the elements of a buffer or view of the same shape, on the device."""
        copy_elements(source, self)

    def copy(self) -> Any:
        """A new buffer with these elements, without gaps."""
        result = self.buffer._like(self.shape, self.var_type)
        copy_elements(self, result)
        return result

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        """Return the array of the first queue, for `np.asarray(view)`."""
        if copy is False:
            raise ValueError(
                "StridedView: a device's memory becomes an array by being copied, which copy=False forbids"
            )
        array = self.read(0)
        return array if dtype is None else array.astype(dtype, copy=False)

    def __repr__(self) -> str:
        return f"StridedView(shape={self.shape}, strides={self.strides}, dtype={self.var_type.name})"


def _region_of(part: Any) -> tuple[Any, Region]:
    if isinstance(part, StridedView):
        return part.buffer, part._region
    return part, Region.whole(part.shape, part.var_type.item_size)


def check_elements(source: Any, destination: Any, what: str) -> None:
    """Raise unless the elements of one buffer or view can be copied to another's, at least one of them with gaps."""
    if not isinstance(source, (BufferBase, StridedView)):
        cure = "; write(array) takes one" if npc.is_array_like(source) else ""
        raise TypeError(f"{what}: source must be a Buffer or a view (got {type(source).__name__}{cure})")
    from_buffer, from_region = _region_of(source)
    to_buffer, to_region = _region_of(destination)
    if from_region.shape != to_region.shape or from_region.item_size != to_region.item_size:
        raise ValueError(
            f"{what}: the source has shape {from_region.shape} of {source.var_type.name}, the destination "
            f"{to_region.shape} of {destination.var_type.name}"
        )
    if from_buffer.context is not to_buffer.context:
        raise ValueError(
            f"{what}: the source belongs to {from_buffer.context.name}, and the destination to {to_buffer.context.name}"
        )
    note_other_bits(source.var_type, destination.var_type, f"{what}: a buffer", "a buffer")


def copy_elements(source: Any, destination: Any) -> None:
    """Copy from one buffer or view to another of the same shape, at least one of them with gaps."""
    check_elements(source, destination, "copy_from")
    from_buffer, from_region = _region_of(source)
    to_buffer, to_region = _region_of(destination)
    if from_buffer._overlaps(to_buffer):  # their elements may lie among each other
        source = source.copy()
        from_buffer, from_region = _region_of(source)
    pointers = from_buffer._live_pointer(), to_buffer._live_pointer()
    with _native.naming("copy_from"):
        for queue in to_buffer.context.queues(-2):
            _native.raw.vd_buffer_copy_strided(*pointers, copy_desc(from_region, to_region), queue, copy_order())


def record_copy(graph: Any, source: Any, destination: Any) -> int:
    """The node of a copy of elements, which were checked."""
    from_buffer, from_region = _region_of(source)
    to_buffer, to_region = _region_of(destination)
    pointers = from_buffer._live_pointer(), to_buffer._live_pointer()
    return int(_native.raw.vd_graph_copy_strided(graph, *pointers, copy_desc(from_region, to_region)))


def record_fill(graph: Any, part: Any, element: bytes) -> int:
    """The node of a fill of a buffer or view with an element."""
    raw = _native.raw
    buffer, region = _region_of(part)
    pointer = buffer._live_pointer()
    if not isinstance(part, StridedView) and len(element) <= MOST_PATTERN:
        return int(raw.vd_graph_fill_pattern(graph, pointer, 0, buffer.mem_size, element))
    whole = element * (region.item_size // len(element))
    one = passing_buffer(buffer.context, len(whole))
    raw.vd_buffer_write(one, 0, whole, _enums.VD_QUEUE_ALL)
    return int(raw.vd_graph_copy_strided(graph, one, pointer, copy_desc(_repeated(region), region)))


def assign(part: Any, value: Any) -> None:
    """`part[...] = value`: buffers and views are copied on the device, numbers fill, arrays and bytes are written."""
    if isinstance(value, (BufferBase, StridedView)):
        part.copy_from(value)
    elif isinstance(value, Number):
        part.fill(value)
    else:
        part.write(value)
