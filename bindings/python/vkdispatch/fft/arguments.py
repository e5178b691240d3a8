"""The arguments of helpers that take several passes: options by position, and which argument is whose."""

from __future__ import annotations

import dataclasses
import difflib
import functools
import inspect
import typing
from collections.abc import Callable, Collection, Sequence
from typing import Any, TypeVar

from ..base.buffer import Buffer
from ..base.errors import WrongTypeError
from ..base.words import tensor_cure
from ..codegen import arguments as ann
from ..codegen.mapping import MappingFunction
from ..execution_pipeline.command_graph import CommandGraph

_F = TypeVar("_F", bound=Callable[..., Any])


def buffers_first(*names: str) -> Callable[[_F], _F]:
    """Let a function of `*buffers` take its first buffers by name, and its options by position, as vkdispatch 0.1 does.

    The buffers end at the first argument that is a graph, a map or None. Parameters of maps may be left to their defaults,
    and named.
    """

    def decorate(function: _F) -> _F:
        parameters = inspect.signature(function).parameters.values()
        options = [p.name for p in parameters if p.kind is inspect.Parameter.KEYWORD_ONLY]
        plain = frozenset(options) - {"output_map", "input_map", "kernel_map"}

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> None:
            if len(args) == 1 and plain.issuperset(kwargs):
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
            buffers = [*args[:end], *(value for value in named if value is not None)]
            maps = kwargs.get("output_map"), kwargs.get("input_map"), kwargs.get("kernel_map")
            # With maps that may be a parameter of theirs; without, it is where the result goes.
            own = [name for name in options if name != "out" or maps[:2] == (None, None)]
            keywords = {name: kwargs.pop(name) for name in list(kwargs) if name not in own}
            given = complete(function.__name__, buffers, maps, "kernel" in names, keywords, options, shared=True)
            return function(*given, **kwargs)

        return call  # type: ignore[return-value]

    return decorate


def refuse_other_keywords(**hints: str) -> Callable[[_F], _F]:
    """Let a function name the keyword that is probably meant where it does not take one; `hints` come before those of all."""

    def decorate(function: _F) -> _F:
        own = tuple(inspect.signature(function).parameters)
        known = frozenset(own)

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            if not known.issuperset(kwargs):
                other = next(keyword for keyword in kwargs if keyword not in known)
                raise _unknown_keyword(function.__name__, other, own, hints.get(other))
            return function(*args, **kwargs)

        return call  # type: ignore[return-value]

    return decorate


# Keywords of numpy.fft's functions, and their counterparts here.
_AXES = "; fft() takes one axis=, fftn() and ifftn() several axes="
_LENGTH = "; the lengths are the buffer's, or buffer_shape's, and fft(input_signal_range=(0, n)) takes what lies past n for zero"
_NUMPYS = {
    "axis": _AXES,
    "axes": _AXES,
    "n": _LENGTH,
    "s": _LENGTH,
    "norm": "; nothing is scaled forward, and 1/n back unless normalize=False (normalize_inverse=False of fft())",
}


def _unknown_keyword(name: str, keyword: str, options: Collection[str], hint: str | None = None) -> TypeError:
    """The error of a call with a keyword that the function does not take."""
    axes = next((option for option in ("axis", "axes") if option in options), None)
    if hint is None and axes is not None and keyword in ("axis", "axes"):
        hint = f"; {name}() takes {axes}=" + (
            ", and fftn() and ifftn() several axes=" if name in ("fft", "ifft") else ""
        )
    elif hint is None:
        hint = _NUMPYS.get(keyword)
    if hint is None:
        close = difflib.get_close_matches(keyword, options, 1)
        hint = f". Did you mean '{close[0]}'?" if close else ""
    return TypeError(f"{name}() got an unexpected keyword argument '{keyword}'{hint}")


@dataclasses.dataclass
class _Parameter:
    """An argument of a call: of a map, or a buffer of the call's own."""

    part: str
    name: str
    is_buffer: bool
    default: Any = None
    of_map: bool = True


def _parameters(maps: Sequence[tuple[str, MappingFunction | None]], out_of_place: bool) -> list[_Parameter]:
    result = []
    for part, mapping in maps:
        if mapping is not None:
            for (name, default), annotation in zip(mapping.names_and_defaults, mapping.buffer_types, strict=True):
                result.append(_Parameter(part, name, _is_buffer(annotation), default))
        elif part != "input" or out_of_place:
            result.append(_Parameter(part, part, True, of_map=False))
    return result


