"""Changes of memory that no other invocation can interrupt.

Each takes a scalar of 32 or 64 bits in a buffer or shared array; the result is a register with what was there before. Integers
take all of them, floats those that add, compare and exchange. On floats the device may need a loop of compare and swap for it.

Other types are a TypeError that names the function.

Example:
    @vd.shader("x.size")
    def histogram(bins: Buff[u32], x: Buff[u32]):
        i = vc.global_invocation_id().x
        vc.atomic_add(bins[x[i] % 4], 1)
        vc.atomic_max(bins[4], x[i])

    bins = vd.zeros(5, vd.uint32)
    histogram(bins, vd.arange(10, dtype=vd.uint32))
    assert list(bins.read(0)) == [3, 3, 2, 2, 9]
"""

from __future__ import annotations

from typing import Any

from ..._native import enums as e
from ...base import dtype as dt
from .._numbers import as_index, as_real, check_width
from .._types import INTEGERS, SCALARS, TYPE_OF
from ..variables.arithmetic import converted, same_trace
from ..variables.variables import ShaderVariable, is_memory

_WHOLE = (dt.int32, dt.uint32, dt.int64, dt.uint64)
_FLOATS = (dt.float32, dt.float64)


def _operand(name: str, mem: ShaderVariable, y: Any, what: str, at: int) -> int:
    """A scalar as a value of the memory's type: an integer, for a float any real number."""
    t = mem.var_type
    wanted, kinds, number_of = "an integer", INTEGERS, as_index
    if t in _FLOATS:
        wanted, kinds, number_of = "a real", SCALARS, as_real  # type: ignore[assignment]
    if isinstance(y, ShaderVariable):
        same_trace(mem, y)
        y = y._counted()
        if y.var_type not in kinds or not y._type:
            raise TypeError(f"{name}: the {what} must be {wanted} scalar, not '{y.var_type.name}'!")
        return converted(y, t, at)
    number = number_of(y)
    if number is None:
        raise TypeError(f"{name}: the {what} must be {wanted} scalar, not {type(y).__name__}!")
    if isinstance(number, int):
        check_width(number, t, f"{name}: the {what} ({number}) does not fit")
    return mem._builder.literal(number, t)


def _atomic(name: str, op: int, mem: ShaderVariable, floats: bool = False, **values: Any) -> ShaderVariable:
    if not isinstance(mem, ShaderVariable) or not mem._type or not dt.is_scalar(mem.var_type):
        raise TypeError(f"{name}: the target must be a scalar lvalue!")
    if mem.register:
        raise TypeError(f"{name} does not support register/local variables!")
    if not mem.settable:
        raise TypeError(f"{name}: the target must be a writable lvalue!")
    if not is_memory(mem):
        raise TypeError(f"{name}: the target must reference a buffer element!")
    t = mem.var_type
    supported = _WHOLE + _FLOATS if floats else _WHOLE
    if t not in supported:
        raise TypeError(f"{name} supports only {', '.join(s.name for s in supported)}, not '{t.name}'!")
    builder, at = mem._builder, mem._builder.location()
    operands = [_operand(name, mem, y, what.replace("_", " "), at) for what, y in values.items()]
    for y in values.values():
        if isinstance(y, ShaderVariable):
            builder.hazards.note_use(builder, y._reads)
    builder.hazards.note_store(mem, at)
    old = builder.statement(op, TYPE_OF[t], e.VD_MEMORY_RELAXED | e.VD_MEMORY_DEVICE, mem._value, *operands)
    return builder.new_register(t, old)


def atomic_add(mem: ShaderVariable, y: Any) -> ShaderVariable:
    """Add `y` to an integer or float in a buffer or shared array; the result is a register with the memory's previous
    value.

    Several invocations add floats in any order, so that a sum may be rounded otherwise each time.
    """
    return _atomic("atomic_add", e.VD_OP_ATOMIC_ADD, mem, True, increment=y)


def atomic_min(mem: ShaderVariable, y: Any) -> ShaderVariable:
    """Keep the smaller of the memory and `y` (of a number and NaN the number); the result is a register with the
    memory's previous value."""
    return _atomic("atomic_min", e.VD_OP_ATOMIC_MIN, mem, True, value=y)


def atomic_max(mem: ShaderVariable, y: Any) -> ShaderVariable:
    """Keep the larger of the memory and `y` (of a number and NaN the number); the result is a register with the
    memory's previous value."""
    return _atomic("atomic_max", e.VD_OP_ATOMIC_MAX, mem, True, value=y)


def atomic_and(mem: ShaderVariable, y: Any) -> ShaderVariable:
    """Keep the bits that both the memory and `y` have; the result is a register with the memory's previous value."""
    return _atomic("atomic_and", e.VD_OP_ATOMIC_AND, mem, value=y)


def atomic_or(mem: ShaderVariable, y: Any) -> ShaderVariable:
    """Keep the bits that the memory or `y` has; the result is a register with the memory's previous value."""
    return _atomic("atomic_or", e.VD_OP_ATOMIC_OR, mem, value=y)


def atomic_xor(mem: ShaderVariable, y: Any) -> ShaderVariable:
    """Flip the bits of `y` in the memory; the result is a register with the memory's previous value."""
    return _atomic("atomic_xor", e.VD_OP_ATOMIC_XOR, mem, value=y)


def atomic_exchange(mem: ShaderVariable, y: Any) -> ShaderVariable:
    """Store `y` in the memory; the result is a register with the memory's previous value."""
    return _atomic("atomic_exchange", e.VD_OP_ATOMIC_EXCHANGE, mem, True, value=y)


def atomic_compare_exchange(mem: ShaderVariable, expected: Any, y: Any) -> ShaderVariable:
    """Store `y` if the memory holds `expected`; the result is a register with the memory's previous value: `expected`
    if `y` was stored."""
    return _atomic("atomic_compare_exchange", e.VD_OP_ATOMIC_CAS, mem, expected_value=expected, value=y)
