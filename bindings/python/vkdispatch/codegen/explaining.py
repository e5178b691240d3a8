"""Errors of Python's and NumPy's own that a traced function runs into, in words that know of kernels."""

from __future__ import annotations

import collections
import contextlib
from collections.abc import Iterator
from types import CodeType, TracebackType

from .._native import Error

_BUFFER = (
    "cannot be indexed by a value of the kernel: give it to the kernel as a buffer, Buff[f32] of vd.asbuffer(table)"
)
# The text of an error, and the hint that explains it.
_HINTS = {
    "__array_ufunc__": "NumPy's functions work on arrays; in a kernel use those of vkdispatch.codegen, such as vc.sin",
    "only integers, slices": f"a NumPy array {_BUFFER}",
    "unhashable type: 'ShaderVariable'": f"a dict or set {_BUFFER}",
}
# A function that is on the stack so often calls itself without end.
_ENDLESS = 50


@contextlib.contextmanager
def explaining() -> Iterator[None]:
    """Around a user's function that is traced."""
    try:
        yield
    except (RecursionError, Error) as error:  # the core has a limit of open blocks, which may come first
        message = _recursion(error.__traceback__)
        if message is None:
            raise
        raise RecursionError(message) from None
    except (TypeError, IndexError) as error:
        hint = next((hint for said, hint in _HINTS.items() if said in str(error)), None)
        if hint is None:
            raise
        message = f"{error}: {hint} ({_place(error.__traceback__)})"
        raise TypeError(message).with_traceback(error.__traceback__) from None


def _lines(trace: TracebackType | None) -> list[tuple[CodeType, int]]:
    """The program's own lines in a traceback."""
    found = []
    while trace is not None:
        frame = trace.tb_frame
        if not str(frame.f_globals.get("__name__")).startswith("vkdispatch."):
            found.append((frame.f_code, trace.tb_lineno))
        trace = trace.tb_next
    return found


def _place(trace: TracebackType | None) -> str:
    lines = _lines(trace)
    return f"{lines[-1][0].co_filename}:{lines[-1][1]}" if lines else "an unknown place"


def _recursion(trace: TracebackType | None) -> str | None:
    """The name of the function that calls itself without end; None if none of the program's does."""
    counted = collections.Counter(code for code, _ in _lines(trace)).most_common(1)
    if not counted or counted[0][1] < _ENDLESS:
        return None
    code = counted[0][0]
    return (
        f"{code.co_filename}:{code.co_firstlineno}: '{code.co_name}' calls itself without end while the kernel is traced: what "
        "a kernel calls is written out at each call, and a condition on values of the kernel does not end that. Make it a loop "
        "(vc.while_block, vc.for_block), or let a number of Python's end it"
    )
