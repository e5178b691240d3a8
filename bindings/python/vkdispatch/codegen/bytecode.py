"""Facts about the code of a function, worked out once: its instructions and their lines."""

from __future__ import annotations

import bisect
import dis
from types import CodeType


class Bytecode:
    """Lines and instructions of a code object."""

    __slots__ = ("_bytes", "_instructions", "_lines", "_offsets", "_starts", "code", "counted", "partings")

    def __init__(self, code: CodeType):
        self.code = code
        ranges = [(start, line) for start, _, line in code.co_lines()]
        self._starts = [start for start, _ in ranges]
        self._lines = [line for _, line in ranges]
        self._bytes: bytes | None = None
        self._instructions: list[dis.Instruction] | None = None
        self._offsets: list[int] = []
        #: The line and the word that lead to each call of __exit__, by its offset.
        self.partings: dict[int, tuple[int, str] | None] = {}
        #: Whether a block, by the offsets of its two ends, loses the count that a name is.
        self.counted: dict[tuple[int, int, str], bool] = {}

    def line_of(self, offset: int) -> int | None:
        """The line of an instruction. A frame's f_lineno goes through all lines before it each time."""
        at = bisect.bisect_right(self._starts, offset) - 1
        return self._lines[at] if at >= 0 else None

    @property
    def bytes(self) -> bytes:
        """The instructions as they are stored, of which Python makes a copy each time."""
        if self._bytes is None:
            self._bytes = self.code.co_code
        return self._bytes

    def instructions(self) -> tuple[list[dis.Instruction], list[int]]:
        """The instructions, and their offsets."""
        if self._instructions is None:
            self._instructions = list(dis.get_instructions(self.code))
            self._offsets = [instruction.offset for instruction in self._instructions]
        return self._instructions, self._offsets


# By id, since a code object's own hash goes through all of it.
_known: dict[int, Bytecode] = {}
_MOST_KNOWN = 256


def bytecode_of(code: CodeType) -> Bytecode:
    """The facts about a code object; the most recently used are kept."""
    known = _known.get(id(code))
    if known is None or known.code is not code:
        if len(_known) >= _MOST_KNOWN:
            _known.clear()
        known = _known[id(code)] = Bytecode(code)
    return known


def line_of(code: CodeType, offset: int) -> int:
    """The line of an instruction, at least 1."""
    return max(bytecode_of(code).line_of(offset) or 1, 1)
