"""Checks of the facts that annotations state about entries, types and constants."""

from __future__ import annotations

import re
from collections.abc import Iterator

from . import model, nouns

Problem = tuple[int, str]
_FORCE_32 = 0x7FFFFFFF
#: The one status below zero that has no message.
WOULD_BLOCK = "VD_ERR_WOULD_BLOCK"
#: The statuses of a call that was refused, and has done nothing.
REFUSED = ("VD_ERR_INVALID", "VD_ERR_STATE")
_LIMITS = {"int32_t": (-(1 << 31), (1 << 31) - 1), "uint32_t": (0, (1 << 32) - 1), "uint64_t": (0, (1 << 64) - 1)}


def remarks(header: model.Header) -> dict[str, int]:
    """The statuses that are success with a remark."""
    enum = header.find("vd_status")
    values = enum.values if isinstance(enum, model.Enum) else []
    return {v.name: v.value for v in values if 0 < v.value < _FORCE_32}


def named_statuses(header: model.Header, function: model.Function) -> list[str]:
    """The statuses that the comment of an entry names behind @return."""
    enum = header.find("vd_status")
    words = set(re.findall(r"\w+", function.doc.returns))
    return [v.name for v in enum.values if v.name in words] if isinstance(enum, model.Enum) else []


def would_block(header: model.Header, function: model.Function) -> int | None:
    """The status by which an entry that never waits answers that it would have had to, which is no error to report; None if
    it waits."""
    if WOULD_BLOCK not in named_statuses(header, function):
        return None
    enum = header.find("vd_status")
    assert isinstance(enum, model.Enum)
    return next(v.value for v in enum.values if v.name == WOULD_BLOCK)


def _waits(header: model.Header) -> Iterator[Problem]:
    for function in header.functions:
        text = f"{function.doc.summary} {function.doc.body}"
        if function.waits and function.hot:
            yield function.line, f"'{function.name}' is @hot and @waits: a hot entry never waits"
        if function.waits and not re.search(r"\bwaits?\b", text, re.IGNORECASE):
            yield function.line, f"'{function.name}' is @waits, but its comment does not say for what"
        if not function.waits and re.search(r"\bWaits\b", text):
            yield function.line, f"'{function.name}' says that it waits, but is not marked @waits"
        if not function.waits and any(p.name == "out_ticket" and p.nullable for p in function.params):
            yield (
                function.line,
                f"'{function.name}' submits work, but is not marked @waits: a full queue has no room for it",
            )


def _remarks(header: model.Header) -> Iterator[Problem]:
    known = remarks(header)
    for function in header.functions:
        where = f"'{function.name}'"
        if function.remarks and function.returns.name != "vd_status":
            yield function.line, f"{where} has @remarks, but does not return vd_status"
            continue
        for name in function.remarks:
            if name not in known:
                yield function.line, f"{where} has @remarks({name}), which is no positive vd_status"
        said = {name for name in named_statuses(header, function) if name in known}
        for name in sorted(said - set(function.remarks)):
            yield function.line, f"{where} returns {name}, which is not in its @remarks"
        for name in sorted(set(function.remarks) & set(known) - said):
            yield function.line, f"{where} has @remarks({name}), but @return does not name it"
        names = [p.name for p in function.params]
        if names[-3:-2] == ["cap"] and names[-1] == "out_count" and "VD_INCOMPLETE" not in function.remarks:
            yield function.line, f"{where} gives a list, but has no @remarks(VD_INCOMPLETE)"


def _partial(header: model.Header) -> Iterator[Problem]:
    for function in header.functions:
        outputs = [p for p in function.params if p.name.startswith("out_")]
        if "partial" in function.ann and (function.returns.name != "vd_status" or not outputs):
            yield function.line, f"'{function.name}' is @partial, but has no status or no outputs"


def _exclusive(header: model.Header) -> Iterator[Problem]:
    handles = {h.name for h in header.handles if h.exclusive}
    for function in header.functions:
        if "exclusive" not in function.ann:
            continue
        own = nouns.object_of(header, function)
        if own is None or not isinstance(header.find(own.type.name), model.Handle):
            yield function.line, f"'{function.name}' is @exclusive, but takes no object"
        elif own.type.name in handles:
            yield function.line, f"'{function.name}' is @exclusive, which {own.type.name} is already"


def _enumerators(header: model.Header) -> Iterator[Problem]:
    for enum in header.enums:
        if not enum.name and header.owner(enum) is None:
            yield (
                enum.line,
                f"the enumerators from '{enum.values[0].name}' on have no type: a typedef with @flags or @values follows them",
            )
        for value in enum.values:
            if not value.doc and not value.name.endswith("_FORCE_32"):
                yield value.line, f"enumerator '{value.name}' is not documented"


