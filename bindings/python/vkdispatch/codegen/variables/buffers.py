"""Buffers and shared arrays of a kernel.

An index is one integer, and counts elements from the beginning of the buffer, whatever its shape: row times columns
plus column. `buffer.shape` is the first three axes and, as `.w`, the number of all elements, which is `buffer.size`, too.
Only a checked context checks accesses past the end.

Example:
    @vd.shader("out.size")
    def columns(out: Buff[f32], x: Buff[f32]):
        i = vc.global_invocation_id().x
        out[i] = x[x.shape.y + i] + 10 * x.shape.w  # the second row

    out = vd.empty(3)
    columns(out, vd.asbuffer(np.arange(6, dtype=np.float32).reshape(2, 3)))
    assert list(out.read(0)) == [63, 64, 65]
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from ..._native import enums as e
from ...base import dtype as dt
from .._types import TYPE_OF
from .bound import BoundVariable
from .variables import ShaderVariable, full_slice, index_value

if TYPE_CHECKING:
    from ..hazards import Read
    from ..trace import Trace


class BufferVariable(BoundVariable):
    """A buffer argument or a shared array: `buffer[i]` is its element, `buffer.shape` its shape."""

    __slots__ = ("_length",)

    def __init__(
        self,
        builder: Trace,
        var_type: type[dt.dtype],
        value: int,
        name: str,
        binding: int | None = None,
        length: int | None = None,
    ):
        super().__init__(builder, var_type, value, name, binding)
        self._length = length  # of a shared array

    @property
    def can_index(self) -> bool:
        """True."""
        return True

    @property
    def shape(self) -> ShaderVariable:
        """An ivec4: three dimensions, padded with 1, and the number of elements."""
        b = self._builder
        if self._length is None:
            return ShaderVariable(b, dt.ivec4, b.emit(e.VD_OP_SHAPE, 0, 0, b.location(), self._value))
        parts = [b.literal(n, dt.int32) for n in (self._length, 1, 1, self._length)]
        return ShaderVariable(b, dt.ivec4, b.emit(e.VD_OP_CONSTRUCT, TYPE_OF[dt.ivec4], 0, 0, *parts))

    @property
    def size(self) -> ShaderVariable:
        """The number of elements: shape.w."""
        return self.shape.w

    def __len__(self) -> NoReturn:
        raise TypeError("A buffer's length is no number while tracing: buffer.size is its number of elements")

    def __iter__(self) -> NoReturn:
        raise TypeError("A buffer cannot be iterated over!")

    def __getitem__(self, index: Any) -> ShaderVariable:
        if isinstance(index, slice):
            raise TypeError("Index must be a ShaderVariable or int type, not slice!")
        b = self._builder
        at = b.location()
        number = index_value(b, index, at)
        value = b.emit(e.VD_OP_INDEX, 0, 0, at, self._value, number)
        reads = b.hazards.element(self._value, number, at, None if self.binding is None else self._name)
        if self.var_type is dt.bool_:
            return TruthElement(b, value, at, reads, (self, index))
        return ShaderVariable(b, self.var_type, value, True, False, None, reads, (self, index))

    def __setitem__(self, index: Any, value: Any) -> None:
        if isinstance(index, slice):
            full_slice(index)
            raise TypeError("A buffer cannot be set as a whole: set its elements!")
        super().__setitem__(index, value)

    def _store(self, value: Any) -> None:
        raise TypeError("A buffer cannot be set as a whole: set its elements!")


class TruthElement(ShaderVariable):
    """An element of a buffer of bool_: a byte, whose value is whether it is not 0."""

    __slots__ = ("_place",)

    def __init__(self, builder: Trace, place: int, at: int, reads: tuple[Read, ...], origin: tuple):
        super().__init__(builder, dt.bool_, truth_of_byte(builder, place, at), True, False, None, reads, origin)
        self._place = place

    def _put_truth(self, stored: int, at: int) -> None:
        b = self._builder
        b.emit(e.VD_OP_STORE, 0, 0, at, self._place, b.emit(e.VD_OP_CONVERT, TYPE_OF[dt.uint8], 0, at, stored))


def truth_of_byte(builder: Trace, place: int, at: int) -> int:
    """Whether the byte at a place in memory is not 0."""
    return builder.emit(e.VD_OP_NE, 0, 0, at, place, builder.literal(0, dt.uint8))
