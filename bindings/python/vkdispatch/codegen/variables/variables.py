"""ShaderVariable: a value of the kernel being traced, with the operators of Python.

It is a thin object around one value of the core. A variable that is not a register is a formula: each statement that uses it
evaluates it again, with the memory as it is then; `to_register()` keeps what it is now.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..._native import enums as e
from ...base import dtype as dt
from .. import _operators as ops
from .._convert import conversion
from .._numbers import as_bool, as_index, as_number, literal_dtype, number_to_dtype
from .._types import BOOL, INTEGERS, PRIVATE, SHARED, SIGNED, STORAGE, TYPE_OF, element_of, space_of

if TYPE_CHECKING:
    from ..builder import ShaderBuilder

Dtype = type[dt.dtype]

_COMPONENTS = {"x": 0, "y": 1, "z": 2, "w": 3}
_LARGEST_UNROLLED_POWER = 16


class ComponentError(AttributeError, ValueError):
    """A component that the variable's type does not have."""


class ShaderVariable:
    """A value of the kernel being traced. Made by arguments, registers, operators and the functions of this package."""

    __slots__ = (
        "__weakref__",
        "_builder",
        "_name",
        "_origin",
        "_type",
        "_value",
        "is_conjugate",
        "register",
        "settable",
        "var_type",
    )

    # NumPy's scalars leave operators with a variable to us.
    __array_ufunc__ = None

    _builder: ShaderBuilder
    #: The dtype.
    var_type: Dtype
    #: Whether it can be assigned to.
    settable: bool
    #: Whether it is a register, or a named component of one.
    register: bool

    def __init__(
        self,
        builder: ShaderBuilder,
        var_type: Dtype,
        value: int,
        settable: bool = False,
        register: bool = False,
        type_number: int | None = None,
        name: str | None = None,
        origin: tuple | None = None,
        is_conjugate: bool = False,
    ):
        self._builder = builder
        self.var_type = var_type
        self._value = value
        self._type = TYPE_OF[var_type] if type_number is None else type_number
        self.settable = settable
        self.register = register
        self._name = name
        self._origin = origin  # (variable, key) of which this is the element
        self.is_conjugate = is_conjugate

    # ---- What it is

    @property
    def name(self) -> str:
        """The user's name of it, or else its formula."""
        return self._name or self.resolve()

    @property
    def raw_name(self) -> str:
        """As name."""
        return self.name

    @property
    def can_index(self) -> bool:
        """Whether `variable[i]` means something."""
        return self.var_type.child_type is not None

    @property
    def use_child_type(self) -> bool:
        """Whether indexing gives the child type; false for buffers, whose elements have the whole type."""
        return True

    @property
    def lexical_unit(self) -> bool:
        """Whether its text needs no parentheses."""
        return self._name is not None

    @property
    def parents(self) -> list[ShaderVariable]:
        """The variable of which it is an element, if it is one."""
        return [self._origin[0]] if self._origin else []

    @property
    def is_complex(self) -> bool:
        """Whether its dtype is complex."""
        return dt.is_complex(self.var_type)

    def is_setable(self) -> bool:
        """Whether it can be assigned to."""
        return self.settable

    def is_register(self) -> bool:
        """Whether it is a register."""
        return self.register

    def resolve(self) -> str:
        """Its formula as text for people."""
        return self._builder.describe(self._value)

    def read_callback(self) -> None:
        """Does nothing: the core finds out by itself what a kernel reads."""

    def write_callback(self) -> None:
        """Does nothing: the core finds out by itself what a kernel writes."""

    def printf_args(self) -> str:
        """Its components as the text of arguments to a print."""
        return ", ".join(part.resolve() for part in scalars_of(self))

    def __repr__(self) -> str:
        kind = type(self).__name__
        try:
            return f"<{kind} {self.var_type.name} {self.name}>"
        except Exception:  # noqa: BLE001 (a repr never fails, also when the core is gone)
            return f"<{kind} {self.var_type.name}>"

    def __bool__(self) -> bool:
        raise ValueError(
            "Vkdispatch variables cannot be cast to a python boolean: their value is not known while tracing. "
            "Use vc.if_block, vc.while_block, vc.any and vc.all!"
        )

    def __iter__(self) -> Iterator[ShaderVariable]:
        if not self.can_index:
            raise TypeError(f"A variable of type '{self.var_type.name}' cannot be iterated over!")
        return iter([self[i] for i in range(self.var_type.child_count)])

    # ---- Making others

    def _expression(self, var_type: Dtype, value: int, type_number: int | None = None) -> ShaderVariable:
        return ShaderVariable(self._builder, var_type, value, False, False, type_number)

    def _same(self) -> ShaderVariable:
        """This value as an expression that cannot be assigned to."""
        return ShaderVariable(self._builder, self.var_type, self._value, False, False, self._type)

    def _unary(self, op: int) -> ShaderVariable:
        b, at = self._builder, self._builder.location()
        return self._expression(self.var_type, b.emit(op, TYPE_OF[self.var_type], 0, at, number_value(self, at)))

    def to_register(self, var_name: str | None = None) -> ShaderVariable:
        """A new register that holds the present value."""
        at = self._builder.location()
        return self._builder.new_register(self.var_type, number_value(self, at), var_name)

    def to_dtype(self, var_type: Dtype) -> ShaderVariable:
        """This value converted to another type."""
        from ..functions.casts import to_dtype

        return to_dtype(var_type, self)

    def copy(self, var_name: str | None = None) -> ShaderVariable:
        """As to_register()."""
        return self.to_register(var_name)

    def cast_to(self, var_type: Dtype) -> ShaderVariable:
        """As to_dtype()."""
        return self.to_dtype(var_type)

    def conjugate(self) -> ShaderVariable:
        """The complex conjugate."""
        if not self.is_complex:
            raise ValueError(f"Only complex variables have a conjugate, not '{self.var_type.name}'!")
        result = self._unary(e.VD_OP_CONJ)
        result.is_conjugate = not self.is_conjugate
        return result

    # ---- Components and elements

    def _component(self, name: str, index: int) -> ShaderVariable:
        b = self._builder
        value = b.emit(e.VD_OP_INDEX, 0, 0, b.location(), self._value, b.literal(index, dt.uint32))
        child = self.var_type.child_type
        return ShaderVariable(b, child, value, self.settable, self.register, None, None, (self, name))

    def _vector_part(self, name: str) -> ShaderVariable:
        t = self.var_type
        if not dt.is_vector(t) or _COMPONENTS[name] >= t.child_count:
            raise ComponentError(self._lacks(name))
        return self._component(name, _COMPONENTS[name])

    def _complex_part(self, name: str) -> ShaderVariable:
        if not dt.is_complex(self.var_type):
            raise ComponentError(self._lacks(name))
        return self._component(name, int(name == "imag"))

    def _lacks(self, name: str) -> str:
        hint = " Use 'real' and 'imag' to access complex components." if self.is_complex else ""
        return f"A variable of type '{self.var_type.name}' has no component '{name}'!{hint}"

    def _set_component(self, name: str, value: Any) -> None:
        if type(value) is ShaderVariable and value._origin is not None:
            parent, key = value._origin
            if parent is self and key == name:
                return  # the end of `v.x += 1`, which has stored already
        (self._vector_part if name in _COMPONENTS else self._complex_part)(name)._store(value)

    x = property(
        lambda self: self._vector_part("x"), lambda self, v: self._set_component("x", v), doc="First component."
    )
    y = property(
        lambda self: self._vector_part("y"), lambda self, v: self._set_component("y", v), doc="Second component."
    )
    z = property(
        lambda self: self._vector_part("z"), lambda self, v: self._set_component("z", v), doc="Third component."
    )
    w = property(
        lambda self: self._vector_part("w"), lambda self, v: self._set_component("w", v), doc="Fourth component."
    )
    real = property(
        lambda self: self._complex_part("real"), lambda self, v: self._set_component("real", v), doc="Real part."
    )
    imag = property(
        lambda self: self._complex_part("imag"), lambda self, v: self._set_component("imag", v), doc="Imaginary part."
    )

    def swizzle(self, components: str) -> ShaderVariable:
        """One to four components by letter ("xyzw", repeats allowed), as a scalar or a vector."""
        t = self.var_type
        if not isinstance(components, str) or not 1 <= len(components) <= 4:
            raise ValueError(f"A swizzle takes one to four letters, not {components!r}!")
        if dt.is_matrix(t) or not self._type:
            raise ValueError(f"A variable of type '{t.name}' cannot be swizzled!")
        available = max(t.child_count, 1)
        for letter in components:
            if _COMPONENTS.get(letter, 4) >= available:
                raise ValueError(f"A variable of type '{t.name}' has no component '{letter}'!")
        count = len(components)
        if count == 1:
            return self if t.child_type is None else self[_COMPONENTS[components]]
        b, at = self._builder, self._builder.location()
        value = number_value(self, at)
        result = dt.to_vector(element_of(t), count)
        if dt.is_complex(t):
            parts = [b.emit(e.VD_OP_INDEX, 0, 0, at, value, b.literal(_COMPONENTS[c], dt.uint32)) for c in components]
            return self._expression(result, b.emit(e.VD_OP_CONSTRUCT, TYPE_OF[result], 0, at, *parts))
        order = sum(_COMPONENTS[letter] << 2 * i for i, letter in enumerate(components))
        return self._expression(result, b.emit(e.VD_OP_SWIZZLE, TYPE_OF[result], order | count << 8, at, value))

    def __getitem__(self, index: Any) -> ShaderVariable:
        if isinstance(index, slice):
            full_slice(index)
            return self
        t = self.var_type
        if t.child_type is None:
            raise ValueError(f"A variable of type '{t.name}' cannot be indexed into!")
        b = self._builder
        at = b.location()
        value = b.emit(e.VD_OP_INDEX, 0, 0, at, self._value, self._index(index, at))
        return ShaderVariable(b, t.child_type, value, self.settable, False, None, None, (self, index))

    def _index(self, index: Any, at: int) -> int:
        """The value of a component's index; ValueError for what cannot be one, IndexError past the end."""
        try:
            value = index_value(self._builder, index, at)
        except TypeError as error:
            raise ValueError(str(error)) from None
        number = as_index(index[0] if isinstance(index, tuple) else index)
        if number is not None and not 0 <= number < self.var_type.child_count:
            raise IndexError(
                f"Index ({number}) is past the end of type '{self.var_type.name}' ({self.var_type.child_count})!"
            )
        return value

    def __setitem__(self, index: Any, value: Any) -> None:
        if isinstance(index, slice):
            full_slice(index)
            if value is not self:
                self._store(value)
            return
        if type(value) is ShaderVariable and value._origin is not None:
            parent, key = value._origin
            if parent is self and key is index:
                return  # the end of `buffer[i] += 1`, which has stored already
        self[index]._store(value)

    def set_value(self, value: Any) -> None:
        """Store `value`: the same as `variable[:] = value`."""
        self._store(value)

    def _store(self, value: Any) -> None:
        if not self.settable:
            raise ValueError(f"Cannot set value of '{self.name}': it is an expression or a constant!")
        b = self._builder
        if isinstance(value, ShaderVariable):
            if value.var_type is not self.var_type or not value._type:
                raise ValueError(
                    f"Cannot set variable of type '{self.var_type.name}' to value of type '{value.var_type.name}'!"
                )
            same_trace(self, value)
            stored = number_value(value, b.location()) if value._type == BOOL else value._value
        else:
            stored = b.literal(storable_number(value, self.var_type), self.var_type)
        b.statement(e.VD_OP_STORE, 0, 0, self._value, stored)

    # ---- Operators

    def __add__(self, other: Any) -> ShaderVariable:
        return binary(ops.ADD, self, other)

    def __radd__(self, other: Any) -> ShaderVariable:
        return reflected(ops.ADD, other, self)

    def __sub__(self, other: Any) -> ShaderVariable:
        return binary(ops.SUB, self, other)

    def __rsub__(self, other: Any) -> ShaderVariable:
        return reflected(ops.SUB, other, self)

    def __mul__(self, other: Any) -> ShaderVariable:
        return binary(ops.MUL, self, other)

    def __rmul__(self, other: Any) -> ShaderVariable:
        return reflected(ops.MUL, other, self)

    def __truediv__(self, other: Any) -> ShaderVariable:
        return binary(ops.DIV, self, other)

    def __rtruediv__(self, other: Any) -> ShaderVariable:
        return reflected(ops.DIV, other, self)

    def __floordiv__(self, other: Any) -> ShaderVariable:
        return binary(ops.FLOORDIV, self, other)

    def __rfloordiv__(self, other: Any) -> ShaderVariable:
        return reflected(ops.FLOORDIV, other, self)

    def __mod__(self, other: Any) -> ShaderVariable:
        return binary(ops.MOD, self, other)

    def __rmod__(self, other: Any) -> ShaderVariable:
        return reflected(ops.MOD, other, self)

    def __matmul__(self, other: Any) -> ShaderVariable:
        if not isinstance(other, ShaderVariable):
            raise TypeError(_unsupported(ops.MATMUL, self, other))
        return binary(ops.MATMUL, self, other)

    def __pow__(self, other: Any) -> Any:
        return power(self, other)

    def __rpow__(self, other: Any) -> ShaderVariable:
        return reflected(ops.POW, other, self)

    def __and__(self, other: Any) -> ShaderVariable:
        return binary(ops.AND, self, other)

    def __rand__(self, other: Any) -> ShaderVariable:
        return reflected(ops.AND, other, self)

    def __or__(self, other: Any) -> ShaderVariable:
        return binary(ops.OR, self, other)

    def __ror__(self, other: Any) -> ShaderVariable:
        return reflected(ops.OR, other, self)

    def __xor__(self, other: Any) -> ShaderVariable:
        return binary(ops.XOR, self, other)

    def __rxor__(self, other: Any) -> ShaderVariable:
        return reflected(ops.XOR, other, self)

    def __lshift__(self, other: Any) -> ShaderVariable:
        return binary(ops.SHL, self, other)

    def __rlshift__(self, other: Any) -> ShaderVariable:
        return reflected(ops.SHL, other, self)

    def __rshift__(self, other: Any) -> ShaderVariable:
        return binary(ops.SHR, self, other)

    def __rrshift__(self, other: Any) -> ShaderVariable:
        return reflected(ops.SHR, other, self)

    def __lt__(self, other: Any) -> ShaderVariable:
        return binary(ops.LT, self, other)

    def __le__(self, other: Any) -> ShaderVariable:
        return binary(ops.LE, self, other)

    def __gt__(self, other: Any) -> ShaderVariable:
        return binary(ops.GT, self, other)

    def __ge__(self, other: Any) -> ShaderVariable:
        return binary(ops.GE, self, other)

    def __eq__(self, other: object) -> ShaderVariable:  # type: ignore[override]
        return binary(ops.EQ, self, other)

    def __ne__(self, other: object) -> ShaderVariable:  # type: ignore[override]
        return binary(ops.NE, self, other)

    __hash__ = None  # type: ignore[assignment]

    def __neg__(self) -> ShaderVariable:
        t = element_of(self.var_type)
        if t in INTEGERS and t not in SIGNED:
            return reflected(ops.SUB, 0, self)
        return self._unary(e.VD_OP_NEG)

    def __pos__(self) -> ShaderVariable:
        return self._same()

    def __invert__(self) -> ShaderVariable:
        if not dt.is_integer_dtype(self.var_type):
            raise TypeError(f"Bitwise operations only supported on integer types, not '{self.var_type.name}'.")
        return self._unary(e.VD_OP_NOT)

    def __abs__(self) -> ShaderVariable:
        from ..functions.common import abs as absolute

        return absolute(self)

    # ---- In place

    def __iadd__(self, other: Any) -> ShaderVariable:
        return in_place(ops.ADD, self, other)

    def __isub__(self, other: Any) -> ShaderVariable:
        return in_place(ops.SUB, self, other)

    def __imul__(self, other: Any) -> ShaderVariable:
        return in_place(ops.MUL, self, other)

    def __itruediv__(self, other: Any) -> ShaderVariable:
        if self.settable and dt.is_integer_dtype(self.var_type):
            raise ValueError("Inplace true division is not supported for integer types.")
        return in_place(ops.DIV, self, other)

    def __ifloordiv__(self, other: Any) -> ShaderVariable:
        return in_place(ops.FLOORDIV, self, other)

    def __imod__(self, other: Any) -> ShaderVariable:
        return in_place(ops.MOD, self, other)

    def __imatmul__(self, other: Any) -> ShaderVariable:
        return in_place(ops.MATMUL, self, other)

    def __ipow__(self, other: Any) -> ShaderVariable:
        return in_place(ops.POW, self, other)

    def __iand__(self, other: Any) -> ShaderVariable:
        return in_place(ops.AND, self, other)

    def __ior__(self, other: Any) -> ShaderVariable:
        return in_place(ops.OR, self, other)

    def __ixor__(self, other: Any) -> ShaderVariable:
        return in_place(ops.XOR, self, other)

    def __ilshift__(self, other: Any) -> ShaderVariable:
        return in_place(ops.SHL, self, other)

    def __irshift__(self, other: Any) -> ShaderVariable:
        return in_place(ops.SHR, self, other)


