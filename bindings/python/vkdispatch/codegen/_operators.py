"""The binary operators: which types go together, what type comes out, and what is emitted.

One plan per operator and pair of types, made when first met: the type to which each side is converted, and the op. Both
sides are always converted explicitly to the type that the promotion table names, so every backend computes the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from .._native import enums as e
from ..base import dtype as dt
from ._convert import Conversion, conversion
from ._types import BOOL, DTYPE_OF, SIGNED, TYPE_OF, element_of

Dtype = type[dt.dtype]


class Plan(NamedTuple):
    """The way to compute one operator on one pair of types."""

    dtype: Dtype  # of the result, as the user sees it
    type: int  # of the result
    left: Dtype  # what the sides become
    right: Dtype
    convert_left: Conversion
    convert_right: Conversion
    op: int
    expand: Callable | None  # (writer, a, b, location) -> value, where one op is not enough


class Operator:
    """A binary operator of the language: its sign, and its plans by pair of type numbers."""

    def __init__(self, sign: str, what: str, types: Callable[[Dtype, Dtype], tuple]):
        self.sign = sign
        self.what = what  # "arithmetic", "bitwise" or "comparison", for messages
        self.dividing = sign == "/"
        self.divides = sign in ("/", "//", "%")
        self._types = types
        self._plans: dict[tuple[int, int], Plan] = {}

    def plan(self, a: int, b: int) -> Plan:
        """The plan for a left side of type number `a` and a right side of `b`."""
        try:
            return self._plans[a, b]
        except KeyError:
            pass  # made outside of the handler: what is wrong with the operands is not about our table
        found = self._plans[a, b] = self._make(a, b)
        return found

    def _make(self, a: int, b: int) -> Plan:
        left, right = DTYPE_OF.get(a), DTYPE_OF.get(b)
        if left is None or right is None:
            raise TypeError(f"A buffer or image cannot stand beside '{self.sign}': index it first!")
        result, left, right, op, expand = self._types(left, right)
        type_ = BOOL if result is _TRUTH else TYPE_OF[result]
        return Plan(
            dt.int32 if result is _TRUTH else result, type_, left, right,
            conversion(a, TYPE_OF[left]), conversion(b, TYPE_OF[right]), op, expand,
        )  # fmt: skip


class _TRUTH(dt.dtype):
    """Stands for the result of a comparison: a bool that shows itself as int32."""


# ---- Arithmetic ------------------------------------------------------------------------------------------------------


def _sum(op: int) -> Callable[[Dtype, Dtype], tuple]:
    def types(a: Dtype, b: Dtype) -> tuple:
        result = dt.cross_type(a, b)
        return result, result, result, op, None

    return types


def _product(a: Dtype, b: Dtype) -> tuple:
    if dt.is_matrix(a) and dt.is_matrix(b):
        if a is b:
            raise ValueError("Matrix multiplication is not supported via the `*` operator! Use `@` operator instead.")
        raise ValueError(f"Cannot multiply matrices of different sizes ({a.name} and {b.name})!")
    result = dt.cross_multiply_type(a, b)
    if dt.is_matrix(a) and dt.is_vector(b) or dt.is_vector(a) and dt.is_matrix(b):
        return result, a, b, e.VD_OP_MATMUL, None
    left, right = _scaling(result, a, b)
    swapped = dt.is_scalar(left) and not dt.is_scalar(right)
    return result, left, right, e.VD_OP_MUL, _swapped_product if swapped else None


def _swapped_product(w, a: int, b: int, at: int) -> int:
    return w.emit(e.VD_OP_MUL, 0, 0, at, b, a)  # the op takes the scalar last


def _quotient(a: Dtype, b: Dtype) -> tuple:
    if dt.is_matrix(a) and not dt.is_scalar(b) or dt.is_matrix(b) and not dt.is_scalar(a):
        raise ValueError(f"Cannot divide types ({a.name} and {b.name})!")
    result = dt.make_floating_dtype(dt.cross_type(a, b))
    if dt.is_matrix(b):
        return result, b, b, e.VD_OP_DIV, by_columns(e.VD_OP_DIV, b)
    if dt.is_complex(b) and not dt.is_complex(a):
        return result, result, result, e.VD_OP_DIV, None
    return result, *_scaling(result, a, b), e.VD_OP_DIV, None


def _scaling(result: Dtype, a: Dtype, b: Dtype) -> tuple[Dtype, Dtype]:
    # A complex number or matrix beside a real number is scaled; all other pairs are converted to a common type.
    if dt.is_complex(result) or dt.is_matrix(result):
        part = element_of(result)
        return (part if dt.is_scalar(a) else result, part if dt.is_scalar(b) else result)
    return result, result


def by_columns(op: int, matrix: Dtype) -> Callable:
    """Apply `op` to two matrices column by column."""
    column, whole = TYPE_OF[matrix.child_type], TYPE_OF[matrix]

    def expand(w, a: int, b: int, at: int) -> int:
        columns = []
        for i in range(matrix.child_count):
            index = w.literal(i, dt.uint32)
            x = w.emit(e.VD_OP_INDEX, 0, 0, at, a, index)
            y = w.emit(e.VD_OP_INDEX, 0, 0, at, b, index)
            columns.append(w.emit(op, column, 0, at, x, y))
        return w.emit(e.VD_OP_CONSTRUCT, whole, 0, at, *columns)

    return expand


def _whole_quotient(name: str, signed: int, unsigned: int) -> Callable[[Dtype, Dtype], tuple]:
    def types(a: Dtype, b: Dtype) -> tuple:
        if not dt.is_integer_dtype(a) or not dt.is_integer_dtype(b):
            raise TypeError(
                f"{name} is only supported for integer types, not '{a.name}' and '{b.name}': vc.floor(a / b) and vc.mod(a, b) "
                "take floats."
            )
        result = dt.cross_type(a, b)
        return result, result, result, signed if element_of(result) in SIGNED else unsigned, None

    return types


def _power(a: Dtype, b: Dtype) -> tuple:
    for t in (a, b):
        if dt.is_complex(t) or dt.is_matrix(t):
            raise TypeError(f"'**' of type '{t.name}' needs an integer literal as exponent.")
    result = dt.make_floating_dtype(dt.cross_type(a, b))
    return result, result, result, e.VD_OP_POW, None


def _matrix_product(a: Dtype, b: Dtype) -> tuple:
    if dt.is_vector(a) and dt.is_vector(b):
        both = dt.cross_vector_vector(a, b)
        return both.scalar, both, both, e.VD_OP_DOT, None
    if dt.is_matrix(a) and dt.is_matrix(b):
        return dt.cross_matrix(a, b), a, b, e.VD_OP_MATMUL, None
    if dt.is_matrix(a) and dt.is_vector(b) or dt.is_vector(a) and dt.is_matrix(b):
        return dt.cross_multiply_type(a, b), a, b, e.VD_OP_MATMUL, None
    raise ValueError(f"'@' needs matrices and vectors, not '{a.name}' and '{b.name}'.")


# ---- Bits and comparison ---------------------------------------------------------------------------------------------


def _bits(op: int) -> Callable[[Dtype, Dtype], tuple]:
    def types(a: Dtype, b: Dtype) -> tuple:
        if not dt.is_integer_dtype(a) or not dt.is_integer_dtype(b):
            raise TypeError(f"Bitwise operations only supported on integer types, not '{a.name}' and '{b.name}'.")
        result = dt.cross_type(a, b)
        return result, result, result, op, None

    return types


def _equality(op: int) -> Callable[[Dtype, Dtype], tuple]:
    join = e.VD_OP_ALL if op == e.VD_OP_EQ else e.VD_OP_ANY

    def of_vectors(w, a: int, b: int, at: int) -> int:
        return w.emit(join, 0, 0, at, w.emit(op, 0, 0, at, a, b))

    def types(a: Dtype, b: Dtype) -> tuple:
        both = dt.cross_type(a, b)
        return _TRUTH, both, both, op, of_vectors if dt.is_vector(both) else None

    return types


def _order(op: int) -> Callable[[Dtype, Dtype], tuple]:
    def types(a: Dtype, b: Dtype) -> tuple:
        if not dt.is_scalar(a) or not dt.is_scalar(b):
            raise TypeError(f"Only scalars have an order: cannot compare '{a.name}' with '{b.name}'.")
        both = dt.cross_scalar_scalar(a, b)
        return _TRUTH, both, both, op, None

    return types


ADD = Operator("+", "arithmetic", _sum(e.VD_OP_ADD))
SUB = Operator("-", "arithmetic", _sum(e.VD_OP_SUB))
MUL = Operator("*", "arithmetic", _product)
DIV = Operator("/", "arithmetic", _quotient)
FLOORDIV = Operator("//", "arithmetic", _whole_quotient("Floor division", e.VD_OP_FLOORDIV, e.VD_OP_DIV))
MOD = Operator("%", "arithmetic", _whole_quotient("Modulo", e.VD_OP_FLOORMOD, e.VD_OP_REM))
POW = Operator("**", "arithmetic", _power)
MATMUL = Operator("@", "arithmetic", _matrix_product)
AND = Operator("&", "bitwise", _bits(e.VD_OP_AND))
OR = Operator("|", "bitwise", _bits(e.VD_OP_OR))
XOR = Operator("^", "bitwise", _bits(e.VD_OP_XOR))
SHL = Operator("<<", "bitwise", _bits(e.VD_OP_SHL))
SHR = Operator(">>", "bitwise", _bits(e.VD_OP_SHR))
EQ = Operator("==", "comparison", _equality(e.VD_OP_EQ))
NE = Operator("!=", "comparison", _equality(e.VD_OP_NE))
LT = Operator("<", "comparison", _order(e.VD_OP_LT))
LE = Operator("<=", "comparison", _order(e.VD_OP_LE))
GT = Operator(">", "comparison", _order(e.VD_OP_GT))
GE = Operator(">=", "comparison", _order(e.VD_OP_GE))
