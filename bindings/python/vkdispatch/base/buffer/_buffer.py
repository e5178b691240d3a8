"""Typed memory on a device."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from ... import _native
from ..._native._launcher import BufferBase, thread_marks
from ...compat import numpy_compat as npc
from .. import dtype as dt
from ..context import Context, Handle, Signal, context_for, wait_before_write, wait_interruptibly
from ..errors import WrongTypeError
from ..event import Event, Future, order_after
from ..host_values import note_other_bits, note_other_dtype
from ..labels import checked_label
from ..streams import beside_stream, copy_order
from ..words import shown
from ._elements import array_over, element_bytes, new_array, scalar_of
from ._exchange import Exchanged
from ._external import ExternalMemory, external_memory
from ._host_bytes import dtype_of, fill_out, host_bytes, host_data
from ._keeping import import_memory
from ._mapped import Mapping
from ._memory_fd import MemoryFd, exported
from ._region import Region
from ._shape import normal_shape, reshaped
from ._strided import MOST_PATTERN, StridedView, assign, copy_elements, repeat_element

if TYPE_CHECKING:
    import numpy.typing as npt

_enums = _native.enums
_ArgType = TypeVar("_ArgType", bound=dt.dtype)
#: Elements that repr() shows.
_SHOWN_ELEMENTS = 64


class Buffer(Handle, BufferBase, Exchanged, Generic[_ArgType]):
    """Memory for `shape` elements of type `var_type`. Its contents are undefined until something is written.

    `label` names it in messages; without it dtype and shape do. `host_visible` asks for memory that map() maps on every
    device, and that kernels may reach more slowly. `exportable` asks for memory that export_fd() gives away (Vulkan and CUDA).
    `context` is where it is made; None is the current context.

    `external_buffer` makes it an alias of memory that others own: an object with the buffer protocol (on devices with a
    `host_import_alignment`), which is kept alive, or an ExternalBufferInfo. Two buffers over the same bytes conflict like one.

    `buffer[2:5]`, `reshape()` and `view()` are buffers over the same memory; `buffer[::2]` is a StridedView.
    """

    #: The buffer that this one is a view of; None if it has memory of its own.
    base: Buffer | None = None

    is_external = False
    owns_memory = True
    is_writable = True
    #: The first byte of memory that others own, as an address or in what a file descriptor names; 0 of the library's, which
    #: begins at a multiple of 16.
    _first_byte = 0
    _is_at_address = False
    cuda_ptr: int | None = None
    cuda_source: Any = None
    cuda_array_stream: Any = None

    @overload
    def __init__(
        self,
        shape: int | Sequence[int],
        var_type: type[_ArgType],
        external_buffer: Any = None,
        *,
        label: str | None = None,
        host_visible: bool = False,
        exportable: bool = False,
        context: Context | None = None,
    ): ...

    @overload  # what a checker names when a dtype is none
    def __init__(
        self: Buffer[dt.dtype],
        shape: int | Sequence[int],
        var_type: dt.DTypeLike,
        external_buffer: Any = None,
        *,
        label: str | None = None,
        host_visible: bool = False,
        exportable: bool = False,
        context: Context | None = None,
    ): ...

    def __init__(
        self,
        shape: int | Sequence[int],
        var_type: Any,
        external_buffer: Any = None,
        *,
        label: str | None = None,
        host_visible: bool = False,
        exportable: bool = False,
        context: Context | None = None,
    ):
        if not dt.is_dtype(var_type) or not var_type.item_size:
            var_type = dt.as_dtype(var_type, "A buffer's var_type")
        dims = normal_shape(shape)
        context = context_for(context, "Buffer")
        if context.backend == "dummy":
            raise RuntimeError("Buffer: the dummy backend shows source only, it has no memory (vd_buffer_create)")
        super().__init__(context)
        self._describe(dims, var_type, label)
        if external_buffer is not None:
            self._take(self._import(external_memory(external_buffer, var_type, context.backend)))
            return
        raw = _native.raw
        flags = _enums.VD_BUFFER_PER_QUEUE if context.queue_count > 1 else 0
        flags |= _enums.VD_BUFFER_HOST if host_visible else 0
        if exportable:
            self._check_exportable(host_visible)
            flags |= _enums.VD_BUFFER_EXPORT
        desc = raw.vd_buffer_desc(size=self.mem_size, shape=dims, label=self.label, flags=flags)
        with _native.naming("Buffer"):
            self._take(raw.vd_buffer_create(context._pointer, desc))

    def _check_exportable(self, host_visible: bool) -> None:
        if host_visible:
            raise ValueError(
                "Buffer: exportable=True is for memory of the device, and host_visible=True asks for other"
            )
        if self.context.queue_count > 1:
            raise ValueError(
                f"Buffer: exportable=True is for one memory, and each of the {self.context.queue_count} queues of "
                f"{self.context.name} has its own replica"
            )

    def _describe(self, dims: tuple[int, ...], var_type: Any, label: str | None) -> None:
        #: The dtype of an element.
        self.var_type: Any = var_type
        #: Elements along each axis.
        self.shape: tuple[int, ...] = dims
        #: Elements in all.
        self.size: int = npc.prod(dims)
        #: Bytes in all.
        self.mem_size: int = self.size * var_type.item_size
        self._own_label = f"{var_type.name} of shape {dims}"
        #: The buffer's name in messages.
        self.label: str = checked_label(label, "Buffer") or self._own_label
        x, y, z = (*dims[:3], 1, 1, 1)[:3]
        #: The shape as kernels see it: three axes, padded with 1, and the number of elements.
        self.shader_shape: tuple[int, int, int, int] = (x, y, z, self.size)

    def _take(self, pointer: Any) -> None:
        self.register_handle(pointer)
        # The handle that a launch binds; None once the buffer is destroyed.
        self._bind = self._handle
        self._context_serial = self.context.serial

    def _import(self, memory: ExternalMemory) -> Any:
        if memory.size is not None and self.mem_size > memory.size:
            raise ValueError(
                f"{memory.what} has {memory.size} bytes, and shape {self.shape} of {self.var_type.name} takes {self.mem_size}"
            )
        self.is_external, self.owns_memory, self.is_writable = True, False, memory.writable
        if memory.kind == _enums.VD_MEMORY_KIND_CUDA:
            self.cuda_ptr = memory.address
            self.cuda_array_stream = memory.stream or None
        self._is_at_address = memory.fd is None
        self._first_byte = memory.address if memory.fd is None else int(memory.fd.offset)
        owner = memory.owner
        return import_memory(
            self.context,
            memory.let_go or (lambda: owner),
            memory.what.partition(":")[0],
            kind=memory.kind,
            handle=memory.address,
            size=self.mem_size,
            shape=self.shape,
            read_only=not memory.writable,
            stream=memory.stream,
            label=self.label,
            fd=memory.fd,
        )

    @property
    def dtype(self) -> type[dt.dtype]:
        """The dtype of an element: another name of `var_type`, which is no dtype of NumPy's."""
        return self.var_type

    @property
    def nbytes(self) -> int:
        """Bytes of all elements: another name of `mem_size`."""
        return self.mem_size

    @property
    def itemsize(self) -> int:
        """Bytes of an element."""
        return self.var_type.item_size

    @property
    def ndim(self) -> int:
        """The number of axes of `shape`."""
        return len(self.shape)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of a buffer without axes")
        return self.shape[0]

    def __bool__(self) -> bool:
        return True  # it is there; len() would say otherwise, and fail without axes

    @property
    def signals(self) -> list[Signal]:
        """One Signal for each queue: done once the queue is."""
        return [Signal(None, self.context, queue) for queue in range(self.context.queue_count)]

    def _description(self) -> str:
        label = "" if self.label == self._own_label else f"'{self.label}', "
        return f" ({label}it had shape {self.shape} of {self.var_type.name})"

    def _live_pointer(self) -> Any:
        """The library's handle; RuntimeError once the buffer is destroyed."""
        self._check_alive()
        return self._pointer

    # ---- Host and device

    def _queue(self, index: Any, method: str = "read") -> int | None:
        """The queue that `index` names; None for all. `method` is the caller's name, in messages."""
        self._check_alive()
        if index is None:
            return None
        try:
            queue = operator.index(index)
        except TypeError:
            raise WrongTypeError(
                f"Buffer.{method}: index, which counts queues, must be an integer or None (got {shown(index)})"
            ) from None
        if not 0 <= queue < self.context.queue_count:
            raise ValueError(
                f"Buffer.{method}: queue index ({queue}) is outside 0 to {self.context.queue_count - 1}"
                f" (it counts the context's queues, not elements)"
            )
        return queue

    def write(self, data: Any, index: int | None = None, offset: int = 0) -> None:
        """Copy `data` into the buffer, or into the replica of queue `index`. The host's data has been taken on return.

        An array must have as many bytes as the buffer. Its shape is not compared, and its elements are not converted: one
        whose dtype means something else is taken byte by byte, with a warning. Bytes may be fewer. Lists and numbers are
        converted to the buffer's dtype. A tensor that offers DLPack alone is an array, by its copy on the CPU if it is
        elsewhere. `offset` counts elements.
        """
        start, view, size, queue = self._to_write(data, index, offset, "write")
        target = _enums.VD_QUEUE_ALL if queue is None and self.context.queue_count > 1 else queue or 0
        with _native.naming("Buffer.write"), beside_stream(self.context, queue):
            wait_before_write(self.context, queue, size)
            _native.raw.vd_buffer_write(self._pointer, start, view, target)

    def write_async(self, data: Any, index: int | None = None, offset: int = 0, after: Any = ()) -> Future[None]:
        """Like write(), after the events and futures in `after`. The future's result() is None, and there when the device has
        the data; the host's data has been taken on return."""
        start, view, size, queue = self._to_write(data, index, offset, "write_async")
        order = order_after(after, self.context, "Buffer.write_async")
        with _native.naming("Buffer.write_async"), beside_stream(self.context, queue):
            wait_before_write(self.context, queue, size)
            queues = self.context.queues(-2 if queue is None else queue)
            tickets = [_native.raw.vd_buffer_send(self._pointer, start, view, q, order) for q in queues]
        return Future(Event.of(self.context, tickets), lambda: None)

    def _check_writable(self, what: str) -> None:
        """Raise a ValueError where it may not be written."""
        if not self.is_writable:
            raise ValueError(f"{what}: the buffer '{self.label}' is read-only, like the memory that it was made from")

    def _to_write(self, data: Any, index: int | None, offset: int, method: str) -> tuple[int, Any, int, int | None]:
        """The first byte, the data, its size and the queue of a write; `method` is the caller's name, in messages."""
        queue = self._queue(index, method)
        self._check_writable(f"Buffer.{method}")
        try:
            start = operator.index(offset) * self.var_type.item_size
        except TypeError:
            raise TypeError(
                f"Buffer.{method}: offset must be an integer number of elements (got {shown(offset)})"
            ) from None
        if not 0 <= start <= self.mem_size:
            raise ValueError(f"Buffer.{method}: offset ({offset}) is outside the buffer's {self.size} elements")
        room = self.mem_size - start
        data = host_data(data, f"Buffer.{method}")
        view, size = host_bytes(data, self.var_type, room, f"Buffer.{method}")
        exact = not npc.is_bytes_like(data) and not start
        if size != room if exact else size > room:
            kind = "Numpy buffer sizes must match!" if npc.is_array_like(data) else "The data does not fit the buffer!"
            has = (
                f"the buffer '{self.label}' {room}"
                if not start
                else f"the buffer '{self.label}' {room} after offset {offset} (of {self.mem_size})"
            )
            what = f"the {shown(data)}" if npc.is_array_like(data) else "the data"
            raise ValueError(f"{kind} Buffer.{method}: {what} has {size} bytes, {has}.")
        note_other_dtype(dtype_of(data), self.var_type, f"Buffer.{method}", "a buffer")
        return start, view, size, queue

    def _read_queue(self, queue: int, out: Any, start: int) -> None:
        with _native.naming("Buffer.read"), beside_stream(self.context, queue):
            wait_interruptibly(self.context, queue)
            _native.raw.vd_buffer_read(self._pointer, start, queue, out)

    def read(self, index: int | None = None, out: Any = None) -> npt.NDArray[Any]:
        """The buffer as an array of `shape` plus the axes of an element, after all earlier work of the queue.

        `index=None` stacks the replicas of all queues along a first axis. `out` is an array to fill instead.
        """
        queue = self._queue(index)
        if out is not None:
            queues = self.context.queues(-2 if queue is None else queue)
            fill_out(lambda q, memory: self._read_queue(q, memory, 0), self, queues, out, "Buffer.read", "the buffer")
            return out
        if queue is None:
            arrays: Any = [self.read(i) for i in range(self.context.queue_count)]
            np = npc.numpy_module()
            return np.stack(arrays) if np is not None else arrays
        return self._read_array(queue)

    def _read_array(self, queue: int) -> Any:
        data, finish = new_array(self.var_type, self.shape)
        self._read_queue(queue, data, 0)
        return finish()

    def read_async(self, index: int = 0, after: Any = ()) -> Future[npt.NDArray[Any]]:
        """A future of what read(index) gives, after the events and futures in `after`. Waits for nothing, and later work may
        overwrite the buffer at once.

        The array lies where the device has copied it to, so it costs no further copy.
        """
        queue = self._one_queue(index, "read_async")
        order = order_after(after, self.context, "Buffer.read_async")
        with _native.naming("Buffer.read_async"), beside_stream(self.context, queue):
            return self._fetch(self._pointer, self.mem_size, self.shape, queue, order)

    def _one_queue(self, index: Any, method: str) -> int:
        return self._queue(index, method) or 0

    def _fetch(
        self, pointer: Any, size: int, shape: tuple[int, ...], queue: int, order: Any
    ) -> Future[npt.NDArray[Any]]:
        blob, ticket = _native.raw.vd_buffer_fetch(pointer, 0, size, queue, order)
        return Future(Event.of(self.context, [ticket]), partial(_fetched, blob, self.var_type, shape))

    # ---- Parts and views

    def _owner(self) -> Buffer:
        """The buffer that has the memory."""
        return self if self.base is None else self.base._owner()

    def _place(self) -> tuple[Buffer | None, int]:
        """The place of its first byte: the buffer that has the memory, None for others' memory at an address, and the byte."""
        owner = self._owner()
        offset = 0 if self.base is None else int(_native.raw.vd_buffer_get_info(self._pointer).offset)
        return (None if owner._is_at_address else owner), owner._first_byte + offset

    def _lies_at(self, alignment: int) -> bool:
        """Whether its first byte lies at a multiple of a number up to 16 in the device's memory."""
        return self._place()[1] % alignment == 0

    def _overlaps(self, other: Buffer) -> bool:
        """Whether it has bytes in common with another buffer of its context, as far as both are known to be at addresses or in
        one buffer."""
        (owner, first), (others, begin) = self._place(), other._place()
        return owner is others and first < begin + other.mem_size and begin < first + self.mem_size

    def _like(self, shape: tuple[int, ...], var_type: Any) -> Buffer:
        return Buffer(shape, var_type, context=self.context)

    def _part(self, region: Region) -> Any:
        if not region.is_dense():
            return StridedView(self, region)
        return self._view(region.offset, region.shape, self.var_type)

    def _view(self, offset: int, shape: tuple[int, ...], var_type: Any) -> Buffer:
        self._check_alive()
        view = Buffer.__new__(Buffer)
        Handle.__init__(view, self.context)
        view._describe(shape, var_type, None)
        if self.label != self._own_label:
            view.label = self.label
        view.base = self
        view.is_writable, view.is_external, view.owns_memory = self.is_writable, self.is_external, self.owns_memory
        view.cuda_ptr = None if self.cuda_ptr is None else self.cuda_ptr + offset
        raw = _native.raw
        desc = raw.vd_buffer_view_desc(offset=offset, size=view.mem_size, shape=shape)
        with _native.naming("Buffer.view"):
            view._take(raw.vd_buffer_view(self._pointer, desc))
        view.register_parent(self)
        return view

    def __getitem__(self, key: Any) -> Any:
        """The elements that `key` names, as NumPy has it: integers, slices, None and `...`. The same memory, not a copy.

        A Buffer where they lie together, else a StridedView.
        """
        self._check_alive()
        return self._part(Region.whole(self.shape, self.var_type.item_size).select(key, "Buffer"))

    def __setitem__(self, key: Any, value: Any) -> None:
        """Write to the elements that `key` names: an array or bytes of as many bytes, a number, a buffer or a view."""
        assign(self[key], value)

    def __contains__(self, value: Any) -> bool:
        raise TypeError("a buffer is on a device: 'in' needs its contents, as in `value in buffer.read(0)`")

    def reshape(self, *shape: Any) -> Buffer:
        """The same memory in another shape. One dimension may be -1: what is left."""
        dims = shape[0] if len(shape) == 1 else shape
        return self._view(0, reshaped(dims, self.size, "Buffer.reshape"), self.var_type)

    def ravel(self) -> Buffer:
        """The same memory with one axis."""
        return self._view(0, (self.size,), self.var_type)

    def view(self, dtype: Any = None, shape: Any = None) -> Buffer:
        """The same memory as elements of another dtype. Without a `shape` the last axis takes up the difference in size."""
        var_type = self.var_type if dtype is None else dt.as_dtype(dtype, "Buffer.view: dtype")
        if shape is not None:
            count, rest = divmod(self.mem_size, var_type.item_size)
            if rest:
                raise ValueError(
                    f"Buffer.view: the buffer's {self.mem_size} bytes are no whole number of elements of {var_type.name} "
                    f"({var_type.item_size} bytes)"
                )
            return self._view(0, reshaped(shape, count, "Buffer.view"), var_type)
        if var_type.item_size == self.var_type.item_size:
            return self._view(0, self.shape, var_type)
        last = (self.shape[-1] if self.shape else 1) * self.var_type.item_size
        if last % var_type.item_size:
            raise ValueError(
                f"Buffer.view: the {last} bytes of the last axis (shape {self.shape} of {self.var_type.name}) are no whole "
                f"number of elements of {var_type.name} ({var_type.item_size} bytes)"
            )
        return self._view(0, (*self.shape[:-1], last // var_type.item_size), var_type)

    # ---- Memory that the host reaches

    @property
    def mappable(self) -> bool:
        """Whether map() works: made with `host_visible`, or on a device that shares its memory with the host."""
        return bool(_native.raw.vd_buffer_get_info(self._live_pointer()).mappable)

    def map(self, mode: str = "rw", index: int = 0, wait: bool = True) -> Mapping:
        """The memory itself, for a `with` block: NumPy's array of the buffer's shape. `mode` is "r", "w" or "rw", and `index` the
        queue whose copy it is.

        Waits for work in flight that is in the way, or raises a RuntimeError if not `wait`. Within the block, launches and
        transfers that conflict with it are a RuntimeError. Memory of a device alone is a vd.UnsupportedError.
        """
        return Mapping(self, mode, self._one_queue(index, "map"), wait)

    def export_fd(self) -> MemoryFd:
        """The memory by a new file descriptor, of a buffer made with `exportable` or a view of one: for `vd.from_fd()` of another
        context or process, or for another API. The taker or the caller closes it. Whoever imports the memory keeps it."""
        with _native.naming("Buffer.export_fd"):
            return exported(self._live_pointer())

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        """Return the array of the first queue, for `np.asarray(buffer)`."""
        if copy is False:
            raise ValueError("Buffer: a device's memory becomes an array by being copied, which copy=False forbids")
        array = self.read(0)
        return array if dtype is None else array.astype(dtype, copy=False)

    # ---- Device to device

    def fill(self, value: Any = 0, index: int | None = None) -> None:
        """Set every element to `value`: a number for each of its scalars, or the numbers of an element in a list."""
        queue = self._queue(index, "fill")
        element = element_bytes(value, self.var_type, "Buffer.fill")
        queues = self.context.queues(-2 if queue is None else queue)
        self._check_writable("Buffer.fill")
        with _native.naming("Buffer.fill"):
            if len(element) > MOST_PATTERN:
                region = Region.whole(self.shape, self.var_type.item_size)
                repeat_element(self._pointer, self.context, region, element, queues)
                return
            order = copy_order()
            for q in queues:
                _native.raw.vd_buffer_fill_pattern(self._pointer, 0, self.mem_size, element, q, order)

    def copy_from(self, source: Buffer | StridedView) -> None:
        """Copy another buffer of as many bytes into this one, on the device. Parts of one buffer may overlap, and so may
        memory of others. Elements of another dtype are taken byte by byte, with a warning."""
        self._check_alive()
        if isinstance(source, StridedView):
            copy_elements(source, self)
            return
        self._check_source(source, "Buffer.copy_from")
        if source._overlaps(self):
            source = source.copy()
        with _native.naming("Buffer.copy_from"):
            for queue in self.context.queues(-2):
                _native.raw.vd_buffer_copy(source._pointer, 0, self._pointer, 0, self.mem_size, queue, copy_order())

    def _check_source(self, source: Any, what: str) -> None:
        """Raise unless all bytes of `source` can be copied to this buffer."""
        if not isinstance(source, Buffer):
            cure = "; write(array) takes one" if npc.is_array_like(source) else ""
            raise TypeError(f"{what}: source must be a Buffer (got {type(source).__name__}{cure})")
        source._check_alive()
        if source.mem_size != self.mem_size:
            raise ValueError(
                f"{what}: the source has {source.mem_size} bytes of {source.var_type.name}, "
                f"the buffer {self.mem_size} of {self.var_type.name}"
            )
        if source.context is not self.context:
            raise ValueError(
                f"{what}: the source belongs to {source.context.name}, and the buffer to {self.context.name}"
            )
        self._check_writable(what)
        note_other_bits(source.var_type, self.var_type, f"{what}: a buffer", "a buffer")

    def copy(self) -> Buffer:
        """A new buffer with the same contents."""
        self._check_alive()
        result: Buffer = Buffer(self.shape, self.var_type, context=self.context)
        result.copy_from(self)
        return result

    def _destroy(self) -> None:
        self._bind = None
        if self.base is None:  # a view leaves the memory to its owner
            _native.raw.vd_buffer_discard(self._pointer)

    def _forget(self) -> None:
        self._bind = None
        super()._forget()

    def __repr__(self) -> str:
        said = f"{type(self).__name__}(shape={self.shape}, dtype={self.var_type.name}"
        if self.label != self._own_label:
            said += f", label={self.label!r}"
        if self.destroyed:
            return f"{said}, destroyed)"
        contents = self._shown_contents()
        return f"{said})" if contents is None else f"{said},\n{contents})"

    def _shown_contents(self) -> str | None:
        """The contents for repr(): None of many, and where a read would wait, record or fail."""
        if self.size > _SHOWN_ELEMENTS or thread_marks():  # what is recorded has not run
            return None
        try:
            if not self.context.is_idle():
                return None
            # read() would take failures from waits.
            futures = [self.read_async(queue) for queue in range(self.context.queue_count)]
            if not self.context.is_idle():
                return None
            arrays = [future._finished() for future in futures]
        except (RuntimeError, MemoryError):  # the device or the context is gone
            return None
        np = npc.numpy_module()
        array = arrays[0] if len(arrays) == 1 else np.stack(arrays) if np is not None else arrays
        return repr(array) if np is None else np.array2string(array, separator=", ")


def _fetched(blob: Any, var_type: Any, shape: tuple[int, ...]) -> Any:
    """The array of fetched bytes, which are there by now."""
    memory = _native.memory.blob_memory(blob)
    if memory is None:
        raise RuntimeError("The fetched bytes are not there, though the work is done")
    element = scalar_of(var_type)
    if npc.numpy_module() is None or element is dt.complex32:
        return npc.from_buffer(bytearray(memory), element.host, shape + var_type.true_numpy_shape)
    return array_over(memory, var_type, shape)
