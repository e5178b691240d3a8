"""A release's promise: exported symbols, layouts, and a C file by which a compiler proves them."""

from __future__ import annotations

from collections.abc import Callable

from . import layout, model
from .text import NOTE

TARGET = "x86_64-linux"


def emit(header: model.Header) -> dict[str, str]:
    return {
        "abi/vkdispatch.map": version_script(header),
        "abi/symbols.txt": symbols(header),
        f"abi/layout/{TARGET}.txt": layouts(header),
        "tests/abi/layout_asserts.c": asserts(header),
    }


def node(header: model.Header, function: model.Function) -> str:
    """The version node of an entry: the release that brought it, or the one for unstable ones."""
    if function.unstable:
        return "VKDISPATCH_UNSTABLE"
    return f"VKDISPATCH_{header.constant('VD_ABI')}.{function.doc.since.split('.')[1]}"


def version_script(header: model.Header) -> str:
    nodes: dict[str, list[str]] = {}
    for function in header.functions:
        nodes.setdefault(node(header, function), []).append(function.name)
    text = f"/* {NOTE} */\n"
    previous = ""
    # Later nodes inherit from earlier ones; the first hides what is not named.
    stable = sorted((n for n in nodes if n != "VKDISPATCH_UNSTABLE"), key=lambda n: int(n.rsplit(".", 1)[1]))
    for name in stable + [n for n in nodes if n == "VKDISPATCH_UNSTABLE"]:
        body = "".join(f"    {f};\n" for f in sorted(nodes[name]))
        local = "" if previous else "  local:\n    *;\n"
        text += f"{name} {{\n  global:\n{body}{local}}}{' ' + previous if previous else ''};\n"
        previous = name
    return text


def symbols(header: model.Header) -> str:
    rows = sorted(f"{f.name} {f.doc.since} {f.state}" for f in header.functions)
    return f"# {NOTE}\n# name since state\n" + "".join(row + "\n" for row in rows)


def layouts(header: model.Header, stable: bool = False) -> str:
    """Everything that a program compiled with this header relies on, a line each; `stable` leaves out what is unstable."""

    def kept(decl: model.Decl | model.Field | model.Enumerator) -> bool:
        return not stable or not ("unstable" in decl.ann or isinstance(decl, model.Decl) and header.is_unstable(decl))

    return (
        f"# {NOTE}\n# struct name size align / field name offset size type / enum name / value name number\n"
        f"abi {header.constant('VD_ABI')}\n{rows(header, kept)}"
    )


def rows(header: model.Header, kept: Callable[[model.Decl | model.Field | model.Enumerator], bool]) -> str:
    """The lines of a layout, of what is to be kept."""

    def by_name(decls: list) -> list:
        return sorted((d for d in decls if kept(d)), key=lambda d: d.name)

    text = ""
    for struct in by_name(header.structs):
        placed = layout.struct_layout(header, struct)
        text += f"struct {struct.name} {placed.size} {placed.align}\n"
        for place in placed.places:
            if kept(place.field):
                text += f"  field {place.field.name} {place.offset} {place.size} {place.field.type.c()}\n"
    for enum in sorted(filter(kept, header.enums), key=lambda e: e.name or e.values[0].name):
        text += f"enum {enum.name or '-'}\n"
        for value in filter(kept, enum.values):
            text += f"  value {value.name} {value.value}\n"
    for handle in by_name(header.handles):
        text += f"handle {handle.name}\n"
    for alias in by_name(header.aliases):
        text += f"alias {alias.name} {alias.target.c()}\n"
    for define in by_name(header.defines):
        if not define.name.startswith("VD_VERSION_") and define.name != "VD_ABI":
            text += f"constant {define.name} {define.value}\n"
    for callback in by_name(header.callbacks):
        text += f"callback {callback.name} {signature(callback)}\n"
    for function in by_name(header.functions):
        text += f"entry {function.name} {function.doc.since} {signature(function)}\n"
    return text


def signature(decl: model.Function | model.Callback) -> str:
    """`result (type, type)`."""
    return f"{decl.returns.c()} ({', '.join(p.type.c() for p in decl.params) or 'void'})"


def prototype(function: model.Function, pointer: str) -> str:
    params = ", ".join(p.type.c() for p in function.params) or "void"
    return f"{function.returns.c()} ({pointer})({params})"


def asserts(header: model.Header) -> str:
    lines = [
        f"/* {NOTE}",
        " * Compiles as C11 and as C++20 only if the parse of the header, and its layout, are right. */",
        "#define VD_DEPRECATED",
        f"#define {model.UNSTABLE_MACRO}",
        "#include <vkdispatch.h>",
        "",
        "#include <stddef.h>",
        "",
        "#ifdef __cplusplus",
        "#include <type_traits>",
        "#define SAME(entry, type) static_assert(std::is_same_v<decltype(&entry), type>, #entry)",
        "#define HOLDS(condition) static_assert(condition, #condition)",
        "#else",
        "#define SAME(entry, type) _Static_assert(_Generic(&entry, type: 1, default: 0), #entry)",
        "#define HOLDS(condition) _Static_assert(condition, #condition)",
        "#endif",
        "",
    ]
    for i, function in enumerate(header.functions):
        lines.append(f"typedef {prototype(function, f'*type_{i}')};")
        lines.append(f"SAME({function.name}, type_{i});")
    lines.append("")
    lines.append("#if UINTPTR_MAX > 0xFFFFFFFFu")
    for struct in header.structs:
        placed = layout.struct_layout(header, struct)
        lines.append(f"HOLDS(sizeof({struct.name}) == {placed.size});")
        for place in placed.places:
            lines.append(f"HOLDS(offsetof({struct.name}, {place.field.name}) == {place.offset});")
    lines.append("#endif")
    lines.append("")
    for struct in header.structs:
        if struct.sized:
            lines.append(f"const {struct.name} init_{struct.name};")
            lines[-1] = f"extern const {struct.name} init_{struct.name};"
            lines.append(f"const {struct.name} init_{struct.name} = {struct.name.upper()}_INIT;")
    lines.append("")
    for enum in header.enums:
        if enum.name:
            lines.append(f"HOLDS(sizeof({enum.name}) == 4);")
        for value in enum.values:
            lines.append(f"HOLDS({value.name} == {value.value});")
    for define in header.defines:
        if isinstance(define.value, int):
            suffix = "ull" if define.value > 0x7FFFFFFF else ""
            lines.append(f"HOLDS({define.name} == {define.value}{suffix});")
    return "\n".join(lines) + "\n"
