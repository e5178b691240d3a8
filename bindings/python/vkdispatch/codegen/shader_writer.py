"""The writer of all expressions and statements into the core: emission, literals, places in the user's source, and the
stack of open blocks."""

from __future__ import annotations

import sys
from types import CodeType, FrameType
from typing import Any, NoReturn

from .._native import enums as e
from ..base import dtype as dt
from ..base.remarks import Place, warn_at
from ._types import BOOL, TYPE_OF, element_of, scalar_bits
from .bytecode import line_of
from .frames import Opened, parting
from .hazards import Hazards
from .variables.variables import ShaderVariable

_getframe = sys._getframe
_LANGUAGE = __name__.rpartition(".")[0]

# Module name -> whether it is part of this package, whose frames are no places of the user's.
_internal: dict[Any, bool] = {}


def _is_internal(module: Any) -> bool:
    result = isinstance(module, str) and (module == "vkdispatch" or module.startswith("vkdispatch."))
    _internal[module] = result
    return result


def _trace_is_over(*operands: int) -> NoReturn:
    raise RuntimeError("This variable belongs to a kernel whose trace is over: it means something only inside of it!")


class ShaderWriter:
    """Writes one kernel into the core.

    `emit(op, type, immediate, location, *operands) -> value` is the core's own call; `statement` is the same for what takes
    a place in the program.
    """

    def __init__(self) -> None:
        self._native: Any = None
        self.emit: Any = None
        self._clear()

    def _clear(self) -> None:
        self._literals: dict[tuple[int, Any], int] = {}
        self._numbers: dict[tuple[Any, type[dt.dtype]], int] = {}  # literals by what they were written as
        self._locations: dict[tuple[int, int], int] = {}
        self._codes: list[Any] = []  # keeps the ids in _locations valid
        self._blocks: list[str] = []
        self._opened: list[Opened] = []  # the same, with the places
        self._rebound: set[tuple] = set()  # what was warned of
        self._unentered: dict[
            Any, tuple[CodeType, int]
        ] = {}  # blocks made without `with`, and the instruction that did
        #: Location number -> line of the program.
        self.places: dict[int, Place] = {}
        #: The instruction of location()'s last statement, in its function.
        self.last_instruction = 0
        self.hazards = Hazards()

    def _open(self, flags: int, name: str | None = None) -> None:
        """Begin an empty kernel in the core; the one before, if any, is dropped."""
        from .._native import hot, raw
        from .._native._load import ffi

        self._clear()
        self._native = raw.vd_builder_create(raw.vd_builder_desc(flags=flags, name=name))
        self.emit = hot.vd_builder(int(ffi.cast("uintptr_t", self._native)), self._native).emit

    def end_trace(self) -> None:
        """End the writing: variables that outlive the trace give an error when they are used."""
        self.emit = _trace_is_over
        self._opened.clear()  # of what is still open: else its frames would stay

    # ---- Expressions and statements

    def location(self) -> int:
        """The number of the innermost place outside of this package on the call stack."""
        frame: Any = _getframe(2)  # the caller is a part of this package
        try:
            while (
                _internal.get(name := frame.f_globals.get("__name__")) or name not in _internal and _is_internal(name)
            ):
                frame = frame.f_back
            code = frame.f_code
        except AttributeError:  # the stack has no such place
            return 0
        at = self.last_instruction = frame.f_lasti
        key = (id(code), at)
        try:
            return self._locations[key]
        except KeyError:
            pass
        return self._new_location(key, code, frame)

    def _new_location(self, key: tuple[int, int], code: Any, frame: Any) -> int:
        from .._native import raw

        if self.emit is _trace_is_over:
            _trace_is_over()
        self._codes.append(code)
        line = line_of(code, key[1])
        number = raw.vd_builder_location(self._native, code.co_filename, line, code.co_name)
        self._locations[key] = number
        self.places[number] = Place(frame.f_globals, code.co_filename, line)
        return number

    @staticmethod
    def _place() -> str:
        """The innermost place outside of this package, for a message."""
        frame: Any = _getframe(1)
        while frame is not None and _is_internal(frame.f_globals.get("__name__")):
            frame = frame.f_back
        return f"{frame.f_code.co_filename}:{frame.f_lineno}" if frame is not None else "an unknown place"

    def statement(self, op: int, type: int, immediate: int, *operands: int) -> int:
        """Append a statement at the present place."""
        return self.emit(op, type, immediate, self.location(), *operands)

    # ---- Literals

    def literal(self, x: Any, t: type[dt.dtype]) -> int:
        """The number `x` as a constant of dtype `t`; of a complex type its real part, of others every component."""
        if not x:  # zeros are equal, with either sign
            return self._new_literal(x, t)
        key = (x, t)
        value = self._numbers.get(key)
        if value is None:
            value = self._numbers[key] = self._new_literal(x, t)
        return value

    def _new_literal(self, x: Any, t: type[dt.dtype]) -> int:
        number = TYPE_OF[t]
        if dt.is_complex(t):
            re, im = (x.real, x.imag) if isinstance(x, complex) else (x, 0)
            if not im:
                return self._constant(number, scalar_bits(re, t.child_type))
            return self._composite(number, self.literal(re, t.child_type), self.literal(im, t.child_type))
        if dt.is_matrix(t):
            return self._composite(number, *[self.literal(x, t.child_type)] * t.child_count)
        return self._constant(number, scalar_bits(x, element_of(t)))

    def _constant(self, number: int, bits: int) -> int:
        key = (number, bits)
        try:
            return self._literals[key]
        except KeyError:
            pass
        value = self._literals[key] = self.emit(e.VD_OP_CONST, number, bits, 0)
        return value

    def _composite(self, number: int, *parts: int) -> int:
        key = (number, parts)
        try:
            return self._literals[key]
        except KeyError:
            pass
        value = self._literals[key] = self.emit(e.VD_OP_CONSTRUCT, number, 0, 0, *parts)
        return value

    def truth(self, x: bool) -> int:
        """A constant condition."""
        return self._constant(BOOL, int(x))

    def string(self, text: str) -> int:
        """A string operand of a print or comment."""
        from .._native import raw

        return raw.vd_builder_string(self._native, text)

    # ---- Names and text

    def name_value(self, value: int, name: str) -> None:
        """Give a variable its name in the source."""
        from .._native import raw

        raw.vd_builder_name(self._native, value, name)

    def describe(self, value: int) -> str:
        """A value as text for people."""
        from .._native import raw

        return raw.vd_blob_data(raw.vd_builder_describe(self._native, value)).decode()

    # ---- Blocks

    def open_block(self, kind: str, op: int, *operands: int, frame: FrameType | None = None) -> int:
        """Open a block: "if", "while", "for" or "scope". The result is the counter of a "for". `frame` is the program's, if it
        is known."""
        at = self.location()
        value = self.emit(op, e.VD_TYPE_NONE, 0, at, *operands)
        self._push(kind, at, frame)
        self.hazards.open_branch()
        return value

    def _push(self, kind: str, at: int, frame: FrameType | None) -> None:
        self._blocks.append(kind)
        self._opened.append(Opened(kind, at, frame or _opener(), ShaderVariable))

    def _opened_at(self, opened: Opened) -> str:
        place = self.places.get(opened.at)
        return f"{place.file}:{place.line}" if place is not None else "an unknown place"

    def is_unconditional(self) -> bool:
        """Whether every invocation comes by here, as far as blocks go."""
        return all(kind == "scope" for kind in self._blocks)

    def in_loop(self) -> bool:
        """Whether a loop is open that break and continue mean."""
        return "while" in self._blocks or "for" in self._blocks

    def note_endless(self) -> None:
        """The loop that was opened last has a condition that always holds: something else must leave it."""
        self._opened[-1].is_endless = True

    def note_leaving(self, loop: bool) -> None:
        """A statement leaves the innermost loop, or the kernel."""
        self.hazards.note_leaving()
        for opened in reversed(self._opened):
            opened.is_endless = False
            if loop and opened.kind in ("while", "for"):
                break

    def open_else(self, condition: int | None, left: bool, frame: FrameType | None = None) -> None:
        """Open the `else` of an if, or with a condition its `else if`.

        `left`: of the if whose block was closed last; else of the running one. Only comments may stand between the two.
        """
        if left:
            self.check_entered()
        elif not self._blocks or self._blocks[-1] != "if":
            raise RuntimeError("An else must directly follow the block of an if!")
        op, operands = (e.VD_OP_ELSE, ()) if condition is None else (e.VD_OP_ELSE_IF, (condition,))
        at = self.location()
        self.emit(op, e.VD_TYPE_NONE, int(left), at, *operands)
        if not left:
            self._pop()
        self._push("else" if condition is None else "if", at, frame)
        self.hazards.open_branch(True, left)

    def close_block(self, depth: int | None = None) -> None:
        """Close the innermost block: the one around which `depth` others were open, if given."""
        if depth is None and not self._blocks:
            raise RuntimeError("There is no open block to end!")
        if depth is not None and len(self._blocks) != depth + 1:
            said = "this one was closed by an end() inside of it"
            if len(self._blocks) > depth + 1:
                said = f"the {self._blocks[-1]} that was opened at {self._opened_at(self._opened[-1])} is still open"
            raise RuntimeError(f"Blocks must be closed in the opposite order of their opening: {said}!")
        if self._opened[-1].is_endless:
            raise ValueError(
                f"{self._opened_at(self._opened[-1])}: the condition of this while block is Python's True, which never changes, and no "
                "vc.break_statement() or vc.return_statement() leaves the block, so it would never end. A number of Python's is "
                "compared once, while the kernel is traced; a register (vc.new_int_register()) is compared before each turn!"
            )
        self.statement(e.VD_OP_END, e.VD_TYPE_NONE, 0)
        self.hazards.close_branch()
        self._pop()

    def _pop(self) -> None:
        self._blocks.pop()
        opened = self._opened.pop()
        frame = opened.frame
        for name, line in opened.rebound(_VALUES):
            self._warn_of_name(
                frame,
                line,
                name,
                f"'{name} = ...' inside of a block gives the name of a register to something else, whether or not the block "
                f"runs, and the register stays as it is. '{name} += 1' and its like change the register, and "
                f"'{name}[:] = ...' stores to it",
            )
        for name, line in opened.revalued(ShaderVariable):
            self._warn_of_name(
                frame,
                line,
                name,
                f"'{name}' was no register before the block, and gets another value inside of it: Python does that once, while the "
                f"kernel is traced, whether or not and however often the block runs. Make it a register before the block "
                f"(.to_register(), vc.new_float_register()), then '{name} += 1' and '{name}[:] = ...' change it",
            )

    def _warn_of_name(self, frame: FrameType | None, line: int, name: str, text: str) -> None:
        assert frame is not None
        place = Place(frame.f_globals, frame.f_code.co_filename, line)
        key = (place.file, line, name)
        if key not in self._rebound:
            self._rebound.add(key)
            warn_at(place, f"{text} ({place.file}:{line}).")

    def check_parting(self, depth: int, frame: FrameType) -> None:
        """RuntimeError if the block that `frame` leaves, with `depth` others around it, is left by a word of Python's."""
        if len(self._blocks) != depth + 1:
            return  # close_block() has words for that
        opened = self._opened[-1]
        found = parting(frame, opened) if opened.frame is frame else None
        if found is not None:
            line, word = found
            what, cure = _PARTINGS[word]
            raise RuntimeError(
                f"{frame.f_code.co_filename}:{line}: '{word}' inside of the {opened.kind} block that was opened at "
                f"{self._opened_at(opened)}: Python {what} while it is traced, for all invocations. {cure}!"
            )

    def note_block(self, block: Any, frame: FrameType) -> None:
        """A block object was made in a frame, and must be entered before the trace ends."""
        self._unentered[block] = (frame.f_code, frame.f_lasti)

    def note_entered(self, block: Any) -> None:
        """It was."""
        self._unentered.pop(block, None)

    def check_entered(self) -> None:
        """RuntimeError if a block object was made and not entered."""
        for block, (code, at) in self._unentered.items():
            self._unentered = {}
            name = type(block).__name__
            raise RuntimeError(
                f"{code.co_filename}:{line_of(code, at)}: vc.{name}(...) without 'with' opens no block, and what follows is not in it. Write 'with vc.{name}(...):'!"
            )

    def comment(self, text: str) -> None:
        """A comment in the source."""
        self.emit(e.VD_OP_COMMENT, e.VD_TYPE_NONE, 0, 0, self.string(text))

    def close(self) -> None:
        """Check that no block is open, and none was forgotten."""
        self.check_entered()
        if self._blocks:
            raise RuntimeError(
                f"A block is still open at the end of the kernel: {self._blocks[-1]}! "
                f"It was opened at {self._opened_at(self._opened[-1])}."
            )


def _opener() -> Any:
    """The frame of the program that called the language itself; None where another part of this package did."""
    frame: Any = _getframe(2)
    while frame is not None and str(frame.f_globals.get("__name__")).startswith(_LANGUAGE):
        frame = frame.f_back
    return None if frame is None or _is_internal(frame.f_globals.get("__name__")) else frame


# Python keywords that act inside a block, and the function that does the same in the kernel.
_PARTINGS = {
    "return": (
        "leaves the function",
        "vc.return_statement() ends an invocation; a function gives a value that depends on a condition by a register that "
        + "the block stores to, and returns it behind the block",
    ),
    "break": (
        "leaves its loop",
        "vc.break_statement() leaves a loop of the kernel; one of Python's is written out, and ends by an if of Python's",
    ),
    "continue": (
        "goes on with its loop",
        "vc.continue_statement() does so in a loop of the kernel; in one of Python's that is written out, what follows belongs "
        + "into an else_block()",
    ),
}
# Types of values that a name may be given in place of a register.
_VALUES = (ShaderVariable, int, float, complex)
