"""The interface of a kernel that is being written, as the parts of a trace need it: above all, its builder's
variables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from ..base import dtype as dt
    from ..base.remarks import Place


class Trace(Protocol):
    """A kernel being written."""

    #: The core's own call: (op, type, immediate, location, *operands) -> value.
    emit: Any
    #: Reads of formulas, and later stores.
    hazards: Any
    #: Location number -> line of the program.
    places: dict[int, Place]
    #: The instruction of location()'s last statement, in its function.
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
