"""The library as Python sees it. Loaded when first used, so that importing the package needs neither library nor driver.

raw: one function per entry (generated); hot: the entries that are called often; memory: host memory as the library takes
and gives it; submission: tickets that an interrupt does not hide; enums: the constants.
"""

from __future__ import annotations

import importlib
from typing import Any

from . import _enums as enums
from ._errors import DeviceLostError, Error, OutOfMemoryError, UnavailableError, UnsupportedError, naming

__all__ = [
    "DeviceLostError",
    "Error",
    "OutOfMemoryError",
    "UnavailableError",
    "UnsupportedError",
    "enums",
    "hot",
    "memory",
    "naming",
    "raw",
    "submission",
]

_LAZY = {name: f"._{name}" for name in ("raw", "hot", "log", "memory", "submission")}


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = importlib.import_module(_LAZY[name], __name__)
    globals()[name] = module
    return module
