"""Typed memory on a device."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from ... import _native
from ..._native._launcher import BufferBase, thread_marks
from ...compat import numpy_compat as npc
from .. import dtype as dt
from ..context import Handle, Signal, get_context, wait_interruptibly
from ..errors import WrongTypeError
from ..host_values import note_fractions, pack_numbers
from ..remarks import caution
from ..words import shown
from ._external import ExternalBufferInfo
from ._host_bytes import host_bytes
from ._shape import normal_shape

if TYPE_CHECKING:
    import numpy.typing as npt

_enums = _native.enums
_ArgType = TypeVar("_ArgType", bound=dt.dtype)
#: Elements that repr() shows.
_SHOWN_ELEMENTS = 64


class Buffer(Handle, BufferBase, Generic[_ArgType]):
    """Memory for `shape` elements of type `var_type`. Its contents are undefined until something is written.

    `label` names it in messages; without it dtype and shape do.
    """

    is_external = False
    owns_memory = True
    is_writable = True
    cuda_ptr: int | None = None
    cuda_source: Any = None
    cuda_array_stream: Any = None

    @overload
    def __init__(
        self,
        shape: int | Sequence[int],
        var_type: type[_ArgType],
        external_buffer: ExternalBufferInfo | None = None,
        *,
        label: str | None = None,
    ): ...

    @overload  # what a checker names when a dtype is none
    def __init__(
        self: Buffer[dt.dtype],
        shape: int | Sequence[int],
        var_type: dt.DTypeLike,
        external_buffer: ExternalBufferInfo | None = None,
        *,
        label: str | None = None,
    ): ...

    def __init__(
        self,
        shape: int | Sequence[int],
        var_type: Any,
        external_buffer: ExternalBufferInfo | None = None,
        *,
        label: str | None = None,
    ):
        if not dt.is_dtype(var_type) or not var_type.item_size:
            var_type = dt.as_dtype(var_type, "A buffer's var_type")
        dims = normal_shape(shape)
        if external_buffer is not None:
            raise NotImplementedError("External memory: buffers over another library's memory")
        context = get_context()
        if context.backend == "dummy":
            raise RuntimeError("Buffer: the dummy backend shows source only, it has no memory (vd_buffer_create)")
        super().__init__(context)
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
        self.label: str = label or self._own_label
        x, y, z = (*dims[:3], 1, 1, 1)[:3]
        #: The shape as kernels see it: three axes, padded with 1, and the number of elements.
        self.shader_shape: tuple[int, int, int, int] = (x, y, z, self.size)
        raw = _native.raw
        desc = raw.vd_buffer_desc(
            size=self.mem_size,
            shape=dims,
            label=self.label,
            flags=_enums.VD_BUFFER_PER_QUEUE if context.queue_count > 1 else 0,
        )
        self.register_handle(raw.vd_buffer_create(context._pointer, desc))
        # The handle that a launch binds; None once the buffer is destroyed.
        self._bind = self._handle

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
        return [Signal() for _ in range(self.context.queue_count)]

    def _description(self) -> str:
        return f" (it had shape {self.shape} of {self.var_type.name})"

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
        converted to the buffer's dtype. `offset` counts elements.
        """
        queue = self._queue(index, "write")
        if not self.is_writable:
            raise ValueError("The buffer is read-only!")
        try:
            start = operator.index(offset) * self.var_type.item_size
        except TypeError:
            raise TypeError(
                f"Buffer.write: offset must be an integer number of elements (got {shown(offset)})"
            ) from None
        if not 0 <= start <= self.mem_size:
            raise ValueError(f"Buffer.write: offset ({offset}) is outside the buffer's {self.size} elements")
        room = self.mem_size - start
        view, size = host_bytes(data, self.var_type, self.mem_size)
        exact = not npc.is_bytes_like(data) and not start
        if size != room if exact else size > room:
            kind = "Numpy buffer sizes must match!" if npc.is_array_like(data) else "The data does not fit the buffer!"
            has = (
                f"the buffer '{self.label}' {room}"
                if not start
                else f"the buffer '{self.label}' {room} after offset {offset} (of {self.mem_size})"
            )
            raise ValueError(f"{kind} The data has {size} bytes, {has}.")
        if npc.is_array_like(data):
            self._note_other_dtype(npc.array_dtype(data))
        raw = _native.raw
        target = _enums.VD_QUEUE_ALL if queue is None and self.context.queue_count > 1 else queue or 0
        with _native.naming("Buffer.write"):
            raw.vd_buffer_write(self._pointer, start, view, target)

    def _note_other_dtype(self, given: Any) -> None:
        """Say that an array's elements become others by being taken byte by byte."""
        try:
            given_type = dt.from_numpy_dtype(given)
        except ValueError:
            return  # bytes, records: no numbers of ours
        if given_type.item_size > 1:  # else they are bytes
            self._note_other(given_type, "write: an array", " (array.astype converts)")

    def _note_other(self, given_type: type[dt.dtype], what: str, cure: str = "") -> None:
        if not dt.same_bits(given_type, self.var_type):
            caution(
                f"Buffer.{what} of {given_type.name} goes into a buffer of {self.var_type.name} byte by byte, not "
                f"converted{cure}"
            )

    def _read_queue(self, queue: int, out: Any, start: int) -> None:
        with _native.naming("Buffer.read"):
            wait_interruptibly(self.context, queue)
            _native.raw.vd_buffer_read(self._pointer, start, queue, out)

    def read(self, index: int | None = None, out: Any = None) -> npt.NDArray[Any]:
        """The buffer as an array of `shape` plus the axes of an element, after all earlier work of the queue.

        `index=None` stacks the replicas of all queues along a first axis. `out` is an array to fill instead.
        """
        queue = self._queue(index)
        if queue is None:
            arrays: Any = [self.read(i) for i in range(self.context.queue_count)]
            np = npc.numpy_module()
            return np.stack(arrays) if np is not None else arrays
        if out is not None:
            if npc.array_nbytes(out) != self.mem_size:
                raise ValueError(f"out has {npc.array_nbytes(out)} bytes, the buffer {self.mem_size}")
            self._check_out(out)
            self._read_queue(queue, out, 0)
            return out
        return self._read_array(queue)

    def _check_out(self, out: Any) -> None:
        """ValueError for an array whose elements are other numbers than the buffer's: read() converts nothing."""
        if npc.is_bytes_like(out) or not npc.is_array_like(out):
            return
        given = npc.array_dtype(out)
        try:
            given_type = dt.from_numpy_dtype(given)
        except ValueError:
            return  # records: no numbers of ours
        same = given_type is dt.uint8 or getattr(given, "isnative", True) and dt.same_bits(given_type, self.var_type)
        if not same:
            raise ValueError(
                f"Buffer.read: out has elements of {given}, the buffer of {self.var_type.name}; nothing is converted "
                "(read() makes a new array, and astype converts)"
            )

    def _read_array(self, queue: int) -> Any:
        element = self.var_type if self.var_type.scalar is None else self.var_type.scalar
        shape = self.shape + self.var_type.true_numpy_shape
        np = npc.numpy_module()
        if np is None or element is dt.complex32:
            data = bytearray(self.mem_size)
            self._read_queue(queue, data, 0)
            return npc.from_buffer(data, element.host, shape)
        result = np.empty(shape, element.numpy)
        self._read_queue(queue, result, 0)
        return result

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        """Return the array of the first queue, for `np.asarray(buffer)`."""
        if copy is False:
            raise ValueError("Buffer: a device's memory becomes an array by being copied, which copy=False forbids")
        array = self.read(0)
        return array if dtype is None else array.astype(dtype, copy=False)

    # ---- Device to device

    def fill(self, value: Any = 0, index: int | None = None) -> None:
        """Set every scalar of every element to the number `value`."""
        self._queue(index, "fill")
        numbers = npc.flatten(value)
        if len(numbers) != 1 or not isinstance(numbers[0], (int, float, complex)):
            raise TypeError(f"Buffer.fill: value must be a number (got {shown(value)})")
        note_fractions(numbers, self.var_type, "the buffer")
        packed = pack_numbers(numbers, self.var_type, "the buffer")
        if self.mem_size % 4 or len(packed) > 4 and packed != packed[:4] * (len(packed) // 4):
            self.write(packed * (self.mem_size // len(packed)), index)
            return
        pattern = int.from_bytes((packed * 4)[:4] if len(packed) < 4 else packed[:4], "little")
        for queue in self.context.queues(-2 if index is None else index):
            _native.raw.vd_buffer_fill(self._pointer, 0, self.mem_size, pattern, queue)

    def copy_from(self, source: Buffer) -> None:
        """Copy another buffer of as many bytes into this one, on the device. Elements of another dtype are taken byte by
        byte, with a warning."""
        self._check_alive()
        if not isinstance(source, Buffer):
            cure = "; write(array) takes one" if npc.is_array_like(source) else ""
            raise TypeError(f"Buffer.copy_from: source must be a Buffer (got {type(source).__name__}{cure})")
        source._check_alive()
        if source.mem_size != self.mem_size:
            raise ValueError(
                f"Buffer.copy_from: the source has {source.mem_size} bytes of {source.var_type.name}, "
                f"the buffer {self.mem_size} of {self.var_type.name}"
            )
        if source.context is not self.context:
            raise ValueError("Buffer.copy_from: the source belongs to another context")
        self._note_other(source.var_type, "copy_from: a buffer")
        with _native.naming("Buffer.copy_from"):
            for queue in self.context.queues(-2):
                _native.raw.vd_buffer_copy(source._pointer, 0, self._pointer, 0, self.mem_size, queue)

    def copy(self) -> Buffer:
        """A new buffer with the same contents."""
        self._check_alive()
        result: Buffer = Buffer(self.shape, self.var_type)
        result.copy_from(self)
        return result

    def _destroy(self) -> None:
        self._bind = None
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
            arrays = [self._read_array(queue) for queue in range(self.context.queue_count)]
        except (RuntimeError, MemoryError):  # the device or the context is gone
            return None
        np = npc.numpy_module()
        array = arrays[0] if len(arrays) == 1 else np.stack(arrays) if np is not None else arrays
        return repr(array) if np is None else np.array2string(array, separator=", ")