class ScaledAndOfftsetIntVariable(ShaderVariable):
    """An integer times a constant plus a constant. Kept for its name: the core folds such formulas of plain variables."""

    __slots__ = ()


# ---- What the operators do -------------------------------------------------------------------------------------------


def binary(operator: ops.Operator, a: ShaderVariable, b: Any) -> ShaderVariable:
    """`a operator b`."""
    builder = a._builder
    if isinstance(b, ShaderVariable):
        if b._builder is not builder:
            same_trace(a, b)
        plan = operator.plan(a._type, b._type)
        at = builder.location()
        right = b._value
        if plan.convert_right is not None:
            right = plan.convert_right(builder, right, at)
    else:
        number = operand_number(operator, a, b)
        plan = operator.plan(a._type, literal_type(operator, number, a.var_type))
        at = builder.location()
        right = builder.literal(number, plan.right)
    left = a._value
    if plan.convert_left is not None:
        left = plan.convert_left(builder, left, at)
    if plan.expand is None:
        value = builder.emit(plan.op, 0, 0, at, left, right)
    else:
        value = plan.expand(builder, left, right, at)
    return ShaderVariable(builder, plan.dtype, value, False, False, plan.type)


def reflected(operator: ops.Operator, a: Any, b: ShaderVariable) -> ShaderVariable:
    """`a operator b` where `a` is a number."""
    builder = b._builder
    number = operand_number(operator, b, a)
    plan = operator.plan(literal_type(operator, number, b.var_type), b._type)
    at = builder.location()
    left = builder.literal(number, plan.left)
    right = b._value
    if plan.convert_right is not None:
        right = plan.convert_right(builder, right, at)
    if plan.expand is None:
        value = builder.emit(plan.op, 0, 0, at, left, right)
    else:
        value = plan.expand(builder, left, right, at)
    return ShaderVariable(builder, plan.dtype, value, False, False, plan.type)


