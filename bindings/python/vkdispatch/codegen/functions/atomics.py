"""Changes of memory that no other invocation comes between."""

from __future__ import annotations

from typing import Any

from ..._native import enums as e
from ...base import dtype as dt
from .._numbers import as_index
from .._types import INTEGERS, TYPE_OF
from ..variables.arithmetic import converted, same_trace
from ..variables.variables import ShaderVariable, is_memory


def atomic_add(mem: ShaderVariable, y: Any) -> ShaderVariable:
    """Add `y` to an int32 or uint32 in a buffer or shared array; the result is a register with what was there before."""
    if not isinstance(mem, ShaderVariable) or not mem._type or not dt.is_scalar(mem.var_type):
        raise TypeError("atomic_add: the target must be a scalar lvalue!")
    if mem.register:
        raise TypeError("atomic_add does not support register/local variables!")
    if not mem.settable:
        raise TypeError("atomic_add: the target must be a writable lvalue!")
    if not is_memory(mem):
        raise TypeError("atomic_add: the target must reference a buffer element!")
    t = mem.var_type
    if t not in (dt.int32, dt.uint32):
        raise TypeError(f"atomic_add supports only int32/uint32, not '{t.name}'!")
    builder, at = mem._builder, mem._builder.location()
    if isinstance(y, ShaderVariable):
        same_trace(mem, y)
        if y.var_type not in INTEGERS or not y._type:
            raise TypeError(f"atomic_add: the increment must be an integer scalar, not '{y.var_type.name}'!")
        value = converted(y, t, at)
    else:
        number = as_index(y)
        if number is None:
            raise TypeError(f"atomic_add: the increment must be an integer scalar, not {type(y).__name__}!")
        value = builder.literal(number, t)
    old = builder.statement(e.VD_OP_ATOMIC_ADD, TYPE_OF[t], e.VD_MEMORY_RELAXED | e.VD_MEMORY_DEVICE, mem._value, value)
    return builder.new_register(t, old)
