"""Operations on the invocations of a subgroup, which run side by side. They mean something only where all of them arrive."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..._native import enums as e
from ...base import dtype as dt
from .._types import BOOL
from ..global_builder import active
from ..variables.arithmetic import number_value
from ..variables.variables import ShaderVariable
from ._apply import named


def _reduction(name: str, op: int, what: str, bitwise: bool = False, complex_too: bool = False) -> Callable:
    def function(arg: Any) -> ShaderVariable:
        if not isinstance(arg, ShaderVariable) or not arg._type:
            raise TypeError(f"{name}() takes a variable, not {type(arg).__name__}!")
        t = arg.var_type
        if dt.is_matrix(t) or dt.is_complex(t) and not complex_too or bitwise and not dt.is_integer_dtype(t):
            raise TypeError(f"{name}() is not defined for type '{t.name}'!")
        b, at = arg._builder, arg._builder.location()
        return ShaderVariable(b, t, b.emit(op, 0, 0, at, number_value(arg, at)))

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


def subgroup_barrier() -> None:
    """Wait until all invocations of the subgroup are here."""
    active().statement(e.VD_OP_SUBGROUP_BARRIER, 0, 0)
