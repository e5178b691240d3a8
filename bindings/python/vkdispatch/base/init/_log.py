"""The log: what messages show, where they go, and the place in the program that they name."""

from __future__ import annotations

import contextlib
import enum
import os
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

from ... import _native
from ..errors import WrongTypeError

_enums = _native.enums


class LogLevel(enum.Enum):
    """Importance of a message; a message is shown if its level is at least the limit."""

    VERBOSE = _enums.VD_LOG_VERBOSE
    INFO = _enums.VD_LOG_INFO
    WARNING = _enums.VD_LOG_WARNING
    ERROR = _enums.VD_LOG_ERROR


def set_native_level(level: LogLevel) -> None:
    if not isinstance(level, LogLevel):
        raise WrongTypeError(f"log level ({level!r}) must be a vd.LogLevel")
    _native.log.set_level(level.value)


def write(text: Any, end: str, level: LogLevel, stack_offset: int) -> None:
    """Write a message to the log, with the file and line of the caller's caller `stack_offset` frames up."""
    if level.value < _native.raw.vd_log_get_level():
        return
    frame = sys._getframe(min(stack_offset + 1, _depth()))
    # Messages of the package itself name the line of the program that called it.
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).startswith("vkdispatch."):
        frame = frame.f_back
    path = frame.f_code.co_filename
    with contextlib.suppress(ValueError):  # no relative path, as across drives
        path = os.path.relpath(path)
    message = f"[{level.name} {path}:{frame.f_lineno}] {text}{end}"
    _native.raw.vd_log_write(level.value, message.rstrip("\n"))


def _depth() -> int:
    depth = -1
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        depth, frame = depth + 1, frame.f_back
    return depth


def set_log_callback(callback: Callable[[LogLevel, str], None] | None) -> None:
    """Send every message to `callback(level, text)`, on the thread that logs it; None restores standard error.

    The callback must not call the package. Its exceptions are printed and dropped.
    """
    if callback is not None and not callable(callback):
        raise TypeError(
            f"set_log_callback: callback must be a function of a level and a text, or None (got {callback!r})"
        )
    _native.log.set_callback(None if callback is None else lambda level, text: callback(LogLevel(level), text))


def log_to_logging(logger: str = "vkdispatch") -> None:
    """Send every message to Python's `logging`, under the name `logger`."""
    import logging  # costs as much as a tenth of the package, and few programs call this

    levels = {0: logging.DEBUG, 1: logging.INFO, 2: logging.WARNING, 3: logging.ERROR}
    target = logging.getLogger(logger)
    _native.log.set_callback(lambda level, text: target.log(levels.get(level, logging.ERROR), "%s", text))
