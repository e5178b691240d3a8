"""Elements that an index names: where the first one lies, how many there are on each axis, and how far apart."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any

from ... import _native
from ...compat import numpy_compat as npc
from ..words import shown

_MAX_DIMS = _native.enums.VD_MAX_DIMS


@dataclass(frozen=True)
class Region:
    """Elements of a buffer. `offset` and `strides` are in bytes; the slowest axis comes first."""

    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    item_size: int

    @classmethod
    def whole(cls, shape: tuple[int, ...], item_size: int, offset: int = 0) -> Region:
        """Elements without gaps."""
        strides, step = [], item_size
        for count in reversed(shape):
            strides.append(step)
            step *= count
        return cls(offset, shape, tuple(reversed(strides)), item_size)

    @property
    def size(self) -> int:
        """The number of elements."""
        return npc.prod(self.shape)

    @property
    def nbytes(self) -> int:
        """Bytes of the elements, without those in the gaps."""
        return self.size * self.item_size

    def is_dense(self) -> bool:
        """Whether the elements lie together, in order."""
        dense = Region.whole(self.shape, self.item_size).strides
        return all(n == 1 or a == b for n, a, b in zip(self.shape, self.strides, dense, strict=True))

    def select(self, key: Any, name: str) -> Region:
        """The elements that `name[key]` is. IndexError past the end, ValueError for no elements and for steps backwards."""
        keys = key if isinstance(key, tuple) else (key,)
        given = sum(k is not None and k is not Ellipsis for k in keys)
        if sum(k is Ellipsis for k in keys) > 1:
            raise IndexError(f"{name}: an index has at most one '...'")
        if given > len(self.shape):
            raise IndexError(f"{name}: {given} indices for {len(self.shape)} axes (shape {self.shape})")
        if not any(k is Ellipsis for k in keys):
            keys = (*keys, Ellipsis)
        offset, axis = self.offset, 0
        shape: list[int] = []
        strides: list[int] = []
        for k in keys:
            if k is Ellipsis:
                rest = len(self.shape) - given
                shape += self.shape[axis : axis + rest]
                strides += self.strides[axis : axis + rest]
                axis += rest
                continue
            if k is None:
                shape.append(1)
                strides.append(0)
                continue
            count, stride = self.shape[axis], self.strides[axis]
            if isinstance(k, slice):
                start, stop, step = _bounds(k, count, name)
                shape.append(len(range(start, stop, step)))
                strides.append(stride * step)
            else:
                start = _position(k, count, axis, name)
            offset += start * stride
            axis += 1
        if 0 in shape:
            raise ValueError(
                f"{name}[{shown(key)}] has no elements (shape {tuple(shape)}), and a view has at least one"
            )
        if len(shape) > _MAX_DIMS:
            raise ValueError(f"{name}[{shown(key)}] has {len(shape)} axes; a view has at most {_MAX_DIMS}")
        return Region(offset, tuple(shape), tuple(strides), self.item_size)


def _bounds(key: slice, count: int, name: str) -> tuple[int, int, int]:
    try:
        start, stop, step = key.indices(count)
    except TypeError:
        raise TypeError(f"{name}: a slice is made of integers (got {shown(key)})") from None
    except ValueError as error:
        raise ValueError(f"{name}: {error} (got {shown(key)})") from None
    if step < 0:
        raise ValueError(
            f"{name}: step ({step}) is negative: kernels and copies count elements towards rising addresses, so a view runs no "
            "other way (read()[::-1] reverses NumPy's array)"
        )
    return start, stop, step


def _position(key: Any, count: int, axis: int, name: str) -> int:
    if isinstance(key, bool) or (not isinstance(key, int) and not hasattr(key, "__index__")):
        raise TypeError(
            f"{name}: an index is made of integers, slices, None and '...' (got {shown(key)}); NumPy's array takes lists and "
            "masks: read()[...]"
        )
    try:
        position = operator.index(key)
    except TypeError:
        raise TypeError(
            f"{name}: an index is made of integers and slices (got {shown(key)}); a kernel reads the buffers that it is given "
            "as arguments"
        ) from None
    if not -count <= position < count:
        raise IndexError(f"{name}: index ({position}) is outside axis {axis} of {count} elements")
    return position % count
