"""The object that a rewritten function calls while it is traced: its names, and blocks of the kernel for its control flow.

A condition that is a value of the kernel opens a block of the kernel, and all branches are traced; any other is Python's,
and decides at once. `for i in range(...)` and `while` are always loops of the kernel, and a `for` over anything else is
written out.
"""

from __future__ import annotations

import builtins
import functools
import inspect
from collections.abc import Callable, Iterator
from typing import Any

from ..._native import enums as e
from ...base import dtype as dt
from .._numbers import as_index
from .._types import BOOL, LIMITS
from ..functions import common
from ..functions.casts import to_dtype
from ..functions.control_flow import all as all_of
from ..functions.control_flow import any as any_of
from ..functions.control_flow import (
    break_statement,
    condition_value,
    continue_statement,
    else_block,
    for_block,
    if_block,
    return_statement,
    while_block,
)
from ..global_builder import active
from ..variables.variables import ShaderVariable
from .helpers import Helpers
from .names import Names, is_value

_COLORS = str.maketrans("rgba", "xyzw")


class Flow:
    """The control flow and the names of one trace."""

    def __init__(self, names: Names, helpers: Helpers | None = None):
        self._names, self._helpers = names, helpers
        self._depth = len(active()._blocks)
        self._kept: dict[str, Any] = {}
        self._choices = 0

    # ---- Names

    def __getitem__(self, name: str) -> Any:
        return self._names[name]

    def __setitem__(self, name: str, value: Any) -> None:
        self._names[name] = value

    def keep(self, name: str, value: Any) -> Any:
        """Give a name a value, as `:=` does."""
        self._names[name] = value
        return self._names[name]

    def keep_value(self, name: str, value: Any) -> Any:
        """A value that kept() gives again."""
        self._kept[name] = value
        return value

    def kept(self, name: str) -> Any:
        """The value that was kept last by this name."""
        return self._kept[name]

    def frozen(self, value: Any) -> Any:
        """A value that later assignments do not change."""
        return self._names.frozen(value)

    def typed(self, annotated: Callable[[], Any], value: Any) -> Any:
        """The value of `name: annotation = value`: of a dtype, if the annotation is one or has one. Python does not evaluate it, so
        it may be anything."""
        try:
            annotation = annotated()
        except NameError:
            return value
        t = annotation if dt.is_dtype(annotation) else getattr(annotation, "dtype", None)
        return to_dtype(t, value) if dt.is_dtype(t) else value

    # ---- Elements and components

    def items(self, container: Any) -> Any:
        """The target of `container[i] = value`."""
        return container if _is_memory(container) else _Items(self, container)

    def parts(self, owner: Any) -> Any:
        """The target of `owner.name = value`."""
        return _Parts(owner)

    def component(self, owner: Any, name: str) -> Any:
        """`owner.xy` and `owner.rgb` of a variable; an attribute of anything else."""
        if isinstance(owner, ShaderVariable) and owner._type:
            return owner.swizzle(name.translate(_COLORS))
        return getattr(owner, name)

    # ---- Calls

    def call(self, function: Any, *args: Any, **kwargs: Any) -> Any:
        """`function(...)`: a function of the program's has control flow of the kernel, too. None can change the caller's names."""
        args = tuple(map(_passed, args))
        kwargs = {name: _passed(value) for name, value in kwargs.items()}
        if self._helpers is not None and any(isinstance(x, ShaderVariable) for x in (*args, *kwargs.values())):
            helper = self._helpers.find(function)
            if helper is not None:
                given = inspect.signature(function).bind(*args, **kwargs)
                given.apply_defaults()
                values = [self._names.frozen(value) for value in given.arguments.values()]
                with self._helpers.inside():
                    return self._names.frozen(helper(Flow(self._names.inside(), self._helpers), *values))
        return function(*args, **kwargs)

    # ---- Expressions

    def join(self, is_and: bool, plain: tuple[bool, ...], *operands: Callable[[], Any]) -> Any:
        """`a and b` or `a or b`. An operand that is `plain` may be evaluated although the one before decides."""
        result = operands[0]()
        for operand, is_plain in zip(operands[1:], plain[1:], strict=True):
            if not isinstance(result, ShaderVariable):
                if bool(result) != is_and:
                    return result
                result = operand()
            elif is_plain:
                other = operand()
                other = other if isinstance(other, ShaderVariable) else bool(other)
                result = all_of(result, other) if is_and else any_of(result, other)
            elif is_and:
                result = self.choose(result, functools.partial(_truth_of, operand), lambda: False)
            else:
                result = self.choose(result, lambda: True, functools.partial(_truth_of, operand))
        return result

    def negate(self, x: Any) -> Any:
        """`not x`."""
        if not isinstance(x, ShaderVariable):
            return not x
        builder = active()
        value = builder.emit(e.VD_OP_LNOT, 0, 0, builder.location(), condition_value(builder, x))
        return ShaderVariable(builder, dt.int32, value, type_number=BOOL, reads=x._reads)

    def choose(self, test: Any, if_true: Callable[[], Any], if_false: Callable[[], Any]) -> Any:
        """`if_true if test else if_false`: only the one that is chosen is evaluated."""
        if not isinstance(test, ShaderVariable):
            return if_true() if test else if_false()
        self._choices += 1
        name = f"chosen {self._choices}"  # no name of a program's
        branch = self.branch(test, (name,))
        for enter, value in ((branch.then, if_true), (branch.other, if_false)):
            enter()
            result = value()
            if not is_value(result):
                raise TypeError(
                    f"A condition of the kernel chooses between numbers and variables, not a {type(result).__name__}"
                )
            self._names.choose(name, result)
        branch.end()
        return self._names[name]

    def mod(self, a: Any, b: Any) -> Any:
        """`a % b`, of floats too."""
        return common.mod(a, b) if _is_float(a, b) else a % b

    def floordiv(self, a: Any, b: Any) -> Any:
        """`a // b`, of floats too."""
        return common.floor(a / b) if _is_float(a, b) else a // b

    # ---- Statements

    def branch(self, test: Any, names: tuple[str, ...]) -> Branch:
        """An `if`, whose bodies assign `names`."""
        return Branch(self._names, test, names)

    @staticmethod
    def range(function: Any, *args: Any, **kwargs: Any) -> Any:
        """`range(...)` at the head of a loop, if that is Python's."""
        return _Range(args) if function is builtins.range and not kwargs else function(*args, **kwargs)

    def loop(self, source: Any, names: tuple[str, ...], free: tuple[str, ...]) -> Loop:
        """A `for` over a source, which assigns `names`; `free` are those of its targets that nothing else assigns or reads
        outside."""
        if isinstance(source, _Range):
            return Loop(self._names, names, source.turns, free)
        return Loop(self._names, names, None, free, source)

    def turns(self, test: Callable[[], Any], plain: bool, names: tuple[str, ...]) -> Loop:
        """A `while`. A test that is `plain` may be evaluated where the loop begins."""
        return Loop(self._names, names, lambda: _while(test, plain))

    def leave(self, has_value: bool) -> bool:
        """`return`: whether Python's return is to end the trace, too."""
        if len(active()._blocks) == self._depth:
            return True
        if self._helpers is not None and self._helpers.depth:
            raise TypeError(
                "'return' inside of a branch or loop of the kernel, in a function that the kernel calls: give a name its value there, "
                "and return that at the end"
            )
        if has_value:
            raise TypeError("'return' with a value inside of a branch or loop of the kernel: a kernel returns nothing")
        return_statement()
        return False


