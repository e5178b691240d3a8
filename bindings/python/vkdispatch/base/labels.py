"""Labels: names that a program gives to its objects, for messages."""

from __future__ import annotations

from typing import Any

from .errors import WrongTypeError
from .words import bracketed


def checked_label(label: Any, what: str) -> str | None:
    """A label as it was given, once it is known that the library can take it. `what` names the call in messages."""
    if label is None:
        return None
    if not isinstance(label, str):
        raise WrongTypeError(f"{what}: label {bracketed(label)} must be a str")
    if "\0" in label:
        raise ValueError(f"{what}: label {bracketed(label)} has a NUL, which would end it")
    try:
        label.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{what}: label {bracketed(label)} has half of a surrogate pair, which UTF-8 lacks") from None
    return label
