"""Operations on the invocations of a subgroup, which run side by side. They mean something only where all of them arrive.

Subgroups have `vc.subgroup_size()` invocations, a number of the device's.

Example:
    @vd.shader(workgroups=1, local_size=64)
    def sums(out: Buff[f32]):
        i = vc.global_invocation_id().x
        total = vc.subgroup_add(vc.to_float(1)).to_register()
        out[i] = total - vc.to_float(vc.subgroup_size())

    out = vd.ones(64)
    sums(out)
    assert not out.read(0).any()
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..._native import enums as e
from ...base import dtype as dt
from .._numbers import as_index
from .._types import BOOL, INTEGERS
from ..global_builder import active
from ..hazards import reads_of
from ..variables.arithmetic import converted, number_value, same_trace
from ..variables.variables import ShaderVariable
from ._apply import named
from .control_flow import condition_value


def _reduction(name: str, op: int, what: str, bitwise: bool = False, complex_too: bool = False) -> Callable:
    def function(arg: Any) -> ShaderVariable:
        if not isinstance(arg, ShaderVariable) or not arg._type:
            raise TypeError(f"{name}() takes a variable, not {type(arg).__name__}!")
        arg = arg._counted()
        t = arg.var_type
        if dt.is_matrix(t) or dt.is_complex(t) and not complex_too or bitwise and not dt.is_integer_dtype(t):
            raise TypeError(f"{name}() is not defined for type '{t.name}'!")
        b, at = arg._builder, arg._builder.location()
        return ShaderVariable(b, t, b.emit(op, 0, 0, at, number_value(arg, at)), reads=arg._reads)

    return named(name, f"{what} of the value over the active invocations of the subgroup.", function, __name__)


subgroup_add = _reduction("subgroup_add", e.VD_OP_SUBGROUP_ADD, "The sum", complex_too=True)
subgroup_mul = _reduction("subgroup_mul", e.VD_OP_SUBGROUP_MUL, "The product")
subgroup_min = _reduction("subgroup_min", e.VD_OP_SUBGROUP_MIN, "The smallest")
subgroup_max = _reduction("subgroup_max", e.VD_OP_SUBGROUP_MAX, "The largest")
subgroup_and = _reduction("subgroup_and", e.VD_OP_SUBGROUP_AND, "The common bits", bitwise=True)
subgroup_or = _reduction("subgroup_or", e.VD_OP_SUBGROUP_OR, "All bits", bitwise=True)
subgroup_xor = _reduction("subgroup_xor", e.VD_OP_SUBGROUP_XOR, "The parity of the bits", bitwise=True)


def subgroup_elect() -> ShaderVariable:
    """1 in exactly one active invocation of the subgroup, 0 in the others."""
    b = active()
    return ShaderVariable(b, dt.int32, b.emit(e.VD_OP_SUBGROUP_ELECT, 0, 0, b.location()), type_number=BOOL)


def _value(name: str, arg: Any) -> ShaderVariable:
    """A variable whose value lanes may hand to each other: a scalar, vector or complex number."""
    if not isinstance(arg, ShaderVariable) or not arg._type:
        raise TypeError(f"{name}() takes a variable, not {type(arg).__name__}!")
    if dt.is_matrix(arg.var_type):
        raise TypeError(f"{name}() is not defined for type '{arg.var_type.name}'!")
    return arg._counted()


def _lane(name: str, arg: ShaderVariable, lane: Any, at: int) -> int:
    """The number of a lane, or a distance between two: an integer that is not negative."""
    if isinstance(lane, ShaderVariable):
        same_trace(arg, lane)
        if not lane._type or lane.var_type not in INTEGERS:
            raise TypeError(f"{name}(): the lane must be an integer scalar, not '{lane.var_type.name}'!")
        return converted(lane, dt.uint32, at)
    number = as_index(lane)
    if number is None:
        raise TypeError(f"{name}(): the lane must be an integer scalar, not {type(lane).__name__}!")
    if not 0 <= number <= 0xFFFFFFFF:
        raise ValueError(f"{name}(): the lane ({number}) is not in 0..4294967295!")
    return arg._builder.literal(number, dt.uint32)


def _exchange(name: str, op: int, doc: str) -> Callable[[Any, Any], ShaderVariable]:
    def function(arg: Any, lane: Any) -> ShaderVariable:
        arg = _value(name, arg)
        b, at = arg._builder, arg._builder.location()
        value = b.emit(op, 0, 0, at, number_value(arg, at), _lane(name, arg, lane, at))
        return ShaderVariable(b, arg.var_type, value, reads=reads_of(arg, lane))

    return named(name, doc, function, __name__)


_ELSE = "where there is no such active lane, any value."
subgroup_shuffle = _exchange(
    "subgroup_shuffle",
    e.VD_OP_SUBGROUP_SHUFFLE,
    f"The value that another lane has, by its number; {_ELSE} GLSL's subgroupShuffle, CUDA's __shfl_sync.",
)
subgroup_shuffle_xor = _exchange(
    "subgroup_shuffle_xor",
    e.VD_OP_SUBGROUP_SHUFFLE_XOR,
    "The value of the lane whose number differs from one's own by the bits of a mask; "
    f"{_ELSE} GLSL's subgroupShuffleXor, CUDA's __shfl_xor_sync.",
)
subgroup_shuffle_up = _exchange(
    "subgroup_shuffle_up",
    e.VD_OP_SUBGROUP_SHUFFLE_UP,
    f"The value of the lane so many below one's own; {_ELSE} GLSL's subgroupShuffleUp, CUDA's __shfl_up_sync.",
)
subgroup_shuffle_down = _exchange(
    "subgroup_shuffle_down",
    e.VD_OP_SUBGROUP_SHUFFLE_DOWN,
    f"The value of the lane so many above one's own; {_ELSE} GLSL's subgroupShuffleDown, CUDA's __shfl_down_sync.",
)


subgroup_broadcast = _exchange(
    "subgroup_broadcast",
    e.VD_OP_SUBGROUP_BROADCAST,
    f"The value of one lane, which all active lanes name alike; {_ELSE} GLSL's subgroupBroadcast, CUDA's __shfl_sync.",
)


def subgroup_broadcast_first(arg: Any) -> ShaderVariable:
    """The value of the lowest active lane of the subgroup. GLSL's subgroupBroadcastFirst."""
    arg = _value("subgroup_broadcast_first", arg)
    b, at = arg._builder, arg._builder.location()
    value = b.emit(e.VD_OP_SUBGROUP_BROADCAST_FIRST, 0, 0, at, number_value(arg, at))
    return ShaderVariable(b, arg.var_type, value, reads=arg._reads)


