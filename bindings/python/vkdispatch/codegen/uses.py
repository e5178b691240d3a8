"""Whether the kernel computes with a number of Python's, or Python alone does: by the source of the function that is traced.

`out[0] = n`, `x * n` and `vc.max(n, 3)` make a number a value of the kernel. `out[n]`, `range(n)`, `table[k] = n` and a function
of the program's that gets it may also count or choose the traced code, so there is no warning about them.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator
from types import CodeType, FrameType
from typing import Any

_LANGUAGE = __name__.rpartition(".")[0]
#: Functions of the language that take numbers of Python's, which say what is traced.
_BY_NUMBER = {"comment", "for_block", "new_scope", "scope_block", "shared_buffer", "str_to_dtype"}


def is_value_in(frame: FrameType, name: str, lines: set[int], variable: type[Any]) -> bool:
    """Whether the kernel computes with a name in one of the lines of a frame's function. False where there is no source."""
    source = _source_of(frame.f_code)
    if source is None:
        return False
    known = _Known(frame, variable)
    return any(
        node.id == name and node.lineno in lines and known.is_value(node, source[1])
        for node in ast.walk(source[0])
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    )


Parents = dict[ast.AST, ast.AST]
_sources: dict[CodeType, tuple[ast.AST, Parents] | None] = {}
_MOST_SOURCES = 64


def _source_of(code: CodeType) -> tuple[ast.AST, Parents] | None:
    """The tree of a function's source, with the file's lines, and the parent of each node."""
    if code not in _sources:
        if len(_sources) >= _MOST_SOURCES:
            _sources.clear()
        _sources[code] = _parse(code)
    return _sources[code]


def _parse(code: CodeType) -> tuple[ast.AST, Parents] | None:
    try:
        lines, first = inspect.getsourcelines(code)
        tree = ast.increment_lineno(ast.parse(textwrap.dedent("".join(lines))), max(first, 1) - 1)
    except (OSError, SyntaxError, TypeError):
        return None
    return tree, {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}


class _Known:
    """The values of a frame's names."""

    def __init__(self, frame: FrameType, variable: type[Any]):
        self._locals, self._globals, self._variable = frame.f_locals, frame.f_globals, variable

    def _named(self, node: ast.AST) -> Any:
        """The value of a name, or of an attribute of a module of this package."""
        if isinstance(node, ast.Name):
            return self._locals.get(node.id, self._globals.get(node.id))
        if isinstance(node, ast.Attribute):
            owner = self._named(node.value)
            if inspect.ismodule(owner) and owner.__name__.startswith("vkdispatch"):
                return getattr(owner, node.attr, None)
        return None

    def _is_variable(self, node: ast.AST) -> bool:
        """Whether a target or an expression is the kernel's: a variable, or an element or component of one."""
        while isinstance(node, ast.Subscript | ast.Attribute):
            node = node.value
        return isinstance(node, ast.Name) and isinstance(self._named(node), self._variable)

    def _is_of_language(self, function: ast.AST) -> bool:
        found = self._named(function)
        module, name = (str(getattr(found, what, "")) for what in ("__module__", "__name__"))
        return module.startswith((_LANGUAGE, "vkdispatch.base.dtype")) and name not in _BY_NUMBER

    def _computes(self, node: ast.AST) -> bool:
        """Whether a part of an expression is the kernel's."""
        return any(
            self._is_variable(part) or isinstance(part, ast.Call) and self._is_of_language(part.func)
            for part in ast.walk(node)
        )

    def is_value(self, node: ast.AST, parents: Parents) -> bool:
        """Whether a node's result becomes a value of the kernel."""
        path = list(_ancestors(node, parents))
        if any(isinstance(above, ast.Subscript) and below is above.slice for below, above in path):
            return False
        for below, above in path:
            if isinstance(above, ast.BinOp):
                if self._computes(above.left if below is above.right else above.right):
                    return True
            elif isinstance(above, ast.Compare):
                if any(self._computes(side) for side in (above.left, *above.comparators) if side is not below):
                    return True
            elif isinstance(above, ast.Call):
                return below is not above.func and self._is_of_language(above.func)
            elif isinstance(above, ast.Assign):
                return any(not isinstance(target, ast.Name) and self._is_variable(target) for target in above.targets)
            elif isinstance(above, ast.AugAssign):
                return below is above.value and self._is_variable(above.target)
            elif isinstance(above, ast.IfExp):
                if below is above.test:
                    return False
            elif not isinstance(above, ast.UnaryOp | ast.BoolOp | ast.Tuple | ast.keyword):
                return False
        return False


def _ancestors(node: ast.AST, parents: Parents) -> Iterator[tuple[ast.AST, ast.AST]]:
    """Each node on the way to the root, with the one above it."""
    while node in parents:
        yield node, parents[node]
        node = parents[node]
