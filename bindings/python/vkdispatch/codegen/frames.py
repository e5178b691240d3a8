"""What a traced function does with Python's own means inside of an open block, which the trace cannot follow.

`acc = acc + 1` gives the name to a formula, in every case, and leaves the register; `return` leaves the function while it is
traced. Both are found where a block closes, by the function's variables before and after, and by its bytecode.

Bytecode differs from version to version of Python. On a version that was not tried nothing is looked for, and one warning says so.
"""

from __future__ import annotations

import bisect
import dis
import linecache
import re
import sys
from types import CodeType, FrameType
from typing import Any

from ..base.remarks import warn_caller
from .bytecode import Bytecode, bytecode_of, line_of

#: Versions of Python whose bytecode is read here, the first and the last.
KNOWN_VERSIONS = ((3, 10), (3, 13))


class _Reading:
    """Whether bytecode is read, and whether it was said that it is not."""

    known = KNOWN_VERSIONS[0] <= sys.version_info[:2] <= KNOWN_VERSIONS[1]
    told = False


def _is_readable() -> bool:
    """Whether this Python's bytecode is known; if it is not, the first call in a process warns."""
    if not _Reading.known and not _Reading.told:
        _Reading.told = True
        first, last = (".".join(map(str, version)) for version in KNOWN_VERSIONS)
        warn_caller(
            f"Python {sys.version_info[0]}.{sys.version_info[1]} is not one of those whose bytecode this package reads ({first} to {last}): "
            "inside of blocks of a kernel, Python's return, break and continue, and names of registers that are given to "
            "something else, go unnoticed"
        )
    return _Reading.known


_OPCODES = dis.opmap
_PARTING_WORD = re.compile(r"(?:^|[:;])\s*(return|break|continue)\b")


def _numbers(*names: str) -> frozenset[int]:
    return frozenset(_OPCODES[name] for name in names if name in _OPCODES)


_RETURNS = _numbers("RETURN_VALUE", "RETURN_CONST")
# The call of __exit__(None, None, None), and what stands between it and a return: the same of outer blocks, and the value.
_CALL = _numbers(
    "CACHE", "CALL", "CALL_FUNCTION", "DUP_TOP", "EXTENDED_ARG", "LOAD_CONST", "POP_BLOCK", "PRECALL", "PUSH_NULL", "ROT_FOUR",
    "ROT_THREE", "ROT_TWO", "SWAP",
)  # fmt: skip
_BEHIND = _CALL | _numbers("LOAD_COMMON_CONSTANT", "LOAD_SMALL_INT", "NOP", "POP_TOP")
_PARTING = _RETURNS | _numbers("JUMP_FORWARD", "JUMP_BACKWARD", "JUMP_ABSOLUTE", "RAISE_VARARGS", "RERAISE")
_UNCONDITIONAL = {"JUMP", "JUMP_FORWARD", "JUMP_BACKWARD", "JUMP_BACKWARD_NO_INTERRUPT", "JUMP_ABSOLUTE"}
_ENDS = {"RETURN_VALUE", "RETURN_CONST", "RAISE_VARARGS", "RERAISE"}


# ---- return


def parting(frame: FrameType, opened: Opened) -> tuple[int, str] | None:
    """The line and the word of the `return`, `break` or `continue` by which a frame leaves the block that it opened, whose __exit__
    it calls.

    The bytecode has a call of __exit__ for each way out of a `with`. Before it stands what leaves, or the last statement of the
    block. A `return` counts anywhere, and is followed by the instruction that returns; the others where they stand in the
    block itself: behind an `if` of Python's they choose what is traced.
    """
    if not _Reading.known:
        return None
    about, at = bytecode_of(frame.f_code), frame.f_lasti
    if at not in about.partings:
        about.partings[at] = _parting(about, at, opened.line, frame.f_globals)
    return about.partings[at]


def _parting(about: Bytecode, call: int, opened_line: int, scope: dict[str, Any]) -> tuple[int, str] | None:
    instructions, at = about.bytes, call
    while at > 0 and instructions[at] in _CALL:
        at -= 2
    line = about.line_of(at)
    if line is None or instructions[at] in _PARTING:  # then a jump leads to the call
        return None
    file = about.code.co_filename
    text = linecache.getline(file, line, scope)
    found = _PARTING_WORD.search(text)
    if found is None or text.lstrip().startswith("def "):
        return None
    if found[1] == "return":
        return (line, "return") if _returns(instructions, call + 2) else None
    alone = text.partition("#")[0].split() == [found[1]]
    inside = alone and _indent(text) == _indent(linecache.getline(file, opened_line + 1, scope))
    return (line, found[1]) if inside or line == opened_line else None


