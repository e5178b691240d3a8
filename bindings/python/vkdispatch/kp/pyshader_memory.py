"""Structs in memory, and memory that a shader only reads. The values of a struct lie without gaps, 4 bytes each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from ..base import dtype as dt
from ..codegen.functions.bit_casts import float_bits_to_uint, uint_bits_to_float
from ..codegen.functions.casts import to_dtype
from ..codegen.variables.variables import ShaderVariable, scalars_of
from .pyshader_types import Array, ShaderType, Struct

_READS: dict[Any, Callable[[Any], Any]] = {
    dt.float32: uint_bits_to_float,
    dt.int32: lambda word: to_dtype(dt.int32, word),
    dt.uint32: lambda word: word,
}


def words_of(kind: Any) -> int:
    """The 32-bit words that a type takes; TypeError for one that has no place in a struct."""
    if isinstance(kind, Struct):
        return sum(map(words_of, kind.fields.values()))
    if isinstance(kind, Array):
        if kind.length is None:
            raise TypeError(f"{kind!r}: an array inside of a struct has a length")
        return kind.length * words_of(kind.subtype)
    scalar = kind.dtype.scalar or kind.dtype
    if scalar not in _READS:
        raise TypeError(f"{kind!r}: the values of a struct are made of f32, i32 and u32")
    return kind.dtype.item_size // 4


class Member(ShaderVariable):
    """A value of a struct: `+=` makes a new value, which is then stored in its place."""

    __slots__ = ()


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor", "lshift", "rshift"):
    setattr(Member, f"__i{_name}__", getattr(ShaderVariable, f"__{_name}__"))


class Reading:
    """Memory that a shader reads by `memory[i]`, and does not store to."""

    def __init__(self, memory: Any):
        self._memory = memory

    def __getitem__(self, index: Any) -> Any:
        value = self._memory[index]
        return value._same() if isinstance(value, ShaderVariable) else value


class View:
    """A struct or array at a place among the words of a buffer: `view.field` or `view[i]`."""

    #: Stores to it go to memory, in branches and loops too.
    is_kernel_memory = True

    def __init__(self, words: Any, kind: Any, offset: Any, writable: bool):
        vars(self).update(_words=words, _kind=kind, _offset=offset, _writable=writable)

    def _field(self, name: str) -> tuple[Any, Any]:
        kind = self._kind
        if isinstance(kind, Struct) and name in kind.fields:
            offset = self._offset
            for other, its in kind.fields.items():
                if other == name:
                    return its, offset
                offset = offset + words_of(its)
        raise AttributeError(f"{kind!r} has no field '{name}'")

    def _element(self, index: Any) -> tuple[Any, Any]:
        kind = self._kind
        if not isinstance(kind, Array):
            raise TypeError(f"{kind!r} has fields, and no elements")
        if isinstance(index, int) and kind.length is not None and not 0 <= index < kind.length:
            raise IndexError(f"element {index} of {kind!r}")
        return kind.subtype, self._offset + index * words_of(kind.subtype)

    def __getattr__(self, name: str) -> Any:
        return self._read(*self._field(name))

    def __getitem__(self, index: Any) -> Any:
        return self._read(*self._element(index))

    def __setattr__(self, name: str, value: Any) -> None:
        self._write(*self._field(name), value)

    def __setitem__(self, index: Any, value: Any) -> None:
        self._write(*self._element(index), value)

    def _read(self, kind: Any, offset: Any) -> Any:
        if isinstance(kind, Struct | Array):
            return View(self._words, kind, offset, self._writable)
        read = _READS[kind.dtype.scalar or kind.dtype]
        made = to_dtype(kind.dtype, *[read(self._words[offset + i]._same()) for i in range(words_of(kind))])
        return Member(made._builder, made.var_type, made._value, reads=made._reads)

    def _write(self, kind: Any, offset: Any, value: Any) -> None:
        if not self._writable:
            _refuse()
        if not isinstance(kind, ShaderType):
            raise TypeError(f"{kind!r} is stored by its parts")
        t: Any = kind.dtype
        if isinstance(value, ShaderVariable) and value.var_type is not t:
            raise TypeError(
                f"a value of type {value.var_type.name} cannot be stored where {kind!r} is: {kind!r}(...) converts"
            )
        whole = to_dtype(t, value).to_register()
        columns = [whole[i] for i in range(t.child_count)] if dt.is_matrix(t) else [whole]
        for i, part in enumerate(part for column in columns for part in scalars_of(column)):
            bits = float_bits_to_uint(part) if part.var_type is dt.float32 else to_dtype(dt.uint32, part)
            self._words[offset + i] = bits


def _refuse() -> NoReturn:
    raise TypeError("a uniform is not stored to: a shader stores to buffers")


class Sampler:
    """The way of sampling that a texture's sample() is given: between the nearest texels, and of integers the nearest one.

    Places past the edges have the edges' texels. A Manager binds nothing for it.
    """


class Texture:
    """An image whose texels a shader reads and writes by whole coordinates: (column, row)."""

    is_kernel_memory = True

    def __init__(self, image: Any):
        self._image = image

    def read(self, coordinates: Any) -> Any:
        """A texel, as a vector of four."""
        return self._image.load(coordinates)

    def write(self, coordinates: Any, value: Any) -> None:
        """Store a texel: a vector, or a number for the first channel."""
        self._image.store(coordinates, value)

    def sample(self, sampler: Any, coordinates: Any) -> Any:
        """Refused: the image is one that shaders store to."""
        raise TypeError(
            'texture.sample(): a texture of a format is read and written; one that is sampled has none, as in "2d f32"'
        )


class SampledTexture(Texture):
    """An image that a shader reads, and samples at places from 0 to 1 along each axis."""

    def write(self, coordinates: Any, value: Any) -> None:
        """Refused: the image has no format."""
        raise TypeError('texture.write(): a texture that is written has a format, as in "2d r32f"')

    def sample(self, sampler: Any, coordinates: Any) -> Any:
        """The texels around a place, as a vector of four; of an array of layers the last coordinate is the layer."""
        if not isinstance(sampler, Sampler):
            raise TypeError(f"texture.sample(): sampler ({sampler!r}) is no parameter of kind sampler")
        image, size = self._image, self._image.size()
        is_vector = isinstance(coordinates, ShaderVariable) and coordinates.var_type.child_count > 0
        is_list = is_vector or isinstance(coordinates, (tuple, list))
        count = image.dimensions + image.layered
        given = [coordinates[i] for i in range(count)] if is_list else [coordinates]
        if len(given) != count:
            raise TypeError(f"texture.sample(): a place in this texture has {count} coordinates, and one is given")
        # Kernels count in texels from the first one's center.
        places = [given[i] * to_dtype(dt.float32, size[i]) - 0.5 for i in range(image.dimensions)]
        return image.sample([*places, *given[image.dimensions :]])
