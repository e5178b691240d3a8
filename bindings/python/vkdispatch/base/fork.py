"""Limits of a process that os.fork() made: it cannot use its parent's objects, whose threads and devices it does not
have."""

from __future__ import annotations

import os
import sys
from typing import Any

from . import context as _context
from .pointers import let_go

_PARENTS = (
    "was made before os.fork(), it belongs to the parent process: start the process with multiprocessing's 'spawn' (or "
    "'forkserver') method, or use vkdispatch in the child alone"
)


class ForkedContext(_context.Context):
    """The parent's contexts, as the child sees them."""

    @property
    def _pointer(self) -> Any:
        raise RuntimeError(f"The context {_PARENTS}")

    @_pointer.setter
    def _pointer(self, value: Any) -> None:
        """Nothing to keep."""

    _waiter = _pointer

    def check_alive(self, what: str) -> None:
        """The same error, since the parent's is alive."""
        raise RuntimeError(f"{what}: the context {_PARENTS}")


def after_in_child() -> None:
    """Forget every context and everything in them, without a word to the library."""
    if "vkdispatch._native._load" not in sys.modules:
        return
    _context.renew_lock()
    for context in list(_context.all_contexts):
        handles = list(context.handles_dict.values())
        let_go(vars(context).get("_pointer"))
        context.__class__ = ForkedContext
        context.destroyed = True
        for handle in handles:
            handle._forget()
    _context.all_contexts.clear()
    vars(_context)["__context"] = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=after_in_child)
