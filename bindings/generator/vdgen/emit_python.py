"""The Python package's raw layer: declarations for cffi, constants, and one function per entry.

A raw function has the entry's name. A failure becomes the Python exception of its status, with the message read in the same
call; outputs become results; lengths are taken from what they are the length of; a new handle releases itself.
"""

from __future__ import annotations

import io
import keyword

import cffi
from cffi.recompiler import Recompiler

from . import check, facts, model
from .text import NOTE

FOLDER = "bindings/python/vkdispatch/_native"


def emit(header: model.Header) -> dict[str, str]:
    return {
        f"{FOLDER}/_declarations.py": declarations(header),
        f"{FOLDER}/_enums.py": enums(header),
        f"{FOLDER}/_raw.py": raw(header),
    }


def cdef(header: model.Header) -> str:
    """The C declarations as cffi reads them. Enums are the integers that they are: their names are in _enums.py."""
    lines = [f"typedef struct {h.name} {h.name};" for h in header.handles]
    lines += [f"typedef int32_t {e.name};" for e in header.enums if e.name]
    lines += [f"typedef {a.target.c(a.name)};" for a in header.aliases]
    # In the header's order: callbacks take structs, and structs may hold callbacks.
    for decl in header.decls:
        if isinstance(decl, model.Callback):
            params = ", ".join(p.type.c() for p in decl.params)
            lines.append(f"typedef {decl.returns.c()} (*{decl.name})({params});")
        elif isinstance(decl, model.Struct):
            fields = " ".join(f.type.c(f.name) + ";" for f in decl.fields)
            lines.append(f"typedef struct {{ {fields} }} {decl.name};")
    for function in header.functions:
        params = ", ".join(p.type.c() for p in function.params) or "void"
        lines.append(f"{function.returns.c()} {function.name}({params});")
    return "\n".join(lines)


def declarations(header: model.Header) -> str:
    """The same as tables that cffi's compiled part takes as they are: parsing the text takes 200 ms in each process."""
    version = tuple(header.constant(f"VD_VERSION_{part}") for part in ("MAJOR", "MINOR", "PATCH"))
    ffi = cffi.FFI()
    ffi.cdef(cdef(header))
    recompiler = Recompiler(ffi, "vkdispatch._native._declarations", target_is_python=True)
    recompiler.collect_type_table()
    recompiler.collect_step_tables()
    out = io.StringIO()
    recompiler.write_source_to_f(out, None)
    tables = out.getvalue().split("\n", 1)[1].rstrip()
    tables = tables.replace("),(b", "),\n        (b").replace(",0,b", ",0,\n        b")  # an entry a line
    abi = header.constant("VD_ABI")
    return (
        f'# {NOTE}\n"""The C declarations, as tables of cffi: `ffi` has the types, `ffi.dlopen()` the functions."""\n\n'
        f"# ruff: noqa\n# fmt: off\nVERSION = {version}\nABI = {abi}\n\n{tables}\n"
    )


def enums(header: model.Header) -> str:
    lines = [f"# {NOTE}", '"""The constants of the C API."""', "", "# fmt: off"]
    for enum in header.enums:
        lines += ["", f"# {enum.name or enum.doc.summary}"]
        lines += [f"{v.name} = {literal(v.value)}" for v in enum.values if not v.name.endswith("_FORCE_32")]
    lines += ["", "# Further constants"]
    lines += [f"{d.name} = {literal(d.value)}" for d in header.defines]
    for enum in header.enums:
        if enum.name:
            lines += ["", f"#: The names of {enum.name} by number.", f"{enum.name.upper()}_NAMES = {{"]
            lines += [f'    {v.value}: "{v.name}",' for v in enum.values if not v.name.endswith("_FORCE_32")]
            lines.append("}")
    return "\n".join(lines) + "\n"


def literal(value: int | str) -> str:
    if isinstance(value, str):
        return f'"{value}"'
    return f"0x{value:X}" if value > 0xFFFF else str(value)


# ---- Functions -------------------------------------------------------------------------------------------------------

HEAD = '''
"""One function per entry of the library, under its own name.

A failure raises the exception of its status. Outputs are results. A new handle is released by its finalizer.
"""

# fmt: off
from typing import Any

from ._load import fail as _fail
from ._load import ffi, lib
from ._memory import bytes_in as _bytes_in
from ._memory import bytes_out as _bytes_out
from ._memory import keep as _keep
from ._memory import text_in as _text_in

NULL = ffi.NULL
_new = ffi.new
_gc = ffi.gc
_string = ffi.string
'''.strip()


