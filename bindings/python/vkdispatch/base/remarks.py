"""Warnings of Python's own kind, at the place in the user's program that they are about."""

from __future__ import annotations

import functools
import os
import sys
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

_PACKAGE = __name__.partition(".")[0]


class Place(NamedTuple):
    """A line of a program, and its module's names."""

    scope: dict[str, Any]
    file: str
    line: int


@functools.lru_cache(maxsize=1024)
def _is_ours(module: str) -> bool:
    return module.partition(".")[0] == _PACKAGE


def caller() -> Place:
    """The innermost place on the call stack that is outside of this package; the outermost one if none is."""
    frame: Any = sys._getframe(1)
    while frame.f_back is not None and _is_ours(str(frame.f_globals.get("__name__"))):
        frame = frame.f_back
    return Place(frame.f_globals, frame.f_code.co_filename, frame.f_lineno)


def warn_at(place: Place, message: str) -> None:
    """Give a UserWarning at a place: once for each place, unless filters change that."""
    known = place.scope.setdefault("__warningregistry__", {})
    warnings.warn_explicit(message, UserWarning, place.file, place.line, place.scope.get("__name__"), known)


def warn_caller(message: str) -> None:
    """A UserWarning at the place that called the package."""
    warn_at(caller(), message)


#: Set by initialize(strict=...); None leaves it to VKDISPATCH_STRICT.
_strict: list[bool | None] = [None]


def set_strict(strict: bool | None) -> None:
    """Make what caution() says errors, or warnings; None leaves it to the environment."""
    _strict[0] = strict


def is_strict() -> bool:
    """Whether a probable mistake is an error."""
    if _strict[0] is not None:
        return _strict[0]
    return os.environ.get("VKDISPATCH_STRICT", "").strip().lower() not in ("", "0", "false", "no", "off")


def caution(message: str, place: Place | None = None) -> None:
    """Say what is most probably a mistake: a UserWarning at a place, the one that called the package if none is given; in strict
    mode a ValueError."""
    if is_strict():
        raise ValueError(message)
    warn_at(place or caller(), message)


def warn_of(function: Callable, message: str) -> None:
    """A UserWarning at the place of a user's function."""
    code = getattr(function, "__code__", None)
    if code is None:  # some other callable
        warn_caller(message)
        return
    warn_at(Place(function.__globals__, code.co_filename, code.co_firstlineno), message)
