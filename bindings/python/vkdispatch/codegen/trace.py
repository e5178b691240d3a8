"""What the parts of a trace ask of the kernel that is being written: variables of their builder, above all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from ..base import dtype as dt
    from ..base.remarks import Place


class Trace(Protocol):
    """A kernel being written."""

    #: The core's own call: (op, type, immediate, location, *operands) -> value.
    emit: Any
    #: What formulas read, and what was stored since.
    hazards: Any
    #: Location number -> line of the program.
    places: dict[int, Place]
    #: Of the statement that location() was asked about last, in its function.
    last_instruction: int

    def location(self) -> int:
        """The number of the innermost place of the program."""

    def statement(self, op: int, type: int, immediate: int, *operands: int) -> int:
        """Append a statement at the present place."""

    def literal(self, x: Any, t: type[dt.dtype]) -> int:
        """A number as a constant."""

    def truth(self, x: bool) -> int:
        """A constant condition."""

    def describe(self, value: int) -> str:
        """A value as text for people."""

    def is_unconditional(self) -> bool:
        """Whether every invocation comes by here."""

    def new_register(self, var_type: type[dt.dtype], value: int | None = None, var_name: str | None = None) -> Any:
        """Declare a register."""

    @staticmethod
    def _place() -> str:
        """The innermost place of the program, for a message."""