def raw(header: model.Header) -> str:
    out = [f"# {NOTE}", HEAD, ""]
    for handle in header.handles:
        out.append(f"_release_{handle.name} = lib.{handle.name}_release")
    for struct in header.structs:
        out += ["", "", *constructor(header, struct)]
    for function in header.functions:
        out += ["", "", *Raw(header, function).lines()]
    return "\n".join(out) + "\n"


def constructor(header: model.Header, struct: model.Struct) -> list[str]:
    """A function of the struct's name: a new one with `struct_size` and `unstable_version` set, strings converted and kept
    alive."""
    strings = [f.name for f in struct.fields if f.type.name == "char" and f.type.ptr == 1]
    pointers: dict[str, tuple[str, str] | None] = {
        f.name: (f.type.name, length_of(f)) for f in struct.fields if is_list(header, f)
    }
    pointers |= {
        f.name: None
        for f in struct.fields
        if f.type.ptr == 1 and isinstance(header.find(f.type.name), model.Struct | model.Handle)
    }
    out = [f"def {struct.name}(**fields: Any) -> Any:", f'    """{struct.doc.summary}"""']
    if strings or pointers:
        more = f", {pointers!r}" if pointers else ""
        out.append(f"    fields, _kept = _text_in(fields, {tuple(strings)!r}{more})")
    out.append(f'    _x = _new("{struct.name} *", fields)')
    if struct.sized:
        out.append(f"    _x.struct_size = _sizeof_{struct.name}")
    if struct.versioned:
        out.append(f"    _x.{model.UNSTABLE_FIELD} = {header.constant(model.UNSTABLE_VERSION)}")
    if strings or pointers:
        out.append("    _keep(_x, _kept)")
    out.append("    return _x")
    if struct.sized:
        out = [f'_sizeof_{struct.name} = ffi.sizeof("{struct.name}")', "", "", *out]
    return out


def length_of(field: model.Field) -> str:
    """The field that says how many numbers a field points to."""
    return field.ann["array"][0] if field.ann.get("array") else ""


def is_list(header: model.Header, field: model.Field) -> bool:
    """Whether a field points to numbers, which Python gives as a list."""
    number = header.resolve(field.type.name) in ("uint32_t", "uint64_t", "int32_t", "int64_t")
    return field.type.ptr == 1 and number


