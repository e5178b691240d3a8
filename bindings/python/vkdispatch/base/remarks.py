"""Warnings of Python's own kind, at the place in the user's program that they are about."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from types import FrameType

_PACKAGE = __name__.partition(".")[0]


def warn_caller(message: str) -> None:
    """A UserWarning at the innermost place on the call stack that is outside of this package."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == _PACKAGE:
        frame = frame.f_back
    if frame is None:
        warnings.warn(message, UserWarning, stacklevel=2)
        return
    _warn(message, frame.f_globals, frame.f_code.co_filename, frame.f_lineno)


def warn_of(function: Callable, message: str) -> None:
    """A UserWarning at the place of a user's function."""
    code = getattr(function, "__code__", None)
    if code is None:  # some other callable
        warn_caller(message)
        return
    _warn(message, function.__globals__, code.co_filename, code.co_firstlineno)


def _warn(message: str, scope: dict, file: str, line: int) -> None:
    known = scope.setdefault("__warningregistry__", {})  # said once for a place, unless filters say otherwise
    warnings.warn_explicit(message, UserWarning, file, line, scope.get("__name__"), known)
