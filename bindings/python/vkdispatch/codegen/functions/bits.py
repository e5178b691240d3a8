"""Counting and turning bits of integers, component by component.

Example:
    @vd.shader("out.size")
    def bits(out: Buff[u32]):
        i = vc.global_invocation_id().x
        n = out[i].to_register()
        out[i] = 1000 * vc.popcount(n) + 10 * vc.clz(n) + vc.ctz(n) + (vc.bitreverse(n) >> 31)

    out = vd.asbuffer(np.array([12, 1], np.uint32))
    bits(out)
    assert list(out.read(0)) == [2000 + 280 + 2, 1000 + 310 + 1]
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...base import dtype as dt
from .._numbers import number_to_dtype
from .._types import INTEGERS, element_of
from ..variables.arithmetic import number_value
from ..variables.variables import ShaderVariable
from ._apply import Value, folded, operand


def of_bits(name: str, op: int, fold: Callable[[str], int] | None, x: Any) -> Any:
    """A function of an integer's bits, in its type; `fold` takes the digits of a number."""
    x = operand(x)
    if not isinstance(x, ShaderVariable):
        if not isinstance(x, int):
            raise TypeError(f"{name}() takes integers, not {type(x).__name__}!")
        width = 8 * number_to_dtype(x).item_size
        return folded(name, fold, (format(x & ((1 << width) - 1), f"0{width}b"),))
    t = x.var_type
    if dt.is_complex(t) or dt.is_matrix(t) or element_of(t) not in INTEGERS:
        raise TypeError(f"{name}() takes integers, not '{t.name}'!")
    b, at = x._builder, x._builder.location()
    return ShaderVariable(b, t, b.emit(op, 0, 0, at, number_value(x, at)), reads=x._reads)


def _popcount(digits: str) -> int:
    return digits.count("1")


def _clz(digits: str) -> int:
    return len(digits) - len(digits.lstrip("0"))


def _ctz(digits: str) -> int:
    return len(digits) - len(digits.rstrip("0"))


def _bitreverse(digits: str) -> int:
    return int(digits[::-1], 2)


# ops: generated from src/ir/ops.inc; do not edit


def popcount(x: Value) -> Value:
    """The number of 1 bits of an integer, in its type (GLSL's bitCount, CUDA's __popc)."""
    return of_bits("popcount", 70, _popcount, x)  # VD_OP_POPCOUNT


def clz(x: Value) -> Value:
    """The number of zeros above an integer's highest 1, in its type; for 0, all its bits (CUDA's __clz)."""
    return of_bits("clz", 71, _clz, x)  # VD_OP_CLZ


def ctz(x: Value) -> Value:
    """The number of zeros below an integer's lowest 1, in its type; for 0, all its bits (CUDA's __ffs, less 1)."""
    return of_bits("ctz", 72, _ctz, x)  # VD_OP_CTZ


def bitreverse(x: Value) -> Value:
    """An integer's bits in reverse order (GLSL's bitfieldReverse, CUDA's __brev)."""
    return of_bits("bitreverse", 73, _bitreverse, x)  # VD_OP_BITREVERSE


# end of ops
