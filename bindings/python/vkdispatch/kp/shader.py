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
from .code import compile_glsl

_VERSION = re.compile(r"^[ \t]*#[ \t]*version[^\n]*\n?", re.MULTILINE)


class Shader:
    """Compiles shaders in GLSL, inside the process."""

    @staticmethod
    def compile_source(source: str, entryPoint: str = "main", definitions: Any = ()) -> bytes:
        """SPIR-V of a source. `definitions` are pairs of a name and its text, as `#define` has them."""
        return Shader.compile_sources([source], [], entryPoint, definitions)

    @staticmethod
    def compile_sources(sources: Any, files: Any = (), entryPoint: str = "main", definitions: Any = ()) -> bytes:
        """SPIR-V of several sources, one after the other. `files` are their names in messages."""
        if isinstance(sources, (str, bytes)) or not all(isinstance(source, str) for source in sources):
            raise TypeError(f"Shader: sources ({sources!r}) must be a list of str: incompatible function arguments")
        if not isinstance(entryPoint, str):
            raise TypeError(f"Shader: entryPoint ({entryPoint!r}) must be a str: incompatible function arguments")
        pairs = [tuple(pair) for pair in definitions]
        for pair in pairs:
            if len(pair) != 2 or not all(isinstance(text, str) for text in pair):
                raise TypeError(f"Shader: definitions has {pair!r}, which is no pair of a name and a text")
        name = ", ".join(str(file) for file in files) or "shader"
        return _compiled("\n".join(sources), name, entryPoint, tuple(pairs))


@functools.lru_cache(256)
def _compiled(source: str, name: str, entry: str, definitions: tuple[Any, ...]) -> bytes:
    lines = [f"#define {key} {value}\n" for key, value in definitions]
    if entry != "main":
        lines.append(f"#define {entry} main\n")  # GLSL has no other entry point
    found = _VERSION.search(source)
    head, rest = (source[: found.end()], source[found.end() :]) if found else ("#version 450\n", source)
    with _native.naming("Shader.compile_source"):
        return compile_glsl((head if head.endswith("\n") else head + "\n") + "".join(lines) + rest, name)
