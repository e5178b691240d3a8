"""What every expression and statement goes through on its way into the core: emission, literals, places in the user's
source, and the stack of open blocks."""

from __future__ import annotations

import sys
from typing import Any, NoReturn

from .._native import enums as e
from ..base import dtype as dt
from ._types import BOOL, TYPE_OF, element_of, scalar_bits

_getframe = sys._getframe

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
        self._locations: dict[tuple[int, int], int] = {}
        self._codes: list[Any] = []  # keeps the ids in _locations valid
        self._blocks: list[str] = []
        self._block_places: list[str] = []  # where each was opened

    def _open(self, flags: int, name: str | None = None) -> None:
        """Begin an empty kernel in the core; the one before, if any, is dropped."""
        from .._native import hot, raw
        from .._native._load import ffi

        self._clear()
        self._native = raw.vd_builder_create(raw.vd_builder_desc(flags=flags, name=name))
        self.emit = hot.vd_builder(int(ffi.cast("uintptr_t", self._native)), self._native).emit

    def end_trace(self) -> None:
        """Write no more: variables that outlive the trace say so when they are used."""
        self.emit = _trace_is_over

    # ---- Expressions and statements

    def location(self) -> int:
        """The number of the innermost place outside of this package on the call stack."""
        frame: Any = _getframe(1)
        try:
            while (
                _internal.get(name := frame.f_globals.get("__name__")) or name not in _internal and _is_internal(name)
            ):
                frame = frame.f_back
            code = frame.f_code
        except AttributeError:  # the stack has no such place
            return 0
        key = (id(code), frame.f_lasti)
        try:
            return self._locations[key]
        except KeyError:
            pass
        return self._new_location(key, code, frame.f_lineno)

    def _new_location(self, key: tuple[int, int], code: Any, line: int | None) -> int:
        from .._native import raw

        if self.emit is _trace_is_over:
            _trace_is_over()
        self._codes.append(code)
        number = raw.vd_builder_location(self._native, code.co_filename, max(line or 1, 1), code.co_name)
        self._locations[key] = number
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

    def open_block(self, kind: str, op: int, *operands: int) -> int:
        """Open a block: "if", "while", "for" or "scope". The result is the counter of a "for"."""
        value = self.statement(op, e.VD_TYPE_NONE, 0, *operands)
        self._blocks.append(kind)
        self._block_places.append(self._place())
        return value

    def in_loop(self) -> bool:
        """Whether a loop is open that break and continue mean."""
        return "while" in self._blocks or "for" in self._blocks

    def open_else(self, condition: int | None, left: bool) -> None:
        """Go on with the `else` of an if, or with a condition its `else if`.

        `left`: of the if whose block was closed last; else of the running one. Only comments may stand between the two.
        """
        if not left and (not self._blocks or self._blocks[-1] != "if"):
            raise RuntimeError("An else must directly follow the block of an if!")
        op, operands = (e.VD_OP_ELSE, ()) if condition is None else (e.VD_OP_ELSE_IF, (condition,))
        self.statement(op, e.VD_TYPE_NONE, int(left), *operands)
        if not left:
            self._blocks.pop()
            self._block_places.pop()
        self._blocks.append("else" if condition is None else "if")
        self._block_places.append(self._place())

    def close_block(self, depth: int | None = None) -> None:
        """Close the innermost block: the one around which `depth` others were open, if given."""
        if depth is None and not self._blocks:
            raise RuntimeError("There is no open block to end!")
        if depth is not None and len(self._blocks) != depth + 1:
            said = "this one was closed by an end() inside of it"
            if len(self._blocks) > depth + 1:
                said = f"the {self._blocks[-1]} that was opened at {self._block_places[-1]} is still open"
            raise RuntimeError(f"Blocks must be closed in the opposite order of their opening: {said}!")
        self.statement(e.VD_OP_END, e.VD_TYPE_NONE, 0)
        self._blocks.pop()
        self._block_places.pop()

    def comment(self, text: str) -> None:
        """A comment in the source."""
        self.emit(e.VD_OP_COMMENT, e.VD_TYPE_NONE, 0, 0, self.string(text))

    def close(self) -> None:
        """Check that no block is open."""
        if self._blocks:
            raise RuntimeError(
                f"A block is still open at the end of the kernel: {self._blocks[-1]}! "
                f"It was opened at {self._block_places[-1]}."
            )
