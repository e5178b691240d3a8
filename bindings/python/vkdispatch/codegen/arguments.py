"""Annotations of kernel parameters: `Buffer[T]`, `Constant[T]`, `Variable[T]`, `Image2D[T]` and so on.

They only annotate. What a kernel is given in their place are variables of the classes that they derive from, so that editors
know what can be done with a parameter.

`Buff[T]` is a buffer of the caller's, indexed by one integer. `Const[T]` is a value taken when a launch is recorded,
`Var[T]` one that a graph's submission reads. A parameter without one of them is a ValueError that names it.
`Const`, `Buff`, `Var` and `Img1` to `Img3` are short names.

`Image2D[f32]` is an image whose sampler the call gives: `sample()` and `load()` give a vec4, of `Image2D[i32]` an ivec4, of
`Image2D[u32]` a uvec4. `StorageImage2D[vec4]` is one that the kernel loads and stores itself; its format is given by the
dtype of a texel, or as an image_format.

Example:
    @vd.shader("out.size")
    def line(out: Buff[f32], slope: Const[f32], shift: Var[f32] = 1.0):
        i = vc.global_invocation_id().x
        out[i] = slope * i + shift

    out = vd.empty(4)
    line(out, 2.0)
    assert list(out.read(0)) == [1, 3, 5, 7]
"""

from __future__ import annotations

import dataclasses
import typing
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar, Union

from ..base import dtype as dt
from ..base.dtype import dtype
from ..base.image import image_format
from .variables.bound_variables import BufferVariable
from .variables.images import SampledImageVariable, StorageImageVariable
from .variables.variables import ShaderVariable

_ArgType = TypeVar("_ArgType", bound=dtype)
_ArgCount = TypeVar("_ArgCount", bound=int)  # noqa: PYI018


if TYPE_CHECKING:
    # A parameter's default is a number, and the body sees a variable: the base Any permits every default, and the
    # attributes are still those of a variable.
    class _Constant(ShaderVariable, Generic[_ArgType]): ...

    class _Variable(ShaderVariable, Generic[_ArgType]): ...

    Constant: TypeAlias = Union[Any, _Constant[_ArgType]]  # noqa: UP007
    Variable: TypeAlias = Union[Any, _Variable[_ArgType]]  # noqa: UP007
    Const: TypeAlias = Union[Any, _Constant[_ArgType]]  # noqa: UP007 (an alias of an alias has no parameter)
    Var: TypeAlias = Union[Any, _Variable[_ArgType]]  # noqa: UP007
else:

    class Constant(ShaderVariable, Generic[_ArgType]):
        """A value that is fixed when a launch is recorded."""

        __slots__ = ()

    class Variable(ShaderVariable, Generic[_ArgType]):
        """A value that may change between submissions of a recorded launch."""

        __slots__ = ()

    Const = Constant
    Var = Variable


class Buffer(BufferVariable, Generic[_ArgType]):
    """A buffer of elements of type T."""

    __slots__ = ()


class Image1D(SampledImageVariable, Generic[_ArgType]):
    """A sampled image of one dimension."""

    __slots__ = ()
    dimensions = 1


class Image2D(SampledImageVariable, Generic[_ArgType]):
    """A sampled image of two dimensions."""

    __slots__ = ()
    dimensions = 2


class Image2DArray(SampledImageVariable, Generic[_ArgType]):
    """Layers of sampled images of two dimensions."""

    __slots__ = ()
    dimensions = 2
    layered = True


class Image3D(SampledImageVariable, Generic[_ArgType]):
    """A sampled image of three dimensions."""

    __slots__ = ()
    dimensions = 3


class StorageImage1D(StorageImageVariable, Generic[_ArgType]):
    """An image of one dimension that the kernel loads and stores. T is the dtype of a texel, as vec4, or an image_format."""

    __slots__ = ()
    dimensions = 1


class StorageImage2D(StorageImageVariable, Generic[_ArgType]):
    """An image of two dimensions that the kernel loads and stores."""

    __slots__ = ()
    dimensions = 2


class StorageImage2DArray(StorageImageVariable, Generic[_ArgType]):
    """Layers of images of two dimensions that the kernel loads and stores."""

    __slots__ = ()
    dimensions = 2
    layered = True


class StorageImage3D(StorageImageVariable, Generic[_ArgType]):
    """An image of three dimensions that the kernel loads and stores."""

    __slots__ = ()
    dimensions = 3


class _ValueArray:
    """An annotation that is refused: the values of a launch are scalars, vectors, matrices and structs."""

    def __class_getitem__(cls, item: object) -> None:
        raise NotImplementedError(
            f"{cls.__name__}: the values of a launch are scalars, vectors, matrices and dataclasses of them, not arrays of "
            "values; pass an array in a buffer (vc.Buff)!"
        )


class ConstantArray(_ValueArray):
    """An array of values that are fixed when a launch is recorded: refused, a buffer takes its place."""


class VariableArray(_ValueArray):
    """An array of values that may change between submissions: refused, a buffer takes its place."""


ConstArr = ConstantArray
VarArr = VariableArray


_STORAGE = (StorageImage1D, StorageImage2D, StorageImage2DArray, StorageImage3D)
_KINDS = (Buffer, Constant, Variable, Image1D, Image2D, Image2DArray, Image3D, *_STORAGE)


def check_annotation(annotation: Any, name: str) -> Any:
    """`annotation` itself if it can annotate a kernel's parameter: `Buffer[T]` and its like, or a dataclass."""
    if isinstance(annotation, type) and dataclasses.is_dataclass(annotation):
        return annotation
    arguments = typing.get_args(annotation)
    if not arguments:
        raise TypeError(
            f"Argument '{name}' must have a type annotation like Buff[f32] for a buffer or Const[f32] for a value, not "
            f"{annotation!r}"
        )
    if len(arguments) != 1:
        raise ValueError(f"Type '{annotation}' of argument '{name}' must have exactly one type argument")
    if typing.get_origin(annotation) not in _KINDS:
        raise ValueError(f"Unsupported type '{annotation}' of argument '{name}'")
    if dt.is_dtype(arguments[0]):
        return annotation
    if typing.get_origin(annotation) in _STORAGE and isinstance(arguments[0], image_format):
        return annotation
    element = arguments[0]
    if isinstance(element, typing.ForwardRef):  # Buff["float32"]
        element = element.__forward_arg__
    try:
        return typing.get_origin(annotation)[dt.as_dtype(element)]
    except TypeError:
        raise TypeError(f"Argument '{name}': {arguments[0]!r} is not a dtype") from None