def complete(
    name: str,
    buffers: Sequence[Any],
    maps: tuple[Any, Any, Any],
    takes_kernel: bool,
    keywords: dict[str, Any],
    options: Collection[str] = (),
    shared: bool = False,
) -> Sequence[Any]:
    """All arguments of a call by position. Parameters of maps may be named; parameters from the last one on that are
    not given get their defaults. With `shared` one buffer may stand for all of output and input. `options` are the
    keywords that the function takes besides.
    """
    if not keywords and maps == (None, None, None):
        return buffers
    if any(mapping is not None and not isinstance(mapping, MappingFunction) for mapping in maps):
        return buffers  # which is said elsewhere
    if not keywords and not any(mapping is not None and mapping.has_defaults for mapping in maps):
        return buffers
    sides = list(zip(("output", "input", "kernel"), maps, strict=True))
    parameters = _parameters(sides[: 3 if takes_kernel else 2], maps[0] is not None)
    values = _named(name, parameters, keywords, options)
    rest = [i for i in range(len(parameters)) if i not in values]
    optional = [i for i in rest if parameters[i].default is not None]
    missing = len(rest) - len(buffers)
    if missing <= 0 and not keywords:
        return buffers
    left_out = optional[-missing:] if 0 < missing <= len(optional) else optional if missing > 0 else []
    values |= {i: parameters[i].default for i in left_out}
    wanted = [i for i in range(len(parameters)) if i not in values]
    own = [i for i in wanted if parameters[i].part != "kernel"]
    given = list(buffers)
    if shared and len(given) == 1 + len(wanted) - len(own) and all(parameters[i].is_buffer for i in own):
        given = [*given[:1] * len(own), *given[1:]]
    if len(given) < len(wanted):
        lacking = parameters[wanted[len(given)]].name
        raise ValueError(
            f"Missing argument '{lacking}'! {name}() takes ({', '.join(p.name for p in parameters)}) here."
        )
    values |= dict(zip(wanted, given, strict=False))
    return [*(values[i] for i in range(len(parameters))), *given[len(wanted) :]]


def _named(
    name: str, parameters: Sequence[_Parameter], keywords: dict[str, Any], options: Collection[str]
) -> dict[int, Any]:
    """The values of parameters of maps that are given by name."""
    values = {}
    own = [p.name for p in parameters if p.of_map]
    for keyword, value in keywords.items():
        places = [i for i, p in enumerate(parameters) if p.of_map and p.name == keyword]
        if len(places) > 1:
            raise TypeError(f"{name}(): '{keyword}' is a parameter of several maps, and is given by position then!")
        if not places:
            hint = f"; its maps have the parameters {', '.join(own)}" if own else None
            raise _unknown_keyword(name, keyword, options, hint)
        values[places[0]] = value
    return values


@dataclasses.dataclass
class Parts:
    """The arguments of a helper, and where its passes work between the maps."""

    output: list[Any]
    input: list[Any]
    kernel: list[Any]
    #: None: in a buffer of the library's.
    between: Any


def _is_buffer(annotation: Any) -> bool:
    return issubclass(typing.get_origin(annotation) or annotation, ann.Buffer)


def _only_buffers(mapping: MappingFunction | None) -> bool:
    return mapping is None or all(map(_is_buffer, mapping.buffer_types))


def called_as(inverse: Any, r2c: Any) -> str:
    """The name in messages of the function that such a transform is."""
    return f"{'i' if inverse else ''}{'r' if r2c else ''}fft()"


def not_one_buffer(name: str) -> ValueError:
    """The error of a call without maps that has no buffer, or several."""
    return ValueError(
        f"{name}() expects exactly one buffer unless input_map/output_map are used; out= is another one that it writes"
    )


def parts_of(
    name: str,
    buffers: Sequence[Any],
    input_map: MappingFunction | None,
    output_map: MappingFunction | None,
    kernel_map: MappingFunction | None = None,
    takes_kernel: bool = False,
) -> Parts:
    """Assign the arguments: the output's, then the input's, then the filter's; or one buffer for output and input."""
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
            raise WrongTypeError(
                f"Expected a buffer for argument 'buffer' (got {type(buffer).__name__})!{tensor_cure(buffer)}"
            )
        return Parts([buffer] * outputs, [buffer] * inputs, given[1:], buffer)
    if len(given) == outputs + inputs + kernels:
        between = given[0] if output_map is None else None
        return Parts(given[:outputs], given[outputs : outputs + inputs], given[outputs + inputs :], between)
    if input_map is None and output_map is None and not takes_kernel:
        raise not_one_buffer(name)
    wanted = [(outputs, "output"), (inputs, "input"), (kernels, "kernel")]
    told = ", ".join(f"{count} of the {part}" for count, part in wanted if count)
    sides = [("output", output_map), ("input", input_map), ("kernel", kernel_map)]
    names = [parameter.name for parameter in _parameters(sides[: 3 if takes_kernel else 2], output_map is not None)]
    short = ", or one buffer for all" if inputs and shared and not takes_kernel else ""
    raise ValueError(
        f"{name}() takes {outputs + inputs + kernels} argument(s) ({told}){short}, but {len(given)} were given! They are "
        f"({', '.join(names)})."
    )


def check_count(
    name: str,
    buffers: Sequence[Any],
    input_map: MappingFunction | None,
    output_map: MappingFunction | None,
    kernel_map: MappingFunction | None,
    kernel_num: Any,
) -> None:
    """ValueError for more arguments than a convolution of lines takes, which says whose they are."""
    parameters = _parameters(
        [("output", output_map), ("input", input_map), ("kernel", kernel_map)], output_map is not None
    )
    if len(buffers) <= len(parameters):
        return
    signal = ""
    if all(parameter.part != "input" for parameter in parameters):
        what = "the first part of the results' buffer" if kernel_num != 1 else "what the output holds"
        signal = f" The signal is {what}, or what an input_map reads."
    raise ValueError(
        f"{name}() takes {len(parameters)} argument(s), but {len(buffers)} were given! They are "
        f"({', '.join(parameter.name for parameter in parameters)}).{signal}"
    )
