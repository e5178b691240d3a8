"""api.json: the header as data, for tools that are no part of the generator."""

from __future__ import annotations

import json
from typing import Any

from . import layout, model

PATHS = ("bindings/generator/api.json",)


def emit(header: model.Header) -> dict[str, str]:
    """One declaration a line, so that a diff shows what changed."""
    parts = {
        "version": [header.constant(f"VD_VERSION_{part}") for part in ("MAJOR", "MINOR", "PATCH")],
        "abi": header.constant("VD_ABI"),
        "constants": [{"name": d.name, "value": d.value} for d in header.defines],
        "handles": [{"name": h.name, "doc": h.doc.summary} for h in header.handles],
        "aliases": [_alias(a) for a in header.aliases],
        "enums": [_enum(e) for e in header.enums],
        "callbacks": [_callback(c) for c in header.callbacks],
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


def _alias(alias: model.Alias) -> dict[str, Any]:
    return {"name": alias.name, **_type(alias.target), **({"flags": alias.flags} if alias.flags else {})}


def _enum(enum: model.Enum) -> dict[str, Any]:
    values = [{"name": v.name, "value": v.value, **({"doc": v.doc} if v.doc else {})} for v in enum.values]
    return {"name": enum.name, "since": enum.doc.since, "doc": enum.doc.summary, "values": values}


def _param(param: model.Field) -> dict[str, Any]:
    direction = "out" if param.name.startswith("out_") else "inout" if "inout" in param.ann else "in"
    result = {"name": param.name, **_type(param.type), "dir": direction}
    if param.type.ptr:
        result["nullable"] = param.nullable
    return {**result, **_ann(param.ann)}


def _callback(callback: model.Callback) -> dict[str, Any]:
    return {
        "name": callback.name,
        "doc": callback.doc.summary,
        "returns": callback.returns.c(),
        "params": [_param(p) for p in callback.params],
    }


def _struct(header: model.Header, struct: model.Struct) -> dict[str, Any]:
    placed = layout.struct_layout(header, struct)
    fields = []
    for place in placed.places:
        field = {"name": place.field.name, **_type(place.field.type), "offset": place.offset}
        if place.field.type.ptr:
            field["nullable"] = place.field.nullable
        fields.append({**field, **_ann(place.field.ann), "doc": place.field.doc})
    return {
        "name": struct.name,
        "since": struct.doc.since,
        "doc": struct.doc.summary,
        "size": placed.size,
        "align": placed.align,
        "fields": fields,
    }


def _function(header: model.Header, function: model.Function) -> dict[str, Any]:
    handles = {h.name for h in header.handles}
    first = function.params[0] if function.params else None
    self_ = first.type.name if first and first.type.ptr == 1 and first.type.name in handles else ""
    result: dict[str, Any] = {"name": function.name, "since": function.doc.since, "state": function.state}
    if self_:
        result["self"] = self_
    result |= {"returns": function.returns.c(), "doc": function.doc.summary}
    if function.doc.thread:
        result["thread"] = function.doc.thread
    if function.doc.returns:
        result["statuses"] = statuses(header, function)
    return {**result, **_ann(function.ann), "params": [_param(p) for p in function.params]}


def statuses(header: model.Header, function: model.Function) -> list[str]:
    """The statuses that the comment of a function names."""
    enum = header.find("vd_status")
    values = enum.values if isinstance(enum, model.Enum) else []
    words = function.doc.returns.replace(",", " ").replace(";", " ").replace(".", " ").replace("(", " ").split()
    return [v.name for v in values if v.name in words]