class Raw:
    """Writes one raw function."""

    def __init__(self, header: model.Header, function: model.Function):
        self.header = header
        self.function = function
        self.handles = {h.name for h in header.handles}
        self.lengths = check.size_params(function.params)
        self.signature: list[str] = []
        self.before: list[str] = []
        self.call: list[str] = []
        self.results: list[str] = []
        self.made: list[str] = []

    def lines(self) -> list[str]:
        function = self.function
        if self.is_list():
            return self.list_lines()
        # A parameter may only have a default if all behind it have one: find where that tail begins.
        visible = [p for p in function.params if self.visible(p)]
        tail = len(visible)
        while tail and visible[tail - 1].nullable:
            tail -= 1
        optional = {p.name for p in visible[tail:]}
        for param in function.params:
            self.param(param, param.name in optional)
        head = f"def {function.name}({', '.join(self.signature)}) -> Any:"
        body = [f'"""{self.doc()}"""', *self.before, *self.invoke()]
        return [head, *("    " + line for line in body)]

    def doc(self) -> str:
        return " ".join(self.function.doc.summary.split()).replace('"', "'")

    def visible(self, param: model.Field) -> bool:
        if param.name in self.lengths:
            return False
        return not param.name.startswith("out_") or "bytes" in param.ann

    def is_list(self) -> bool:
        """f(..., cap, out_xs @array(cap), out_count): a list that takes two calls."""
        names = [p.name for p in self.function.params]
        return names[-3:-2] == ["cap"] and names[-1] == "out_count"

    def list_lines(self) -> list[str]:
        function = self.function
        for param in function.params[:-3]:
            self.param(param, False)
        items = function.params[-2]
        given = "".join(a + ", " for a in self.call)
        body = [
            f'"""{self.doc()}"""',
            *self.before,
            '_count = _new("uint32_t *")',
            f"_status = lib.{function.name}({given}0, NULL, _count)",
            "while _status >= 0:",
            "    _cap = _count[0]",
            f'    _items = _new("{items.type.name}[]", _cap)',
            f"    _status = lib.{function.name}({given}_cap, _items, _count)",
            "    if _status >= 0 and _count[0] <= _cap:",
            "        return list(_items[0:_count[0]])",
            "_fail(_status)",
        ]
        return [f"def {function.name}({', '.join(self.signature)}) -> Any:", *("    " + line for line in body)]

    def param(self, param: model.Field, optional: bool) -> None:
        name = param.name + "_" if keyword.iskeyword(param.name) else param.name
        type_ = param.type
        if param.name.startswith("out_"):
            self.out(param, name)
            return
        if param.name in self.lengths:
            self.call.append(f"_n_{self.lengths[param.name].name}")
            return
        self.signature.append(name + (": Any = None" if optional else ": Any"))
        null = f"NULL if {name} is None else " if param.nullable else ""
        if "bytes" in param.ann:
            local = f"_b_{param.name}"
            self.before.append(f"{local}, _n_{param.name} = _bytes_in({name})")
            self.call.append(local)
        elif "array" in param.ann:
            self.array(param, name)
        elif type_.name == "char" and type_.ptr == 1:
            self.call.append(f"{null}{name}.encode()")
        elif type_.ptr or self.is_callback(param):
            self.call.append(f"{null}{name}")
        else:
            self.call.append(name)

    def is_callback(self, param: model.Field) -> bool:
        return isinstance(self.header.find(param.type.name), model.Callback)

    def array(self, param: model.Field, name: str) -> None:
        local, type_ = f"_a_{param.name}", param.type
        given = f"{name} or ()" if param.nullable else name
        if type_.name == "char":
            self.before.append(f'_k_{param.name} = [_new("char[]", s.encode()) for s in {given}]')
            self.before.append(f'{local} = _new("char *[]", _k_{param.name})')
        elif type_.ptr == 2:
            self.before.append(f'{local} = _new("{type_.name} *[]", list({given}))')
        elif isinstance(self.header.find(type_.name), model.Struct):
            self.before.append(f'{local} = _new("{type_.name}[]", [s[0] for s in {given}])')
        else:
            self.before.append(f'{local} = _new("{type_.name}[]", list({given}))')
        self.before.append(f"_n_{param.name} = len({local})")
        self.call.append(local)

    def out(self, param: model.Field, name: str) -> None:
        type_ = param.type
        found = self.header.find(type_.name)
        if "bytes" in param.ann:
            self.signature.append(name + ": Any")
            self.before.append(f"_b_{name}, _n_{name} = _bytes_out({name})")
            self.call.append(f"_b_{name}")
        elif "array" in param.ann:
            source = self.lengths[param.ann["array"][0]].name
            self.before.append(f'{name} = _new("{type_.name} *[]", _n_{source})')
            self.call.append(name)
            # Objects that were made belong to this one even if a later one failed.
            self.made.append(f"{name} = [_gc(x, _release_{type_.name}) for x in {name}]")
            self.results.append(name)
        elif type_.ptr == 2 and type_.name in self.handles:
            self.before.append(f'{name} = _new("{type_.name} **")')
            self.call.append(name)
            self.results.append(f"_gc({name}[0], _release_{type_.name})")
        elif isinstance(found, model.Struct):
            self.before.append(f"{name} = {found.name}()")
            self.call.append(name)
            self.results.append(name)
        else:
            self.before.append(f'{name} = _new("{type_.name} *")')
            self.call.append(name)
            self.results.append(f"{name}[0]")

    def invoke(self) -> list[str]:
        function = self.function
        call = f"lib.{function.name}({', '.join(self.call)})"
        returns = function.returns
        if returns.name == "vd_status":
            would_block = facts.would_block(self.header, function)
            wrong = f"_status < 0 and _status != {would_block}" if would_block else "_status < 0"
            out = [f"_status = {call}", *self.made, f"if {wrong}:", "    _fail(_status)"]
            results = (["_status"] if function.remarks or would_block or not self.results else []) + self.results
            return [*out, "return " + ", ".join(results)]
        if returns.ptr:
            out = [f"_result = {call}"]
            if self.results:  # a view: pointer and size
                size = self.results[0]
                data = f"bytes(ffi.buffer(_result, {size}))"
                text = f'{data}.decode("utf-8", "replace")' if returns.name == "char" else data
                return [*out, f"return None if _result == NULL else {text}"]
            return [*out, 'return None if _result == NULL else _string(_result).decode("utf-8", "replace")']
        return [call] if returns.name == "void" else [f"return {call}"]
