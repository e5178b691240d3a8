"""The compiler of GLSL that Kompute 0.7 has as a class.

Example:
    code = kp.Shader.compile_source("void main() { }", definitions=[("N", "3")])
    assert code[:4] == b"\\x03\\x02\\x23\\x07"
"""

from __future__ import annotations

import functools
import re
from typing import Any

from .. import _native
from ..base.words import bracketed, shown
from .code import compile_glsl
from .errors import list_of

_VERSION = re.compile(r"^[ \t]*#[ \t]*version[^\n]*\n?", re.MULTILINE)


class Shader:
    """Compiles shaders in GLSL, inside the process."""

    @staticmethod
    def compile_source(source: str, entryPoint: str = "main", definitions: Any = ()) -> bytes:
        """SPIR-V of a source. `definitions` are pairs of a name and its text, as `#define` has them."""
        if not isinstance(source, str):
            raise TypeError(
                f"Shader.compile_source: source {bracketed(source)} must be a str: incompatible function arguments"
            )
        return _compile([source], [], entryPoint, definitions, "Shader.compile_source")

    @staticmethod
    def compile_sources(sources: Any, files: Any = (), entryPoint: str = "main", definitions: Any = ()) -> bytes:
        """SPIR-V of several sources, one after the other. `files` are their names in messages."""
        return _compile(sources, files, entryPoint, definitions, "Shader.compile_sources")


def _compile(sources: Any, files: Any, entry: Any, definitions: Any, what: str) -> bytes:
    texts = list_of(sources, f"{what}: sources", "a list of str")
    if not all(isinstance(text, str) for text in texts):
        raise TypeError(f"{what}: sources {bracketed(sources)} must be a list of str: incompatible function arguments")
    if not isinstance(entry, str) or not entry.isidentifier():
        raise TypeError(
            f"{what}: entryPoint {bracketed(entry)} must be a function's name: incompatible function arguments"
        )
    said = "a list of pairs of a name and a text"
    pairs = [
        tuple(list_of(pair, f"{what}: definitions", said))
        for pair in list_of(
            definitions.items() if isinstance(definitions, dict) else definitions, f"{what}: definitions", said
        )
    ]
    for pair in pairs:
        if len(pair) != 2 or not all(isinstance(text, str) for text in pair):
            raise TypeError(f"{what}: definitions has {shown(pair)}, which is no pair of a name and a text")
    name = ", ".join(str(file) for file in list_of(files, f"{what}: files", "a list of names")) or "shader"
    with _native.naming(what):
        return _compiled("\n".join(texts), name, entry, tuple(pairs))


@functools.lru_cache(256)
def _compiled(source: str, name: str, entry: str, definitions: tuple[Any, ...]) -> bytes:
    lines = [f"#define {key} {value}\n" for key, value in definitions]
    if entry != "main":
        lines.append(f"#define {entry} main\n")  # GLSL has no other entry point
    found = _VERSION.search(source)
    head, rest = (source[: found.end()], source[found.end() :]) if found else ("#version 450\n", source)
    return compile_glsl((head if head.endswith("\n") else head + "\n") + "".join(lines) + rest, name)
