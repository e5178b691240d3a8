"""Kernels from the source of a Python function, with Python's own `if`, `for`, `while` and local names.

The function's source is rewritten so that its control flow calls a Flow, and then traced as any kernel is. Its lines stay where
they were, so places and errors are those of the program.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from types import CodeType, FunctionType, TracebackType
from typing import Any

from ..builder import ShaderFlags
from ..shader_description import ShaderDescription
from ..signature import trace
from .flow import Flow
from .helpers import Helpers
from .names import Names, Widened
from .rewriter import FLOW, Rewriter
from .source import function_tree

# Each attempt makes one number wider, and a number has few types.
_MOST_ATTEMPTS = 1000


def rewritten(function: Any, what: str, names: Mapping[str, Any] | None = None) -> FunctionType:
    """The function with a Flow as its first parameter; `names` are globals that it finds besides its own.

    RuntimeError where there is no source, SyntaxError where it has something that no kernel has. `what` is what is made of the
    function, for messages.
    """
    tree = function_tree(function, what)
    file = function.__code__.co_filename
    new = Rewriter(tree, file).rewritten()
    name, new.name = new.name, f"{FLOW}_function"  # its own name is not its own variable: it may call itself
    outer = ast.FunctionDef(
        name="outer",
        args=ast.arguments([], [ast.arg(name) for name in function.__code__.co_freevars], None, [], [], None, []),
        body=[new],
        decorator_list=[],
        returns=None,
    )
    if "type_params" in ast.FunctionDef._fields:
        outer.type_params = []  # type: ignore[attr-defined]
    module = ast.Module([ast.copy_location(outer, new)], [])
    code = _code_of(compile(ast.fix_missing_locations(module), file, "exec", dont_inherit=True), "outer", new.name)
    code = code.replace(co_name=name)
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    closure = tuple(cells[name] for name in code.co_freevars)
    return FunctionType(code, {**function.__globals__, **(names or {})}, name, None, closure)


def _code_of(code: CodeType, *names: str) -> CodeType:
    for name in names:
        code = next(part for part in code.co_consts if isinstance(part, CodeType) and part.co_name == name)
    return code


def trace_plain(
    function: FunctionType,
    flags: ShaderFlags,
    annotations: Sequence[Any],
    names: Sequence[str],
    arguments: Callable[..., Sequence[Any]] | None = None,
    names_of_helpers: Callable[[dict[str, Any]], Mapping[str, Any]] | None = None,
) -> ShaderDescription:
    """Trace what rewritten() gave. `arguments` makes the function's arguments of the kernel's, and `names_of_helpers` the further
    names of a function that it calls, of that function's globals."""
    widened: dict[int, Any] = {}

    def rewrite(helper: FunctionType) -> Any:
        return rewritten(helper, "A kernel", names_of_helpers(helper.__globals__) if names_of_helpers else None)

    def body(*given: Any) -> Any:
        with _Placed(function.__code__):
            flow = Flow(Names(widened), Helpers(function, rewrite))
            return function(flow, *(given if arguments is None else arguments(*given)))

    body.__name__ = function.__name__
    body.__wrapped__ = function  # type: ignore[attr-defined]  # whose file and lines messages name
    for _ in range(_MOST_ATTEMPTS):
        try:
            return trace(body, flags, annotations, names)
        except Widened as number:
            widened[number.key] = number.var_type
    raise RuntimeError(f"The types of the names of '{function.__name__}' do not settle!")


class _Placed:
    """Around the call of a rewritten function: an error's message ends with the line that it came from."""

    def __init__(self, code: CodeType):
        self._code = code

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, traceback: TracebackType | None) -> None:
        if not isinstance(error, Exception) or isinstance(error, Widened):
            return
        line = 0
        while traceback is not None:
            if traceback.tb_frame.f_code.co_filename == self._code.co_filename:
                line = traceback.tb_lineno
            traceback = traceback.tb_next
        place = f"{self._code.co_filename}:{line}"
        if line and place not in str(error) and len(error.args) == 1 and isinstance(error.args[0], str):
            error.args = (f"{error.args[0]} ({place})",)


__all__ = ["Flow", "rewritten", "trace_plain"]
