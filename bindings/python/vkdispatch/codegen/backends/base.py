"""The base class of the languages.

Example:
    assert issubclass(vc.GLSLBackend, vc.CodeGenBackend)
"""

from __future__ import annotations

from ..._native import enums as e


class CodeGenBackend:
    """A language that a kernel's source can be printed in. The core prints; this only says which language."""

    #: Its name for set_codegen_backend().
    name: str = "base"
    #: Its number in the core.
    language: int = e.VD_LANGUAGE_IR
    #: The function that holds a kernel's body.
    entry_point: str = "vkdispatch_main"

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other)

    def __hash__(self) -> int:
        return hash(type(self))

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"