def literal_type(operator: ops.Operator, number: complex, peer: Dtype) -> int:
    """The type number that a literal takes beside a value of dtype `peer` under `operator`."""
    if operator is ops.POW and not isinstance(number, complex):
        # Exponents and bases that are literals never widen.
        return TYPE_OF[element_of(dt.make_floating_dtype(peer))]
    t = literal_dtype(number, peer, operator.dividing)
    if t.item_size == 8 and t in INTEGERS and dt.is_vector(peer) and dt.is_integer_dtype(peer):
        raise TypeError(f"The literal ({number}) needs 64 bits, and there are no vectors of 64-bit integers!")
    return TYPE_OF[t]


def operand_number(operator: ops.Operator, variable: ShaderVariable, other: Any) -> int | float | complex:
    """`other` as a number that may stand beside `variable`; TypeError if it is none."""
    number = as_number(other)
    if number is None:
        raise TypeError(_unsupported(operator, variable, other))
    if operator.what == "bitwise" and not isinstance(number, int):
        raise TypeError(f"Bitwise operations only supported on integer types, not {type(other).__name__}.")
    return number


def _unsupported(operator: ops.Operator, variable: ShaderVariable, other: Any) -> str:
    if operator.what == "comparison":
        return f"Argument must be a ShaderVariable or number, not {type(other).__name__}!"
    return f"Unsupported type for {operator.what} op: ShaderVariable and {type(other).__name__}"


