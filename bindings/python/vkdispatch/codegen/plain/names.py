"""The local names of a rewritten function, as Python knows them: by value, in registers where the kernel changes them.

A name holds a value of its own: a register with a copy of a variable, or Python's object itself. Outside of blocks an
assignment gives the name another value, of any type. Inside of a branch or loop of the kernel the names that it assigns are
*pinned*: each is one register from before the block on, which assignments store to, so its type stays.

A number of Python's that becomes a register is an i32, f32 or bool_. If something wider is stored later, Widened says so and
the trace begins anew with that type: `total = 0` before a loop may add floats.
"""

from __future__ import annotations

from typing import Any

from ...base import dtype as dt
from .._numbers import as_bool, as_number, number_to_dtype
from .._types import BOOL, LIMITS
from ..builder import ShaderBuilder
from ..functions.casts import to_dtype
from ..functions.registers import new_register
from ..global_builder import active
from ..variables.variables import ShaderVariable

Dtype = type[dt.dtype]


class Widened(Exception):
    """A name that began as a number needs a wider type: the trace is to begin anew."""

    def __init__(self, key: int, var_type: Dtype):
        super().__init__(f"number {key} becomes {var_type.name}")
        self.key, self.var_type = key, var_type

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.key, self.var_type), vars(self)


class _Unclear:
    """A name that has different types behind the branches that gave it a value."""

    def __init__(self, types: tuple[str, str]):
        self.types = types


_UNBOUND: Any = object()


def is_value(x: Any) -> bool:
    """Whether it is a variable with a value, or a number."""
    if isinstance(x, ShaderVariable):
        return bool(x._type)
    return as_number(x) is not None or as_bool(x) is not None


def is_comparison(x: ShaderVariable) -> bool:
    """Whether it is a condition: a comparison, or a variable of bool_."""
    return x._type == BOOL


def type_of(x: Any) -> Dtype:
    """The type of the register that keeps a value."""
    if isinstance(x, ShaderVariable):
        return dt.bool_ if is_comparison(x) else x.var_type
    if as_bool(x) is not None:
        return dt.bool_
    number = as_number(x)
    assert number is not None
    low, high = LIMITS[dt.int32]
    return dt.int32 if isinstance(number, int) and low <= number <= high else number_to_dtype(number)


def register_of(x: Any, var_type: Dtype, name: str | None) -> ShaderVariable:
    """A new register that holds a value, converted to a type."""
    builder: ShaderBuilder = active()
    if var_type is dt.bool_:
        if isinstance(x, ShaderVariable):
            builder.hazards.note_use(builder, x._reads)
        value = x._value if isinstance(x, ShaderVariable) else builder.truth(bool(x))
        return builder.new_register(dt.bool_, value, name)
    if as_bool(x) is not None:
        x = int(x)
    return new_register(var_type, x, var_name=name)


