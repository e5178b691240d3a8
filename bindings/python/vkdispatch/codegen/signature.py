"""From a Python function to a kernel: its parameters' annotations, and the trace of its body."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from types import FrameType
from typing import Any

from ..base import dtype as dt
from ..base.remarks import Place, caution
from ..base.words import shown
from .arguments import check_annotation
from .builder import ShaderFlags
from .context import shader_context
from .frames import returning_line
from .shader_description import ShaderDescription

#: Keywords of a launch, which no parameter may be named.
RESERVED_NAMES = ("graph", "exec_size", "workgroups", "counts_from")


def check_function(function: Any, what: str) -> None:
    """TypeError unless it can be called."""
    if not callable(function):
        raise TypeError(f"{what} is made of a function (got {shown(function)})!")


def function_signature(function: Callable) -> tuple[list[Any], list[str], list[Any]]:
    """Annotations, names and defaults of a function's parameters. A default of None means that there is none."""
    check_function(function, "A kernel")
    if (
        inspect.isgeneratorfunction(function)
        or inspect.iscoroutinefunction(function)
        or inspect.isasyncgenfunction(function)
    ):
        raise TypeError(
            f"'{function.__name__}' is a generator or coroutine ('yield' or 'async' is in it), which no kernel is made of!"
        )
    annotations, names, defaults = [], [], []
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise ValueError(f"Parameter '*{name}' of '{function.__name__}': a kernel has a fixed number of parameters")
        if parameter.kind is parameter.KEYWORD_ONLY:
            raise ValueError(
                f"Parameter '{name}' of '{function.__name__}' is behind '*': a kernel's parameters have places, and names besides"
            )
        if parameter.annotation is parameter.empty:
            raise ValueError(f"All parameters must be annotated: '{name}' of '{function.__name__}' is not")
        annotations.append(check_annotation(resolve_annotation(parameter.annotation, function, name), name))
        names.append(name)
        defaults.append(None if parameter.default is parameter.empty else parameter.default)
    return annotations, names, defaults


def resolve_annotation(annotation: Any, function: Callable, name: str) -> Any:
    """A string annotation as the object that it names: in the function's closure and globals, or where it is defined."""
    if not isinstance(annotation, str):
        return annotation
    try:
        return eval(annotation, getattr(function, "__globals__", {}), _Names(function))
    except Exception as error:  # noqa: BLE001 (whatever the annotation does)
        if annotation in dt.ALL_DTYPES:
            return dt.ALL_DTYPES[annotation]
        raise TypeError(
            f"Argument '{name}' must have a type annotation: '{annotation}' cannot be resolved ({error})"
        ) from None


class _Names(Mapping):
    """Names as an annotation of `function` sees them: closure, globals, then the frames that are defining it."""

    def __init__(self, function: Callable):
        closure = inspect.getclosurevars(function) if inspect.isfunction(function) else None
        self._scopes: list[Mapping] = [closure.nonlocals] if closure else []
        self._globals = getattr(function, "__globals__", {})

    def __getitem__(self, name: str) -> Any:
        for scope in self._scopes:
            if name in scope:
                return scope[name]
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            if frame.f_globals is self._globals:
                local = frame.f_locals
                if local is not self and name in local:  # the evaluation itself has this mapping as its locals
                    return local[name]
            frame = frame.f_back
        raise KeyError(name)

    def __iter__(self) -> Any:
        return iter(())

    def __len__(self) -> int:
        return 0


def trace(
    function: Callable,
    flags: ShaderFlags = ShaderFlags.NONE,
    annotations: Sequence[Any] | None = None,
    names: Sequence[str] | None = None,
    defaults: Sequence[Any] | None = None,
) -> ShaderDescription:
    """Call `function` once on variables, and finish the kernel that this writes.

    Without `annotations` the function's own signature says what its parameters are.
    """
    if annotations is None:
        if names is not None or defaults is not None:
            raise ValueError("arg_names and arg_defaults need arg_type_annotations!")
        annotations, names, defaults = function_signature(function)
    else:
        annotations = list(annotations)
        names = [f"param{i}" for i in range(len(annotations))] if names is None else list(names)
        if len(names) != len(annotations) or defaults is not None and len(defaults) != len(annotations):
            raise ValueError(f"{len(annotations)} types need as many names and defaults!")
    if len(set(names)) != len(names):
        raise ValueError(f"Each parameter needs a name of its own: {', '.join(names)}!")
    for name in names:
        if name in RESERVED_NAMES:
            raise ValueError(f"A parameter cannot be named '{name}': a launch has a keyword of this name!")
    with shader_context(flags) as context:
        returned = function(*context.declare_input_arguments(annotations, names, defaults))
        if returned is not None:
            _note_returned(function, returned)
        return context.get_description(getattr(function, "__name__", "shader"))


def _note_returned(function: Callable, value: Any) -> None:
    """Say that a kernel's function returned a value, which goes nowhere. That of a lambda is no statement of the program's."""
    code = getattr(getattr(function, "__wrapped__", function), "__code__", None)
    if code is None or code.co_name == "<lambda>":
        return
    line = returning_line(code) or code.co_firstlineno
    caution(
        f"kernel '{code.co_name}' returns {shown(value)}, which goes nowhere: a kernel returns nothing, and stores its results in the "
        f"buffers that it is given: out[i] = value ({code.co_filename}:{line}).",
        Place(function.__globals__, code.co_filename, line),
    )