def power(a: ShaderVariable, b: Any) -> Any:
    """`a ** b`; small integer literals multiply, which is right for negative bases too."""
    exponent = as_index(b)
    if exponent is None or abs(exponent) > _LARGEST_UNROLLED_POWER:
        return binary(ops.POW, a, b)
    if exponent == 0:
        return 1
    if dt.is_matrix(a.var_type):
        raise TypeError(f"'**' of a {a.var_type.name} is not defined; multiply with '@'.")
    builder, at = a._builder, a._builder.location()
    t = dt.make_floating_dtype(a.var_type)
    square = converted(a, t, at)
    result, n = 0, abs(exponent)
    while n:
        if n & 1:
            result = builder.emit(e.VD_OP_MUL, 0, 0, at, result, square) if result else square
        n >>= 1
        if n:
            square = builder.emit(e.VD_OP_MUL, 0, 0, at, square, square)
    if exponent < 0:
        result = builder.emit(e.VD_OP_DIV, 0, 0, at, builder.literal(1, t), result)
    return ShaderVariable(builder, t, result)


def in_place(operator: ops.Operator, target: ShaderVariable, other: Any) -> ShaderVariable:
    """`target operator= other`."""
    what = "bitwise operations" if operator.what == "bitwise" else "arithmetic"
    if not target.settable:
        raise ValueError(f"Inplace {what} requires the variable to be settable.")
    result = power(target, other) if operator is ops.POW else binary(operator, target, other)
    if isinstance(result, int):  # x ** 0
        result = target._expression(target.var_type, target._builder.literal(result, target.var_type))
    if result.var_type is not target.var_type:
        raise TypeError(
            f"Inplace {what} requires the result type to match the variable type: "
            f"'{target.var_type.name}' {operator.sign}= gives '{result.var_type.name}'."
        )
    target._builder.statement(e.VD_OP_STORE, 0, 0, target._value, number_value(result, 0))
    return target


