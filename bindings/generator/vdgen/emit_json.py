"""api.json: the header as data, for tools that are no part of the generator."""

from __future__ import annotations

import json
from typing import Any

from . import facts, layout, model, nouns

PATHS = ("bindings/generator/api.json",)


def emit(header: model.Header) -> dict[str, str]:
    """One declaration a line, so that a diff shows what changed."""
    parts = {
        "version": [header.constant(f"VD_VERSION_{part}") for part in ("MAJOR", "MINOR", "PATCH")],
        "abi": header.constant("VD_ABI"),
        "constants": [_constant(header, d) for d in header.defines],
        "handles": [_handle(header, h) for h in header.handles],
        "aliases": [_alias(header, a) for a in header.aliases],
        "enums": [_enum(header, e) for e in header.enums],
        "callbacks": [_callback(header, c) for c in header.callbacks],
        "structs": [_struct(header, s) for s in header.structs],
        "functions": [_function(header, f) for f in header.functions],
    }
    lines = []
    for key, value in parts.items():
        if value and isinstance(value, list) and isinstance(value[0], dict):
            body = ",\n  ".join(json.dumps(v) for v in value)
            lines.append(f'"{key}": [\n  {body}\n ]')
        else:
            lines.append(f'"{key}": {json.dumps(value)}')
    note = '"generated": "by bindings/generator/generate.py from include/vkdispatch.h; do not edit"'
    return {PATHS[0]: "{" + note + ",\n " + ",\n ".join(lines) + "\n}\n"}


def _type(type_: model.Type) -> dict[str, Any]:
    result: dict[str, Any] = {"type": type_.name}
    if type_.ptr:
        result["ptr"] = type_.ptr
    if type_.const:
        result["const"] = True
    if type_.array is not None:
        result["count"] = type_.array
    return result


def _ann(ann: dict[str, list[str]]) -> dict[str, Any]:
    return {word: args[0] if args else True for word, args in ann.items() if word != "nullable"}


def _nullable(header: model.Header, type_: model.Type, nullable: bool) -> dict[str, bool]:
    """Whether NULL is allowed, of pointers to data and to functions."""
    points = type_.ptr or isinstance(header.find(type_.name), model.Callback)
    return {"nullable": nullable} if points else {}


def _marks(header: model.Header, decl: model.Decl) -> dict[str, Any]:
    """Whether a type or constant is unstable, and its replacement."""
    return {
        **({"unstable": True} if header.is_unstable(decl) else {}),
        **({"deprecated": decl.deprecated} if decl.deprecated else {}),
    }


def _constant(header: model.Header, define: model.Define) -> dict[str, Any]:
    return {
        "name": define.name,
        "since": header.since(define),
        "type": define.type,
        "value": define.value,
        "doc": define.doc.summary,
        **_marks(header, define),
    }


def _handle(header: model.Header, handle: model.Handle) -> dict[str, Any]:
    return {
        "name": handle.name,
        "since": header.since(handle),
        "exclusive": handle.exclusive,
        "doc": handle.doc.summary,
        **_marks(header, handle),
    }


def _alias(header: model.Header, alias: model.Alias) -> dict[str, Any]:
    meaning = {"flags": alias.flags} if alias.flags else {"values": alias.values} if alias.values else {}
    # The comment of the enum without a name before it is also its own.
    doc = alias.doc.summary or next(
        (e.doc.summary for e in header.enums if not e.name and header.owner(e) is alias), ""
    )
    named = {"name": alias.name, "since": header.since(alias)}
    return {**named, **_type(alias.target), **meaning, "doc": doc, **_marks(header, alias)}


def _enum(header: model.Header, enum: model.Enum) -> dict[str, Any]:
    owner = header.owner(enum) if not enum.name else None
    values = [
        {"name": v.name, "value": v.value, **({"doc": v.doc} if v.doc else {}), **_ann(v.ann)} for v in enum.values
    ]
    named = {"name": enum.name} if owner is None else {"name": "", "type": owner.name}
    return {**named, "since": enum.doc.since, "doc": enum.doc.summary, **_marks(header, enum), "values": values}


def _param(header: model.Header, param: model.Field, doc: str) -> dict[str, Any]:
    direction = "out" if param.name.startswith("out_") else "inout" if "inout" in param.ann else "in"
    return {
        "name": param.name,
        **_type(param.type),
        "dir": direction,
        **_nullable(header, param.type, param.nullable),
        **_ann(param.ann),
        **({"doc": doc} if doc else {}),
    }


def _comment(decl: model.Decl) -> dict[str, Any]:
    """The first sentence, and the rest."""
    return {"doc": decl.doc.summary, **({"details": decl.doc.body} if decl.doc.body else {})}


def _callback(header: model.Header, callback: model.Callback) -> dict[str, Any]:
    return {
        "name": callback.name,
        "since": header.since(callback),
        **_comment(callback),
        "returns": callback.returns.c(),
        "params": [_param(header, p, callback.doc.params.get(p.name, "")) for p in callback.params],
    }


def _result(header: model.Header, function: model.Function) -> dict[str, Any]:
    """A pointer that an entry returns, with its meaning as of a parameter. `out_size` counts the bytes behind it."""
    if not function.returns.ptr:
        return {}
    sized = any(p.name == "out_size" for p in function.params)
    meaning = _nullable(header, function.returns, "nullable" in function.ann)
    return {"result": {**_type(function.returns), **meaning, **({"bytes": "out_size"} if sized else {})}}


def _struct(header: model.Header, struct: model.Struct) -> dict[str, Any]:
    placed = layout.struct_layout(header, struct)
    fields = []
    for place in placed.places:
        type_ = place.field.type
        field = {"name": place.field.name, **_type(type_), "offset": place.offset}
        field |= _nullable(header, type_, place.field.nullable)
        fields.append({**field, **_ann(place.field.ann), "doc": place.field.doc})
    return {
        "name": struct.name,
        "since": struct.doc.since,
        **_comment(struct),
        "size": placed.size,
        "align": placed.align,
        **_marks(header, struct),
        "fields": fields,
    }


def _function(header: model.Header, function: model.Function) -> dict[str, Any]:
    handles = {h.name for h in header.handles}
    first = function.params[0] if function.params else None
    self_ = first.type.name if first and first.type.ptr == 1 and first.type.name in handles else ""
    named = nouns.named(header, function)
    result: dict[str, Any] = {
        "name": function.name,
        "noun": named.noun,
        "method": named.method,
        "kind": named.kind,
        "since": function.doc.since,
        "state": function.state,
    }
    if self_:
        result["self"] = self_
    result |= {"returns": function.returns.c(), **_result(header, function), **_comment(function)}
    result |= {
        "waits": function.waits,
        "remarks": function.remarks,
        "exclusive": nouns.exclusive(header, function),
    }
    if function.doc.thread:
        result["thread"] = function.doc.thread
    if function.doc.returns:
        result |= {"statuses": facts.named_statuses(header, function), "return_doc": function.doc.returns}
    stated = {"waits", "remarks", "exclusive", "module", "static", "unstable"}
    marks = {word: args for word, args in function.ann.items() if word not in stated}
    params = [_param(header, p, function.doc.params.get(p.name, "")) for p in function.params]
    return {**result, **_ann(marks), "params": params}
