"""Elements of a dtype as NumPy's arrays and as bytes."""

from __future__ import annotations

from typing import Any

from ...compat import numpy_compat as npc
from .. import dtype as dt
from ..host_values import element_of, note_fractions, pack_numbers
from ..words import shown


def scalar_of(var_type: type[dt.dtype]) -> Any:
    """The dtype of the numbers that an element is made of."""
    return var_type if var_type.scalar is None else var_type.scalar


def new_array(var_type: type[dt.dtype], shape: tuple[int, ...]) -> tuple[Any, Any]:
    """Memory for elements, and a function that makes the array of it once it is filled."""
    element = scalar_of(var_type)
    whole = shape + var_type.true_numpy_shape
    np = npc.numpy_module()
    if np is None or element is dt.complex32:
        data = bytearray(npc.prod(shape) * var_type.item_size)
        return data, lambda: npc.from_buffer(data, element.host, whole)
    result = np.empty(whole, element.numpy)
    return result, lambda: result


def array_over(memory: Any, var_type: type[dt.dtype], shape: tuple[int, ...]) -> Any:
    """An array over memory, without a copy. Without NumPy a memoryview of bytes; elements of complex32 are pairs of
    float16."""
    element = scalar_of(var_type)
    np = npc.numpy_module()
    if np is None:
        return memoryview(memory)
    whole = shape + var_type.true_numpy_shape
    if element is dt.complex32:
        return np.frombuffer(memory, np.float16).reshape(*whole, 2)
    return np.frombuffer(memory, element.numpy).reshape(whole)


def element_bytes(value: Any, var_type: type[dt.dtype], method: str) -> bytes:
    """The bytes of an element of which every number is `value`, or whose numbers `value` lists."""
    numbers = npc.flatten(value)
    count = var_type.item_size // element_of(var_type).itemsize
    single = len(numbers) == 1 and isinstance(numbers[0], (int, float, complex))
    if not single and (len(numbers) != count or not isinstance(value, (list, tuple)) and not npc.is_array_like(value)):
        what = "a number" if count == 1 else f"a number, or the {count} numbers of an element"
        raise TypeError(f"{method}: value must be {what} (got {shown(value)})")
    note_fractions(numbers, var_type, "the buffer", method)
    packed = pack_numbers(numbers, var_type, "the buffer", method)
    return packed if single else bytes(packed)
