"""Names whose part of the package is not there yet: they exist, and say so when they are used."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Iterable
from typing import Any

from . import _native


def missing(part: str, name: str) -> Any:
    """Raise the NotImplementedError of a name."""
    raise _native.UnsupportedError(f"{part}: {name} is not in this version", _native.enums.VD_ERR_UNSUPPORTED)


def function(module: str, part: str, name: str) -> Callable[..., Any]:
    """A function that raises NotImplementedError."""

    def later(*args: Any, **kwargs: Any) -> Any:
        missing(part, name)

    later.__name__ = later.__qualname__ = name.rpartition(".")[2]
    later.__module__ = module
    later.__doc__ = f"{part}: not in this version."
    return later


def class_(module: str, part: str, name: str, methods: Iterable[str] = ()) -> type:
    """A class whose instances cannot be made, with the methods that it will have."""
    body: dict[str, Any] = {"__init__": function(module, part, name), "__doc__": f"{part}: not in this version."}
    body.update((method, function(module, part, f"{name}.{method}")) for method in methods)
    body["__module__"] = module
    return type(name, (), body)


def submodule(package: str, part: str, name: str, names: Iterable[str] = ()) -> types.ModuleType:
    """A module that can be imported, with functions that raise NotImplementedError."""
    module = types.ModuleType(f"{package}.{name}", f"{part}: not in this version.")
    for each in names:
        setattr(module, each, function(module.__name__, part, each))
    sys.modules[module.__name__] = module
    return module
