"""The logger of the name "kp", which Kompute's programs set up.

Importing calls logging.basicConfig(), as Kompute does, so that setLevel() on the logger is enough to see lines. Messages of
the library go there too while the program has no receiver of its own.
"""

from __future__ import annotations

import logging
import threading
from typing import Any

from .. import _native

logger = logging.getLogger("kp")
logging.basicConfig()

_log: Any = _native.log
_enums = _native.enums
_LEVELS = {
    _enums.VD_LOG_VERBOSE: logging.DEBUG,
    _enums.VD_LOG_INFO: logging.INFO,
    _enums.VD_LOG_WARNING: logging.WARNING,
    _enums.VD_LOG_ERROR: logging.ERROR,
}
#: Errors of validation layers that are kept.
_MOST_FAULTS = 100


class Faults:
    """The newest errors of validation layers, each at its place among all of the process.

    One instance of Vulkan reports them for all contexts, and a message does not name its context. So every reader gets the
    errors of all Managers. A reader keeps the place from which on it has read none.
    """

    def __init__(self, most: int):
        self._most = most
        self._texts: dict[int, str] = {}
        self._count = 0
        # Reentrant: the garbage collector may run in these functions, and an object that it destroys may report an error.
        self._lock = threading.RLock()

    def __len__(self) -> int:
        """The number of all errors so far, which is the place of the next one."""
        return self._count

    def add(self, text: str) -> None:
        """Keep an error, in the place of the oldest if there are too many."""
        with self._lock:
            place, self._count = self._count, self._count + 1
            self._texts[place] = text
            self._texts.pop(place - self._most, None)

    def since(self, place: int) -> tuple[list[str], int]:
        """The errors from a place on, and the place after them. The first text counts those that are no longer kept."""
        with self._lock:
            end = self._count
            found = [self._texts[i] for i in range(max(place, end - self._most), end) if i in self._texts]
        dropped = end - place - len(found)
        return ([f"{dropped} earlier errors, which are in the log"] if dropped else []) + found, end


faults = Faults(_MOST_FAULTS)


def _note_fault(level: int, text: str) -> None:
    if level >= _enums.VD_LOG_ERROR and "alidation" in text:
        faults.add(text)


_log.watchers.append(_note_fault)


def _forward(level: int, text: str) -> None:
    logger.log(_LEVELS.get(level, logging.ERROR), "%s", text)


def forward_messages() -> None:
    """Send the library's messages to the logger, from its present level on, unless they go elsewhere already. The library cuts
    this at the end."""
    if _log.callback() is None:
        _log.set_callback(_forward)
    follow_level()


class _Level:
    """The library's level while its messages go to the logger."""

    def __init__(self) -> None:
        #: The level that the program gave the library.
        self._own = _enums.VD_LOG_WARNING
        #: The level that this object gave the library; None before the first time.
        self._given: int | None = None

    def follow(self) -> None:
        """Make the library's level that of the logger. A lower one of the program's own stays."""
        present = _native.raw.vd_log_get_level()
        if present != self._given:
            self._own = present
        shown = (level for level, number in _LEVELS.items() if logger.isEnabledFor(number))
        # Noted first: another thread must not take it for the program's own.
        self._given = min(next(shown, _enums.VD_LOG_ERROR), self._own)
        if self._given != present:
            _log.set_level(self._given)


_level = _Level()


def follow_level() -> None:
    """Let the library drop the messages that the logger would drop, which then cost nothing. A receiver of the program's own
    keeps its level."""
    if _log.callback() is _forward:
        _level.follow()
