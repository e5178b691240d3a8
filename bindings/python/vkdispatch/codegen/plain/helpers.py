"""Functions of the program that a rewritten function calls: they are rewritten, too."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any

_PACKAGE = __name__.partition(".")[0]


class Helpers:
    """The rewritten functions of one trace. `rewrite` makes one of a function."""

    def __init__(self, kernel: FunctionType, rewrite: Callable[[Any], Any]):
        self._kernel, self._rewrite = kernel, rewrite
        self._found: dict[Any, Any] = {}
        #: Calls of such functions that are open.
        self.depth = 0

    def find(self, function: Any) -> Any:
        """A function rewritten; None where it is not one of the program's, or is none that could be."""
        if not isinstance(function, FunctionType):
            return None
        if function not in self._found:
            self._found[function] = self._rewritten(function) if self._is_the_programs(function) else None
        return self._found[function]

    def _rewritten(self, function: FunctionType) -> Any:
        try:
            return self._rewrite(function)
        except (RuntimeError, SyntaxError, TypeError):  # no source, or statements that are Python's alone
            return None

    def _is_the_programs(self, function: FunctionType) -> bool:
        """Whether it belongs to the kernel's package, or lies in its folder."""
        mine, its = (_package(f) for f in (self._kernel, function))
        folders = {os.path.dirname(f.__code__.co_filename) for f in (self._kernel, function)}
        return its != _PACKAGE and (its == mine or len(folders) == 1)

    @contextlib.contextmanager
    def inside(self) -> Iterator[None]:
        """Around the call of one."""
        self.depth += 1
        try:
            yield
        finally:
            self.depth -= 1


def _package(function: FunctionType) -> str:
    return str(function.__globals__.get("__name__")).partition(".")[0]