def subgroup_ballot(arg: Any) -> ShaderVariable:
    """In which active lanes of the subgroup a condition holds, as a uvec4: lane n is bit n % 32 of component n // 32.

    GLSL's subgroupBallot; the first component is CUDA's __ballot_sync.
    """
    b = active()
    condition = condition_value(b, arg)
    value = b.emit(e.VD_OP_SUBGROUP_BALLOT, 0, 0, b.location(), condition)
    return ShaderVariable(b, dt.uvec4, value, reads=reads_of(arg))


def _vote(name: str, op: int, doc: str) -> Callable[[Any], ShaderVariable]:
    def function(arg: Any) -> ShaderVariable:
        b = active()
        condition = condition_value(b, arg)
        value = b.emit(op, 0, 0, b.location(), condition)
        return ShaderVariable(b, dt.int32, value, type_number=BOOL, reads=reads_of(arg))

    return named(name, doc, function, __name__)


subgroup_any = _vote(
    "subgroup_any",
    e.VD_OP_SUBGROUP_ANY,
    "Whether a condition holds in one active invocation of the subgroup. GLSL's subgroupAny, CUDA's __any_sync.",
)
subgroup_all = _vote(
    "subgroup_all",
    e.VD_OP_SUBGROUP_ALL,
    "Whether a condition holds in all active invocations of the subgroup. GLSL's subgroupAll, CUDA's __all_sync.",
)


def subgroup_barrier() -> None:
    """Wait until all invocations of the subgroup are here."""
    active().statement(e.VD_OP_SUBGROUP_BARRIER, 0, 0)
