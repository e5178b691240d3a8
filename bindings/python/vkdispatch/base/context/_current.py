"""How the other parts come by the process's context, which the package that they are parts of keeps."""

from __future__ import annotations

from collections.abc import Callable

from ._context import Context


class _Keeper:
    """Who keeps the process's context."""

    get: Callable[[], Context]


def provide(get: Callable[[], Context]) -> None:
    """Say who keeps the process's context."""
    _Keeper.get = staticmethod(get)


def current_context() -> Context:
    """The process's context, made with the defaults if there is none."""
    return _Keeper.get()