def _returns(instructions: bytes, at: int) -> bool:
    """Whether the instructions from a place on do nothing but leave blocks and return."""
    while at < len(instructions) and instructions[at] in _BEHIND:
        at += 2
    return at < len(instructions) and instructions[at] in _RETURNS


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def returning_line(code: CodeType) -> int | None:
    """The line of the only `return` with a value of a function; None if there are several, or that cannot be told."""
    if not _Reading.known:
        return None
    instructions, lines = bytecode_of(code).instructions()[0], set()
    for before, instruction in zip([None, *instructions], instructions, strict=False):
        if instruction.opname == "RETURN_CONST":
            empty = instruction.argval is None
        elif instruction.opname == "RETURN_VALUE":
            empty = before is not None and before.opname.startswith("LOAD_CO") and before.argval is None
        else:
            continue
        if not empty:
            lines.add(line_of(code, instruction.offset))
    return lines.pop() if len(lines) == 1 else None


# ---- Names


def _names(instruction: dis.Instruction, what: str) -> tuple:
    """The names that an instruction loads or stores."""
    name, value = instruction.opname, instruction.argval
    if name == "STORE_FAST_LOAD_FAST" and isinstance(value, tuple):
        return value[:1] if what == "STORE" else value[1:]
    if not name.startswith(f"{what}_"):
        return ()
    return value if isinstance(value, tuple) else (value,)


def is_read_after(code: CodeType, offset: int, name: str) -> bool:
    """Whether a name may be loaded behind an instruction before it is stored to."""
    instructions, offsets = bytecode_of(code).instructions()
    waiting, seen = [bisect.bisect_right(offsets, offset)], set()
    while waiting:
        i = waiting.pop()
        while i < len(instructions) and i not in seen:
            seen.add(i)
            instruction = instructions[i]
            if name in _names(instruction, "STORE"):
                break
            if name in _names(instruction, "LOAD"):
                return True
            if instruction.opname in _ENDS:
                break
            if instruction.opcode in dis.hasjrel or instruction.opcode in dis.hasjabs:
                waiting.append(bisect.bisect_left(offsets, instruction.argval))
                if instruction.opname in _UNCONDITIONAL:
                    break
            i += 1
    return False


def is_read_in_line(code: CodeType, line: int, until: int, name: str) -> bool:
    """Whether a name is loaded in a line, up to an instruction."""
    about = bytecode_of(code)
    found = (i for i in about.instructions()[0] if i.offset <= until and about.line_of(i.offset) == line)
    return any(name in _names(i, "LOAD") for i in found)


def stored_in(code: CodeType, first: int, last: int, name: str) -> int | None:
    """The line in which a name is stored to, between two instructions."""
    about = bytecode_of(code)
    for instruction in reversed(about.instructions()[0]):
        if first < instruction.offset <= last and name in _names(instruction, "STORE"):
            return about.line_of(instruction.offset)
    return None


class Opened:
    """A block that is open: its kind, its place, and of the frame that opened it the names that are registers, and those that are
    numbers and formulas."""

    __slots__ = ("at", "frame", "instruction", "kind", "registers", "values")

    def __init__(self, kind: str, at: int, frame: FrameType | None, variable: type[Any]):
        self.kind = kind
        self.at = at  # as the builder numbers places
        self.frame = frame
        self.registers: dict[str, Any] | None = None
        self.values: dict[str, Any] = {}
        if frame is not None and _is_readable():
            self.instruction = frame.f_lasti
            self.registers = {}
            for name, value in frame.f_locals.items():
                if type(value) is variable and value.register:
                    if value._origin is None:
                        self.registers[name] = value
                elif kind != "scope" and type(value) in (variable, int, float):
                    self.values[name] = value

    @property
    def line(self) -> int:
        """The line of the program in which it was opened, for one that was opened by a frame that is known."""
        assert self.frame is not None
        return line_of(self.frame.f_code, self.instruction)

    def rebound(self, kinds: tuple[type, ...]) -> list[tuple[str, int]]:
        """The registers' names that the block gave to another value which is used later, each with its line."""
        frame = self.frame
        if not self.registers or frame is None:
            return []
        now = frame.f_locals
        changed = [name for name, before in self.registers.items() if now.get(name) is not before]
        return [(name, line) for name in changed if isinstance(now.get(name), kinds) and (line := self._lost(name))]

    def revalued(self, variable: type[Any]) -> list[tuple[str, int]]:
        """The names of numbers and formulas that the block gave to another value which is used later, each with its line.

        A number that becomes another whole number counts something while the kernel is traced, as far as anybody can tell.
        """
        frame = self.frame
        if not self.values or frame is None:
            return []
        now = frame.f_locals
        found = []
        for name, before in self.values.items():
            after = now.get(name)
            if after is before or type(after) not in (variable, float) or (type(before) is float and after == before):
                continue
            if type(after) is float and type(before) is not float:
                continue
            if line := self._lost(name):
                found.append((name, line))
        return found

    def _lost(self, name: str) -> int | None:
        """The line of the block that gives a name another value, if that is used later."""
        assert self.frame is not None
        code, end = self.frame.f_code, self.frame.f_lasti
        line = stored_in(code, self.instruction, end, name)
        again = self.kind in ("while", "for") and (
            is_read_after(code, self.instruction, name) or is_read_in_line(code, self.line, self.instruction, name)
        )
        return line if again or is_read_after(code, end, name) else None