def _values(header: model.Header) -> Iterator[Problem]:
    owned = {a.name for e in header.enums if not e.name and (a := header.owner(e))}
    for alias in header.aliases:
        if alias.flags and alias.values:
            yield alias.line, f"'{alias.name}' is @flags and @values: it can be one of them"
        if alias.values and header.resolve(alias.name) not in ("uint32_t", "uint64_t", "int32_t"):
            yield alias.line, f"'{alias.name}' is @values({alias.values}), but is no integer of 32 or 64 bits"
        if alias.values and alias.name not in owned:
            yield alias.line, f"'{alias.name}' is @values({alias.values}), but no enumerators of that prefix precede it"


def _constants(header: model.Header) -> Iterator[Problem]:
    for define in header.defines:
        if not define.doc.summary:
            yield define.line, f"constant '{define.name}' is not documented"
        if not isinstance(define.value, int):
            continue
        if not define.type:
            yield define.line, f"constant '{define.name}' has no @type"
            continue
        resolved = header.resolve(define.type)
        low, high = _LIMITS.get("int32_t" if isinstance(header.find(resolved), model.Enum) else resolved, (0, -1))
        if high < low:
            yield (
                define.line,
                f"constant '{define.name}' is @type({define.type}), which is no integer type of this header",
            )
        elif not low <= define.value <= high:
            yield define.line, f"constant '{define.name}' ({define.value}) does not fit its @type({define.type})"


def _deprecated(header: model.Header) -> Iterator[Problem]:
    names = {d.name for d in header.decls} | {v.name for e in header.enums for v in e.values}
    for decl in header.decls:
        fields = {f.name for f in decl.fields} if isinstance(decl, model.Struct) else set()
        marked = [(decl.line, decl.name, decl.ann, names)]
        marked += [(f.line, f"{decl.name}.{f.name}", f.ann, fields) for f in getattr(decl, "fields", [])]
        marked += [(v.line, v.name, v.ann, names) for v in getattr(decl, "values", []) if isinstance(decl, model.Enum)]
        for line, name, ann, known in marked:
            replacement = ann.get("deprecated", [""])[0]
            if replacement and (replacement not in known or replacement == name.rpartition(".")[2]):
                yield line, f"'{name}' is @deprecated({replacement}), which this header does not have beside it"
        if isinstance(decl, model.Function) and decl.warns != bool(decl.deprecated):
            yield decl.line, f"'{decl.name}' has one of VD_DEPRECATED and @deprecated(replacement): they come together"


def _unstable(header: model.Header) -> Iterator[Problem]:
    last = len(header.sections) - 1
    for section in header.sections[:-1]:
        if section.title == model.UNSTABLE:
            yield section.line, f"the section '{model.UNSTABLE}' is not the last one"
    for function in header.functions:
        inside = function.section == last and header.sections[last].title == model.UNSTABLE
        if function.unstable and not inside:
            yield function.line, f"'{function.name}' is @unstable, but not in a last section called '{model.UNSTABLE}'"
        if inside and not function.unstable:
            yield function.line, f"'{function.name}' is in the section '{model.UNSTABLE}', but not marked @unstable"
        if not function.unstable:
            for type_ in [function.returns, *(p.type for p in function.params)]:
                found = header.find(type_.name)
                if found and header.is_unstable(found):
                    yield function.line, f"'{function.name}' is stable, but takes or gives the unstable {found.name}"
    for struct in header.structs:
        for field in struct.fields if not header.is_unstable(struct) else []:
            found = header.find(field.type.name)
            if found and header.is_unstable(found) and "unstable" not in field.ann:
                yield field.line, f"field '{struct.name}.{field.name}' is stable, but its type {found.name} is unstable"


def _unstable_versions(header: model.Header) -> Iterator[Problem]:
    """Every way into the unstable section states the version that the program was built for."""
    inside = [d for d in header.decls if header.in_unstable_section(d)]
    version = header.find(model.UNSTABLE_VERSION)
    if inside and version not in inside:
        yield inside[0].line, f"the section '{model.UNSTABLE}' does not define {model.UNSTABLE_VERSION}"
    handles = {d.name for d in inside if isinstance(d, model.Handle)}
    for function in inside:
        if not isinstance(function, model.Function):
            continue
        given = [p for p in function.params if not p.name.startswith("out_")]
        structs = [header.find(p.type.name) for p in given if p.type.const]
        if any(p.type.name in handles for p in given):
            continue  # another entry made the object
        if not any(isinstance(s, model.Struct) and s.versioned for s in structs):
            wanted = f"a descriptor with 'uint32_t {model.UNSTABLE_FIELD}' behind its struct_size"
            yield function.line, f"'{function.name}' is unstable, but takes neither an unstable object nor {wanted}"
    for struct in header.structs:
        macro = f"{struct.name.upper()}_INIT"
        if struct.versioned and struct.init and struct.init[1] != model.UNSTABLE_VERSION:
            yield struct.line, f"{macro} gives '{model.UNSTABLE_FIELD}' {struct.init[1]}, not {model.UNSTABLE_VERSION}"


RULES = [
    _waits, _remarks, _partial, _exclusive, _enumerators, _values, _constants, _deprecated, _unstable, _unstable_versions,
    nouns.rule,
]  # fmt: skip
