"""The logger of the name "kp", which Kompute's programs set up.

Importing calls logging.basicConfig(), as Kompute does, so that setLevel() on the logger is enough to see lines. Messages of
the library go there too while the program has no receiver of its own.
"""

from __future__ import annotations

import logging
from typing import Any

from .. import _native

logger = logging.getLogger("kp")
logging.basicConfig()

_enums = _native.enums
_LEVELS = {
    _enums.VD_LOG_VERBOSE: logging.DEBUG,
    _enums.VD_LOG_INFO: logging.INFO,
    _enums.VD_LOG_WARNING: logging.WARNING,
    _enums.VD_LOG_ERROR: logging.ERROR,
}


#: Errors of validation layers that no call has raised yet; each reader takes them from its own place on.
faults: list[str] = []


def _forward(level: int, text: str) -> None:
    if level >= _enums.VD_LOG_ERROR and "alidation" in text:
        faults.append(text)
    logger.log(_LEVELS.get(level, logging.ERROR), "%s", text)


def forward_messages() -> None:
    """Send the library's messages to the logger, unless they go elsewhere already. The library cuts this at the end."""
    log: Any = _native.log
    if log.callback() is not None:
        return
    shown = logger.getEffectiveLevel()
    wanted = next((level for level, number in _LEVELS.items() if number >= shown), _enums.VD_LOG_ERROR)
    if wanted < _native.raw.vd_log_get_level():
        log.set_level(wanted)
    log.set_callback(_forward)
