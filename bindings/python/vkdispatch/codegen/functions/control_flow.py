"""Blocks: `with if_block(...)`, or the statements `if_statement(...)` to `end()`. Both use one stack of open blocks.

Conditions are comparisons, integers (true where not 0) or Python's bools; anything else is a TypeError. A block is entered
once, and closed in the order in which it was opened, or it is a RuntimeError.

Example:
    @vd.shader("out.size")
    def collatz(out: Buff[i32]):
        n = vc.new_int_register(vc.global_invocation_id().x + 1)
        steps = vc.new_int_register(0)
        with vc.while_block(n != 1):
            with vc.if_block(n % 2 == 0):
                n[:] = n // 2
            with vc.else_block():
                n[:] = 3 * n + 1
            steps += 1
            with vc.if_block(vc.any(steps > 1000, n < 1)):
                vc.break_statement()
        out[vc.global_invocation_id().x] = steps

    out = vd.empty(6, vd.int32)
    collatz(out)
    assert list(out.read(0)) == [0, 1, 7, 2, 5, 8]
"""

from __future__ import annotations

import sys
from types import FrameType
from typing import TYPE_CHECKING, Any

from ..._native import enums as e
from ...base import dtype as dt
from .._numbers import as_bool, as_index, literal_dtype, number_to_dtype
from .._state import _state
from .._types import BOOL, INTEGERS, LIMITS
from ..global_builder import active
from ..hazards import reads_of
from ..variables.arithmetic import converted, no_value
from ..variables.variables import ShaderVariable

if TYPE_CHECKING:
    from ..builder import ShaderBuilder
    from ..trace import Trace


def condition_value(builder: Trace, arg: Any) -> int:
    """A variable or Python bool as a condition of the core: integers count as true where they are not 0."""
    if isinstance(arg, ShaderVariable):
        if arg._builder is not builder:
            raise RuntimeError("The condition belongs to a different kernel: each kernel is traced by itself!")
        if arg._reads:
            builder.hazards.note_use(builder, arg._reads)
        if arg._type == BOOL:
            return arg._value
        if arg._type and arg.var_type in INTEGERS:
            return builder.emit(e.VD_OP_NE, 0, 0, builder.location(), arg._value, builder.literal(0, arg.var_type))
        if not arg._type:
            raise no_value(arg)
        raise TypeError(f"A condition must be a comparison or an integer, not of type '{arg.var_type.name}'!")
    return builder.truth(truth_of(arg))


def truth_of(arg: Any) -> bool:
    """A Python bool, NumPy's included; TypeError for all else."""
    truth = as_bool(arg)
    if truth is None:
        raise TypeError(f"Argument of type {type(arg).__name__} cannot be processed as a boolean.")
    return truth


class _Block:
    """A block that is open from __enter__ to __exit__, once."""

    def __init__(self) -> None:
        self._builder: ShaderBuilder | None = None
        self._depth = -1
        self._frame: FrameType | None = None  # of the program, while the block is being opened

    def _made(self) -> None:
        """Note that the object is complete: a trace that ends before it is entered gives an error."""
        builder = _state.builder
        if builder is not None:
            builder.note_block(self, sys._getframe(2))

    def _open(self, builder: ShaderBuilder) -> None:
        raise NotImplementedError

    def __enter__(self) -> None:
        self._enter(sys._getframe(1))

    def _enter(self, frame: FrameType) -> None:
        if self._builder is not None:
            raise RuntimeError(f"This {type(self).__name__} was entered before: each can be entered only once!")
        builder = active()
        builder.note_entered(self)
        self._frame = None if str(frame.f_globals.get("__name__")).startswith("vkdispatch.") else frame
        try:
            self._open(builder)
        finally:
            self._frame = None
        self._builder = builder
        self._depth = len(builder._blocks) - 1

    def __exit__(self, kind: object, error: object, traceback: object) -> None:
        if self._builder is None:
            raise RuntimeError(f"This {type(self).__name__} was left before it was entered!")
        try:
            if kind is None:
                self._builder.check_parting(self._depth, sys._getframe(1))
            self._builder.close_block(self._depth)
        except Exception:
            if kind is None:  # else the first error is the one to see
                raise


class if_block(_Block):
    """`with if_block(condition):` the block runs where the condition holds: a comparison, an integer or a Python bool."""

    def __init__(self, arg: Any):
        super().__init__()
        self._arg = arg
        self._made()

    def _open(self, builder: ShaderBuilder) -> None:
        builder.open_block("if", e.VD_OP_IF, condition_value(builder, self._arg), frame=self._frame)


