"""The operations that combine two elements of a reduction.

Example:
    @vd.reduce.map_reduce(vd.reduce.SubgroupMin)
    def smallest(x: Buff[i32]) -> i32:
        return x[vd.reduce.mapped_io_index()]

    assert smallest(vd.arange(3, 9)).read(0)[0] == 3 and vd.reduce.SubgroupMul.identity == 1
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import Any

import vkdispatch.codegen as vc

from .. import _native
from ..base import dtype as dt
from ..base.errors import WrongTypeError
from ..base.values import pack_value
from ..base.words import bracketed
from ..compat import numpy_compat as npc

_e = _native.enums


@dataclasses.dataclass(frozen=True)
class ReduceOp:
    """An associative and commutative operation.

    `identity` is the neutral element: a number, or those of a vector as a sequence or an array; "inf" and "-inf" are
    the greatest and the least value of a type.
    """

    name: str
    reduction: Callable[[Any, Any], Any]
    identity: Any
    #: The same over the invocations of a subgroup, if there is such a function.
    subgroup_reduction: Callable[[Any], Any] | None = None
    #: The core's own operation that this is.
    _core: int | None = dataclasses.field(default=None, repr=False)

    def __post_init__(self) -> None:
        if npc.is_array_like(self.identity):  # an array may change, and its text leaves digits out
            object.__setattr__(self, "identity", tuple(npc.flatten(self.identity)))


#: The sum.
SubgroupAdd = ReduceOp("add", lambda x, y: x + y, 0, vc.subgroup_add, _e.VD_REDUCE_OP_ADD)
#: The product.
SubgroupMul = ReduceOp("mul", lambda x, y: x * y, 1, vc.subgroup_mul, _e.VD_REDUCE_OP_MUL)
#: The least of them; a NaN beside numbers counts for nothing.
SubgroupMin = ReduceOp("min", lambda x, y: vc.min(x, y), "inf", vc.subgroup_min, _e.VD_REDUCE_OP_MIN)
#: The greatest of them; a NaN beside numbers counts for nothing.
SubgroupMax = ReduceOp("max", lambda x, y: vc.max(x, y), "-inf", vc.subgroup_max, _e.VD_REDUCE_OP_MAX)
#: The bits of integers that all have.
SubgroupAnd = ReduceOp("and", lambda x, y: x & y, -1, vc.subgroup_and, _e.VD_REDUCE_OP_AND)
#: The bits of integers that any has.
SubgroupOr = ReduceOp("or", lambda x, y: x | y, 0, vc.subgroup_or, _e.VD_REDUCE_OP_OR)
#: The bits of integers that an odd number of them has.
SubgroupXor = ReduceOp("xor", lambda x, y: x ^ y, 0, vc.subgroup_xor, _e.VD_REDUCE_OP_XOR)


def identity_value(identity: Any, var_type: Any) -> Any:
    """The identity as a number that fits a type."""
    scalar = var_type if var_type.scalar is None else var_type.scalar
    if isinstance(identity, str) and identity in ("inf", "-inf"):
        if dt.is_float_dtype(scalar) or dt.is_complex(var_type):
            return math.copysign(math.inf, 1 if identity == "inf" else -1)
        bits = 8 * scalar.item_size
        signed = dt.is_signed_integer_dtype(scalar)
        if identity == "inf":
            return 2 ** (bits - signed) - 1
        return -(2 ** (bits - 1)) if signed else 0
    if isinstance(identity, str):
        raise WrongTypeError(f'identity {bracketed(identity)} must be a number, "inf" or "-inf"!')
    if dt.is_integer_dtype(scalar) and isinstance(identity, float) and math.isfinite(identity) and identity % 1 != 0:
        raise ValueError(f"identity {bracketed(identity)} is not a value of {var_type.name}!")
    if identity == -1 and dt.is_integer_dtype(scalar) and not dt.is_signed_integer_dtype(scalar):
        return 2 ** (8 * scalar.item_size) - 1  # all ones
    return identity


def identity_bytes(identity: Any, var_type: Any) -> bytes:
    """The identity in a type's memory layout."""
    return pack_value(identity_value(identity, var_type), var_type, "identity")
