"""The context of a call: that of the objects it is given, which must be one."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from ..errors import WrongTypeError
from ._context import Context, current_context, several_contexts
from ._handle import Handle

_F = TypeVar("_F", bound=Callable[..., Any])


def context_for(context: Context | None, what: str) -> Context:
    """The context that was asked for, alive; the current one for None."""
    if context is None:
        return current_context()
    if not isinstance(context, Context):
        raise WrongTypeError(f"{what}: context must be a vd.Context (got {type(context).__name__})")
    context.check_alive(what)
    return context


def context_of(named: Iterable[tuple[str, Any]], what: str) -> Context | None:
    """The context of the objects among a call's arguments; None without any. ValueError if they are of two."""
    first: Handle | None = None
    name = ""
    for other, value in named:
        if not isinstance(value, Handle) or value.destroyed:  # which is said elsewhere
            continue
        if first is None:
            first, name = value, other
        elif value.context is not first.context:
            raise ValueError(
                f"{what}: {name} ({type(first).__name__}) belongs to {first.context.name}, and {other} "
                f"({type(value).__name__}) to {value.context.name}! Objects of two contexts cannot meet; "
                "read() from one and write() to the other"
            )
    return None if first is None else first.context


def on_context_of_arguments(function: _F) -> _F:
    """Let a function of buffers work in their context, which need not be the current one."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if not several_contexts():
            return function(*args, **kwargs)
        named = [*((f"argument {i}", value) for i, value in enumerate(args)), *kwargs.items()]
        context = context_of(named, f"{function.__name__}()")
        if context is None:
            return function(*args, **kwargs)
        with context.active():
            return function(*args, **kwargs)

    return call  # type: ignore[return-value]  # it takes what the function takes
