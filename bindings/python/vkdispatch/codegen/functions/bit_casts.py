"""The same 32 bits as another type.

Vectors of such numbers go component by component; other types are a TypeError.

Example:
    @vd.shader("out.size")
    def magnitude(out: Buff[f32]):
        i = vc.global_invocation_id().x
        out[i] = vc.uint_bits_to_float(vc.float_bits_to_uint(out[i]) & 0x7FFFFFFF)

    out = vd.asbuffer(np.array([-1.5, 2], np.float32))
    magnitude(out)
    assert list(out.read(0)) == [1.5, 2]
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

from ..._native import enums as e
from ...base import dtype as dt
from .._types import TYPE_OF, element_of, float_bits
from ..variables.arithmetic import number_value
from ..variables.variables import ShaderVariable
from ._apply import Value, named, operand


def _cast(
    name: str, source: tuple, target: type[dt.dtype], fold: Callable[[Any], Any], doc: str
) -> Callable[[Value], Value]:
    def cast(x: Any) -> Any:
        x = operand(x)
        if not isinstance(x, ShaderVariable):
            return fold(x)
        t = x.var_type
        if dt.is_complex(t) or dt.is_matrix(t) or element_of(t) not in source:
            raise TypeError(f"{name}() takes {' or '.join(s.name for s in source)} values, not '{t.name}'!")
        result = dt.to_vector(target, t.child_count) if dt.is_vector(t) else target
        b, at = x._builder, x._builder.location()
        return x._expression(result, b.emit(e.VD_OP_BITCAST, TYPE_OF[result], 0, at, number_value(x, at)))

    def function(x: Value) -> Value:
        return cast(x)

    return named(name, doc, function, __name__)


def _bits(x: float) -> int:
    return float_bits(float(x), dt.float32)


def _signed_bits(x: float) -> int:
    return struct.unpack("<i", struct.pack("<I", _bits(x)))[0]


def _float(x: float) -> float:
    return struct.unpack("<f", struct.pack("<I", int(x) & 0xFFFFFFFF))[0]


_INTS = (dt.int32, dt.uint32)
float_bits_to_int = _cast(
    "float_bits_to_int", (dt.float32,), dt.int32, _signed_bits, "The bits of a float32 as an int32."
)
float_bits_to_uint = _cast("float_bits_to_uint", (dt.float32,), dt.uint32, _bits, "The bits of a float32 as a uint32.")
int_bits_to_float = _cast("int_bits_to_float", _INTS, dt.float32, _float, "The float32 with the bits of an int32.")
uint_bits_to_float = _cast("uint_bits_to_float", _INTS, dt.float32, _float, "The float32 with the bits of a uint32.")