class else_if_block(_Block):
    """`with else_if_block(condition):` directly behind an if_block: runs where no block before did and the condition holds."""

    def __init__(self, arg: Any):
        super().__init__()
        self._arg = arg
        self._made()

    def _open(self, builder: ShaderBuilder) -> None:
        with builder.hazards.choosing(left=True):
            condition = condition_value(builder, self._arg)
        builder.open_else(condition, left=True, frame=self._frame)


class else_block(_Block):
    """`with else_block():` directly behind an if_block: runs where no block before did."""

    def __init__(self) -> None:
        super().__init__()
        self._made()

    def _open(self, builder: ShaderBuilder) -> None:
        builder.open_else(None, left=True, frame=self._frame)


class while_block(_Block):
    """`with while_block(condition):` a loop whose condition is evaluated again before each iteration."""

    def __init__(self, arg: Any):
        super().__init__()
        self._arg = arg
        self._made()

    def _open(self, builder: ShaderBuilder) -> None:
        _open_while(builder, self._arg, self._frame)


def _open_while(builder: ShaderBuilder, arg: Any, frame: FrameType | None = None) -> None:
    builder.open_block("while", e.VD_OP_WHILE, condition_value(builder, arg), frame=frame)
    if not isinstance(arg, ShaderVariable) and truth_of(arg):
        builder.note_endless()


class for_block(_Block):
    """`with for_block(start, stop, step) as i:` a loop that counts as Python's range does: from `start`, with `step` (1) added
    after each iteration, while `i` is below `stop`, or above it where `step` is negative. for_block(stop) starts at 0.

    Bounds and step are integers, numbers or variables, and evaluated once, before the first iteration. `i` has their
    common type under an operator, of at least 32 bits. If `stop + step` does not fit that type, the count wraps and
    continues; with numbers as bounds and step this is an error. A step of 0 is an error, too; if a variable step is 0
    when the kernel runs, the loop has no iteration.
    """

    def __init__(self, start: Any, stop: Any = None, step: Any = 1):
        super().__init__()
        if stop is None:
            start, stop = 0, start
        self._bounds = {"start": _bound("start", start), "stop": _bound("stop", stop), "step": _bound("step", step)}
        if as_index(self._bounds["step"]) == 0:
            raise ValueError(f"for_block: the step is 0, so the loop would never end ({active()._place()})!")
        self._made()

    def __enter__(self) -> ShaderVariable:  # type: ignore[override]
        self._enter(sys._getframe(1))
        return self._counter

    def _open(self, builder: ShaderBuilder) -> None:
        bounds = self._bounds.values()
        for x in bounds:
            if isinstance(x, ShaderVariable) and x._builder is not builder:
                raise RuntimeError("A bound belongs to a different kernel: each kernel is traced by itself!")
        t = _counter_type(list(bounds))
        _note_wrapping(builder, t, *bounds)
        at = builder.location()
        start, stop, step = (
            converted(x, t, at) if isinstance(x, ShaderVariable) else builder.literal(x, t) for x in bounds
        )
        if isinstance(self._bounds["step"], ShaderVariable):
            still = builder.emit(e.VD_OP_EQ, 0, 0, at, step, builder.literal(0, t))
            stop = builder.emit(e.VD_OP_SELECT, 0, 0, at, still, start, stop)
        counter = builder.open_block("for", e.VD_OP_FOR, start, stop, step, frame=self._frame)
        self._counter = ShaderVariable(builder, t, counter)


def _bound(what: str, x: Any) -> ShaderVariable | int:
    """A bound or step of a loop; TypeError if it is no integer."""
    if isinstance(x, ShaderVariable):
        if not x._type:
            raise no_value(x)
        if x._type == BOOL or x.var_type not in INTEGERS:
            given = "a comparison" if x._type == BOOL else f"of type '{x.var_type.name}'"
            raise TypeError(f"for_block: {what} must be an integer, and it is {given}!")
        return x
    number = as_index(x)
    if number is None:
        raise TypeError(f"for_block: {what} must be an integer, not {type(x).__name__} ({x!r})!")
    return number


def _note_wrapping(builder: ShaderBuilder, t: type[dt.dtype], start: Any, stop: Any, step: Any) -> None:
    """ValueError where the number that ends a loop of numbers does not fit the counter, which would wrap and go on."""
    if isinstance(start, int) and isinstance(stop, int) and isinstance(step, int):
        turns, (low, high) = range(start, stop, step), LIMITS[t]
        if turns and not low <= turns[-1] + step <= high:
            raise ValueError(
                f"for_block: the count after the last turn ({turns[-1]} + {step}) does not fit {t.name} ({low} to {high}), and "
                f"would wrap and go on ({builder._place()})!"
            )