def _passed(x: Any) -> Any:
    """A variable as a function gets it: as a value."""
    return x._same() if isinstance(x, ShaderVariable) and x.register else x


def _is_memory(x: Any) -> bool:
    """Whether a store to it goes to the kernel: a variable, or what a front end made for its memory."""
    return isinstance(x, ShaderVariable) or getattr(type(x), "is_kernel_memory", False)


def _truth_of(operand: Callable[[], Any]) -> Any:
    x = operand()
    return all_of(x) if isinstance(x, ShaderVariable) else bool(x)


def _is_float(*values: Any) -> bool:
    """Whether a variable is among the values, and a float is."""
    types = [x.var_type for x in values if isinstance(x, ShaderVariable)]
    return bool(types) and any(isinstance(x, float) for x in values) or any(map(dt.is_float_dtype, types))


class Branch:
    """An `if`: of the kernel where its test is a value of the kernel, else of Python."""

    def __init__(self, names: Names, test: Any, assigned: tuple[str, ...]):
        self._names, self._assigned = names, assigned
        self._test = test
        self._is_kernels = isinstance(test, ShaderVariable)
        self._holds = self._is_kernels or bool(test)
        self._block: Any = None

    def then(self) -> bool:
        """Begin the first body; whether it is to be traced."""
        if self._is_kernels:
            self._block = if_block(self._test)
            self._names.pin(self._assigned)
            self._block.__enter__()
        return self._holds

    def other(self) -> bool:
        """Begin the body behind `else`; whether it is to be traced."""
        if not self._is_kernels:
            return not self._holds
        self._block.__exit__(None, None, None)
        self._block = else_block()
        self._block.__enter__()
        return True

    def end(self) -> None:
        """End the last body."""
        if self._is_kernels:
            self._block.__exit__(None, None, None)
            self._names.unpin(self._assigned)


