"""docs/reference.md: every entry of the header, section by section, as its comments say it."""

from __future__ import annotations

from . import model
from .text import NOTE


def emit(header: model.Header) -> dict[str, str]:
    out = [
        f"<!-- {NOTE} -->",
        "# Reference of the C API",
        "",
        "The rules that hold for every entry stand at the top of `include/vkdispatch.h` and in [abi.md](abi.md).",
        "",
    ]
    for i, section in enumerate(header.sections):
        out.append(f"- [{section.title}](#{anchor(section.title)})")
    for i, section in enumerate(header.sections):
        out += ["", f"## {section.title}", "", prose(section.text), ""]
        for decl in header.decls:
            if decl.section == i:
                out += entry(decl)
    return {"docs/reference.md": "\n".join(out).rstrip() + "\n"}


def anchor(title: str) -> str:
    return "".join(c for c in title.lower().replace(" ", "-") if c.isalnum() or c == "-")


def prose(text: str) -> str:
    return "\n".join(line.strip() for line in text.split("\n")).strip()


def entry(decl: model.Decl) -> list[str]:
    if isinstance(decl, model.Function):
        return function(decl)
    if isinstance(decl, model.Struct):
        return struct(decl)
    if isinstance(decl, model.Enum):
        return enum(decl)
    if isinstance(decl, model.Define):
        return [f"`{decl.name}` = `{decl.value:#x}`" if big(decl) else f"`{decl.name}` = `{decl.value}`", ""]
    if isinstance(decl, model.Handle):
        return [f"`{decl.name}`: {decl.doc.summary}", ""]
    if isinstance(decl, model.Callback):
        params = ", ".join(p.type.c(p.name) for p in decl.params)
        return [f"### {decl.name}", "", f"`{decl.returns.c()} {decl.name}({params})`", "", decl.doc.summary, ""]
    if isinstance(decl, model.Alias):
        flags = f", flags `{decl.flags}...`" if decl.flags else ""
        return [f"`{decl.name}` is a `{decl.target.c()}`{flags}. {decl.doc.summary}".rstrip(), ""]
    raise TypeError(decl)


def big(define: model.Define) -> bool:
    return isinstance(define.value, int) and define.value > 0xFFFF


def body(doc: model.Doc) -> list[str]:
    return [doc.summary + (" " + prose(doc.body) if doc.body else ""), ""]


def function(decl: model.Function) -> list[str]:
    params = ", ".join(p.type.c(p.name) for p in decl.params) or "void"
    out = [f"### {decl.name}", "", "```c", f"{decl.returns.c()} {decl.name}({params});", "```", "", *body(decl.doc)]
    for param in decl.params:
        text = decl.doc.params.get(param.name, "")
        if text:
            out.append(f"- `{param.name}`: {text}")
    if decl.doc.params:
        out.append("")
    if decl.doc.returns:
        out += [f"Returns {decl.doc.returns}", ""]
    if decl.doc.thread:
        out += [f"Threads: {decl.doc.thread}", ""]
    out += [f"Since {decl.doc.since}{', unstable' if decl.doc.unstable else ''}.", ""]
    return out


def cell(text: str) -> str:
    return text.replace("|", "\\|")


def struct(decl: model.Struct) -> list[str]:
    out = [f"### {decl.name}", "", *body(decl.doc), "| field | type | |", "|---|---|---|"]
    out += [f"| `{f.name}` | `{f.type.c()}` | {cell(f.doc)} |" for f in decl.fields]
    return [*out, ""]


def enum(decl: model.Enum) -> list[str]:
    title = decl.name or decl.values[0].name.rsplit("_", 1)[0] + "_..."
    out = [f"### {title}", "", *body(decl.doc), "| name | value | |", "|---|---|---|"]
    out += [f"| `{v.name}` | {number(v.value)} | {cell(v.doc)} |" for v in decl.values if not is_filler(v)]
    return [*out, ""]


def number(value: int) -> str:
    return f"{value:#x}" if value > 255 else str(value)


def is_filler(value: model.Enumerator) -> bool:
    return value.name.endswith("_FORCE_32")
