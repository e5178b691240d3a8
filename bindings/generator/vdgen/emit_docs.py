"""docs/reference.md: every entry of the header, section by section, as its comments say it."""

from __future__ import annotations

from . import model, nouns
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
                out += entry(header, decl)
    return {"docs/reference.md": "\n".join(out).rstrip() + "\n"}


def anchor(title: str) -> str:
    return "".join(c for c in title.lower().replace(" ", "-") if c.isalnum() or c == "-")


def prose(text: str) -> str:
    return "\n".join(line.strip() for line in text.split("\n")).strip()


def entry(header: model.Header, decl: model.Decl) -> list[str]:
    if isinstance(decl, model.Function):
        return function(header, decl)
    if isinstance(decl, model.Struct):
        return struct(decl)
    if isinstance(decl, model.Enum):
        return enum(header, decl)
    if isinstance(decl, model.Define):
        value = f"{decl.value:#x}" if big(decl) else f"{decl.value}"
        return [f"`{decl.name}` = `{value}`, a `{decl.type}`. {decl.doc.summary}{mark(decl.ann)}", ""]
    if isinstance(decl, model.Handle):
        return [
            f"`{decl.name}`: {decl.doc.summary}{' One thread at a time.' if decl.exclusive else ''}{mark(decl.ann)}",
            "",
        ]
    if isinstance(decl, model.Callback):
        params = ", ".join(p.type.c(p.name) for p in decl.params)
        return [f"### {decl.name}", "", f"`{decl.returns.c()} {decl.name}({params})`", "", decl.doc.summary, ""]
    if isinstance(decl, model.Alias):
        holds = f", flags `{decl.flags}...`" if decl.flags else f", values `{decl.values}...`" if decl.values else ""
        return [f"`{decl.name}` is a `{decl.target.c()}`{holds}. {decl.doc.summary}{mark(decl.ann)}".rstrip(), ""]
    raise TypeError(decl)


def mark(ann: dict[str, list[str]]) -> str:
    """The sentence that follows a doc and says how long a pointer is valid."""
    replacement = ann.get("deprecated", [""])[0]
    return (" *Unstable.*" if "unstable" in ann else "") + (
        f" *Deprecated:* use `{replacement}`." if replacement else ""
    )


def big(define: model.Define) -> bool:
    return isinstance(define.value, int) and define.value > 0xFFFF


def body(doc: model.Doc) -> list[str]:
    return [doc.summary + (" " + prose(doc.body) if doc.body else ""), ""]


def function(header: model.Header, decl: model.Function) -> list[str]:
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
    out += [" ".join([*facts(header, decl), f"Since {decl.doc.since}."]), ""]
    return out


def facts(header: model.Header, decl: model.Function) -> list[str]:
    """The facts that annotations state about an entry, a sentence each."""
    named = nouns.named(header, decl)
    if named.kind == "module":
        out = [f"Module `{named.noun}`." if named.noun else "Belongs to the library itself."]
    else:
        out = [f"{named.kind.capitalize()} `{named.method}` of `{named.noun}`."]
    if decl.waits:
        out.append("May wait.")
    if decl.hot:
        out.append("Hot: never waits.")
    if decl.remarks:
        out.append("Remarks: " + ", ".join(f"`{r}`" for r in decl.remarks) + ".")
    if "partial" in decl.ann:
        out.append("Outputs are valid also beside an error.")
    names = nouns.exclusive(header, decl)
    if names:
        out.append("One thread at a time: " + ", ".join(f"`{n}`" for n in names) + ".")
    text = mark(decl.ann).strip()
    return [*out, text] if text else out


def cell(text: str) -> str:
    return text.replace("|", "\\|")


def struct(decl: model.Struct) -> list[str]:
    out = [f"### {decl.name}", "", *body(decl.doc)]
    if decl.ann:
        out += [mark(decl.ann).strip(), ""]
    out += ["| field | type | |", "|---|---|---|"]
    for f in decl.fields:
        used = f", `{f.ann['array'][0]}` of them" if f.type.array is not None and "array" in f.ann else ""
        out.append(f"| `{f.name}` | `{f.type.c()}`{used} | {cell(f.doc)}{mark(f.ann)} |")
    return [*out, ""]


def enum(header: model.Header, decl: model.Enum) -> list[str]:
    owner = header.owner(decl) if not decl.name else None
    title = decl.name or (owner.name if owner else decl.values[0].name.rsplit("_", 1)[0] + "_...")
    out = [f"### {title}", "", *body(decl.doc), "| name | value | |", "|---|---|---|"]
    out += [f"| `{v.name}` | {number(v.value)} | {cell(v.doc)}{mark(v.ann)} |" for v in decl.values if not is_filler(v)]
    return [*out, ""]


def number(value: int) -> str:
    return f"{value:#x}" if value > 255 else str(value)


def is_filler(value: model.Enumerator) -> bool:
    return value.name.endswith("_FORCE_32")
