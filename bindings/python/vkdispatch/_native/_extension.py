"""Loads the extension for the most frequent calls if it exists, fits and is wanted; without it they go through cffi.

VKDISPATCH_NO_EXTENSION=1 asks for the latter. Needs no library.
"""

from __future__ import annotations

import os
import warnings

#: Version of the interface between package and extension; `_launch.h` has the extension's.
INTERFACE = 5


def _fits() -> bool:
    if os.environ.get("VKDISPATCH_NO_EXTENSION"):
        return False
    try:
        from . import _vdhot
    except ImportError:
        return False
    found = getattr(_vdhot, "INTERFACE", 0)
    if found != INTERFACE:
        warnings.warn(
            f"{_vdhot.__file__} was built from other sources than the vkdispatch package beside it (its interface is {found}, "
            f"{INTERFACE} is needed), so calls go without it, more slowly. Delete it and install the package anew; in a checkout "
            "bindings/python/build_hot.py builds it.",
            RuntimeWarning,
            stacklevel=2,
        )
    return bool(found == INTERFACE)


#: Whether the extension is in use.
EXTENSION = _fits()
