"""Printing from kernels.

On the host lines go to the log, on CUDA and OpenCL to standard output; Vulkan leaves them out, with a warning.

Example:
    @vd.shader(1)
    def hello(x: Buff[f32]):
        vc.print("x is", x[0])

    hello(vd.ones(1))
    vd.queue_wait_idle()
"""

from __future__ import annotations

import re
from typing import Any

from ..._native import enums as e
from ...base import dtype as dt
from .._numbers import as_bool, as_number, number_to_dtype
from ..global_builder import active
from ..variables.arithmetic import number_value
from ..variables.variables import ShaderVariable, scalars_of

_CONVERSION = re.compile(r"%(?:%|[-+ #0]*\d*(?:\.\d+)?(?:hh|h|ll|l|j|z|t|L)?([a-zA-Z]))")

# The type in which a value is sent to the host: 16 bits widen, so that formats need no case for them.
_PRINTED: dict[type[dt.dtype], type[dt.dtype]] = {
    dt.int8: dt.int32, dt.uint8: dt.uint32, dt.int16: dt.int32, dt.uint16: dt.uint32, dt.float16: dt.float32,
}  # fmt: skip


def printf(format: str, *args: Any) -> None:
    """Print as C's printf does. A string argument, for a %s, becomes part of the format."""
    if not isinstance(format, str):
        raise TypeError(f"printf: the format must be a string, not {type(format).__name__}!")
    builder = active()
    rest, values = list(args), []

    def place(match: re.Match) -> str:
        if match[1] is None:
            return match[0]
        if not rest:
            raise ValueError(f"printf: too few arguments for the format '{format}'!")
        argument = rest.pop(0)
        if isinstance(argument, str):
            if match[1] != "s":
                raise TypeError(f"printf: '{match[0]}' cannot print the string '{argument}'!")
            return argument.replace("%", "%%")
        if match[1] == "s":
            raise TypeError(f"printf: '%s' prints strings, not {type(argument).__name__}!")
        values.append(_value(builder, argument))
        return match[0]

    text = _CONVERSION.sub(place, format)
    if rest:
        raise ValueError(f"printf: too many arguments for the format '{format}'!")
    builder.statement(e.VD_OP_PRINTF, 0, 0, builder.string(text), *values)


def _value(builder: Any, x: Any) -> int:
    at = builder.location()
    if isinstance(x, ShaderVariable):
        if not x._type or not dt.is_scalar(x.var_type):
            raise TypeError(f"printf: a '{x.var_type.name}' cannot be printed as one value; vc.print() can!")
        builder.hazards.note_use(builder, x._reads)
        t = _PRINTED.get(x.var_type)
        return number_value(x.to_dtype(t) if t is not None else x, at)
    number = as_bool(x) if as_bool(x) is not None else as_number(x)
    if number is None or isinstance(number, complex):
        raise TypeError(f"printf: cannot print a value of type {type(x).__name__}!")
    return builder.literal(number, dt.int32 if isinstance(number, bool) else number_to_dtype(number))


def print(*args: Any, separator: str = " ") -> None:
    """Print variables, vectors and matrices with all components, and other objects by their text."""
    formats, values = [], []
    for x in args:
        if isinstance(x, ShaderVariable) and x._type:
            formats.append(x.var_type.format_str)
            values += scalars_of(x)
        else:
            formats.append(str(x).replace("%", "%%"))
    printf(separator.replace("%", "%%").join(formats) + "\n", *values)
