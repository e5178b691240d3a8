"""Whether a header keeps what an earlier release promised: names, types, offsets and values, as emit_abi.layouts() writes them,
and what bindings are generated from: nouns and methods, where NULL may be given, what never waits.

Additions pass. What a release had and today's header lacks, or has in another way, is a break. While VD_ABI is 0 a break is
allowed if docs/abi.md has a line with its reason.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from . import model, nouns


@dataclass
class Layout:
    """The lines of a layout, by their subject."""

    abi: str = ""
    aliases: dict[str, str] = field(default_factory=dict)
    #: name -> (what it is, what must not change)
    items: dict[str, tuple[str, str]] = field(default_factory=dict)
    #: Structs that can grow: those that begin with struct_size.
    sized: set[str] = field(default_factory=set)

    def resolve(self, text: str) -> str:
        """Replace aliases by their types: a type that got a name of the same width is no change."""
        before = ""
        while before != text:
            before, text = text, re.sub(r"\b\w+\b", lambda found: self.aliases.get(found[0], found[0]), text)
        return text


def read(text: str) -> Layout:
    """The layout that a text states."""
    result = Layout()
    struct = ""
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("#") or not line.strip():
            continue
        kind, _, rest = line.strip().partition(" ")
        name, _, value = rest.partition(" ")
        if kind == "abi":
            result.abi = name
        elif kind == "struct":
            struct = name
            result.items[name] = ("struct", value)
        elif kind == "field":
            if name == "struct_size":
                result.sized.add(struct)
            result.items[f"{struct}.{name}"] = ("field", value)
        elif kind == "enum":
            if name != "-":
                result.items[name] = ("enum", "")
        elif kind == "alias":
            result.aliases[name] = value
            result.items[name] = ("type", value)
        elif kind in ("value", "handle", "constant", "callback", "entry"):
            result.items[name] = (kind, value)
        else:
            raise ValueError(f"line {number}: '{line}' is no line of a layout")
    return result


def breaks(released: str, today: str) -> dict[str, str]:
    """The parts of a release's layout that today's header breaks: name -> the fault."""
    old, new = read(released), read(today)
    result: dict[str, str] = {}
    for name, (kind, value) in old.items.items():
        if kind == "field" and name.partition(".")[0] not in new.items:
            continue  # its struct is gone
        if name not in new.items:
            result[name] = f"{kind} {name} is gone, or no longer stable"
            continue
        now_kind, now = new.items[name]
        before, after = old.resolve(value), new.resolve(now)
        if kind == now_kind == "struct" and name in old.sized:
            continue  # it may grow; its fields are compared one by one
        if (kind, before) != (now_kind, after):
            result[name] = f"{kind} {name} was '{value}' and is '{now}'"
    return result


def facts(header: model.Header) -> dict[str, str]:
    """Facts that bindings rely on beside the layout, of all that is stable, by name."""
    result: dict[str, str] = {}
    for entry in header.functions:
        if entry.unstable:
            continue
        named = nouns.named(header, entry)
        result[f"{entry.name}.method"] = f"{named.kind} '{named.method}' of '{named.noun}'"
        if not entry.waits:
            result[f"{entry.name}.waits"] = "never waits"
        if "exclusive" not in entry.ann:
            result[f"{entry.name}.exclusive"] = "any thread may call it"
        result |= {f"{entry.name}.{p.name}": "takes NULL" for p in entry.params if p.nullable}
    for struct in header.structs:
        result |= {f"{struct.name}.{f.name}": "takes NULL" for f in struct.fields if f.nullable}
    for handle in header.handles:
        if not handle.exclusive:
            result[f"{handle.name}.exclusive"] = "any thread may use it"
    for define in header.defines:
        result[define.name] = f"type {define.type or 'none'}"
    for alias in header.aliases:
        kind = "flags" if alias.flags else "values" if alias.values else "a number"
        result[alias.name] = f"{kind} {alias.prefix}".rstrip()
    return result


def fact_breaks(released: model.Header, today: model.Header) -> dict[str, str]:
    """The facts of a release that today's header breaks, of what it still has: name -> the fault."""
    there = {decl.name: decl for decl in today.decls}
    now = facts(today)
    result: dict[str, str] = {}
    for name, before in facts(released).items():
        owner = there.get(name.partition(".")[0])
        if owner is None or today.is_unstable(owner) or now.get(name) == before:
            continue
        result[name] = (
            f"{name} was '{before}' and is '{now[name]}'" if name in now else f"{name} was '{before}' and is not"
        )
    return result


def latecomers(release: str, released: model.Header, today: model.Header) -> list[str]:
    """Declarations that say they came with a release which lacks them."""
    there = {decl.name for decl in released.decls if not released.is_unstable(decl)}
    return [
        f"{decl.name} says @since {release}, which was released without it; it comes with the next release"
        for decl in today.decls
        if decl.doc.since == release and decl.name not in there and not today.is_unstable(decl)
    ]


def allowed(page: str) -> dict[tuple[str, str], str]:
    """The breaks that docs/abi.md gives a reason for: (release, name) -> reason."""
    found = re.search(r"^## Breaks\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL)
    result: dict[tuple[str, str], str] = {}
    for row in re.findall(r"^\|(.*)\|$", found[1] if found else "", re.MULTILINE):
        cells = [cell.strip() for cell in row.split("|")]
        if len(cells) == 3 and re.fullmatch(r"\d+\.\d+", cells[0]):
            for name in re.findall(r"`([\w.]+)`", cells[1]):
                result[cells[0], name] = cells[2]
    return result


def problems(
    released: dict[str, str], today: str, page: str, headers: dict[str, model.Header], header: model.Header
) -> list[str]:
    """The faults that keep a header from landing.

    `released` are the layouts of releases and `headers` their headers, `page` is docs/abi.md.
    """
    reasons = allowed(page)
    result: list[str] = []
    known: set[tuple[str, str]] = set()
    for release, text in sorted(released.items()):
        abi = read(text).abi
        if abi != read(today).abi:
            continue  # another promise
        for name, what in (fact_breaks(headers[release], header) | breaks(text, today)).items():
            known.add((release, name))
            if abi != "0":
                result.append(f"{release}: {what}, which no release of VD_ABI {abi} may")
            elif not reasons.get((release, name)):
                result.append(f"{release}: {what}; undo it, or give its reason under 'Breaks' in docs/abi.md")
        result += latecomers(release, headers[release], header)
    result += [
        f"docs/abi.md: {release} is said to be broken in {name}, which is as it was; remove the line"
        for release, name in sorted(set(reasons) - known)
    ]
    return result
