"""The package's exceptions, and functions of 0.1 that have nothing left to do: every call reports its own failure."""

from __future__ import annotations

from .._native import DeviceLostError, Error, OutOfMemoryError, UnavailableError, UnsupportedError
from .._native._errors import CompileError, InvalidError, KernelError, StateError


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
    "check_for_compute_stage_errors",
    "check_for_errors",
    "set_running",
]
