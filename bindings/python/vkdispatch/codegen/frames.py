"""Effects of Python's own statements inside an open block of a traced function, which the trace cannot follow.

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
from collections.abc import Iterator
from types import CodeType, FrameType
from typing import Any

from ..base.remarks import warn_caller
from .bytecode import Bytecode, bytecode_of, line_of
from .uses import is_value_in

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
# The call of __exit__(None, None, None), and the instructions between it and a return: the same of outer blocks, and
# the value.
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

    The bytecode has a call of __exit__ for each way out of a `with`. Before it comes the leaving statement, or the last
    statement of the block. A `return` counts anywhere, and is followed by the instruction that returns; `break` and
    `continue` count only directly in the block: behind an `if` of Python's they choose the code that is traced.
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
    """The line of a function's only `return` with a value; None if there are several, or if it cannot be found."""
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


def reads_after(code: CodeType, offset: int, name: str) -> Iterator[dis.Instruction]:
    """The instructions behind one that may load a name before it is stored to."""
    instructions, offsets = bytecode_of(code).instructions()
    waiting, seen = [bisect.bisect_right(offsets, offset)], set()
    while waiting:
        i = waiting.pop()
        while i < len(instructions) and i not in seen:
            seen.add(i)
            instruction = instructions[i]
            if name in _names(instruction, "LOAD"):
                yield instruction
            if name in _names(instruction, "STORE") or instruction.opname in _ENDS:
                break
            if _is_jump(instruction):
                waiting.append(bisect.bisect_left(offsets, instruction.argval))
                if instruction.opname in _UNCONDITIONAL:
                    break
            i += 1


def _is_jump(instruction: dis.Instruction) -> bool:
    return instruction.opcode in dis.hasjrel or instruction.opcode in dis.hasjabs


def is_read_after(code: CodeType, offset: int, name: str) -> bool:
    """Whether a name may be loaded behind an instruction before it is stored to."""
    return any(True for _ in reads_after(code, offset, name))


def is_read_in_line(code: CodeType, line: int, until: int, name: str) -> bool:
    """Whether a name is loaded in a line, up to an instruction."""
    about = bytecode_of(code)
    found = (i for i in about.instructions()[0] if i.offset <= until and about.line_of(i.offset) == line)
    return any(name in _names(i, "LOAD") for i in found)


def _stores(code: CodeType, first: int, last: int, name: str) -> list[int]:
    """The instructions between two that store to a name."""
    found = (i for i in bytecode_of(code).instructions()[0] if first < i.offset <= last)
    return [i.offset for i in found if name in _names(i, "STORE")]


def _is_repeated(code: CodeType, first: int, last: int, offset: int) -> bool:
    """Whether an instruction is in a loop of Python's that lies between two others."""
    found = (i for i in bytecode_of(code).instructions()[0] if offset <= i.offset <= last and _is_jump(i))
    return any(first < i.argval <= offset for i in found)


class Opened:
    """A block that is open: its kind, its place, and of the frame that opened it the names that are registers, and those that are
    numbers and formulas."""

    __slots__ = ("at", "frame", "instruction", "is_endless", "kind", "registers", "values")

    def __init__(self, kind: str, at: int, frame: FrameType | None, variable: type[Any]):
        self.kind = kind
        self.at = at  # as the builder numbers places
        self.frame = frame
        self.is_endless = False  # a loop whose condition is Python's True, and which nothing has left so far
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
        changed = self._changed(self.registers)
        return [(name, line) for name, _, after in changed if isinstance(after, kinds) and (line := self._lost(name))]

    def revalued(self, variable: type[Any]) -> list[tuple[str, int]]:
        """The names of numbers and formulas that the block gave to another value which is used later, each with its line.

        A name that becomes a whole number may count something while the kernel is traced. It does not where the kernel
        computes with it later, and no loop of Python's in the block counts.
        """
        found = []
        for name, before, after in self._changed(self.values):
            if type(after) is variable or (type(after) is float and type(before) is float and after != before):
                line = self._lost(name)
            elif type(after) in (int, float) and type(after) is type(before) and after == before:
                line = None
            elif type(after) in (int, float):
                line = self._lost(name) if self._is_counted(name, variable) else None
            else:
                line = None
            if line:
                found.append((name, line))
        return found

    def _changed(self, known: dict[str, Any] | None) -> Iterator[tuple[str, Any, Any]]:
        """The names that the block assigned again, each with its value before and after."""
        if not known or self.frame is None:
            return
        now = self.frame.f_locals
        for name, before in known.items():
            after = now.get(name)
            if after is not before:
                yield name, before, after

    def _lost(self, name: str) -> int | None:
        """The line of the block that gives a name another value, if that is used later."""
        assert self.frame is not None
        code, end = self.frame.f_code, self.frame.f_lasti
        stores = _stores(code, self.instruction, end, name)
        again = self.kind in ("while", "for") and (
            is_read_after(code, self.instruction, name) or is_read_in_line(code, self.line, self.instruction, name)
        )
        return line_of(code, stores[-1]) if stores and (again or is_read_after(code, end, name)) else None

    def _is_counted(self, name: str, variable: type[Any]) -> bool:
        """Whether a number that the block changes is a value of the kernel later."""
        assert self.frame is not None
        about = bytecode_of(self.frame.f_code)
        key = (self.instruction, self.frame.f_lasti, name)
        if key not in about.counted:
            about.counted[key] = self._is_kernels(name, variable)
        return about.counted[key]

    def _is_kernels(self, name: str, variable: type[Any]) -> bool:
        assert self.frame is not None
        code, first, last = self.frame.f_code, self.instruction, self.frame.f_lasti
        if any(_is_repeated(code, first, last, at) for at in _stores(code, first, last, name)):
            return False
        reads = list(reads_after(code, last, name))
        if self.kind in ("while", "for"):
            reads += reads_after(code, first, name)
        lines = {line_of(code, read.offset) for read in reads}
        if self.kind == "while":
            lines.add(self.line)
        return bool(lines) and is_value_in(self.frame, name, lines, variable)
