"""The errors: the library's own, and those that are raised here, each with a status."""

from __future__ import annotations

from typing import Any

from .. import _native
from ..base.words import bracketed

#: Each error but TypeError is one of these; it is a RuntimeError and carries `status`.
Error = _native.Error
DeviceLost = _native.DeviceLostError

_enums = _native.enums


def invalid(message: str) -> Error:
    """The error of a wrong argument."""
    return Error(message, _enums.VD_ERR_INVALID)


def wrong_state(message: str) -> Error:
    """The error of a call at the wrong time."""
    return Error(message, _enums.VD_ERR_STATE)


def unsupported(message: str) -> Error:
    """The error of what this device or backend cannot do."""
    return Error(message, _enums.VD_ERR_UNSUPPORTED)


def unavailable(message: str) -> Error:
    """The error of a device or backend that is not there."""
    return Error(message, _enums.VD_ERR_UNAVAILABLE)


def list_of(values: Any, what: str, said: str) -> list[Any]:
    """The elements of a list of the caller's, or of whatever gives some; a TypeError for text and for what gives none."""
    if not isinstance(values, (str, bytes)) and hasattr(values, "__iter__"):
        try:
            return list(values)
        except TypeError:  # an array of no dimensions
            pass
    raise TypeError(f"{what} {bracketed(values)} must be {said}: incompatible function arguments")


def unsigned(value: Any, what: str) -> int:
    """A number that is not negative, and no longer than a message has room for; anything else is a TypeError."""
    try:
        number = value.__index__() if not isinstance(value, str) else -1
    except (AttributeError, TypeError):
        number = -1
    if not 0 <= number < 2**128:
        raise TypeError(f"{what} {bracketed(value)} must be an unsigned integer: incompatible function arguments")
    return int(number)
