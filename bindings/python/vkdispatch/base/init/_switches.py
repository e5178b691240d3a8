"""Switches that calls take."""

from __future__ import annotations

from typing import Any

from ..errors import WrongTypeError


def as_bool(value: Any, what: str) -> bool:
    """A switch: a bool, or 0 or 1."""
    if not isinstance(value, bool) and not (hasattr(value, "__bool__") and value in (0, 1)):
        raise WrongTypeError(f"{what} ({value!r}) must be True or False")
    return bool(value)
