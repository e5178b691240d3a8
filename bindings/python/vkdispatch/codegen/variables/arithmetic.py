"""The operators of variables: Python's methods for them, and the ops that they emit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ..._native import enums as e
from ...base import dtype as dt
from ...base.remarks import warn_caller
from .. import _operators as ops
from .._convert import conversion
from .._numbers import as_bool, as_index, as_number, literal_dtype
from .._types import BOOL, INTEGERS, SIGNED, TYPE_OF, element_of
from ..hazards import join_reads

if TYPE_CHECKING:
    from ..hazards import Read
    from ..trace import Trace

Dtype = type[dt.dtype]
#: The class of all variables, which derives from Arithmetic.
Variable = TypeVar("Variable")

_LARGEST_UNROLLED_POWER = 16


class Arithmetic(Generic[Variable]):
    """The operators of everything that has a value in a kernel."""

    __slots__ = ()

    # NumPy's scalars leave operators with a variable to us.
    __array_ufunc__ = None

    _builder: Trace
    _value: int
    _type: int
    _reads: tuple[Read, ...]
    #: The dtype.
    var_type: Dtype
    #: Whether it can be assigned to.
    settable: bool

    def _expression(self, var_type: Dtype, value: int, type_number: int | None = None) -> Variable:
        raise NotImplementedError

    def _same(self) -> Variable:
        raise NotImplementedError

    def _counted(self) -> Variable:
        raise NotImplementedError

    def swizzle(self, components: str) -> Variable:
        """One to four components by letter."""
        raise NotImplementedError

    def __getitem__(self, index: Any) -> Variable:
        raise NotImplementedError

    def _unary(self, op: int) -> Variable:
        b, at = self._builder, self._builder.location()
        t = dt.int32 if self._type == BOOL else self.var_type
        return self._expression(t, b.emit(op, TYPE_OF[t], 0, at, number_value(self, at)))

    def __add__(self, other: Any) -> Variable:
        return binary(ops.ADD, self, other)

    def __radd__(self, other: Any) -> Variable:
        return reflected(ops.ADD, other, self)

    def __sub__(self, other: Any) -> Variable:
        return binary(ops.SUB, self, other)

    def __rsub__(self, other: Any) -> Variable:
        return reflected(ops.SUB, other, self)

    def __mul__(self, other: Any) -> Variable:
        return binary(ops.MUL, self, other)

    def __rmul__(self, other: Any) -> Variable:
        return reflected(ops.MUL, other, self)

    def __truediv__(self, other: Any) -> Variable:
        return binary(ops.DIV, self, other)

    def __rtruediv__(self, other: Any) -> Variable:
        return reflected(ops.DIV, other, self)

    def __floordiv__(self, other: Any) -> Variable:
        return binary(ops.FLOORDIV, self, other)

    def __rfloordiv__(self, other: Any) -> Variable:
        return reflected(ops.FLOORDIV, other, self)

    def __mod__(self, other: Any) -> Variable:
        return binary(ops.MOD, self, other)

    def __rmod__(self, other: Any) -> Variable:
        return reflected(ops.MOD, other, self)

    def __matmul__(self, other: Any) -> Variable:
        if not isinstance(other, Arithmetic):
            raise TypeError(_unsupported(ops.MATMUL, self, other))
        return binary(ops.MATMUL, self, other)

    def __pow__(self, other: Any) -> Any:
        return power(self, other)

    def __rpow__(self, other: Any) -> Variable:
        return reflected(ops.POW, other, self)

    def __and__(self, other: Any) -> Variable:
        return binary(ops.AND, self, other)

    def __rand__(self, other: Any) -> Variable:
        return reflected(ops.AND, other, self)

    def __or__(self, other: Any) -> Variable:
        return binary(ops.OR, self, other)

    def __ror__(self, other: Any) -> Variable:
        return reflected(ops.OR, other, self)

    def __xor__(self, other: Any) -> Variable:
        return binary(ops.XOR, self, other)

    def __rxor__(self, other: Any) -> Variable:
        return reflected(ops.XOR, other, self)

    def __lshift__(self, other: Any) -> Variable:
        return binary(ops.SHL, self, other)

    def __rlshift__(self, other: Any) -> Variable:
        return reflected(ops.SHL, other, self)

    def __rshift__(self, other: Any) -> Variable:
        return binary(ops.SHR, self, other)

    def __rrshift__(self, other: Any) -> Variable:
        return reflected(ops.SHR, other, self)

    def __lt__(self, other: Any) -> Variable:
        return binary(ops.LT, self, other)

    def __le__(self, other: Any) -> Variable:
        return binary(ops.LE, self, other)

    def __gt__(self, other: Any) -> Variable:
        return binary(ops.GT, self, other)

    def __ge__(self, other: Any) -> Variable:
        return binary(ops.GE, self, other)

    def __eq__(self, other: object) -> Variable:  # type: ignore[override]
        return binary(ops.EQ, self, other)

    def __ne__(self, other: object) -> Variable:  # type: ignore[override]
        return binary(ops.NE, self, other)

    __hash__ = None  # type: ignore[assignment]

    def __neg__(self) -> Variable:
        t = element_of(self.var_type)
        if t in INTEGERS and t not in SIGNED:
            return reflected(ops.SUB, 0, self)
        return self._unary(e.VD_OP_NEG)

    def __pos__(self) -> Variable:
        return self._same()

    def __invert__(self) -> Variable:
        if self._type == BOOL:
            _note_flipped(self)
        if not dt.is_integer_dtype(self.var_type):
            raise TypeError(f"Bitwise operations only supported on integer types, not '{self.var_type.name}'.")
        return self._unary(e.VD_OP_NOT)

    def __abs__(self) -> Variable:
        return absolute(self)

    # ---- In place

    def __iadd__(self, other: Any) -> Variable:
        return in_place(ops.ADD, self, other)

    def __isub__(self, other: Any) -> Variable:
        return in_place(ops.SUB, self, other)

    def __imul__(self, other: Any) -> Variable:
        return in_place(ops.MUL, self, other)

    def __itruediv__(self, other: Any) -> Variable:
        if self.settable and dt.is_integer_dtype(self.var_type):
            raise ValueError("Inplace true division is not supported for integer types.")
        return in_place(ops.DIV, self, other)

    def __ifloordiv__(self, other: Any) -> Variable:
        return in_place(ops.FLOORDIV, self, other)

    def __imod__(self, other: Any) -> Variable:
        return in_place(ops.MOD, self, other)

    def __imatmul__(self, other: Any) -> Variable:
        return in_place(ops.MATMUL, self, other)

    def __ipow__(self, other: Any) -> Variable:
        return in_place(ops.POW, self, other)

    def __iand__(self, other: Any) -> Variable:
        return in_place(ops.AND, self, other)

    def __ior__(self, other: Any) -> Variable:
        return in_place(ops.OR, self, other)

    def __ixor__(self, other: Any) -> Variable:
        return in_place(ops.XOR, self, other)

    def __ilshift__(self, other: Any) -> Variable:
        return in_place(ops.SHL, self, other)

    def __irshift__(self, other: Any) -> Variable:
        return in_place(ops.SHR, self, other)


# ---- What the operators do -------------------------------------------------------------------------------------------


def absolute(x: Any) -> Any:
    """The absolute value; the modulus of a complex number."""
    if not x._type:
        raise no_value(x)
    x = x._counted()
    t = x.var_type
    builder, at = x._builder, x._builder.location()
    if dt.is_complex(t):
        return x._expression(t.child_type, builder.emit(e.VD_OP_ABS, 0, 0, at, x._value))
    component_wise("abs", t)
    if element_of(t) in INTEGERS and element_of(t) not in SIGNED:
        return x._same()
    return x._expression(t, builder.emit(e.VD_OP_ABS, 0, 0, at, number_value(x, at)))


def component_wise(name: str, t: Dtype) -> Dtype:
    """`t` if functions work on its components: TypeError for complex numbers and matrices."""
    if dt.is_complex(t) or dt.is_matrix(t):
        raise TypeError(f"{name}() is not defined for type '{t.name}'!")
    return t


def binary(operator: ops.Operator, a: Any, b: Any) -> Any:
    """`a operator b`."""
    builder = a._builder
    reads = a._reads
    if isinstance(b, Arithmetic):
        if b._reads:
            reads = join_reads(reads, b._reads)
        if b._builder is not builder:
            same_trace(a, b)
        plan = operator.plan(a._type, b._type)
        at = builder.location()
        right = b._value
        if plan.convert_right is not None:
            right = plan.convert_right(builder, right, at)
    else:
        number = operand_number(operator, a, b)
        if not number and operator.divides:
            _note_zero(operator, a)
        plan = operator.plan(a._type, literal_type(operator, number, a.var_type))
        if not number and operator in (ops.GE, ops.LT):
            outcome = "always true" if operator is ops.GE else "always false"
            note_never_negative(a, f"{a.name} {operator.sign} 0", outcome)
        at = builder.location()
        right = builder.literal(number, plan.right)
    left = a._value
    if plan.convert_left is not None:
        left = plan.convert_left(builder, left, at)
    if plan.expand is None:
        value = builder.emit(plan.op, 0, 0, at, left, right)
    else:
        value = plan.expand(builder, left, right, at)
    result = a._expression(plan.dtype, value, plan.type)
    if reads is not a._reads:
        result._reads = reads
    return result


def note_never_negative(a: Any, said: str, outcome: str) -> None:
    """Warn of a comparison with 0 that decides nothing, since the numbers of `a` have no sign."""
    if dt.is_integer_dtype(a.var_type) and element_of(a.var_type) not in SIGNED:
        warn_caller(
            f"{said}: a {a.var_type.name} is never below 0, so that this is {outcome}; 0 - 1 is its largest number. "
            f"{as_operand(a)}.to_dtype(vd.int32) is signed ({a._builder._place()})."
        )


def as_operand(a: Any) -> str:
    """The name of a variable, in parentheses if it is an expression."""
    return a.name if a.name.isidentifier() else f"({a.name})"


def _note_zero(operator: ops.Operator, a: Any) -> None:
    """A divisor that is the number 0: an error for integers, which have no such quotient, a warning for floats."""
    place = a._builder._place()
    if not operator.dividing:
        raise ZeroDivisionError(f"{place}: {a.name} {operator.sign} 0: the divisor is zero!")
    warn_caller(
        f"{a.name} / 0: the divisor is zero, so that the quotient is infinite or no number, as floats have it. "
        f"vc.inf_f32() is infinity ({place})."
    )


def _note_flipped(truth: Any) -> None:
    """`~` of a truth: an error of a bool_, which has no bits, and a warning of a comparison, where it is true either way."""
    name = as_operand(truth)  # else the comparisons would be a chain
    cure = f"'{name} == 0' is its opposite ({truth._builder._place()})."
    if truth.var_type is dt.bool_:
        raise TypeError(f"'~' flips bits, and a bool_ has none: {cure}")
    warn_caller(f"'~' flips all bits of a comparison, which counts as 1 or 0: -2 or -1, and both are true. {cure}")


def reflected(operator: ops.Operator, a: Any, b: Any) -> Any:
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
    return b._expression(plan.dtype, value, plan.type)


def literal_type(operator: ops.Operator, number: complex, peer: Dtype) -> int:
    """The type number that a literal takes beside a value of dtype `peer` under `operator`."""
    if operator is ops.POW and not isinstance(number, complex):
        # Exponents and bases that are literals never widen.
        return TYPE_OF[element_of(dt.make_floating_dtype(peer))]
    t = literal_dtype(number, peer, operator.dividing)
    if t.item_size == 8 and t in INTEGERS and dt.is_vector(peer) and dt.is_integer_dtype(peer):
        raise TypeError(f"The literal ({number}) needs 64 bits, and there are no vectors of 64-bit integers!")
    return TYPE_OF[t]


def operand_number(operator: ops.Operator, variable: Any, other: Any) -> int | float | complex:
    """`other` as a number that an operator takes beside `variable`; TypeError if it is not one."""
    number = as_number(other)
    if number is None:
        raise TypeError(_unsupported(operator, variable, other))
    if operator.what == "bitwise" and not isinstance(number, int):
        raise TypeError(f"Bitwise operations only supported on integer types, not {type(other).__name__}.")
    return number


def _unsupported(operator: ops.Operator, variable: Any, other: Any) -> str:
    if operator.what == "comparison":
        return f"Argument must be a ShaderVariable or number, not {type(other).__name__}!"
    return f"Unsupported type for {operator.what} op: ShaderVariable and {type(other).__name__}"


def power(a: Any, b: Any) -> Any:
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
    return a._expression(t, result)


def in_place(operator: ops.Operator, target: Any, other: Any) -> Any:
    """`target operator= other`."""
    what = "bitwise operations" if operator.what == "bitwise" else "arithmetic"
    if not target.settable:
        raise ValueError(
            f"Inplace {what} requires the variable to be settable. {target!r} is not: {operator.sign}= changes a register, "
            "and to_register() makes one."
        )
    if target.var_type is dt.bool_:
        return _truth_in_place(operator, target, other)
    result = power(target, other) if operator is ops.POW else binary(operator, target, other)
    if isinstance(result, int):  # x ** 0
        result = target._expression(target.var_type, target._builder.literal(result, target.var_type))
    if result.var_type is not target.var_type:
        raise TypeError(
            f"Inplace {what} requires the result type to match the variable type: "
            f"'{target.var_type.name}' {operator.sign}= gives '{result.var_type.name}'."
        )
    builder = target._builder
    at = builder.location()
    builder.hazards.note_store(target, at, other._reads if isinstance(other, Arithmetic) else ())
    builder.emit(e.VD_OP_STORE, 0, 0, at, target._value, number_value(result, 0))
    return target


_TRUTH_OPS = {ops.AND: e.VD_OP_LAND, ops.OR: e.VD_OP_LOR, ops.XOR: e.VD_OP_NE}


def _truth_in_place(operator: ops.Operator, target: Any, other: Any) -> Any:
    """`target &= other` and the like, of truths."""
    op, truth = _TRUTH_OPS.get(operator), as_bool(other)
    if op is None or truth is None and getattr(other, "_type", None) != BOOL:
        raise TypeError(
            f"A bool_ changes in place by &=, |= and ^= with another truth alone: a comparison, a bool_ or a Python bool, "
            f"not by {operator.sign}= with {getattr(other, 'var_type', type(other)).__name__}."
        )
    builder = target._builder
    right = builder.truth(truth) if truth is not None else other._value
    value = builder.emit(op, 0, 0, builder.location(), target._value, right)
    target._store(target._expression(dt.bool_, value))
    return target


# ---- Values ----------------------------------------------------------------------------------------------------------


def same_trace(a: Any, b: Any) -> None:
    """RuntimeError unless both belong to the same kernel."""
    if a._builder is not b._builder:
        raise RuntimeError("The variables belong to different kernels: each kernel is traced by itself!")


class NoValueError(TypeError, ValueError):
    """A buffer or image is used as a value."""


def no_value(variable: Any) -> NoValueError:
    """The error for a buffer or image that is used as a value."""
    return NoValueError(f"'{variable.name}' is a buffer or image and no value: index it first!")


def number_value(variable: Any, at: int) -> int:
    """The variable's value as a number of its dtype: a comparison as 1 or 0."""
    if variable._type == BOOL:
        return variable._builder.emit(e.VD_OP_CONVERT, TYPE_OF[dt.int32], 0, at, variable._value)
    if not variable._type:
        raise no_value(variable)
    return variable._value


def converted(variable: Any, t: Dtype, at: int) -> int:
    """The variable's value converted to dtype `t` as operators convert; ValueError where they do not."""
    change = conversion(variable._type, TYPE_OF[t])
    return variable._value if change is None else change(variable._builder, variable._value, at)
