"""The object that an entry belongs to and the name of its method there, from the entry's name alone.

The noun is the longest declared type that prefixes the entry. Its first parameter is the object; a ticket comes after its
context. An entry without the object creates one, or is marked @static or @constructs. A noun without a type is @module.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from . import model


@dataclass
class Named:
    """An entry as bindings see it."""

    noun: str  # a type, or a module's name ("" for the library itself)
    method: str
    kind: str  # method, constructor, static or module


def noun_type(header: model.Header, function: model.Function) -> str:
    """The longest declared type that prefixes an entry; "" if there is none."""
    types = [
        d.name for d in header.decls if d.name and not isinstance(d, (model.Function, model.Define, model.Callback))
    ]
    return max((t for t in types if function.name.startswith(t + "_")), key=len, default="")


def named(header: model.Header, function: model.Function) -> Named:
    """Noun and method of an entry that keeps the rule."""
    type_ = noun_type(header, function)
    if not type_:
        module = (function.ann.get("module") or [""])[0]
        return Named(module, function.name.removeprefix("vd_").removeprefix(module + "_"), "module")
    method = function.name.removeprefix(type_ + "_")
    if object_of(header, function):
        return Named(type_, method, "method")
    return Named(type_, method, "static" if "static" in function.ann else "constructor")


def object_of(header: model.Header, function: model.Function) -> model.Field | None:
    """The parameter that is the object: the first one, and of a ticket the one behind its context."""
    type_ = noun_type(header, function)
    params = function.params
    if type_ == "vd_ticket" and params and params[0].type == model.Type("vd_context", ptr=1):
        params = params[1:]
    stars = 1 if isinstance(header.find(type_), model.Handle) else 0
    if type_ and params and params[0].type.name == type_ and params[0].type.ptr == stars:
        return params[0]
    return None


def made(header: model.Header, function: model.Function) -> list[str]:
    """The types of the new objects that an entry always gives."""
    handles = {h.name for h in header.handles}
    outputs = [p for p in function.params if p.name.startswith("out_") and "optional" not in p.ann]
    return [p.type.name for p in outputs if p.type.ptr == 2 and p.type.name in handles]


def exclusive(header: model.Header, function: model.Function) -> list[str]:
    """The parameters that no other thread may use during the call."""
    if function.name.endswith(("_retain", "_release")):
        return []
    handles = {h.name for h in header.handles if h.exclusive}
    names = [
        p.name for p in function.params if p.type.name in handles and p.type.ptr == 1 and not p.name.startswith("out_")
    ]
    if "exclusive" in function.ann and function.params:
        names.append(function.params[0].name)
    return names


def rule(header: model.Header) -> Iterator[tuple[int, str]]:
    """Each entry whose name does not say whose method it is."""
    for function in header.functions:
        for problem in _problems(header, function):
            yield function.line, f"'{function.name}' {problem}"


def _problems(header: model.Header, function: model.Function) -> Iterator[str]:
    type_ = noun_type(header, function)
    marks = {"static", "constructs", "module"} & set(function.ann)
    if len(marks) > 1:
        yield "is " + " and ".join(f"@{m}" for m in sorted(marks)) + ": it can be one of them"
        return
    if not type_:
        if "module" not in marks:
            yield "begins with no declared type: rename it, or mark it @module(noun)"
        elif function.ann["module"] and not function.name.startswith(f"vd_{function.ann['module'][0]}_"):
            yield f"is @module({function.ann['module'][0]}), which does not begin its name"
        return
    method = function.name.removeprefix(type_ + "_")
    creates = method == "create" or method.startswith("create_")
    if "module" in marks:
        yield f"is @module, but its noun is the type {type_}"
    if creates and marks & {"static", "constructs"}:
        yield f"is called create, so @{(marks & {'static', 'constructs'}).pop()} has no meaning on it"
    if creates and type_ not in made(header, function):
        yield f"is called create, but has no '{type_} **out_...'"
    new = [m for m in made(header, function) if m != "vd_blob"]
    if object_of(header, function):
        if "static" in marks:
            yield f"is @static, but takes a {type_} first"
        if "constructs" in marks and not new:
            yield "is @constructs, but gives no new object"
        if "constructs" not in marks and not creates and new:
            yield f"gives a new {new[0]}: rename it, or mark it @constructs"
    elif "constructs" in marks and type_ not in made(header, function):
        yield f"is @constructs, but has no '{type_} **out_...'"
    elif not creates and not marks:
        stated = f"'vd_context *' and '{type_}'" if type_ == "vd_ticket" else f"a {type_}"
        yield f"does not take {stated} first: rename it, or mark it @static or @constructs"
