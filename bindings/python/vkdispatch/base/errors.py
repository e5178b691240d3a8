"""The package's exceptions, and functions of 0.1 that have nothing left to do: every call reports its own failure."""

from __future__ import annotations

from .._native import DeviceLostError, Error, OutOfMemoryError, UnavailableError, UnsupportedError
from .._native._errors import CompileError, InvalidError, KernelError, StateError


class WrongTypeError(TypeError, ValueError):
    """An object of the wrong type: a TypeError, and a ValueError where vkdispatch 0.1 raises that."""


def check_for_errors() -> None:
    """Does nothing: a failure is raised by the call that fails."""


def check_for_compute_stage_errors() -> None:
    """Does nothing: a failure is raised by the call that fails."""


def set_running(running: bool) -> None:
    """Does nothing: there is no state after which failures go unreported."""


__all__ = [
    "CompileError",
    "DeviceLostError",
    "Error",
    "InvalidError",
    "KernelError",
    "OutOfMemoryError",
    "StateError",
    "UnavailableError",
    "UnsupportedError",
    "WrongTypeError",
    "check_for_compute_stage_errors",
    "check_for_errors",
    "set_running",
]
