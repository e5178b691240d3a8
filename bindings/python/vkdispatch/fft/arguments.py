"""The arguments of helpers that take several passes: options by position, and which argument is whose."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import typing
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from ..base.buffer import Buffer
from ..codegen import arguments as ann
from ..codegen.mapping import MappingFunction
from ..execution_pipeline.command_graph import CommandGraph

_F = TypeVar("_F", bound=Callable[..., None])


def buffers_first(*names: str) -> Callable[[_F], _F]:
    """Let a function of `*buffers` take its first buffers by name, and its options by position, as vkdispatch 0.1 does.

    The buffers end at the first argument that is a graph, a map or None.
    """

    def decorate(function: _F) -> _F:
        parameters = inspect.signature(function).parameters.values()
        options = [p.name for p in parameters if p.kind is inspect.Parameter.KEYWORD_ONLY]

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> None:
            if len(args) == 1 and kwargs.keys().isdisjoint(names):
                return function(*args, **kwargs)
            ends = (i for i, a in enumerate(args) if a is None or isinstance(a, CommandGraph | MappingFunction))
            end = next(ends, len(args))
            places = [*names[min(end, len(names)) :], *options]
            if len(args) - end > len(places):
                raise TypeError(f"{function.__name__}() takes {len(names) + len(options)} arguments at most!")
            for place, value in zip(places, args[end:], strict=False):
                if place in kwargs:
                    raise TypeError(f"{function.__name__}() got several values for argument '{place}'!")
                kwargs[place] = value
            named = [kwargs.pop(name) for name in names if name in kwargs]
            return function(*args[:end], *(value for value in named if value is not None), **kwargs)

        return call  # type: ignore[return-value]

    return decorate


@dataclasses.dataclass
class Parts:
    """The arguments of a helper, and where its passes work between the maps."""

    output: list[Any]
    input: list[Any]
    kernel: list[Any]
    #: None: in a buffer of the library's.
    between: Any


def _only_buffers(mapping: MappingFunction | None) -> bool:
    return mapping is None or all(issubclass(typing.get_origin(a) or a, ann.Buffer) for a in mapping.buffer_types)


def parts_of(
    name: str,
    buffers: Sequence[Any],
    input_map: MappingFunction | None,
    output_map: MappingFunction | None,
    kernel_map: MappingFunction | None = None,
    takes_kernel: bool = False,
) -> Parts:
    """Whose argument each is: the output's, then the input's, then the kernel's; or one buffer for output and input."""
    outputs = 1 if output_map is None else len(output_map.buffer_types)
    inputs = (0 if output_map is None else 1) if input_map is None else len(input_map.buffer_types)
    kernels = (1 if kernel_map is None else len(kernel_map.buffer_types)) if takes_kernel else 0
    given = list(buffers)
    if not given:
        raise ValueError("At least one buffer must be provided")
    shared = _only_buffers(input_map) and _only_buffers(output_map)
    if len(given) == 1 + kernels and shared:
        buffer = given[0]
        if not isinstance(buffer, Buffer):
            raise ValueError(f"Expected a buffer for argument 'buffer' (got {type(buffer).__name__})!")
        return Parts([buffer] * outputs, [buffer] * inputs, given[1:], buffer)
    if len(given) == outputs + inputs + kernels:
        between = given[0] if output_map is None else None
        return Parts(given[:outputs], given[outputs : outputs + inputs], given[outputs + inputs :], between)
    if input_map is None and output_map is None and not takes_kernel:
        raise ValueError(f"{name}() expects exactly one buffer unless input_map/output_map are used")
    wanted = [(outputs, "output"), (inputs, "input"), (kernels, "kernel")]
    told = ", ".join(f"{count} of the {part}" for count, part in wanted if count)
    short = ", or one buffer for all" if inputs and shared and not takes_kernel else ""
    raise ValueError(
        f"{name}() takes {outputs + inputs + kernels} argument(s) ({told}){short}, but {len(given)} were given!"
    )
