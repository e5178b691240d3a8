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

from ..._native import enums as e
from ...base import dtype as dt
from .._numbers import number_to_dtype
from .._types import INTEGERS, element_of
from ..variables.arithmetic import number_value
from ..variables.variables import ShaderVariable
from ._apply import Value, named, operand


def _of_bits(name: str, op: int, fold: Callable[[str], int], doc: str) -> Callable[[Value], Value]:
    def counted(x: Any) -> Any:
        x = operand(x)
        if not isinstance(x, ShaderVariable):
            if not isinstance(x, int):
                raise TypeError(f"{name}() takes integers, not {type(x).__name__}!")
            width = 8 * number_to_dtype(x).item_size
            return fold(format(x & ((1 << width) - 1), f"0{width}b"))
        t = x.var_type
        if dt.is_complex(t) or dt.is_matrix(t) or element_of(t) not in INTEGERS:
            raise TypeError(f"{name}() takes integers, not '{t.name}'!")
        b, at = x._builder, x._builder.location()
        return ShaderVariable(b, t, b.emit(op, 0, 0, at, number_value(x, at)), reads=x._reads)

    def function(x: Value) -> Value:
        return counted(x)

    return named(name, doc, function, __name__)


popcount = _of_bits(
    "popcount",
    e.VD_OP_POPCOUNT,
    lambda digits: digits.count("1"),
    "How many bits of an integer are 1, in its type (GLSL's bitCount, CUDA's __popc).",
)
clz = _of_bits(
    "clz",
    e.VD_OP_CLZ,
    lambda digits: len(digits) - len(digits.lstrip("0")),
    "How many zeros stand above an integer's highest 1, in its type; of 0 all its bits (CUDA's __clz).",
)
ctz = _of_bits(
    "ctz",
    e.VD_OP_CTZ,
    lambda digits: len(digits) - len(digits.rstrip("0")),
    "How many zeros stand below an integer's lowest 1, in its type; of 0 all its bits (CUDA's __ffs, less 1).",
)
bitreverse = _of_bits(
    "bitreverse",
    e.VD_OP_BITREVERSE,
    lambda digits: int(digits[::-1], 2),
    "An integer's bits in reverse order (GLSL's bitfieldReverse, CUDA's __brev).",
)