class Names:
    """The names of one trace. `widened` has the types that earlier attempts asked for."""

    def __init__(self, widened: dict[int, Dtype], outer: Names | None = None):
        self._widened = widened
        # Numbers that became registers so far, in the functions around too.
        self._count: list[int] = outer._count if outer is not None else [0]
        self._values: dict[str, Any] = {}
        # By pinned name, for each block around: whether it had no value before it.
        self._pins: dict[str, list[bool]] = {}
        self._numbers: dict[str, int] = {}  # names that began as numbers: which of all they are
        self._unclear: dict[str, _Unclear] = {}

    def inside(self) -> Names:
        """The names of a function that is called."""
        return Names(self._widened, self)

    def __getitem__(self, name: str) -> Any:
        value = self._values.get(name, _UNBOUND)
        if value is _UNBOUND:
            raise UnboundLocalError(f"'{name}' is used before it has a value")
        if isinstance(value, _Unclear):
            a, b = value.types
            raise TypeError(f"'{name}' is {a} behind one branch and {b} behind another: give the two different names")
        return value

    def __setitem__(self, name: str, value: Any) -> None:
        if not self._pins.get(name):
            self._numbers.pop(name, None)
            self._values[name] = self.frozen(value, name)
        elif is_value(value):
            self._assign(name, value)
        else:
            if self._is_register(name):
                self._change_type(name, _described(value))
            self._values[name] = self.frozen(value, name)

    def bind(self, name: str, value: Any) -> None:
        """Give a name a value that never changes, such as a loop's count."""
        self._values[name] = value

    def forget(self, name: str) -> None:
        """Take a name's value away."""
        self._values.pop(name, None)

    def frozen(self, value: Any, name: str | None = None) -> Any:
        """A value that later assignments do not change: a copy of a variable, tuples and lists of copies, other objects themselves."""
        if isinstance(value, ShaderVariable):
            return register_of(value, type_of(value), name) if value._type else value
        if type(value) in (tuple, list):
            return type(value)(self.frozen(part, name) for part in value)
        return value

    # ---- Blocks

    def pin(self, names: tuple[str, ...]) -> None:
        """A branch or loop of the kernel begins, which assigns these names."""
        for name in names:
            value = self._values.get(name, _UNBOUND)
            has_value = is_value(value)
            if has_value and not self._is_register(name):
                self._begin(name, value)
            self._pins.setdefault(name, []).append(not has_value)

    def unpin(self, names: tuple[str, ...]) -> None:
        """It ends."""
        for name in names:
            self._pins[name].pop()
            if name in self._unclear:
                self._values[name] = self._unclear.pop(name)

    def _is_register(self, name: str) -> bool:
        value = self._values.get(name)
        return isinstance(value, ShaderVariable) and value.register and value._origin is None

    def choose(self, name: str, value: Any) -> None:
        """Give a name of an expression's, which is pinned, one of the values that it may have."""
        if self._is_register(name):
            self._assign(name, value)
        else:
            self._begin(name, value, True)

    def _begin(self, name: str, value: Any, may_widen: bool = False) -> None:
        """Give a name a register that holds a value. A number's type may become wider, and that of others if it `may_widen`."""
        t = type_of(value)
        if may_widen or not isinstance(value, ShaderVariable):
            self._count[0] += 1
            self._numbers[name] = self._count[0]
            t = self._widened.get(self._count[0], t)
        self._values[name] = register_of(value, t, name.replace(" ", ""))

    def _assign(self, name: str, value: Any) -> None:
        if not self._is_register(name):
            if name in self._values:
                self._change_type(name, type_of(value).name)
            self._begin(name, value)
            return
        register, given = self._values[name], type_of(value)
        mine = register.var_type
        if mine is given:
            register[:] = value
            return
        number = self._numbers.get(name)
        common = _common(mine, given, number is not None)
        if common is not None and common is mine:
            register[:] = to_dtype(mine, int(value) if as_bool(value) is not None else value)
        elif common is not None and number is not None:
            raise Widened(number, common)
        else:
            self._change_type(name, given.name)
            self._begin(name, value)

    def _change_type(self, name: str, given: str) -> None:
        """A name becomes something else inside of a block: that is no matter where it had no value before, and is not read behind it."""
        mine = _described(self._values[name])
        if not self._pins[name][-1]:
            raise TypeError(
                f"'{name}' is {mine}, and cannot become {given} inside of a branch or loop of the kernel: convert it, or give it "
                "another name"
            )
        self._unclear[name] = _Unclear((mine, given))
        self._numbers.pop(name, None)


def _common(mine: Dtype, given: Dtype, was_number: bool) -> Dtype | None:
    """The type in which both have their values; None where there is none."""
    if not was_number and not (dt.is_scalar(mine) and dt.is_scalar(given)):
        return None
    try:
        return dt.cross_type(mine, given)
    except ValueError:
        return None


def _described(value: Any) -> str:
    if isinstance(value, ShaderVariable):
        return type_of(value).name if value._type else "a buffer or image"
    if isinstance(value, _Unclear):
        return value.types[0]
    return f"a {type(value).__name__}"
