"""Map functions: snippets of a kernel with typed parameters, which generated kernels take in.

They are made by vd.map, or here of a function and types.

Example:
    def doubled(x):
        return 2 * x[vd.reduce.mapped_io_index()]

    mapping = vc.map_function(doubled, f32, [Buff[f32]])
    assert mapping.return_type is vd.float32 and mapping.buffer_types == [Buff[f32]]
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ..base import dtype as dt
from .functions.control_flow import scope_block
from .functions.registers import new_register
from .signature import check_annotation, check_function, function_signature, resolve_annotation
from .variables.variables import ShaderVariable

if TYPE_CHECKING:
    import uuid


def _new_id() -> uuid.UUID:
    import uuid  # which takes as long as some ten modules of ours, and few programs have maps

    return uuid.uuid4()


@dataclasses.dataclass(frozen=True, eq=False)
class MappingFunction:
    """A snippet that FFTs and reductions run on each element. Two of them are equal if one is the other."""

    #: The parameters' annotations.
    buffer_types: list[Any]
    #: The dtype of what it returns; None for a procedure.
    return_type: type[dt.dtype] | None
    #: The function itself.
    mapping_function: Callable
    #: An id that no other map has.
    instance_id: uuid.UUID = dataclasses.field(default_factory=_new_id)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MappingFunction) and self.instance_id == other.instance_id

    def __hash__(self) -> int:
        return hash(self.instance_id)

    @functools.cached_property
    def names_and_defaults(self) -> list[tuple[str, Any]]:
        """The name and the default of each parameter; a default of None means that there is none."""
        try:
            parameters = list(inspect.signature(self.mapping_function).parameters.values())
        except (TypeError, ValueError):
            parameters = []
        if len(parameters) != len(self.buffer_types):
            return [(f"param{i}", None) for i in range(len(self.buffer_types))]
        return [(p.name, None if p.default is p.empty else p.default) for p in parameters]

    @functools.cached_property
    def has_defaults(self) -> bool:
        """Whether a call may leave out an argument."""
        return any(default is not None for _, default in self.names_and_defaults)

    def callback(self, *args: Any) -> ShaderVariable | None:
        """Write the snippet here, in a scope of its own. The result is a register with the function's result."""
        return self.written(*args)[0]

    def written(self, *args: Any) -> tuple[ShaderVariable | None, Any]:
        """The same, with the function's own result too."""
        result = new_register(self.return_type) if self.return_type is not None else None
        with scope_block(comment=f"map {getattr(self.mapping_function, '__name__', '')}".rstrip()):
            value = self.mapping_function(*args)
            if result is not None:
                set_result(result, value, self.mapping_function, "map")
        return result, value


def set_result(result: ShaderVariable, value: Any, function: Callable, what: str) -> None:
    """Store the result of a user's function; the error for a value that does not fit names the place of the
    function."""
    code = getattr(function, "__code__", None)
    place = f"{code.co_filename}:{code.co_firstlineno}: " if code is not None else ""
    where = (
        f"{place}{what} '{getattr(function, '__name__', what)}' of type '{result.var_type.name}' must return a value"
    )
    if value is None:
        raise ValueError(f"{where}!")
    try:
        result[:] = value
    except TypeError as error:
        raise TypeError(f"{where} of that type: {error}") from None
    except ValueError as error:
        raise ValueError(f"{where} of that type: {error}") from None


def map_function(
    func: Callable, return_type: type[dt.dtype] | None = None, input_types: Sequence[Any] | None = None
) -> MappingFunction:
    """A map from a function. The types come from its annotations unless given."""
    check_function(func, "A map")
    if return_type is None:
        annotation = inspect.signature(func).return_annotation
        if annotation is not inspect.Signature.empty:
            return_type = resolve_annotation(annotation, func, "return")
    if return_type is not None and not dt.is_dtype(return_type):
        return_type = dt.as_dtype(return_type, "The return type of a map")
    if input_types is None:
        annotations = function_signature(func)[0]
    else:
        annotations = [check_annotation(t, f"param{i}") for i, t in enumerate(input_types)]
    return MappingFunction(annotations, return_type, func)
