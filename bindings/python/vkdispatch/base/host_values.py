"""Numbers of the program as bytes of an element type, with words for those that do not fit."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from typing import Any

from ..compat import numpy_compat as npc
from . import dtype as dt
from .errors import WrongTypeError
from .remarks import caution
from .words import shown

_ARRAY_CURE = ", not converted (array.astype converts)"


def element_of(var_type: type[dt.dtype]) -> npc.HostDType:
    """The host's type of the scalars that a dtype is made of."""
    return (var_type if var_type.scalar is None else var_type.scalar).host


def pack_numbers(numbers: Sequence[Any], var_type: type[dt.dtype], target: str, what: str = "") -> bytes:
    """A flat sequence of numbers as the scalars of `var_type`. `target` is what they are for, and `what` the call, in messages.

    A float that is too large becomes infinite, with a warning; an integer that is too large is an OverflowError, and what
    is no number a ValueError.
    """
    call = f"{what}: " if what else ""
    element = element_of(var_type)
    for value in numbers:
        if isinstance(value, (str, bytes, bytearray)):
            raise WrongTypeError(
                f"{call}{shown(value)} is not a value for {target} of type {var_type.name}: it is text, not a number"
            )
    try:
        return npc.pack_values(numbers, element)
    except OverflowError:
        value = next(v for v in numbers if not _fits(v, element))
        if element.kind not in ("float", "complex"):  # an infinity for an integer
            raise OverflowError(f"{call}{shown(value)} does not fit {target} of type {var_type.name}") from None
        caution(f"{call}{shown(value)} does not fit {target} of type {var_type.name} and becomes infinite")
        return npc.pack_values([_saturated(v, element) for v in numbers], element)
    except struct.error:
        value = next(v for v in numbers if not _fits(v, element))
        raise OverflowError(f"{call}{shown(value)} does not fit {target} of type {var_type.name}") from None
    except (TypeError, ValueError) as error:
        value = next((v for v in numbers if not _fits(v, element)), numbers)
        raise WrongTypeError(
            f"{call}{shown(value)} is not a value for {target} of type {var_type.name}: {error}"
        ) from None


def note_fractions(numbers: Sequence[Any], var_type: type[dt.dtype], target: str, what: str = "") -> None:
    """Warn of the first number whose fraction an integer type cuts off."""
    if element_of(var_type).kind in ("float", "complex"):
        return
    for value in numbers:
        if isinstance(value, float) and math.isfinite(value) and value != int(value):
            call = f"{what}: " if what else ""
            caution(f"{call}{value!r} becomes {int(value)} in {target} of type {var_type.name}")
            return


def note_other_dtype(given: Any, target: type[dt.dtype], method: str, into: str) -> None:
    """Say that an array's elements become others by being taken byte by byte into `into`, which has elements of `target`.
    None for `given` is bytes."""
    if given is None:
        return
    if getattr(given, "hasobject", False):
        raise WrongTypeError(f"{method}: data has elements of {given}, which are no numbers")
    try:
        given_type = dt.from_numpy_dtype(given)
    except ValueError:
        if getattr(given, "kind", "V") in "fcmM":  # numbers and times that devices do not have; not text, not records
            caution(f"{method}: an array of {given} goes into {into} of {target.name} byte by byte{_ARRAY_CURE}")
        return
    if given_type.item_size > 1:  # else they are bytes
        note_other_bits(given_type, target, f"{method}: an array", into, _ARRAY_CURE)


def note_other_bits(
    given: type[dt.dtype], target: type[dt.dtype], what: str, into: str, cure: str = ", not converted"
) -> None:
    """The same of elements of a known dtype."""
    if not dt.same_bits(given, target):
        caution(f"{what} of {given.name} goes into {into} of {target.name} byte by byte{cure}")


def _fits(value: Any, element: npc.HostDType) -> bool:
    try:
        npc.pack_values([value], element)
    except (OverflowError, TypeError, ValueError, struct.error):
        return False
    return True


def _saturated(value: Any, element: npc.HostDType) -> Any:
    if isinstance(value, complex):
        return complex(_saturated(value.real, element), _saturated(value.imag, element))
    return value if _fits(value, element) else math.inf if value > 0 else -math.inf
