"""abi/unstable.txt: the layout of the unstable section under its version, so that neither changes without the other.

The generator reads the committed file back: a section that differs from it needs a larger VD_UNSTABLE_VERSION.
"""

from __future__ import annotations

import re

from . import emit_abi, model
from .model import HeaderError
from .text import NOTE

PATH = "abi/unstable.txt"
_VERSION = re.compile(rf"^constant {model.UNSTABLE_VERSION} (\d+)\n", re.MULTILINE)


def emit(header: model.Header, committed: str) -> dict[str, str]:
    """The file, and nothing for a header without the section; `committed` is the file's text so far."""
    version = header.find(model.UNSTABLE_VERSION)
    if not isinstance(version, model.Define):
        return {}

    def kept(decl: model.Decl | model.Field | model.Enumerator) -> bool:
        return not isinstance(decl, model.Decl) or header.in_unstable_section(decl)

    text = (
        f"# {NOTE}\n# The section '{model.UNSTABLE}' of the header; a change of it needs a larger {model.UNSTABLE_VERSION}.\n"
        f"{emit_abi.rows(header, kept)}"
    )
    before = _VERSION.search(committed)
    if before and _body(committed) != _body(text) and int(version.value) <= int(before[1]):
        raise HeaderError(
            header.path,
            version.line,
            f"the section '{model.UNSTABLE}' is not that of {model.UNSTABLE_VERSION} {before[1]} ({PATH}); "
            f"{model.UNSTABLE_VERSION} ({version.value}) must be at least {int(before[1]) + 1}",
        )
    return {PATH: text}


def _body(text: str) -> list[str]:
    """The lines of the layout, without the version."""
    return [line for line in _VERSION.sub("", text).splitlines() if not line.startswith("#")]
