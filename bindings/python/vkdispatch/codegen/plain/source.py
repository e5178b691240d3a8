"""A function's source, as the tree of its definition with the places in its file."""

from __future__ import annotations

import ast
import linecache
from types import FunctionType
from typing import Any


def function_tree(function: Any, what: str) -> ast.FunctionDef:
    """The definition of a Python function; RuntimeError where its source is not at hand. `what` is what wants to read it."""
    if not isinstance(function, FunctionType):
        raise TypeError(f"{what} is made of a Python function, not of {type(function).__name__}!")
    code = function.__code__
    if code.co_name == "<lambda>":
        raise TypeError(
            f"{what} is made of a function that 'def' defines, and this is a lambda ({code.co_filename}:{code.co_firstlineno})!"
        )
    linecache.checkcache(code.co_filename)
    lines = linecache.getlines(code.co_filename, function.__globals__)
    if not lines:
        raise RuntimeError(
            f"{what} reads the source of '{code.co_name}', and there is none for {code.co_filename!r} (it was typed at a prompt, made "
            "by exec(), or the file is gone): put the function into a file!"
        )
    found = [
        node
        for node in ast.walk(_parsed("".join(lines), code.co_filename, what))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.name == code.co_name
        and _first_line(node) == code.co_firstlineno
    ]
    if not found or _parameters(found[0]) != code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]:
        raise RuntimeError(
            f"{what} reads the source of '{code.co_name}', and {code.co_filename}:{code.co_firstlineno} no longer has it: the file "
            "was changed after it was imported!"
        )
    if isinstance(found[0], ast.AsyncFunctionDef):
        raise TypeError(f"{what} is made of a function, not of a coroutine ({code.co_filename}:{code.co_firstlineno})!")
    return found[0]


def _parsed(text: str, file: str, what: str) -> ast.Module:
    try:
        return ast.parse(text, file)
    except SyntaxError as error:
        raise RuntimeError(f"{what}: the file {file} was changed after it was imported ({error})!") from None


def _first_line(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])


def _parameters(node: ast.FunctionDef | ast.AsyncFunctionDef) -> tuple[str, ...]:
    arguments = node.args
    return tuple(a.arg for a in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs])