# ---- Helpers of this package's functions -----------------------------------------------------------------------------


def same_trace(a: ShaderVariable, b: ShaderVariable) -> None:
    """RuntimeError unless both belong to the same kernel."""
    if a._builder is not b._builder:
        raise RuntimeError("The variables belong to different kernels: each kernel is traced by itself!")


def number_value(variable: ShaderVariable, at: int) -> int:
    """The variable's value as a number of its dtype: a comparison as 1 or 0."""
    if variable._type == BOOL:
        return variable._builder.emit(e.VD_OP_CONVERT, TYPE_OF[dt.int32], 0, at, variable._value)
    if not variable._type:
        raise TypeError("A buffer or image is no value: index it first!")
    return variable._value


def converted(variable: ShaderVariable, t: Dtype, at: int) -> int:
    """The variable's value converted to dtype `t` as operators convert; ValueError where they do not."""
    change = conversion(variable._type, TYPE_OF[t])
    return variable._value if change is None else change(variable._builder, variable._value, at)


def index_value(builder: ShaderBuilder, index: Any, at: int) -> int:
    """The value of an index: an int or an integer scalar; a 1-tuple counts as its element."""
    if type(index) is tuple or isinstance(index, list):
        if len(index) != 1:
            raise ValueError(f"Only single index is supported, cannot use a multi-dimensional index of {len(index)}!")
        index = index[0]
    if isinstance(index, ShaderVariable):
        if index._builder is not builder:
            raise RuntimeError("The index belongs to a different kernel: each kernel is traced by itself!")
        if index.var_type not in INTEGERS or not index._type:
            raise TypeError(f"Index must be an integer scalar, not of type '{index.var_type.name}'!")
        if index.var_type.item_size < 4:
            return converted(index, dt.int32, at)
        return number_value(index, at)
    number = as_index(index)
    if number is None:
        raise TypeError(f"Index must be a ShaderVariable or int type, not {type(index).__name__}!")
    return builder.literal(number, number_to_dtype(number))