class Loop:
    """A loop: of the kernel, whose body is traced once, or of Python, written out."""

    def __init__(
        self,
        names: Names,
        assigned: tuple[str, ...],
        turns: Callable[[], Iterator[Any]] | None,
        free: tuple[str, ...] = (),
        source: Any = None,
    ):
        self._names, self._assigned = names, assigned
        self._turns, self._free, self._source = turns, free, source
        self._depth = 0

    def __iter__(self) -> Iterator[Any]:
        if self._turns is None:
            self._depth = len(active()._blocks)
            yield from self._source
            return
        for name in self._free:
            self._names.forget(name)
        self._names.pin(self._assigned)
        yield from self._turns()
        self._names.unpin(self._assigned)

    def leave(self, word: str) -> bool:
        """`break` or `continue`: whether it is to act on Python's loop."""
        if self._turns is not None:
            (break_statement if word == "break" else continue_statement)()
            return False
        if len(active()._blocks) != self._depth:
            raise TypeError(
                f"'{word}' in a branch of the kernel cannot leave a loop that is written out: 'for ... in range(...)' and 'while' are "
                "loops of the kernel"
            )
        return True


class _Range:
    """A loop of the kernel that counts as range() does, in i32 or a wider type of its bounds."""

    def __init__(self, args: tuple[Any, ...]):
        if not 1 <= len(args) <= 3:
            raise TypeError(f"range expected 1 to 3 arguments, got {len(args)}")
        self._start, self._stop, self._step = (0, *args, 1) if len(args) == 1 else (*args, 1)[:3]

    def turns(self) -> Iterator[ShaderVariable]:
        """Opens the loop, gives its count once, and closes it."""
        start, stop, step = self._start, self._stop, self._step
        numbers = [as_index(x) for x in (start, stop, step)]
        low, high = LIMITS[dt.int32]
        if None not in numbers:
            turns = builtins.range(*numbers)  # type: ignore[arg-type]
            if turns and not (low <= turns[0] <= high and low <= turns[-1] + numbers[2] <= high):  # type: ignore[operator]
                raise ValueError(
                    f"range({start}, {stop}, {step}): a count of the kernel's is an i32, and this one leaves it"
                )
        block = for_block(_i32(start, numbers[0]), _i32(stop, numbers[1]), step)
        yield block.__enter__()
        block.__exit__(None, None, None)


def _i32(x: Any, number: int | None) -> Any:
    return x if number is None else to_dtype(dt.int32, number)


def _while(test: Callable[[], Any], plain: bool) -> Iterator[None]:
    """Opens a loop whose test is evaluated before each turn, and closes it."""
    if plain:
        block = while_block(_condition(test()))
        block.__enter__()
    else:
        block = while_block(True)
        block.__enter__()
        _leave_unless(test())
    yield None
    block.__exit__(None, None, None)


def _leave_unless(test: Any) -> None:
    """Leave the loop unless a test holds."""
    if isinstance(test, ShaderVariable):
        leaving = if_block(any_of(test) == 0)
        leaving.__enter__()
        break_statement()
        leaving.__exit__(None, None, None)
    elif not test:
        break_statement()


def _condition(test: Any) -> Any:
    return test if isinstance(test, ShaderVariable) else bool(test)


class _Items:
    """A list or another object of Python's, whose elements a rewritten function assigns."""

    def __init__(self, flow: Flow, container: Any):
        self._flow, self._container = flow, container

    def __getitem__(self, index: Any) -> Any:
        return self._container[index]

    def __setitem__(self, index: Any, value: Any) -> None:
        if active()._blocks:
            held = self._container[index]
            if not isinstance(held, ShaderVariable) or not held.settable:
                raise TypeError(
                    f"An element of a {type(self._container).__name__} that is no variable cannot change inside of a branch or loop of "
                    "the kernel"
                )
            held[:] = value
        else:
            self._container[index] = self._flow.frozen(value)


class _Parts:
    """A variable or another object, whose components a rewritten function assigns."""

    def __init__(self, owner: Any):
        vars(self)["_owner"] = owner

    def __getattr__(self, name: str) -> Any:
        return getattr(vars(self)["_owner"], name)

    def __setattr__(self, name: str, value: Any) -> None:
        owner = vars(self)["_owner"]
        if not isinstance(owner, ShaderVariable):
            if not _is_memory(owner) and active()._blocks:
                raise TypeError(
                    f"Attribute '{name}' of a {type(owner).__name__} cannot change inside of a branch or loop of the kernel"
                )
            setattr(owner, name, value)
        elif name in ("x", "y", "z", "w", "real", "imag"):
            setattr(owner, name, value)
        else:
            letters = name.translate(_COLORS)
            if len(set(letters)) != len(letters) or not set(letters) <= set("xyzw"):
                raise AttributeError(f"'{name}' names no components that could be assigned")
            values = [value] if len(letters) == 1 else list(value.to_register())
            if len(values) != len(letters):
                raise ValueError(f"'{name}' has {len(letters)} components, and the value {len(values)}")
            for letter, part in zip(letters, values, strict=True):
                setattr(owner, letter, part)
