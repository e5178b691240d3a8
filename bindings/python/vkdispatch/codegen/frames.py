"""What a traced function does with Python's own means inside of an open block, which the trace cannot follow.

`acc = acc + 1` gives the name to a formula, in every case, and leaves the register; `return` leaves the function while it is
traced. Both are found where a block closes, by the function's variables before and after, and by its bytecode.
"""

from __future__ import annotations

import bisect
import dis
import functools
import linecache
import re
from types import CodeType, FrameType
from typing import Any

_OPCODES = dis.opmap
_RETURN = re.compile(r"(^|[:;])\s*return\b")


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


def line_of(code: CodeType, offset: int) -> int | None:
    """The line of an instruction."""
    for start, end, line in code.co_lines():
        if start <= offset < end:
            return line
    return None


# ---- return


@functools.lru_cache(maxsize=64)
def _code(code: CodeType) -> bytes:
    """The bytecode, of which Python makes a copy each time."""
    return code.co_code


def return_inside(frame: FrameType) -> int | None:
    """The line of the `return` that leaves a block whose __exit__ a frame is calling; None where none does.

    The bytecode has a call of __exit__ for each way out of a `with`. One that a `return` takes is followed by the instruction
    that returns, as is one at the end of a function; what stands before it is the `return`, or the last statement of the block.
    """
    code, instructions = frame.f_code, _code(frame.f_code)
    at = frame.f_lasti + 2
    while at < len(instructions) and instructions[at] in _BEHIND:
        at += 2
    if at >= len(instructions) or instructions[at] not in _RETURNS:
        return None
    at = frame.f_lasti
    while at > 0 and instructions[at] in _CALL:
        at -= 2
    line = line_of(code, at)
    if line is None or instructions[at] in _PARTING:  # then a jump leads to the call
        return None
    text = linecache.getline(code.co_filename, line, frame.f_globals)
    return line if _RETURN.search(text) and not text.lstrip().startswith("def ") else None


# ---- Names


@functools.lru_cache(maxsize=64)
def _instructions(code: CodeType) -> tuple[list[dis.Instruction], list[int]]:
    """The instructions, and their offsets."""
    found = list(dis.get_instructions(code))
    return found, [instruction.offset for instruction in found]


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
    instructions, offsets = _instructions(code)
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
    found = (i for i in _instructions(code)[0] if i.offset <= until and line_of(code, i.offset) == line)
    return any(name in _names(i, "LOAD") for i in found)


def stored_in(code: CodeType, first: int, last: int, name: str) -> int | None:
    """The line in which a name is stored to, between two instructions."""
    for instruction in reversed(_instructions(code)[0]):
        if first < instruction.offset <= last and name in _names(instruction, "STORE"):
            return line_of(code, instruction.offset)
    return None


class Opened:
    """A block that is open: its kind, its place, and of the frame that opened it the names that are registers."""

    __slots__ = ("at", "frame", "instruction", "kind", "line", "registers")

    def __init__(self, kind: str, at: int, frame: FrameType | None, variable: type[Any]):
        self.kind = kind
        self.at = at  # as the builder numbers places
        self.frame = frame
        self.registers: dict[str, Any] | None = None
        if frame is not None:
            self.line, self.instruction = frame.f_lineno, frame.f_lasti
            self.registers = {
                name: value
                for name, value in frame.f_locals.items()
                if type(value) is variable and value.register and value._origin is None
            }

    def rebound(self, kinds: tuple[type, ...]) -> list[tuple[str, int]]:
        """The registers' names that the block gave to another value which is used later, each with its line."""
        frame = self.frame
        if not self.registers or frame is None:
            return []
        now = frame.f_locals
        changed = [name for name, before in self.registers.items() if now.get(name) is not before]
        return [(name, line) for name in changed if isinstance(now.get(name), kinds) and (line := self._lost(name))]

    def _lost(self, name: str) -> int | None:
        """The line of the block that gives a name another value, if that is used later."""
        assert self.frame is not None
        code, end = self.frame.f_code, self.frame.f_lasti
        line = stored_in(code, self.instruction, end, name)
        again = self.kind in ("while", "for") and (
            is_read_after(code, self.instruction, name) or is_read_in_line(code, self.line, self.instruction, name)
        )
        return line if again or is_read_after(code, end, name) else None