def full_slice(index: slice) -> None:
    """ValueError unless the slice is `[:]`."""
    if index.start is not None or index.stop is not None or index.step is not None:
        raise ValueError("Only full slice (:) is supported for assignment!")


def storable_number(value: Any, t: Dtype) -> int | float | complex:
    """A Python value that may be stored in a variable of dtype `t`; TypeError if it may not."""
    number = as_number(value)
    if number is None:
        truth = as_bool(value)
        if truth is None:
            raise TypeError(f"Cannot set variable of type '{t.name}' to a value of type '{type(value).__name__}'!")
        number = int(truth)
    if isinstance(number, complex) and not dt.is_complex(t):
        raise TypeError(f"Cannot set variable of type '{t.name}' to the complex number ({number})!")
    if isinstance(number, float) and element_of(t) in INTEGERS:
        if not number.is_integer():
            raise TypeError(f"Cannot set variable of type '{t.name}' to ({number}), which is not an integer!")
        number = int(number)
    if isinstance(number, int):
        number_to_dtype(number)  # more than 64 bits overflow
    return number


def scalars_of(variable: ShaderVariable) -> list[ShaderVariable]:
    """The components of a vector or complex number, of a matrix row by row; a scalar itself."""
    t = variable.var_type
    if dt.is_matrix(t):
        return [variable[c][r] for r in range(t.child_count) for c in range(t.child_count)]
    return [variable[i] for i in range(t.child_count)] if t.child_type is not None else [variable]


def is_memory(variable: ShaderVariable) -> bool:
    """Whether it is an element of a buffer or shared array."""
    return space_of(variable._value) in (SHARED, STORAGE)


def is_private(variable: ShaderVariable) -> bool:
    """Whether it lives in a register."""
    return space_of(variable._value) == PRIVATE
