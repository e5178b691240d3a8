"""Conversion between element types and NumPy's, and the forms in which a dtype may be given."""

from __future__ import annotations

from typing import Any, Protocol, TypeAlias

from ...compat import numpy_compat as npc
from ..words import shown
from ._classes import ALL_DTYPES, dtype
from ._kinds import is_dtype


def from_numpy_dtype(x: Any) -> type[dtype]:
    """The dtype of a NumPy dtype or type, a HostDType or a name; ValueError where there is none."""
    try:
        name = npc.host_dtype_name(x)
    except (TypeError, ValueError):
        name = None
    found = ALL_DTYPES.get("bool_" if name == "bool" else name) if name else None
    if found is None or found.host is None:
        known = ", ".join(name for name, known in ALL_DTYPES.items() if known.host is not None)
        raise ValueError(f"Unsupported dtype ({x})! Supported are {known}.")
    return found


class NumpyDtype(Protocol):
    """A dtype of NumPy's, as type checkers see it."""

    @property
    def name(self) -> str:
        """The name, the same as that of our type."""

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""


#: A dtype as an argument: a class of ours or NumPy's, a name, or a dtype of NumPy's.
DTypeLike: TypeAlias = type[Any] | str | NumpyDtype


def as_dtype(x: Any, what: str = "dtype") -> type[dtype]:
    """`x` as a dtype: one of these, its name, or NumPy's of that name. TypeError for all else, with `what` as its name."""
    if is_dtype(x) and x.item_size:
        return x
    if isinstance(x, str) and x in ALL_DTYPES:
        return ALL_DTYPES[x]
    hint = "vd.float32 is one"
    if any(x is t for t in (int, float, complex, bool)):
        hint = f"how wide Python's {x.__name__} is on a device is yours to say: {_WIDTHS[x]}"
    else:
        try:
            return from_numpy_dtype(x)
        except ValueError:
            pass
    raise TypeError(f"{what} must be a dtype (got {shown(x)}; {hint})")


_WIDTHS = {
    int: "vd.int32 or vd.int64",
    float: "vd.float32 or vd.float64",
    complex: "vd.complex64 or vd.complex128",
    bool: "vd.bool_, a byte each, is NumPy's",
}


def to_numpy_dtype(x: type[dtype]) -> Any:
    """The NumPy dtype of a scalar or complex dtype; a HostDType for complex32, and for all of them without NumPy."""
    if not is_dtype(x) or x.host is None:
        raise ValueError(f"Unsupported dtype ({x!r})!")
    if x.host is npc.COMPLEX32 or npc.numpy_module() is None:
        return x.host
    return x.numpy
