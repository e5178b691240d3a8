"""The state of each thread: the builder that it traces into, the language that it chose, and whether printed source has
line numbers."""

from __future__ import annotations

import threading
from typing import Any

from .._native._launcher import TRACING, mark_thread
from .backends import CodeGenBackend


class _State(threading.local):
    builder: Any = None  # a ShaderBuilder
    backend: CodeGenBackend | None = None
    line_numbers: bool = False

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        if name == "builder":
            mark_thread(TRACING, value is not None)


_state = _State()