def _counter_type(bounds: list) -> type[dt.dtype]:
    """The common type of bounds and step, as under an operator, of 32 or 64 bits."""
    variables = [x.var_type for x in bounds if isinstance(x, ShaderVariable)]
    numbers = [x for x in bounds if not isinstance(x, ShaderVariable)]
    t = variables[0] if variables else number_to_dtype(numbers[0])
    for other in variables:
        t = dt.cross_type(t, other)
    for x in numbers:
        t = dt.cross_type(t, literal_dtype(x, t))
    if min(numbers, default=0) < 0 and not dt.is_signed_integer_dtype(t):
        t = dt.int64 if t.item_size == 8 else dt.int32
    if t.item_size < 4:
        t = dt.cross_type(t, dt.int32 if dt.is_signed_integer_dtype(t) else dt.uint32)
    return t


class scope_block(_Block):
    """`with scope_block():` braces in the printed source, with an optional comment."""

    def __init__(self, indent: bool = True, comment: str | None = None):
        super().__init__()
        self._comment = comment
        self._made()

    def _open(self, builder: ShaderBuilder) -> None:
        _open_scope(builder, self._comment)


def _open_scope(builder: ShaderBuilder, comment: str | None) -> None:
    if comment is not None:
        builder.comment(str(comment))
    builder.open_block("scope", e.VD_OP_SCOPE)


def return_statement(arg: Any = None) -> None:
    """End this invocation."""
    builder = active()
    if arg is not None:
        raise TypeError("A kernel returns nothing: return_statement() takes no value!")
    builder.statement(e.VD_OP_RETURN, 0, 0)
    builder.note_leaving(loop=False)


def break_statement() -> None:
    """Leave the innermost loop."""
    _leave("break_statement", e.VD_OP_BREAK).note_leaving(loop=True)


def continue_statement() -> None:
    """Continue with the next iteration of the innermost loop."""
    _leave("continue_statement", e.VD_OP_CONTINUE).hazards.note_leaving()


def _leave(name: str, op: int) -> ShaderBuilder:
    builder = active()
    if not builder.in_loop():
        raise RuntimeError(
            f"{name}() stands outside of a loop: it belongs inside a while_block or for_block ({builder._place()})!"
        )
    builder.statement(op, 0, 0)
    return builder


# ---- Conditions from conditions --------------------------------------------------------------------------------------


def _join(op: int, empty: bool, args: tuple) -> ShaderVariable:
    builder = active()
    result = 0
    for arg in args:
        value = condition_value(builder, arg)
        result = builder.emit(op, 0, 0, builder.location(), result, value) if result else value
    return ShaderVariable(builder, dt.int32, result or builder.truth(empty), type_number=BOOL, reads=reads_of(*args))


def any(*args: Any) -> ShaderVariable:
    """Whether one of several conditions holds."""
    return _join(e.VD_OP_LOR, False, args)


def all(*args: Any) -> ShaderVariable:
    """Whether all of several conditions hold."""
    return _join(e.VD_OP_LAND, True, args)


def logical_and(a: Any, b: Any) -> ShaderVariable:
    """Whether both conditions hold."""
    return all(a, b)


def logical_or(a: Any, b: Any) -> ShaderVariable:
    """Whether one of two conditions holds."""
    return any(a, b)


# ---- The statement form ----------------------------------------------------------------------------------------------


def if_statement(arg: Any, command: Any = None) -> None:
    """Open a block that runs where the condition holds; else_statement() goes on, end() closes it.

    `command`, a function without parameters, is called inside, and then the block is closed.
    """
    builder = active()
    builder.open_block("if", e.VD_OP_IF, condition_value(builder, arg))
    if command is not None:
        command()
        end()


def if_any(*args: Any) -> None:
    """if_statement(any(*args))."""
    if_statement(any(*args))


def if_all(*args: Any) -> None:
    """if_statement(all(*args))."""
    if_statement(all(*args))


def else_statement() -> None:
    """Close the running branch and open the one for all other cases."""
    active().open_else(None, left=False)


def else_if_statement(arg: Any) -> None:
    """Close the running branch and open the next, with its own condition."""
    builder = active()
    with builder.hazards.choosing(left=False):
        condition = condition_value(builder, arg)
    builder.open_else(condition, left=False)


def else_if_any(*args: Any) -> None:
    """else_if_statement(any(*args))."""
    else_if_statement(any(*args))


def else_if_all(*args: Any) -> None:
    """else_if_statement(all(*args))."""
    else_if_statement(all(*args))


def while_statement(arg: Any) -> None:
    """Open a loop whose condition is evaluated again before each iteration; end() closes it."""
    _open_while(active(), arg)


def new_scope(indent: bool = True, comment: str | None = None) -> None:
    """Open braces in the printed source; end() closes them."""
    _open_scope(active(), comment)


def end(indent: bool = True) -> None:
    """Close the innermost block."""
    active().close_block()
