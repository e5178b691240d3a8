"""Decorators that make reductions of functions.

A reduction is called with a buffer, or what its map takes, and gives a new buffer: of one element, or of the axes that are
left (`keepdims`: with 1 for the others). Axes that are not there are a ValueError.

Example:
    @vd.reduce.reduce(0, axes=1)
    def row_sums(a: f32, b: f32) -> f32:
        return a + b

    @vd.reduce.map_reduce(vd.reduce.SubgroupMax)
    def largest(x: Buff[f32]) -> f32:
        return vc.abs(x[vd.reduce.mapped_io_index()])

    array = vd.asbuffer(np.array([[1, 2], [3, -9]], np.float32))
    assert row_sums(array).read(0).ravel().tolist() == [3, -6] and largest(array).read(0)[0] == 9
"""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Sequence
from typing import Any

from ..base import dtype as dt
from ..base.buffer import Buffer
from ..base.errors import WrongTypeError
from ..base.remarks import warn_of
from ..base.words import bracketed
from ..codegen import arguments as ann
from ..codegen.mapping import MappingFunction, map_function
from ..codegen.signature import check_function, resolve_annotation
from .operations import ReduceOp
from .reduce_function import ReduceFunction


def _return_type(func: Callable) -> Any:
    check_function(func, "A reduction")
    annotation = inspect.signature(func).return_annotation
    if annotation is inspect.Signature.empty:
        raise ValueError(
            f"Return type must be annotated: write what reduction '{_name(func)}' gives behind it, as in "
            f"'def {_name(func)}(...) -> f32'!"
        )
    out_type = resolve_annotation(annotation, func, "return")
    try:
        result = dt.as_dtype(out_type)
    except TypeError:
        raise ValueError(
            f"Return type must be annotated with a dtype: that of reduction '{_name(func)}' is none (got {out_type!r})!"
        ) from None
    if result is dt.bool_:
        raise ValueError(
            f"Reduction '{_name(func)}' combines numbers, and bool_ is none: take vd.uint8, or map the truths to vd.uint32 (vc.to_uint)."
        )
    return result


def _name(func: Any) -> str:
    return getattr(func, "__name__", "reduction")


def _note_parameters(func: Callable, out_type: Any) -> None:
    """Warn of parameters whose annotations differ from the result's type, which both values have."""
    said = []
    for name, parameter in list(inspect.signature(func).parameters.items())[:2]:
        try:
            given = resolve_annotation(parameter.annotation, func, name)
        except TypeError:  # a name for readers and type checkers, which is nowhere at run time
            continue
        told = typing.get_args(given)
        argument = len(told) == 1 and dt.is_dtype(told[0])
        if argument or dt.is_dtype(given) and given is not out_type:
            kind = getattr(typing.get_origin(given), "__name__", "") if argument else ""
            said.append(f"{name}: {kind}[{told[0].name}]" if argument else f"{name}: {given.name}")
    if said:
        warn_of(
            func,
            f"reduction '{_name(func)}' of type '{out_type.name}': both values are of that type, and not what their annotations say "
            f"({', '.join(said)}). To reduce what is made of buffers of other types, give a mapping_function.",
        )


def reduce(
    identity: Any,
    axes: Sequence[int] | int | None = None,
    group_size: int | None = None,
    mapping_function: MappingFunction | None = None,
    keepdims: bool = False,
) -> Callable[[Callable], ReduceFunction]:
    """Make a reduction of a function of two values, which must be associative and commutative.

    It reduces the elements of a buffer, or what `mapping_function` makes of its arguments.
    """
    if callable(identity):
        raise ValueError(
            f"reduce takes the value that changes nothing, not the function itself: write @vd.reduce.reduce(0) above "
            f"'{getattr(identity, '__name__', 'function')}'!"
        )

    if isinstance(identity, Buffer):
        raise WrongTypeError(f'identity {bracketed(identity)} must be a number, "inf" or "-inf"!')

    def decorate(func: Callable) -> ReduceFunction:
        out_type = _return_type(func)
        if mapping_function is not None and mapping_function.return_type is not out_type:
            raise ValueError(
                f"The mapping function must return what is reduced ({out_type.name}), not "
                f"{getattr(mapping_function.return_type, 'name', None)}!"
            )
        name = _name(func)
        try:
            inspect.signature(func).bind(None, None)
        except TypeError as error:
            raise ValueError(f"'{name}' must take the two values that become one: {error}!") from None
        _note_parameters(func, out_type)
        reduction = ReduceOp(name, func, identity)
        types = [ann.Buffer[out_type]] if mapping_function is None else mapping_function.buffer_types  # type: ignore[valid-type]
        return ReduceFunction(reduction, out_type, group_size, mapping_function, types, axes, keepdims, name)

    return decorate


def map_reduce(
    reduction: ReduceOp,
    axes: Sequence[int] | int | None = None,
    group_size: int | None = None,
    keepdims: bool = False,
) -> Callable[[Callable], ReduceFunction]:
    """Make a reduction of a function that gives an element: its index is mapped_io_index()."""
    if not isinstance(reduction, ReduceOp):
        raise WrongTypeError(
            f"Expected a ReduceOp as the reduction (got {type(reduction).__name__})! Write "
            "@vd.reduce.map_reduce(vd.reduce.SubgroupAdd), for one."
        )

    def decorate(func: Callable) -> ReduceFunction:
        out_type = _return_type(func)
        mapping = map_function(func)

        return ReduceFunction(
            reduction, out_type, group_size, mapping, mapping.buffer_types, axes, keepdims, _name(func)
        )

    return decorate
