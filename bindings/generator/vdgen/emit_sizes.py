"""The size of each struct in its first release: the least that a program may give.

abi/first_sizes.txt is a generated file that is read back. A struct that is new gets its size of today, and keeps it
however it grows: that is what programs built with that release say in struct_size. A struct of the unstable section has
its size of today, since programs of another version of the section are refused.
"""

from __future__ import annotations

from . import layout, model
from .model import HeaderError
from .text import NOTE

TABLE = "abi/first_sizes.txt"


def emit(header: model.Header, table: str, rebase: bool = False) -> dict[str, str]:
    """Both files; `table` is the committed table's text. `rebase` forgets it: only before a first release."""
    first = {} if rebase else read(table)
    sizes = {s.name: (layout.struct_layout(header, s).size, s.line) for s in header.structs if s.sized}
    gone = sorted(set(first) - set(sizes))
    if gone:
        raise HeaderError(TABLE, 1, f"the header has no struct {gone[0]}, which has been there before; --rebase-sizes?")
    unstable = {s.name: sizes.pop(s.name)[0] for s in header.structs if s.sized and header.in_unstable_section(s)}
    first = {name: size for name, size in first.items() if name not in unstable}
    for name, (size, line) in sizes.items():
        if size < first.setdefault(name, size):
            message = f"{name} ({size} bytes) is smaller than at first ({first[name]}); --rebase-sizes?"
            raise HeaderError(header.path, line, message)
    rows = sorted(first.items())
    return {
        TABLE: f"# {NOTE}\n# Bytes of each struct in the release that brought it; an entry never changes after that.\n"
        + "".join(f"{name} {size}\n" for name, size in rows),
        "src/api/first_sizes.h": cpp(sorted([*rows, *unstable.items()])),
    }


def read(table: str) -> dict[str, int]:
    """The table's entries."""
    found: dict[str, int] = {}
    for number, line in enumerate(table.splitlines(), 1):
        if line.startswith("#") or not line.strip():
            continue
        name, _, size = line.partition(" ")
        if not size.isdecimal() or name in found:
            raise HeaderError(TABLE, number, f"'{line}' is not 'struct size', once a struct")
        found[name] = int(size)
    return found


def cpp(rows: list[tuple[str, int]]) -> str:
    lines = [
        f"// {NOTE}",
        "// Bytes of each struct in the release that brought it (abi/first_sizes.txt), and of unstable ones today: for",
        "// src/api/desc.h.",
        "#pragma once",
        "",
        "#include <cstdint>",
        "",
        '#include "vkdispatch.h"',
        "",
        "namespace vd::api {",
        "",
        "// 0: no such struct.",
        "template <class T>",
        "inline constexpr uint32_t kFirstSize = 0;",
        *(f"template <>\ninline constexpr uint32_t kFirstSize<{name}> = {size};" for name, size in rows),
        "",
        "}  // namespace vd::api",
    ]
    return "\n".join(lines) + "\n"
