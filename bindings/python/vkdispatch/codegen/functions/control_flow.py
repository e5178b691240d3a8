"""Blocks: `with if_block(...)`, or the statements `if_statement(...)` to `end()`. Both use one stack of open blocks."""

from __future__ import annotations

from typing import Any

from ..._native import enums as e
from ...base import dtype as dt
from .._numbers import as_bool
from .._types import BOOL, INTEGERS
from ..global_builder import active
from ..shader_writer import ShaderWriter
from ..variables.arithmetic import no_value
from ..variables.variables import ShaderVariable


def condition_value(builder: ShaderWriter, arg: Any) -> int:
    """A variable or Python bool as a condition of the core: integers count as true where they are not 0."""
    if isinstance(arg, ShaderVariable):
        if arg._builder is not builder:
            raise RuntimeError("The condition belongs to a different kernel: each kernel is traced by itself!")
        if arg._type == BOOL:
            return arg._value
        if arg._type and arg.var_type in INTEGERS:
            return builder.emit(e.VD_OP_NE, 0, 0, builder.location(), arg._value, builder.literal(0, arg.var_type))
        if not arg._type:
            raise no_value(arg)
        raise TypeError(f"A condition must be a comparison or an integer, not of type '{arg.var_type.name}'!")
    truth = as_bool(arg)
    if truth is None:
        raise TypeError(f"Argument of type {type(arg).__name__} cannot be processed as a boolean.")
    return builder.truth(truth)


class _Block:
    """A block that is open from __enter__ to __exit__, once."""

    def __init__(self) -> None:
        self._builder: ShaderWriter | None = None
        self._depth = -1

    def _open(self, builder: ShaderWriter) -> None:
        raise NotImplementedError

    def __enter__(self) -> None:
        if self._builder is not None:
            raise RuntimeError(f"This {type(self).__name__} was entered before: each can be entered only once!")
        builder = active()
        self._open(builder)
        self._builder = builder
        self._depth = len(builder._blocks) - 1

    def __exit__(self, kind: object, error: object, traceback: object) -> None:
        if self._builder is None:
            raise RuntimeError(f"This {type(self).__name__} was left before it was entered!")
        try:
            self._builder.close_block(self._depth)
        except Exception:
            if kind is None:  # else the first error is the one to see
                raise


class if_block(_Block):
    """`with if_block(condition):` the block runs where the condition holds: a comparison, an integer or a Python bool."""

    def __init__(self, arg: Any):
        super().__init__()
        self._arg = arg

    def _open(self, builder: ShaderWriter) -> None:
        builder.open_block("if", e.VD_OP_IF, condition_value(builder, self._arg))


class else_if_block(_Block):
    """`with else_if_block(condition):` directly behind an if_block: runs where no block before did and the condition holds."""

    def __init__(self, arg: Any):
        super().__init__()
        self._arg = arg

    def _open(self, builder: ShaderWriter) -> None:
        builder.open_else(condition_value(builder, self._arg), left=True)


class else_block(_Block):
    """`with else_block():` directly behind an if_block: runs where no block before did."""

    def _open(self, builder: ShaderWriter) -> None:
        builder.open_else(None, left=True)


class while_block(_Block):
    """`with while_block(condition):` a loop whose condition is evaluated again before each turn."""

    def __init__(self, arg: Any):
        super().__init__()
        self._arg = arg

    def _open(self, builder: ShaderWriter) -> None:
        builder.open_block("while", e.VD_OP_WHILE, condition_value(builder, self._arg))


class scope_block(_Block):
    """`with scope_block():` braces in the printed source, with an optional comment."""

    def __init__(self, indent: bool = True, comment: str | None = None):
        super().__init__()
        self._comment = comment

    def _open(self, builder: ShaderWriter) -> None:
        _open_scope(builder, self._comment)


def _open_scope(builder: ShaderWriter, comment: str | None) -> None:
    if comment is not None:
        builder.comment(str(comment))
    builder.open_block("scope", e.VD_OP_SCOPE)


def return_statement(arg: Any = None) -> None:
    """End this invocation."""
    builder = active()
    if arg is not None:
        raise TypeError("A kernel returns nothing: return_statement() takes no value!")
    builder.statement(e.VD_OP_RETURN, 0, 0)


# ---- Conditions from conditions --------------------------------------------------------------------------------------


def _join(op: int, empty: bool, args: tuple) -> ShaderVariable:
    builder = active()
    result = 0
    for arg in args:
        value = condition_value(builder, arg)
        result = builder.emit(op, 0, 0, builder.location(), result, value) if result else value
    return ShaderVariable(builder, dt.int32, result or builder.truth(empty), type_number=BOOL)


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
    builder.open_else(condition_value(builder, arg), left=False)


def else_if_any(*args: Any) -> None:
    """else_if_statement(any(*args))."""
    else_if_statement(any(*args))


def else_if_all(*args: Any) -> None:
    """else_if_statement(all(*args))."""
    else_if_statement(all(*args))


def while_statement(arg: Any) -> None:
    """Open a loop whose condition is evaluated again before each turn; end() closes it."""
    builder = active()
    builder.open_block("while", e.VD_OP_WHILE, condition_value(builder, arg))


def new_scope(indent: bool = True, comment: str | None = None) -> None:
    """Open braces in the printed source; end() closes them."""
    _open_scope(active(), comment)


def end(indent: bool = True) -> None:
    """Close the innermost block."""
    active().close_block()
